// SPDX-License-Identifier: Apache-2.0
// The model convnet: two convolutions that halve the image's side, 28 -> 13 -> 5, and two fully connected
// layers, 1600 -> 256 -> 10. Its shape is fixed.
#include "convolution.h"
#include "dense.h"
#include "digits.h"
#include "models.h"

namespace ringside::trainer {

Model convnet(const Options&)
{
    constexpr unsigned kGray = 1;
    constexpr unsigned kFilters[] = {32, 64};
    constexpr unsigned kHidden = 256;
    auto first = std::make_unique<Convolution>(kImageSide, kGray, kFilters[0]);
    auto second = std::make_unique<Convolution>(first->outputSide(), kFilters[0], kFilters[1]);
    const auto features = static_cast<unsigned>(second->shape().outputs);
    Model model;
    model.description = "convnet of 2 convolutions and 2 fully connected layers";
    model.layers.push_back(std::move(first));
    model.layers.push_back(std::move(second));
    model.layers.push_back(std::make_unique<Dense>(features, kHidden, Activation::Relu));
    model.layers.push_back(std::make_unique<Dense>(kHidden, kDigitClasses, Activation::None));
    return model;
}

} // namespace ringside::trainer
