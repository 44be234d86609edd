// SPDX-License-Identifier: Apache-2.0
// The RDMA port that the probe measures: the first active one that NCCL may use by the variables of its user
// guide. On a host with several ports (rails), only this one is measured.
#pragma once
#include <optional>
#include <string>

namespace ringside::probe {

struct RdmaPort {
    std::string device;
    unsigned number = 0;
    int gidIndex = 0;
    bool ethernet = false; ///< RoCE: addressed by its GID

    [[nodiscard]] std::string name() const { return device + ":" + std::to_string(number); }
};

/// NCCL's variables; empty if not set.
struct RdmaSettings {
    std::string disabled; ///< NCCL_IB_DISABLE
    std::string devices;  ///< NCCL_IB_HCA: prefixes; `^` excludes, `=` matches whole names
    std::string gidIndex; ///< NCCL_IB_GID_INDEX
};

struct RdmaChoice {
    std::optional<RdmaPort> port;
    std::string reason; ///< why there is no port
};

/// `sysfsRoot` is "/sys", or a folder like it.
[[nodiscard]] RdmaChoice ncclWouldUse(const std::string& sysfsRoot, const RdmaSettings& settings);

} // namespace ringside::probe
