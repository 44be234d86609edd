// SPDX-License-Identifier: Apache-2.0
// RoCE connects by an address of the port (GID). One of RoCE v1, or a link-local one, reaches no farther than
// the switch and knows no congestion control; ends that took different versions do not connect at all.
#include "rules/shared/ports.h"
#include "rules/shared/settings.h"
#include "values/parse_number.h"

#include <map>

namespace ringside::rules::rule_roce_gid {
namespace {

/// The address that a process's NCCL takes on a port.
struct Taken {
    std::string kind; ///< "v2 IPv4"; empty: there is none
    std::string why;  ///< "NCCL_IB_GID_INDEX is 0"
};

/// Of "0 v1 link-local, 3 v2 IPv4"; empty: nothing stands there.
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

/// "2.18.5" as 2.18; a version that is not known chooses by itself.
bool choosesItself(const trace::ProcessTrace& process)
{
    constexpr double kFirstThatChooses = 2.21; // before, NCCL takes the first address unless told another
    const std::string_view text = settingOf(process, "library", "nccl").value_or("");
    const std::size_t dot = text.find('.');
    const auto major = values::parseNumber<std::int64_t>(text.substr(0, dot));
    const std::string_view rest = dot == std::string_view::npos ? "" : text.substr(dot + 1);
    const auto minor = values::parseNumber<std::int64_t>(rest.substr(0, rest.find('.')));
    constexpr double kHundred = 100.0;
    return !major || !minor ||
           static_cast<double>(*major) + static_cast<double>(*minor) / kHundred >= kFirstThatChooses - 1e-9;
}

/// Null: not known.
std::optional<Taken> takenOn(const trace::ProcessTrace& process, const metrics::Port& port)
{
    const auto set = values::parseNumber<std::int64_t>(
        settingOf(process, "environment", "NCCL_IB_GID_INDEX").value_or(""));
    const bool asked = set && *set >= 0; // -1: not set
    if (!asked && choosesItself(process)) {
        const std::string_view best = port.fact("gids");
        return best == "RoCE v2, routable"          ? Taken{"v2", {}}
               : best == "RoCE v2, link-local only" ? Taken{"v2 link-local", "the port has no better one"}
               : best == "RoCE v1 only"             ? Taken{"v1", "the port has no other"}
                                                    : Taken{"", "the port has no address"};
    }
    if (port.fact("gid_table").empty()) {
        return std::nullopt;
    }
    return Taken{kindAt(port.fact("gid_table"), set.value_or(0)),
                 asked ? fmt::format("NCCL_IB_GID_INDEX is {}", *set)
                       : std::string("NCCL_IB_GID_INDEX is not set, and this NCCL takes the first one")};
}

/// By the processes of the port's host, which are ranks unless ports are watched live; each kind once.
std::map<std::string, Taken> takenBy(const Context& context, const metrics::Port& port)
{
    std::map<std::string, Taken> kinds;
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const bool watches = process.ranks.empty() && !context.run.ranks.empty();
        if (process.process.host != port.host || watches) {
            continue;
        }
        if (auto taken = takenOn(process, port)) {
            const std::string kind = taken->kind;
            kinds.emplace(kind, std::move(*taken));
        }
    }
    return kinds;
}

bool isJudged(const metrics::Port& port)
{
    constexpr std::int64_t kActive = 4; // the kernel's number
    return !port.fact("gids").empty() && port.last("state") == std::optional(kActive);
}

std::optional<Finding> judge(const Context& context, const metrics::Port& port)
{
    const auto kinds = isJudged(port) ? takenBy(context, port) : std::map<std::string, Taken>();
    const auto bad = std::find_if(kinds.begin(), kinds.end(), [](const auto& each) {
        return each.first.empty() || each.first.starts_with("v1") || each.first.ends_with("link-local");
    });
    if (bad == kinds.end()) {
        return std::nullopt;
    }
    Finding finding;
    const std::string& kind = bad->first;
    finding.severity = asUsed(port, kind.empty() ? Severity::Problem : Severity::Warning);
    finding.title =
        kind.empty()
            ? fmt::format("Port {} has no address there: {}", port.label(), bad->second.why)
            : fmt::format("NCCL takes a RoCE {} address on port {}: {}", kind, port.label(), bad->second.why);
    addEvidence(context, port, port.sampled(), "as long as it was sampled", finding);
    finding.settings = {"NCCL_IB_GID_INDEX"};
    finding.advice =
        "RoCE v1 is not routed and its packets carry no ECN, link-local addresses stay behind the first "
        "switch. From NCCL 2.21 on leave NCCL_IB_GID_INDEX unset; before, set it to the index of a RoCE v2 "
        "address with an IP (`show_gids`). Without one, give the interface an IP address.";
    return finding;
}

/// Ports that carried data by different versions. One of the rarer kind is named.
std::optional<Finding> disagreement(const Context& context)
{
    std::map<std::string, std::vector<const metrics::Port*>> byVersion;
    for (const metrics::Port& port : context.figures.ports) {
        if (!isJudged(port) || port.carried() == std::optional(false)) {
            continue;
        }
        for (const auto& [kind, taken] : takenBy(context, port)) {
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
    finding.title = fmt::format("{}: connects by RoCE {}, other ports of this run by RoCE {}",
                                portsText(finding.links), few, most);
    addEvidence(context, *byVersion[few].front(), byVersion[few].front()->sampled(),
                "as long as it was sampled", finding);
    finding.settings = {"NCCL_IB_GID_INDEX"};
    finding.advice = "Ends of different versions do not connect, or their connections time out. Give all "
                     "ranks the same NCCL and NCCL_IB_GID_INDEX, and all interfaces an IP address.";
    return finding;
}

Outcome run(const Context& context)
{
    const auto& ports = context.figures.ports;
    if (std::none_of(ports.begin(), ports.end(), isJudged)) {
        return NotApplicable{"needs the kinds of addresses of active RoCE ports (tier sampled, source rdma): "
                             "this run has none, or neither libibverbs nor sysfs told them"};
    }
    Outcome outcome = judgePorts(context, isJudged, judge);
    if (auto* const findings = std::get_if<std::vector<Finding>>(&outcome)) {
        if (auto finding = disagreement(context)) {
            findings->push_back(std::move(*finding));
        }
    }
    return outcome;
}

} // namespace

RINGSIDE_RULE(
    roce_gid, .title = "RoCE connects by a poor address", .needs = "sampled (rdma)", .options = {},
    .run = run,
    .help = "Kinds of a RoCE port's addresses (never the addresses), and which of them NCCL takes: that of "
            "NCCL_IB_GID_INDEX, else the first (before NCCL 2.21), else the best. Versions are compared "
            "between the ports that carried data.",
    .judgesLinks = true);

} // namespace ringside::rules::rule_roce_gid
