// SPDX-License-Identifier: Apache-2.0
// The models that can be trained: one file here for each, which lists its layers. The input is an image of
// kImageSide x kImageSide pixels, the output kDigitClasses logits.
#pragma once
#include "network.h"
#include "options.h"

#include <string>

namespace ringside::trainer {

struct Model {
    std::string description; ///< for people
    Layers layers;           ///< without memory yet
};

[[nodiscard]] Model convnet(const Options& options);
[[nodiscard]] Model mlp(const Options& options);
[[nodiscard]] Model transformer(const Options& options);
[[nodiscard]] Model widemlp(const Options& options);

/// Returns the model that the options name.
[[nodiscard]] inline Model modelFor(const Options& options)
{
    if (options.model == "convnet")
        return convnet(options);
    if (options.model == "transformer")
        return transformer(options);
    return options.model == "widemlp" ? widemlp(options) : mlp(options);
}

} // namespace ringside::trainer
