// SPDX-License-Identifier: Apache-2.0
// Where PyTorch's watchdog writes the dumps of its flight recorder, PREFIX followed by the rank: what
// DebugInfoWriter::getWriter in torch/csrc/distributed/c10d/FlightRecorder.cpp does, PyTorch 2.2 to 2.9.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::flight_dumps {

/// Value of an environment variable, or null.
using Variable = std::function<std::optional<std::string>(std::string_view)>;

/// Returns the prefixes, as absolute paths, that some PyTorch would use in a process with these variables and
/// in this working directory. Which of them applies depends on its version, which is not known here.
[[nodiscard]] std::vector<std::string> dumpPrefixes(const Variable& variable,
                                                    const std::filesystem::path& workingDirectory);

} // namespace ringside::flight_dumps
