// SPDX-License-Identifier: Apache-2.0
// Ports, GPUs and the host, judged by the conditions and rules of a report.
#include "conditions/condition.h"
#include "doctor/check.h"
#include "doctor/recorded.h"
#include "metrics/pci_distance.h"
#include "report/links.h"
#include "values/parse_number.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::doctor::check_conditions {
namespace {

void add(const report::Report& report, const conditions::Subject& subject, const std::string& who,
         std::vector<Advice>& all)
{
    for (const conditions::Judged& each : conditions::judge(subject, conditions::allConditions())) {
        const std::string_view rule = each.condition->rule;
        all.push_back({std::string(rule), each.severity, who + words::render(each.what, report.voice()),
                       words::render(conditions::remedyOf(*each.condition), report.voice()),
                       std::string(conditions::fixOf(rule))});
    }
}

void addPorts(const report::Report& report, std::vector<Advice>& all)
{
    const auto isOfPort = [&](const std::string& link) {
        return std::ranges::find(report.metrics.ports, link, &conditions::Subject::label) !=
               report.metrics.ports.end();
    };
    for (const rules::Finding* const finding : report::linkFindings(report)) {
        if (std::ranges::any_of(finding->links, isOfPort)) {
            all.push_back({finding->rule, finding->severity, words::render(finding->title, report.voice()),
                           words::render(finding->advice, report.voice()),
                           std::string(conditions::fixOf(finding->rule))});
        }
    }
}

/// Firmware that does not report the node says -1.
std::optional<std::int64_t> nodeIn(std::string_view text)
{
    const auto node = values::parseNumber<std::int64_t>(text);
    return node && *node >= 0 ? node : std::nullopt;
}

/// GPUs whose nearest active adapter is on another node. Distances are those of the rule nic_gpu_affinity.
void addPlacement(const report::Report& report, const Facts& facts, std::vector<Advice>& all)
{
    for (const std::string& gpu : facts.namesAfter("gpu.")) {
        const std::string of = "gpu." + gpu;
        std::optional<metrics::PciDistance> best;
        for (const conditions::Subject& port : report.metrics.ports) {
            const auto distance =
                metrics::pciDistance({facts.text(of + ".path"), nodeIn(facts.text(of + ".numa_node"))},
                                     {port.fact("pci_path"), nodeIn(port.fact("numa_node"))});
            if (distance && report::stateName(port.last("state")) == "ACTIVE") {
                best = std::min(best.value_or(*distance), *distance);
            }
        }
        if (best == metrics::PciDistance::System) {
            all.push_back({"nic_gpu_affinity", rules::Severity::Warning,
                           fmt::format("The nearest active RDMA adapter of the GPU at {} is {}", gpu,
                                       metrics::pciDistanceText(*best)),
                           "Its data crosses the link between sockets, and NCCL then does not use GPUDirect. "
                           "Use other GPUs, or move the adapter to a slot of their node.",
                           "nvidia-smi topo -m"});
        }
    }
}

std::vector<Advice> run(const Facts& facts, const Need&)
{
    std::vector<Advice> all;
    const report::Report report = report::buildReport(recordedOf(facts), {});
    addPorts(report, all);
    addPlacement(report, facts, all);
    for (const conditions::Subject& gpu : report.metrics.gpus) {
        add(report, gpu, fmt::format("GPU {}: ", gpu.name), all);
    }
    add(report, hostOf(facts), "", all);
    return all;
}

} // namespace

RINGSIDE_CHECK(conditions, .title = "Ports, GPUs and the host", .run = run);

} // namespace ringside::doctor::check_conditions
