// SPDX-License-Identifier: Apache-2.0
// Checks the port addresses (GIDs) that RoCE connections use. With RoCE v1 or a link-local address, packets
// are not routed, and RoCE v1 carries no congestion marks. Ends that use different versions do not connect at
// all.
#include "words/roce_gid.h"

#include "rules/shared/ports.h"
#include "rules/shared/settings.h"
#include "settings/versions.h"
#include "values/parse_number.h"
#include "words/span.h"

#include <map>

namespace ringside::rules::rule_roce_gid {
namespace {

namespace text = words::roce_gid;

/// The address that the NCCL of a process uses on a port.
struct UsedAddress {
    std::string kind; ///< "v2 IPv4"; empty if there is no address
    words::Text why;  ///< reason, "NCCL_IB_GID_INDEX is 0"
};

/// Returns the kind of address at an index of "0 v1 link-local, 3 v2 IPv4"; empty if there is none.
std::string kindAt(std::string_view table, std::int64_t index)
{
    const std::string begin = std::to_string(index) + " ";
    while (!table.empty()) {
        const std::string_view entry = table.substr(0, table.find(','));
        if (entry.starts_with(begin)) {
            return std::string(entry.substr(begin.size()));
        }
        table.remove_prefix(std::min(table.size(), entry.size() + 2));
    }
    return {};
}

/// Returns true if this NCCL chooses the best address by itself. A version that is not known is assumed to do
/// so.
bool choosesBestAddress(const trace::ProcessTrace& process)
{
    // older versions use the first address unless NCCL_IB_GID_INDEX is set
    const auto version = settings::versionIn(settingOf(process, {"library", "nccl"}).value_or(""));
    return !version || *version >= settings::Version{2, 21, 0};
}

/// Returns the address that the process uses on the port; null if it is not known.
std::optional<UsedAddress> addressOn(const trace::ProcessTrace& process, const metrics::Port& port)
{
    const auto set = values::parseNumber<std::int64_t>(
        foreignSettingOf(process, "environment", "NCCL_IB_GID_INDEX").value_or(""));
    const bool asked = set && *set >= 0; // -1 is the same as not set
    if (!asked && choosesBestAddress(process)) {
        const std::string_view best = port.fact("gids");
        return best == "RoCE v2, routable"          ? UsedAddress{"v2", {}}
               : best == "RoCE v2, link-local only" ? UsedAddress{"v2 link-local", text::none_better}
               : best == "RoCE v1 only"             ? UsedAddress{"v1", text::none_other}
                                                    : UsedAddress{"", text::no_address};
    }
    if (port.fact("gid_table").empty()) {
        return std::nullopt;
    }
    return UsedAddress{kindAt(port.fact("gid_table"), set.value_or(0)),
                       asked ? say(text::index, {{"index", *set}}) : text::first};
}

/// Returns the addresses that the processes of the port's host use, keyed by kind. These are the ranks, or
/// the sampler if ports are watched live.
std::map<std::string, UsedAddress> usedAddresses(const Context& context, const metrics::Port& port)
{
    std::map<std::string, UsedAddress> kinds;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const bool watches = process.ranks.empty() && !context.run.ranks.empty();
        if (process.process.host != port.host || watches) {
            continue;
        }
        if (auto address = addressOn(process, port)) {
            const std::string kind = address->kind;
            kinds.emplace(kind, std::move(*address));
        }
    }
    return kinds;
}

bool isJudged(const metrics::Port& port)
{
    constexpr std::int64_t kActive = 4; // IB_PORT_ACTIVE
    return !port.fact("gids").empty() && port.last("state") == std::optional(kActive);
}

std::optional<Finding> checkPort(const Context& context, const metrics::Port& port)
{
    const auto kinds = isJudged(port) ? usedAddresses(context, port) : std::map<std::string, UsedAddress>();
    const auto bad = std::find_if(kinds.begin(), kinds.end(), [](const auto& each) {
        return each.first.empty() || each.first.starts_with("v1") || each.first.ends_with("link-local");
    });
    if (bad == kinds.end()) {
        return std::nullopt;
    }
    Finding finding;
    const std::string& kind = bad->first;
    finding.severity = severityIfUsed(port, kind.empty() ? Severity::Problem : Severity::Warning);
    finding.title =
        kind.empty()
            ? say(text::nothing_there, {{"port", port.label()}, {"why", bad->second.why}})
            : say(text::unsuitable, {{"kind", kind}, {"port", port.label()}, {"why", bad->second.why}});
    addEvidence(context, port, port.sampled(), words::span::sampled, finding);
    finding.settings = {"NCCL_IB_GID_INDEX"};
    finding.advice = text::remedy_address;
    return finding;
}

/// Finds ports that carried data with different RoCE versions. The ports of the rarer version are named.
std::optional<Finding> checkVersions(const Context& context)
{
    std::map<std::string, std::vector<const metrics::Port*>> byVersion;
    for (const metrics::Port& port : context.figures.ports) {
        if (!isJudged(port) || port.carried() == std::optional(false)) {
            continue;
        }
        for (const auto& [kind, address] : usedAddresses(context, port)) {
            if (!kind.empty()) {
                byVersion[kind.substr(0, 2)].push_back(&port);
            }
        }
    }
    if (byVersion.size() < 2) {
        return std::nullopt;
    }
    const auto& [few, most] =
        byVersion["v1"].size() <= byVersion["v2"].size() ? std::pair("v1", "v2") : std::pair("v2", "v1");
    Finding finding;
    finding.severity = Severity::Problem;
    finding.limit = Limit::Settings;
    for (const metrics::Port* const port : byVersion[few]) {
        finding.links.push_back(port->label());
    }
    finding.title = say(text::versions, {{"ports", portsText(finding.links)}, {"few", few}, {"most", most}});
    addEvidence(context, *byVersion[few].front(), byVersion[few].front()->sampled(), words::span::sampled,
                finding);
    finding.settings = {"NCCL_IB_GID_INDEX"};
    finding.advice = text::remedy_versions;
    return finding;
}

Outcome run(const Context& context)
{
    const auto& ports = context.figures.ports;
    if (std::none_of(ports.begin(), ports.end(), isJudged)) {
        return NotApplicable{text::not_measured};
    }
    Outcome outcome = checkPorts(context, isJudged, checkPort);
    if (auto* const findings = std::get_if<std::vector<Finding>>(&outcome)) {
        if (auto finding = checkVersions(context)) {
            findings->push_back(std::move(*finding));
        }
    }
    return outcome;
}

} // namespace

RINGSIDE_RULE(roce_gid, .title = text::heading, .needs = {{"sampled"}, " (rdma)"}, .options = {}, .run = run,
              .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_roce_gid
