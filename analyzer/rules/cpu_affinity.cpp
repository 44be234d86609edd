// SPDX-License-Identifier: Apache-2.0
// Finds ranks that may run only on CPUs far from their GPU, on too few CPUs, or on any CPU of a machine with
// several NUMA nodes. The affinity is recorded when the process starts; a program that binds itself later is
// not seen.
#include "words/cpu_affinity.h"

#include "metrics/samples.h"
#include "rules/shared/settings.h"
#include "values/parse_number.h"

#include <map>

namespace ringside::rules::rule_cpu_affinity {
namespace {

namespace text = words::cpu_affinity;

constexpr Option kOptions[] = {
    {"min_cpus", 2, "fewest CPUs that a rank needs: one that launches, one for its data loader"},
};

struct Placement {
    std::set<std::int64_t> allowed;
    std::optional<std::int64_t> node; ///< NUMA node of its GPU
    std::set<std::int64_t> nodeCpus;  ///< of that node
    std::size_t nodes = 0;            ///< number of NUMA nodes of the machine
    std::size_t online = 0;
};

Placement placementOf(const Context& context, const model::Rank& rank)
{
    constexpr std::size_t kMostNodes = 64;
    const trace::ProcessTrace& process = context.run.processOf(rank);
    Placement result;
    result.allowed = cpusOf(settingOf(process, {"process", "cpus_allowed"}).value_or(""));
    result.online = cpusOf(settingOf(process, {"machine", "cpus_online"}).value_or("")).size();
    const std::string gpu = metrics::gpuName(context.run, rank);
    result.node =
        values::parseNumber<std::int64_t>(settingOf(process, {"device", "*_numa_node"}, gpu).value_or(""));
    for (std::size_t node = 0; node < kMostNodes; ++node) {
        const auto cpus = settingOf(process, {"machine", "numa_node*_cpus"}, std::to_string(node));
        result.nodes += cpus ? 1 : 0;
        if (cpus && result.node && static_cast<std::int64_t>(node) == *result.node) {
            result.nodeCpus = cpusOf(*cpus);
        }
    }
    return result;
}

enum class Fault : std::uint8_t { None, FewCpus, OtherNode, Unbound };

Fault faultOf(const Context& context, const Placement& placement)
{
    if (static_cast<double>(placement.allowed.size()) < context.option("min_cpus")) {
        return Fault::FewCpus;
    }
    const bool near = std::any_of(placement.allowed.begin(), placement.allowed.end(),
                                  [&](std::int64_t cpu) { return placement.nodeCpus.contains(cpu); });
    if (!placement.nodeCpus.empty() && !near) {
        return Fault::OtherNode;
    }
    return placement.nodes > 1 && placement.allowed.size() == placement.online ? Fault::Unbound : Fault::None;
}

struct FaultText {
    const words::Template& title;
    Severity severity;
};

FaultText textOf(Fault fault)
{
    switch (fault) {
    case Fault::FewCpus:
        return {text::few_cpus, Severity::Warning};
    case Fault::OtherNode:
        return {text::other_node, Severity::Warning};
    default:
        return {text::not_bound, Severity::Info};
    }
}

Outcome run(const Context& context)
{
    std::map<Fault, std::vector<const model::Rank*>> faulty;
    bool known = false;
    std::size_t fewest = 0;
    for (const model::Rank& rank : context.run.ranks) {
        const Placement placement = placementOf(context, rank);
        if (placement.allowed.empty()) {
            continue;
        }
        fewest = known ? std::min(fewest, placement.allowed.size()) : placement.allowed.size();
        known = true;
        if (const Fault fault = faultOf(context, placement); fault != Fault::None) {
            faulty[fault].push_back(&rank);
        }
    }
    if (!known) {
        return NotApplicable{text::needs_cpus};
    }
    std::vector<Finding> findings;
    for (const auto& [fault, ranks] : faulty) {
        Finding finding;
        finding.severity = textOf(fault).severity;
        finding.limit = Limit::Host;
        finding.cause = false;
        for (const model::Rank* const rank : ranks) {
            finding.ranks.push_back(rank->rank);
        }
        finding.title = say(textOf(fault).title, {{"ranks", ranks.size()}});
        finding.settings = {"numactl", "SLURM_CPU_BIND", "--cpus-per-task"};
        finding.figures = {
            {"fewest_cpus", Unit::Count, static_cast<double>(fewest), context.option("min_cpus")}};
        const model::Rank& first = *ranks.front();
        const trace::ProcessRow& process = context.run.processOf(first).process;
        finding.evidence = {
            evidence(first, {process.startNs, process.endNs.value_or(process.startNs)}, text::whole_run)};
        finding.advice = text::remedy;
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(cpu_affinity, .title = text::heading, .needs = {{"host"}}, .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_cpu_affinity
