// SPDX-License-Identifier: Apache-2.0
// The model widemlp: two fully connected hidden layers of 1024. It has as much compute per parameter as the
// mlp, but in few large matrices: two messages carry nearly all gradients, and nothing overlaps with the last
// one. Its shape is fixed.
#include "dense.h"
#include "digits.h"
#include "models.h"

namespace ringside::trainer {

Model widemlp(const Options&)
{
    constexpr unsigned kWidth = 1024;
    Model model;
    model.description = "widemlp of 2 hidden layers of 1024";
    model.layers.push_back(std::make_unique<Dense>(kImagePixels, kWidth, Activation::Relu));
    model.layers.push_back(std::make_unique<Dense>(kWidth, kWidth, Activation::Relu));
    model.layers.push_back(std::make_unique<Dense>(kWidth, kDigitClasses, Activation::None));
    return model;
}

} // namespace ringside::trainer
