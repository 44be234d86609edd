// SPDX-License-Identifier: Apache-2.0
// The model mlp: fully connected hidden layers of the same width.
#include "dense.h"
#include "digits.h"
#include "models.h"

#include <fmt/format.h>

namespace ringside::trainer {

Model mlp(const Options& options)
{
    Model model;
    model.description = fmt::format("mlp of {} hidden layers of {}", options.layers, options.hidden);
    unsigned width = kImagePixels;
    for (unsigned i = 0; i < options.layers; ++i) {
        model.layers.push_back(std::make_unique<Dense>(width, options.hidden, Activation::Relu));
        width = options.hidden;
    }
    model.layers.push_back(std::make_unique<Dense>(width, kDigitClasses, Activation::None));
    return model;
}

} // namespace ringside::trainer
