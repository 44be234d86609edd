// SPDX-License-Identifier: Apache-2.0
// Reads the events of a profile into rows.
#pragma once
#include "import/kineto/rows.h"
#include "import/xplane/catalogue.h"

#include <cstdint>
#include <optional>

namespace ringside::importers::xplane {

/// What of a profile does not become a row, beside what `rows.counts` counts.
struct LeftOut {
    std::int64_t nameless = 0; ///< events whose name the file does not contain
    std::int64_t damaged = 0;  ///< events that cannot be read
    std::uint64_t firstDamaged = 0;
    std::int64_t beyond = 0;      ///< events beyond the limit
    std::int64_t wholeGraphs = 0; ///< CUDA graphs that were recorded as a whole; these are kernels
    std::optional<Damage> end;    ///< where the file stops to be readable
};

/// Reads all events. `rows.names` are those of the catalogue.
[[nodiscard]] LeftOut readEvents(Wire& wire, const Catalogue& catalogue, kineto::Rows& rows);

} // namespace ringside::importers::xplane
