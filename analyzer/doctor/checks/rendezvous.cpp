// SPDX-License-Identifier: Apache-2.0
// The rendezvous address of the ranks. Ranks that cannot reach it wait for minutes before they report an
// error.
#include "doctor/check.h"

#include <fmt/format.h>

namespace ringside::doctor::check_rendezvous {
namespace {

using rules::Severity;

std::vector<Advice> run(const Facts& facts, const Need&)
{
    const std::string_view name = facts.text("environment.MASTER_ADDR");
    const std::string_view port = facts.text("environment.MASTER_PORT");
    std::vector<Advice> all;
    if (const std::string* error = facts.find("rendezvous.error")) {
        all.push_back(
            {{},
             Severity::Problem,
             fmt::format("MASTER_ADDR={} cannot be resolved: {}", name, *error),
             "Every host must be able to resolve the name of rank 0's host. Otherwise set its address.",
             fmt::format("getent hosts {}", name)});
    }
    if (facts.text("rendezvous.answer") == "silent") {
        all.push_back({{},
                       Severity::Problem,
                       fmt::format("MASTER_ADDR={} does not answer at MASTER_PORT={}", name, port),
                       "Before a run, the connection should be refused. Silence means a firewall, or a host "
                       "that is down.",
                       ""});
    }
    const auto nodes = facts.number("environment.SLURM_NNODES");
    if (nodes && *nodes > 1 && facts.text("rendezvous.address").starts_with("127.")) {
        all.push_back(
            {{},
             Severity::Problem,
             fmt::format("MASTER_ADDR={} is this host itself (127.0.0.1), and the job has {} nodes", name,
                         *nodes),
             "Each node would connect to itself. /etc/hosts often maps a host's own name to that address.",
             "getent hosts $(hostname)"});
    }
    return all;
}

} // namespace

RINGSIDE_CHECK(rendezvous, .title = "Rendezvous", .run = run);

} // namespace ringside::doctor::check_rendezvous
