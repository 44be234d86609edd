// SPDX-License-Identifier: Apache-2.0
// The RDMA port that the probe measures: the first active one that NCCL may use by the variables of its user
// guide. A host with several (rails) is measured on that one alone.
#pragma once
#include <optional>
#include <string>

namespace ringside::probe {

struct RdmaPort {
    std::string device;
    unsigned number = 0;
    int gidIndex = 0;
    bool ethernet = false; ///< RoCE: it is addressed by its GID

    [[nodiscard]] std::string name() const { return device + ":" + std::to_string(number); }
};

/// NCCL's variables; empty where they are not set.
struct RdmaSettings {
    std::string disabled; ///< NCCL_IB_DISABLE
    std::string devices;  ///< NCCL_IB_HCA: prefixes; `^` excludes, `=` takes whole names
    std::string gidIndex; ///< NCCL_IB_GID_INDEX
};

struct RdmaChoice {
    std::optional<RdmaPort> port;
    std::string reason; ///< why there is none
};

/// `sysfsRoot` is "/sys", or a tree like it.
[[nodiscard]] RdmaChoice ncclWouldTake(const std::string& sysfsRoot, const RdmaSettings& settings);

} // namespace ringside::probe
