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

/// The tool that recorded the rows, and what its tiers could see.
struct Recorder {
    const char* device = "";
    const char* noDevice = ""; ///< where no device work was recorded
    const char* host = "";
    const char* ranges = "";
    const char* nccl = "";
    const char* sampled = "";
    std::string (*decode)(std::string_view raw) = nullptr; ///< the name that a stored one means
    bool isHostClock =
        false; ///< times are of the host's CLOCK_MONOTONIC: they stay, so that processes compare
};

/// Builds the trace of one file.
[[nodiscard]] trace::ProcessTrace assemble(Rows&& rows, Document&& document, const Recorder& recorder);

} // namespace ringside::importers::kineto
