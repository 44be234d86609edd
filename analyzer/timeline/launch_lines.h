// SPDX-License-Identifier: Apache-2.0
// Describes how a kernel was launched, for the details of a span.
#pragma once
#include <ringside/trace/reader.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ringside::timeline {

/// Adds a line for each value that is known: grid, block, registers, shared memory, occupancy.
void addLaunchLines(const trace::ProcessTrace& process, std::size_t kernel,
                    std::vector<std::pair<std::string, std::string>>& lines);

} // namespace ringside::timeline
