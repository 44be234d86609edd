// SPDX-License-Identifier: Apache-2.0
// What can be trained: a model is one file here, which says what layers it has. Images come in as kImageSide
// x kImageSide pixels, kDigitClasses logits go out.
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

/// The one that the options name.
[[nodiscard]] inline Model modelFor(const Options& options)
{
    if (options.model == "convnet")
        return convnet(options);
    if (options.model == "transformer")
        return transformer(options);
    return options.model == "widemlp" ? widemlp(options) : mlp(options);
}

} // namespace ringside::trainer
