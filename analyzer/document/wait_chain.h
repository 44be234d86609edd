// SPDX-License-Identifier: Apache-2.0
// Who waits for whom, as a picture and as lines.
#pragma once
#include "document/box_picture.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ringside::document {

/// A graph of waits. It is small: whoever builds it folds and counts what is beyond its limits.
struct WaitChain {
    static constexpr std::size_t kMostInLayer = 3;
    static constexpr std::size_t kMostLayers = 9; ///< of ranks that wait, before the origin
    static constexpr std::size_t kMostInCircle = 8;

    struct Node {
        std::string who;       ///< "rank 2", "ranks 0 to 6 and 9"
        std::string does;      ///< "is in cudaStreamSynchronize", "has died (by SIGKILL)"; empty: not known
        std::string since;     ///< "for 35 s"; empty: not known
        std::size_t layer = 0; ///< number of waits from here to the origin, which has 0
    };
    struct Edge {
        std::size_t from = 0;
        std::size_t to = 0;
        std::string call;     ///< in which `from` waits: "ncclAllReduce #5 of communicator tp"
        std::string waitsFor; ///< "rank 2"
    };
    std::vector<Node> nodes; ///< the origin comes first; of a circle, each waits for the next one
    std::vector<Edge> edges;
    bool circle = false; ///< the last node waits for the first one
    std::string note;    ///< what the picture leaves out; empty: nothing

    /// The call in which a node waits. Null: it waits in none.
    [[nodiscard]] const Edge* waitOf(std::size_t node) const;
};

/// Returns a line for each wait, "rank 0 -> rank 1: ncclRecv of communicator pp", from the farthest to the
/// origin, then what the origin does and the note.
[[nodiscard]] std::vector<std::string> waitLines(const WaitChain& chain);

[[nodiscard]] BoxPicture pictureOf(const WaitChain& chain);

} // namespace ringside::document
