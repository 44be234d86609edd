// SPDX-License-Identifier: Apache-2.0
// What the ranks did inside one collective, side by side: when each arrived, how long it waited and
// transferred; and, where they were recorded, NCCL's own phases and the copies of the GPU meanwhile.
#pragma once
#include "document/document.h"
#include "timeline/timeline.h"

#include <cstdint>
#include <vector>

namespace ringside::timeline {

struct CollectiveLane {
    enum class Kind : std::uint8_t {
        Rank,   ///< from its arrival to its end
        Phases, ///< of its kernel, by any of its channels, as NCCL told them
        Copies, ///< of any stream of its GPU
    };
    struct Piece {
        Interval time;         ///< run time
        document::Shade shade; ///< Idle: it waits for others at the end
    };
    std::size_t rank = 0; ///< index into Model::ranks
    Kind kind = Kind::Rank;
    std::vector<Piece> pieces; ///< later ones lie over earlier ones
};

struct CollectiveLanes {
    Interval time; ///< from the first arrival to the end
    std::int64_t lastArrivalNs = 0;
    std::vector<CollectiveLane>
        lanes; ///< the rank that came last first; the further lanes of a rank follow it
};

/// `collective` is an index into Timeline::collectives.
[[nodiscard]] CollectiveLanes lanesOf(const model::Model& model, const Timeline& timeline,
                                      std::size_t collective);

} // namespace ringside::timeline
