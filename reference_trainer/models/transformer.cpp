// SPDX-License-Identifier: Apache-2.0
// The model transformer: an encoder (Vaswani et al. 2017, normalised before each part as in Xiong et al.
// 2020) over the lines of an image, two in each row of 56 pixels. Each row is projected to 128 values with a
// learned bias for its position. Then follow four blocks of attention with 4 heads and of fully connected
// layers 128-256-128, both with a residual. The mean of the rows is classified. Its shape is fixed.
#include "attention.h"
#include "dense.h"
#include "digits.h"
#include "layer_norm.h"
#include "mean_pool.h"
#include "models.h"

namespace ringside::trainer {
namespace {

constexpr unsigned kLinesARow = 2;
constexpr unsigned kRows = kImageSide / kLinesARow;
constexpr unsigned kModelWidth = 128;
constexpr unsigned kHeads = 4;
constexpr unsigned kHidden = 256;
constexpr unsigned kBlocks = 4;

std::unique_ptr<Layer> projection(unsigned inputs, unsigned outputs)
{
    return std::make_unique<Dense>(inputs, outputs, Activation::None, Dense::Rows{.count = kRows});
}

/// Its last layer adds the input of the layer `before` layers earlier.
std::unique_ptr<Layer> projectionWithResidual(unsigned inputs, unsigned before)
{
    return std::make_unique<Dense>(inputs, kModelWidth, Activation::None,
                                   Dense::Rows{.count = kRows, .residualOver = before});
}

void addBlock(Layers& layers)
{
    layers.push_back(std::make_unique<LayerNorm>(kRows, kModelWidth));
    layers.push_back(projection(kModelWidth, 3 * kModelWidth)); // queries, keys and values
    layers.push_back(std::make_unique<Attention>(kRows, kModelWidth, kHeads));
    layers.push_back(projectionWithResidual(kModelWidth, 3));
    layers.push_back(std::make_unique<LayerNorm>(kRows, kModelWidth));
    layers.push_back(
        std::make_unique<Dense>(kModelWidth, kHidden, Activation::Relu, Dense::Rows{.count = kRows}));
    layers.push_back(projectionWithResidual(kHidden, 2));
}

} // namespace

Model transformer(const Options&)
{
    Model model;
    model.description = "transformer of 4 blocks of width 128 over 14 rows";
    model.layers.push_back(std::make_unique<Dense>(kLinesARow * kImageSide, kModelWidth, Activation::None,
                                                   Dense::Rows{.count = kRows, .ownBias = true}));
    for (unsigned block = 0; block < kBlocks; ++block)
        addBlock(model.layers);
    model.layers.push_back(std::make_unique<LayerNorm>(kRows, kModelWidth));
    model.layers.push_back(std::make_unique<MeanPool>(kRows, kModelWidth));
    model.layers.push_back(std::make_unique<Dense>(kModelWidth, kDigitClasses, Activation::None));
    return model;
}

} // namespace ringside::trainer
