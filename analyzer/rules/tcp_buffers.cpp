// SPDX-License-Identifier: Apache-2.0
// Finds TCP buffer limits that are too small for the interface that carried the data: a connection then waits
// for acknowledgements. The limits are computed in settings/tcp.h, which the doctor uses before a run too.
#include "words/tcp_buffers.h"

#include "rules/shared/sockets.h"
#include "settings/tcp.h"
#include "words/span.h"

namespace ringside::rules::rule_tcp_buffers {
namespace {

namespace text = words::tcp_buffers;

constexpr Option kOptions[] = {
    {"round_trip_ms", 0.5, "round trip between the hosts; 0.1 to 0.5 within a data centre"},
    {"min_bytes", kGradientBytes,
     "fewest bytes that an interface sent: less cannot be the gradients of a run"},
};

Finding describe(const settings::TcpRemark& remark)
{
    Finding finding;
    finding.severity = remark.severity;
    finding.limit = Limit::Settings;
    finding.title = remark.what;
    finding.settings = {remark.setting};
    if (remark.bytes && remark.wanted) {
        finding.figures = {{"bytes", Unit::Bytes, *remark.bytes, *remark.wanted}};
    }
    finding.advice = say(text::remedy, {{"advice", remark.advice}, {"fix", remark.fix}});
    return finding;
}

/// Adds the problems of one host. The same problem on several hosts becomes one finding.
void checkHost(const Context& context, const SocketHost& host, const Interface& used,
               std::vector<Finding>& findings, std::vector<std::vector<std::string>>& hosts)
{
    const settings::TcpNeed need{used.name, used.mbps, context.option("round_trip_ms")};
    for (const settings::TcpRemark& remark :
         settings::checkTcpBuffers([&host](std::string_view name) { return host.kernel(name); }, need)) {
        auto same = std::find_if(findings.begin(), findings.end(),
                                 [&](const Finding& each) { return each.title == remark.what; });
        if (same == findings.end()) {
            same = findings.insert(findings.end(), describe(remark));
            hosts.emplace_back();
        }
        hosts[static_cast<std::size_t>(same - findings.begin())].push_back(host.name);
        addEvidence(context, host, words::span::host_run, *same);
    }
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return kOneHost;
    }
    std::vector<Finding> findings;
    std::vector<std::vector<std::string>> hosts; // host names of each finding
    bool known = false;
    for (const SocketHost& host : socketHosts(context)) {
        const Interface* const used = host.busiest();
        if (used == nullptr || host.kernel("net.ipv4.tcp_rmem").empty()) {
            continue;
        }
        known = true;
        if (carriesGradients(context, host, *used)) {
            checkHost(context, host, *used, findings, hosts);
        }
    }
    if (!known) {
        return NotApplicable{text::not_measured};
    }
    for (std::size_t i = 0; i < findings.size(); ++i) {
        findings[i].title =
            say(text::title, {{"hosts", hostsText(hosts[i])}, {"problem", findings[i].title}});
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(tcp_buffers, .title = text::heading, .needs = {{"sampled"}, " (network, host_network)"},
              .options = kOptions, .run = run, .help = text::help);

} // namespace ringside::rules::rule_tcp_buffers
