// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum, as torch.optim.SGD defines it.
#include "kernels.h"

RS_KERNEL(sgd,
          (float* weights, const float* gradients, float* velocity, float lr, float momentum, float scale), {
              velocity[i] = momentum * velocity[i] + scale * gradients[i];
              weights[i] -= lr * velocity[i];
          })
RS_KERNEL_COST(sgd, 5, 20)
