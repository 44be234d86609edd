// SPDX-License-Identifier: Apache-2.0
// CPUs with a low clock, with a cgroup limit, or busy with other work.
#include "doctor/check.h"
#include "values/parse_number.h"

#include <fmt/format.h>

#include <sstream>

namespace ringside::doctor::check_cpus {
namespace {

using rules::Severity;

void pressure(const Facts& facts, std::string_view what, double much, double tooMuch,
              std::vector<Advice>& all)
{
    const std::string_view percent = facts.text(fmt::format("pressure.{}_some_percent", what));
    const auto share = values::parseNumber<double>(percent);
    if (share && *share > much) {
        all.push_back({{},
                       *share > tooMuch ? Severity::Problem : Severity::Warning,
                       fmt::format("In {} % of the last ten seconds, tasks waited for {}", percent, what),
                       "Something else runs on this host already.",
                       "ps -eo pcpu,rss,pid,comm --sort=-pcpu | head"});
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    const std::string_view governor = facts.text("cpu.governor");
    if (governor == "powersave" || governor == "schedutil" || governor == "ondemand" ||
        governor == "conservative") {
        // intel_pstate calls its dynamic mode powersave. It reacts slowly but reaches full speed.
        all.push_back({{},
                       Severity::Info,
                       fmt::format("The CPUs' frequency governor is {}", governor),
                       "Launching threads sleep and wake; `performance` answers faster.",
                       "sudo cpupower frequency-set -g performance"});
    }
    std::istringstream quota{std::string(facts.text("cpu.quota"))};
    std::int64_t allowed = 0;
    std::int64_t period = 0;
    if (quota >> allowed >> period && period > 0) {
        all.push_back({{},
                       Severity::Warning,
                       fmt::format("A cgroup limits CPU time to {:.1f} CPUs",
                                   static_cast<double>(allowed) / static_cast<double>(period)),
                       "Ranks, their NCCL threads and data loaders stop when the quota of a period is used "
                       "up; then every "
                       "other rank waits. Ask for whole CPUs, or no limit.",
                       ""});
    }
    pressure(facts, "cpu", 10, 40, all);
    pressure(facts, "memory", 5, 20, all);
    return all;
}

} // namespace

RINGSIDE_CHECK(cpus, .title = "CPUs", .run = run);

} // namespace ringside::doctor::check_cpus
