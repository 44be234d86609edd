// SPDX-License-Identifier: Apache-2.0
// Builds a process's trace from scanned rows: gives times one origin, joins half ranges, adds threads,
// devices, collectives and tiers, and reports what was left out.
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <ringside/trace/reader.h>

#include <string>
#include <string_view>

namespace ringside::importers::kineto {

/// The tool that recorded the rows.
struct Recorder {
    const char *device, *noDevice, *host, *ranges, *nccl, *sampled; ///< what its tiers could see
    std::string (*decode)(std::string_view raw);                    ///< the name that a stored one means
    bool isHostClock =
        false; ///< times are of the host's CLOCK_MONOTONIC: they stay, so that processes compare
};

/// Builds the trace of one file.
[[nodiscard]] trace::ProcessTrace assemble(Rows&& rows, Document&& document, const Recorder& recorder);

} // namespace ringside::importers::kineto
