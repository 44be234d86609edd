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

// In this order: mpirun under a Slurm allocation sets both its own variables and those of the whole
// allocation.
constexpr std::array kLaunchers = {
    Launcher{"RANK", "WORLD_SIZE", "LOCAL_RANK"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    Launcher{"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"},
};

unsigned number(const char* name, const std::string& text, unsigned largest)
{
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > largest)
        throw Failure(fmt::format("{}=\"{}\" is not a number from 0 to {}: correct it or unset it", name,
                                  text, largest));
    return value;
}

unsigned required(const Lookup& lookup, const char* name, const char* because)
{
    const auto text = lookup(name);
    if (!text)
        throw Failure(
            fmt::format("{} is set but {} is not: set both, or start with --nproc N", because, name));
    return number(name, *text, std::numeric_limits<unsigned>::max());
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
    if (const auto port = lookup("MASTER_PORT"))
        identity.masterPort = static_cast<std::uint16_t>(number("MASTER_PORT", *port, 65535));
    return identity;
}

} // namespace ringside::trainer
