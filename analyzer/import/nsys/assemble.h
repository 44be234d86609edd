// SPDX-License-Identifier: Apache-2.0
// Builds the traces of an export's processes from the rows that were read, and reports what is missing.
#pragma once
#include "import/nsys/export_file.h"
#include "import/nsys/recording.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/rows.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace ringside::importers::nsys {

// Reads the GPUs of an export. In containers an export often contains none; then only their numbers are
// known.

/// The GPUs of the session.
class Devices final {
public:
    explicit Devices(ExportFile& file);
    /// Returns what is known of device number `ordinal` of a process.
    [[nodiscard]] trace::DeviceRow of(std::int64_t pid, std::uint32_t ordinal) const;

private:
    std::map<std::int64_t, trace::DeviceRow> m_gpus; ///< by number in the session
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t>
        m_ofProcess; ///< that number by pid, ordinal
};

/// Returns a trace for each process with device work or NCCL calls. A process is one rank, or several with
/// one device each. Issues of the whole file are added to the first trace. Empty if there is no such process.
[[nodiscard]] std::vector<trace::ProcessTrace> assemble(Recording&& recording, const Devices& devices);

} // namespace ringside::importers::nsys
