// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent with momentum and Adam, as torch.optim defines them.
#include "kernels.h"

#include <cmath>

RS_KERNEL(sgd,
          (float* weights, const float* gradients, float* velocity, float lr, float momentum, float scale), {
              velocity[i] = momentum * velocity[i] + scale * gradients[i];
              weights[i] -= lr * velocity[i];
          })
RS_KERNEL_COST(sgd, 5, 20)

RS_KERNEL(adam, (float* weights, const float* gradients, float* mean, float* square, AdamStep step), {
    const float gradient = step.scale * gradients[i];
    mean[i] = step.beta1 * mean[i] + (1.0f - step.beta1) * gradient;
    square[i] = step.beta2 * square[i] + (1.0f - step.beta2) * gradient * gradient;
    const float spread = sqrtf(square[i] * step.squareCorrection) + step.epsilon;
    weights[i] -= step.lr * step.meanCorrection * mean[i] / spread;
})
RS_KERNEL_COST(adam, 16, 28)
