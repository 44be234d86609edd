// SPDX-License-Identifier: Apache-2.0
// The verdict as a picture: it rests on the parts of a step, and causes explain these.
#pragma once
#include "document/box_picture.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::document {

struct WhyGraph {
    struct Node {
        std::string title;
        std::vector<std::string> texts;
        std::optional<Place> place; ///< a moment that shows it
    };
    struct Cause {
        Node node;
        std::size_t part = 0; ///< index into `parts`: what it explains
    };
    Node verdict;
    std::vector<Node> parts;   ///< of the mean step, which they sum to
    std::vector<Cause> causes; ///< costliest first
};

/// Three columns: the verdict, the parts, and beside each part what explains it.
[[nodiscard]] BoxPicture pictureOf(const WhyGraph& graph);
/// Returns a line for each box, as screen readers say it.
[[nodiscard]] std::vector<std::string> whyLines(const WhyGraph& graph);

} // namespace ringside::document
