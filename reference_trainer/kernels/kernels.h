// SPDX-License-Identifier: Apache-2.0
// The trainer's kernels, as launch_NAME(stream, elements, arguments...). Matrices are row-major.
#pragma once
#include "kernel.h"
#include "topk.h"

/// Arguments of Adam's kernel that change with every step.
struct AdamStep {
    float lr;
    float beta1;
    float beta2;
    float epsilon;
    float meanCorrection;   ///< 1 / (1 - beta1^t), because the running means start at 0
    float squareCorrection; ///< 1 / (1 - beta2^t)
    float scale;            ///< turns a sum over ranks into a mean
};

/// y[row, column] = max(0, y + bias[column]); an element is a matrix entry.
RS_DECLARE_KERNEL(bias_relu, (float* y, const float* bias, unsigned width))
/// y[row, column] += bias[column]
RS_DECLARE_KERNEL(bias_add, (float* y, const float* bias, unsigned width))
/// Sets the gradient to 0 where the ReLU clamped the layer's output.
RS_DECLARE_KERNEL(relu_backward, (float* gradient, const float* output))
/// Gradient of the bias: column sums of `rows` rows; an element is a column.
RS_DECLARE_KERNEL(bias_gradient, (const float* gradient, float* biasGradient, unsigned rows))
/// Computes the loss of each row and replaces the logits by the gradient of the mean loss over `n` rows; an
/// element is a row.
RS_DECLARE_KERNEL(softmax_cross_entropy, (float* logits, const int* labels, float* losses, unsigned classes))
/// Mean of losses[0 .. count); one element.
RS_DECLARE_KERNEL(mean_loss, (const float* losses, unsigned count, float* mean))
/// columns[place][3 * 3 * channels] = the input of the filter at each of (side - 2)^2 places of each image;
/// an element is a place and a row of the filter.
RS_DECLARE_KERNEL(im2col, (const float* images, float* columns, unsigned side, unsigned channels))
/// The reverse: a pixel's gradient is the sum over the places whose filter covers it; an element is a pixel.
RS_DECLARE_KERNEL(col2im,
                  (const float* columnGradients, float* imageGradients, unsigned side, unsigned channels))
/// Largest value of each whole 2 x 2 window and channel, and a bit that tells which of the four it was; an
/// element is a window.
RS_DECLARE_KERNEL(max_pool, (const float* images, float* pooled, unsigned char* choices, unsigned side,
                             unsigned channels))
/// The chosen pixels get their window's gradient, all others 0; an element is a pixel.
RS_DECLARE_KERNEL(max_pool_backward, (const float* pooledGradients, const unsigned char* choices,
                                      float* imageGradients, unsigned side, unsigned channels))
/// sums[k][column] over `rowsASum` of the `rows` rows: many short sums instead of one long one, for
/// parallelism and precision.
RS_DECLARE_KERNEL(column_sums,
                  (const float* values, float* sums, unsigned rows, unsigned width, unsigned rowsASum))
/// Softmax of each row, in place; an element is a row of `width`.
RS_DECLARE_KERNEL(softmax, (float* rows, unsigned width))
/// Replaces the gradient of the softmax's output by that of its input; an element is a row.
RS_DECLARE_KERNEL(softmax_backward, (const float* probabilities, float* gradients, unsigned width))
/// Rows with mean 0 and variance 1, and 1 / (standard deviation) of each; an element is a row.
RS_DECLARE_KERNEL(normalise, (const float* rows, float* normalised, float* inverseSpreads, unsigned width))
/// to[row, column] = values * (1 + scale[column]) + shift[column]
RS_DECLARE_KERNEL(scale_and_shift,
                  (const float* values, const float* scale, const float* shift, float* to, unsigned width))
/// products = left * right, element by element.
RS_DECLARE_KERNEL(multiply_elements, (const float* left, const float* right, float* products))
/// Gradient of the input of normalise and scale_and_shift; an element is a row.
RS_DECLARE_KERNEL(normalise_backward, (const float* gradients, const float* scale, const float* normalised,
                                       const float* inverseSpreads, float* rowGradients, unsigned width))
/// means[sample][column] over the sample's `rows`; an element is a mean.
RS_DECLARE_KERNEL(mean_rows, (const float* values, float* means, unsigned rows, unsigned width))
/// The reverse: each row gets its part; an element is a value.
RS_DECLARE_KERNEL(mean_rows_backward,
                  (const float* meanGradients, float* gradients, unsigned rows, unsigned width))
/// SGD with momentum; `scale` turns a sum over ranks into a mean.
RS_DECLARE_KERNEL(sgd, (float* weights, const float* gradients, float* velocity, float lr, float momentum,
                        float scale))
/// Adam; `step` is the same for all weights.
RS_DECLARE_KERNEL(adam, (float* weights, const float* gradients, float* mean, float* square, AdamStep step))
/// sums += values
RS_DECLARE_KERNEL(accumulate, (float* sums, const float* values))
/// Converts values to IEEE half precision, as bits: rounds to nearest, infinite above 65504; and back.
RS_DECLARE_KERNEL(to_half, (const float* values, unsigned short* halves))
RS_DECLARE_KERNEL(from_half, (const unsigned short* halves, float* values))
/// Converts values to bfloat16, as bits: rounds to nearest, ties to even; and back.
RS_DECLARE_KERNEL(to_bfloat16, (const float* values, unsigned short* halves))
RS_DECLARE_KERNEL(from_bfloat16, (const unsigned short* halves, float* values))
/// Sets *found to 1 if a value is infinite or NaN; otherwise leaves it unchanged.
RS_DECLARE_KERNEL(find_overflow, (const float* values, unsigned* found))
/// The steps of LargestValues::extract, in order; an element is a lane, and for topk_sum a value of a digit.
RS_DECLARE_KERNEL(topk_begin, (TopkSearch * search, unsigned wanted))
RS_DECLARE_KERNEL(topk_histogram, (const float* values, unsigned count, const TopkSearch* search,
                                   unsigned digit, unsigned* histograms))
RS_DECLARE_KERNEL(topk_sum, (const unsigned* histograms, unsigned lanes, unsigned* sums))
RS_DECLARE_KERNEL(topk_narrow, (const unsigned* sums, unsigned digit, TopkSearch* search))
RS_DECLARE_KERNEL(topk_count,
                  (const float* values, unsigned count, const TopkSearch* search, TopkLane* lanes))
RS_DECLARE_KERNEL(topk_place, (const TopkSearch* search, TopkLane* lanes, unsigned laneCount))
RS_DECLARE_KERNEL(topk_take, (float* values, unsigned count, const TopkSearch* search, const TopkLane* lanes,
                              TopkEntry* entries))
/// sums[index] += value of each entry; no index may occur twice.
RS_DECLARE_KERNEL(topk_add, (const TopkEntry* entries, float* sums))
/// Arithmetic without a purpose, `iterations` units long, for the fault late_rank.
RS_DECLARE_KERNEL(busy, (float* sink, unsigned iterations))
