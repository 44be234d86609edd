// SPDX-License-Identifier: Apache-2.0
#include "cli/launch.h"

#include "host/other_process.h"
#include "host/process.h"
#include "values/parse_number.h"

#include <unistd.h>

#include <array>
#include <cctype>
#include <string_view>

namespace ringside::cli {
namespace {

std::string named(const char* name)
{
    return std::string(name) + "=" + host::environmentValue(name);
}

/// Returns NAME=VALUE for each name that is set.
template <std::size_t Count>
std::string listOf(const std::array<const char*, Count>& names)
{
    std::string list;
    for (const char* const name : names) {
        list += host::environmentValue(name).empty() ? "" : (list.empty() ? "" : " ") + named(name);
    }
    return list;
}

/// The batch script and the shell of salloc are steps, too; several launches may follow each other in them.
bool isStepOfSrun(const std::string& step)
{
    constexpr std::uint64_t kFirstSpecial = 0xFFFFFFF0;
    const auto number = values::parseNumber<std::uint64_t>(step);
    return number && *number < kFirstSpecial;
}

void addIds(Launch& launch)
{
    // The ids of a whole batch job (PBS_JOBID, LSB_JOBID) are not used: a batch job may launch several times.
    constexpr std::array kIds{kLaunchVariable, "PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
                              "PALS_APID",     "PMI_JOBID",      "FLUX_JOB_ID"};
    for (const char* const name : kIds) {
        if (!host::environmentValue(name).empty()) {
            launch.ids.push_back(named(name));
        }
    }
    if (isStepOfSrun(host::environmentValue("SLURM_STEP_ID")) &&
        !host::environmentValue("SLURM_JOB_ID").empty()) {
        launch.ids.push_back(named("SLURM_JOB_ID") + " " + named("SLURM_STEP_ID"));
    }
    // Without --rdzv-id, torchrun sets "none".
    const std::string elastic = host::environmentValue("TORCHELASTIC_RUN_ID");
    const bool hasElastic = !elastic.empty() && elastic != "none";
    if (hasElastic) {
        launch.ids.push_back(named("TORCHELASTIC_RUN_ID"));
    }
    launch.restarts = hasElastic || !host::environmentValue(kLaunchVariable).empty();
}

/// The restart count begins at 0 again after a requeue.
std::int64_t attemptOfEnvironment()
{
    constexpr std::int64_t kMoreThanRestarts = 1'000'000;
    const auto count = [](const char* name) {
        return values::parseNumber<std::int32_t>(host::environmentValue(name)).value_or(0);
    };
    return count("SLURM_RESTART_COUNT") * kMoreThanRestarts + count("TORCHELASTIC_RESTART_COUNT");
}

} // namespace

Launch launchOfEnvironment()
{
    Launch launch;
    addIds(launch);
    for (const char* const name : host::kRankVariables) {
        if (launch.rank.empty() && !host::environmentValue(name).empty()) {
            launch.rank = named(name);
        }
    }
    launch.world = listOf(std::array{"WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "PMI_SIZE"});
    launch.attempt = attemptOfEnvironment();
    return launch;
}

std::string nameOf(const Launch& launch)
{
    std::string name = launch.ids.empty() ? host::hostName() + "-" + std::to_string(getppid()) : "";
    for (const char c : launch.ids.empty() ? "" : launch.ids.front()) {
        name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '-';
    }
    return name;
}

} // namespace ringside::cli
