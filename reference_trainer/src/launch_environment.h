// SPDX-License-Identifier: Apache-2.0
// The rank of this process, from the variables of its launcher.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ringside::trainer {

struct RankIdentity {
    unsigned rank = 0;
    unsigned worldSize = 1;
    unsigned localRank = 0;
    std::string masterAddress = "127.0.0.1";
    std::uint16_t masterPort = 29500;
};

/// Looks up a variable; returns nothing if it is not set.
using Lookup = std::function<std::optional<std::string>(const char* name)>;

[[nodiscard]] std::optional<std::string> environmentVariable(const char* name);

/// Reads RANK/WORLD_SIZE/LOCAL_RANK (torchrun's names), else OMPI_COMM_WORLD_*, else SLURM_*, else returns a
/// single rank. Throws Failure if the variables are incomplete, are not numbers or contradict each other.
[[nodiscard]] RankIdentity identityFrom(const Lookup& lookup);

/// Returns MASTER_PORT, else the default port. Throws Failure if it is not a port.
[[nodiscard]] std::uint16_t masterPortFrom(const Lookup& lookup);

} // namespace ringside::trainer
