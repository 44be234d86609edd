// SPDX-License-Identifier: Apache-2.0
#include "settings/compared.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringside::settings {
namespace {

/// Returns true for variables that are meant to differ between ranks: the rank's identity, its output files,
/// its device.
bool differsByDesign(std::string_view name)
{
    constexpr std::array<std::string_view, 8> kNames{"CUDA_VISIBLE_DEVICES",
                                                     "NCCL_COMM_ID",
                                                     "NCCL_DEBUG_FILE",
                                                     "NCCL_HOSTID",
                                                     "NCCL_TOPO_DUMP_FILE",
                                                     "NCCL_GRAPH_DUMP_FILE",
                                                     "TORCH_NCCL_DEBUG_INFO_TEMP_FILE",
                                                     "TORCH_NCCL_DEBUG_INFO_PIPE_FILE"};
    return std::ranges::find(kNames, name) != kNames.end();
}

} // namespace

bool isCompared(const trace::SettingRow& row)
{
    constexpr std::array<std::string_view, 5> kPrefixes{"NCCL_", "TORCH_", "PYTORCH_", "CUDA_", "OMP_"};
    const bool version =
        row.source == "library" && row.name != trace::Fact("library", "nccl_unknown_variables").name();
    const bool variable =
        (row.source == "environment" || row.source == "nccl.conf") && !differsByDesign(row.name) &&
        std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return row.name.starts_with(prefix); });
    return version || variable;
}

} // namespace ringside::settings
