// SPDX-License-Identifier: Apache-2.0
// The GPUs of an export. In containers it often names none; then nothing but their numbers is known.
#pragma once
#include "import/nsys/export_file.h"

#include <ringside/trace/rows.h>

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

namespace ringside::importers::nsys {

class Devices final {
public:
    explicit Devices(ExportFile& file);
    /// What is known of the device that a process calls `ordinal`.
    [[nodiscard]] trace::DeviceRow of(std::int64_t pid, std::uint32_t ordinal) const;

private:
    std::map<std::int64_t, trace::DeviceRow> m_gpus;                           ///< by the session's number
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> m_ofProcess; ///< pid, ordinal: the number
};

} // namespace ringside::importers::nsys
