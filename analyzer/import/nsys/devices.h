// SPDX-License-Identifier: Apache-2.0
// Reads the GPUs of an export. In containers an export often contains none; then only their numbers are
// known.
#pragma once
#include "import/nsys/export_file.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ringside::importers::nsys {

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

} // namespace ringside::importers::nsys
