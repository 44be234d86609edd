// SPDX-License-Identifier: Apache-2.0
// Finds hosts whose RDMA ports carried unequal traffic. Each GPU has its own rail. A rail that carries more
// than the others, or none of the traffic, slows down all of them.
#include "words/nic_imbalance.h"

#include "rules/shared/port_peers.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_nic_imbalance {
namespace {

namespace text = words::nic_imbalance;

constexpr Option kOptions[] = {
    {"more", 1.2, "report above this ratio of a port's sent bytes to the median of its host's ports"},
    {"much_more", 1.5, "warn above this ratio"},
    {"idle", 0.1, "warn below this share of the median: the port is hardly used"},
};

struct Rail {
    const metrics::Port* port = nullptr;
    double bytes = 0;
};

/// Returns active rails with measured traffic, grouped by host and rate. A slow port beside fast ones is
/// usually for storage.
std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> railsOf(const Context& context)
{
    std::map<std::pair<std::string, std::int64_t>, std::vector<Rail>> rails;
    for (const metrics::Port& port : context.figures.ports) {
        const auto bytes = port.gain("tx_bytes");
        if (bytes && isActive(port) && roleOf(context, port) == PortRole::Rail) {
            rails[{port.host, port.last("rate_mbps").value_or(0)}].push_back(
                {&port, static_cast<double>(*bytes)});
        }
    }
    return rails;
}

/// A rail carries more where another one of its kind cannot.
const metrics::Port* siblingThatIsDown(const Context& context, const metrics::Port& port)
{
    const auto siblings = siblingsOf(context, port);
    const auto down = std::ranges::find_if(
        siblings, [](const metrics::Port* each) { return each->last("state") && !isActive(*each); });
    return down == siblings.end() ? nullptr : *down;
}

std::optional<Finding> checkRail(const Context& context, const Rail& rail, double median)
{
    const double ratio = rail.bytes / median;
    const bool idle = ratio < context.option("idle");
    if (!idle && ratio <= context.option("more")) {
        return std::nullopt;
    }
    Finding finding;
    finding.severity = idle || ratio > context.option("much_more") ? Severity::Warning : Severity::Info;
    finding.limit = Limit::Link;
    finding.links = {rail.port->label()};
    finding.title = say(text::title, {{"port", rail.port->label()}, {"bytes", rail.bytes}, {"ratio", ratio}});
    if (idle) {
        finding.title += text::idle;
    } else if (const metrics::Port* const down = siblingThatIsDown(context, *rail.port)) {
        finding.severity = Severity::Info; // rdma_port_down judges that
        finding.title += say(text::instead, {{"port", down->name}});
    }
    finding.figures = {{"ratio", Unit::Ratio, ratio, context.option(idle ? "idle" : "more")},
                       {"median_bytes", Unit::Bytes, median, {}}};
    addEvidence(context, *rail.port, rail.port->sampled(), words::span::sampled, finding);
    finding.settings = {"NCCL_IB_HCA", "NCCL_CROSS_NIC"};
    finding.advice = text::remedy;
    return finding;
}

Outcome run(const Context& context)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const auto& [host, rails] : railsOf(context)) {
        std::vector<double> bytes;
        for (const Rail& rail : rails) {
            bytes.push_back(rail.bytes);
        }
        constexpr double kTraffic = 1 << 20;
        const double median = model::median(std::move(bytes));
        if (rails.size() < 3 || median < kTraffic) {
            continue; // with two it is not known which one is the outlier
        }
        known = true;
        for (const Rail& rail : rails) {
            if (auto finding = checkRail(context, rail, median)) {
                findings.push_back(std::move(*finding));
            }
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(nic_imbalance, .title = text::heading, .needs = {{"sampled"}, " (rdma)"}, .options = kOptions,
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_nic_imbalance
