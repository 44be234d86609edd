// SPDX-License-Identifier: Apache-2.0
#include "launch_environment.h"

#include "failure.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace ringside::trainer {
namespace {

struct Launcher {
    const char* rank;
    const char* worldSize;
    const char* localRank;
};

// In this order, because mpirun under a Slurm allocation sets its own variables and those of the whole
// allocation.
constexpr std::array kLaunchers = {
    Launcher{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    Launcher{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

struct Limits {
    unsigned smallest = 0;
    unsigned largest = std::numeric_limits<unsigned>::max();
};

unsigned number(const char* name, const std::string& text, Limits limits)
{
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < limits.smallest ||
        value > limits.largest)
        throw Failure(fmt::format("{}=\"{}\" is not a number from {} to {}: correct it or unset it", name,
                                  text, limits.smallest, limits.largest));
    return value;
}

unsigned required(const Lookup& lookup, const char* name, const char* because)
{
    const auto text = lookup(name);
    if (!text)
        throw Failure(
            fmt::format("{} is set but {} is not: set both, or start with --nproc N", because, name));
    return number(name, *text, {});
}

} // namespace

std::optional<std::string> environmentVariable(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

RankIdentity identityFrom(const Lookup& lookup)
{
    RankIdentity identity;
    for (const Launcher& launcher : kLaunchers) {
        if (!lookup(launcher.rank))
            continue;
        identity.rank = required(lookup, launcher.rank, launcher.worldSize);
        identity.worldSize = required(lookup, launcher.worldSize, launcher.rank);
        identity.localRank =
            lookup(launcher.localRank) ? required(lookup, launcher.localRank, launcher.rank) : 0;
        if (identity.rank >= identity.worldSize)
            throw Failure(fmt::format("{}={} is outside a world of {}={}", launcher.rank, identity.rank,
                                      launcher.worldSize, identity.worldSize));
        break;
    }
    if (const auto address = lookup("MASTER_ADDR"))
        identity.masterAddress = *address;
    else if (identity.worldSize > 1 && !lookup("RANK"))
        throw Failure(
            "MASTER_ADDR is not set: set it to the host of rank 0, which the other ranks connect to");
    identity.masterPort = masterPortFrom(lookup);
    // torchrun's own store listens at the address that it gives to the ranks.
    if (lookup("TORCHELASTIC_USE_AGENT_STORE") == "True")
        identity.masterPort =
            static_cast<std::uint16_t>(identity.masterPort == 65535 ? 65534 : identity.masterPort + 1);
    return identity;
}

std::uint16_t masterPortFrom(const Lookup& lookup)
{
    const auto text = lookup("MASTER_PORT");
    if (!text)
        return RankIdentity{}.masterPort;
    return static_cast<std::uint16_t>(number("MASTER_PORT", *text, {.smallest = 1, .largest = 65535}));
}

} // namespace ringside::trainer
