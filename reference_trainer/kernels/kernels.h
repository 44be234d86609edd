// SPDX-License-Identifier: Apache-2.0
// The trainer's kernels, as launch_NAME(stream, elements, arguments...). Matrices are row-major.
#pragma once
#include "kernel.h"

/// y[row, column] = max(0, y + bias[column]); an element a matrix entry.
RS_DECLARE_KERNEL(bias_relu, (float* y, const float* bias, unsigned width))
/// y[row, column] += bias[column]
RS_DECLARE_KERNEL(bias_add, (float* y, const float* bias, unsigned width))
/// gradient = 0 where the layer's output was cut off by the ReLU.
RS_DECLARE_KERNEL(relu_backward, (float* gradient, const float* output))
/// gradient of the bias: column sums of `rows` rows; an element a column.
RS_DECLARE_KERNEL(bias_gradient, (const float* gradient, float* biasGradient, unsigned rows))
/// Loss of each row and, in place of the logits, the gradient of the mean loss over `n` rows; an element a
/// row.
RS_DECLARE_KERNEL(softmax_cross_entropy, (float* logits, const int* labels, float* losses, unsigned classes))
/// losses[0 .. count) to their mean; one element.
RS_DECLARE_KERNEL(mean_loss, (const float* losses, unsigned count, float* mean))
/// SGD with momentum; `scale` turns a sum over ranks into a mean.
RS_DECLARE_KERNEL(sgd, (float* weights, const float* gradients, float* velocity, float lr, float momentum,
                        float scale))
/// Arithmetic that nobody needs, `iterations` units long: what the fault late_rank adds.
RS_DECLARE_KERNEL(busy, (float* sink, unsigned iterations))
