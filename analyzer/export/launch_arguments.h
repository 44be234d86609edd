// SPDX-License-Identifier: Apache-2.0
// The launch configurations of kernels as arguments of trace events. Their keys are those that the PyTorch
// profiler writes, so that tools for its traces find them.
#pragma once
#include <ringside/trace/reader.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace ringside::exporting {

class LaunchArguments final {
public:
    /// `process` must outlive this.
    explicit LaunchArguments(const trace::ProcessTrace& process) : m_process(process) {}
    /// Returns a JSON object with what is known of a kernel's launch, by its row; empty if nothing is known.
    [[nodiscard]] std::string_view of(std::size_t kernel);

private:
    const trace::ProcessTrace& m_process;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::string> m_texts; ///< by configuration and device
};

} // namespace ringside::exporting
