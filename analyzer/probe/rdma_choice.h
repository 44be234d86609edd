// SPDX-License-Identifier: Apache-2.0
// The RDMA ports (rails) that the probe measures: the active ones that NCCL may use by the variables of its
// user guide, in the order in which it numbers them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ringside::probe {

struct RdmaPort {
    std::string device;
    unsigned number = 0;
    int gidIndex = 0;
    bool ethernet = false; ///< RoCE: addressed by its GID
    int serviceLevel = 0;
    int trafficClass = 0;

    [[nodiscard]] std::string name() const { return device + ":" + std::to_string(number); }
};

/// NCCL's variables; empty if not set.
struct RdmaSettings {
    std::string disabled = {};     ///< NCCL_IB_DISABLE
    std::string devices = {};      ///< NCCL_IB_HCA: prefixes; `^` excludes, `=` matches whole names
    std::string gidIndex = {};     ///< NCCL_IB_GID_INDEX
    std::string serviceLevel = {}; ///< NCCL_IB_SL
    std::string trafficClass = {}; ///< NCCL_IB_TC
};

inline constexpr std::size_t kMostRails = 16; ///< hosts have eight, or two for each of eight GPUs

struct RdmaChoice {
    std::vector<RdmaPort> ports; ///< at most kMostRails
    std::string reason;          ///< why there is no port
};

/// `sysfsRoot` is "/sys", or a folder like it.
[[nodiscard]] RdmaChoice ncclWouldUse(const std::string& sysfsRoot, const RdmaSettings& settings);

} // namespace ringside::probe
