// SPDX-License-Identifier: Apache-2.0
// Checks TCP's congestion control on hosts that sent their data through sockets, and which share of the
// segments was retransmitted: of each link between hosts by the job's own connections, else of each host by
// the counters of its kernel. After each timeout a connection, and with it a collective, waits for at least
// 200 ms.
#include "rules/shared/sockets.h"
#include "rules/shared/tcp_loss.h"
#include "settings/tcp.h"

#include <algorithm>

namespace ringside::rules::rule_congestion_control {
namespace {

// The throughput of a connection falls with the square root of the loss rate (Mathis et al., 1997). With
// frames of 9000 bytes and a round trip of 100 us, a loss rate of 0.001 leaves 28 Gb/s, less than current
// network cards offer. Below this rate, hosts under load retransmit segments that only arrived out of order,
// and not all receivers report such duplicates.
constexpr Option kOptions[] = {
    {"again", 1e-3,
     "warn if the share of retransmitted segments, without needless retransmissions, is above this value "
     "with 95 % confidence"},
    {"again_much", 1e-2, "a problem from this share of retransmitted segments"},
    {"least", 10, "fewest retransmitted segments of a link; fewer are no share of anything"},
    {"min_bytes", kGradientBytes,
     "for the counters of a host's kernel, fewest bytes that an interface sent: less cannot be the gradients "
     "of a run"},
};

std::optional<std::int64_t> gainOf(const SocketHost& host, const trace::SeriesMetric& metric)
{
    return metrics::gainIn(*host.sampler, {"host_network", "machine", metric}, wholeLife());
}

std::vector<std::int64_t> ranksOn(const Context& context, const SocketHost& host)
{
    std::vector<std::int64_t> ranks;
    for (const model::Rank& rank : context.run.ranks) {
        if (host.rank && rank.host == context.run.ranks[*host.rank].host) {
            ranks.push_back(rank.rank);
        }
    }
    return ranks;
}

std::optional<TcpLoss> lossOf(const SocketHost& host)
{
    const auto sent = gainOf(host, "tcp_segments_sent");
    const auto again = gainOf(host, "tcp_segments_sent_again");
    return sent && again ? tcpLossOf(*again, gainOf(host, "tcp_segments_sent_again_needlessly"), *sent)
                         : std::nullopt;
}

/// Adds severity, share and advice.
void judgeShare(const Context& context, double share, Finding& finding)
{
    finding.severity = share >= context.option("again_much") ? Severity::Problem : Severity::Warning;
    finding.figures.insert(finding.figures.begin(),
                           {"sent_again", Unit::Share, share, context.option("again")});
    finding.advice =
        "Look for drops on the path: `ethtool -S` and `ip -s link` on both ends, the switch's ports, a bond "
        "with one bad link, too many senders into one port at the same time (incast).";
}

std::optional<Finding> resent(const Context& context, const SocketHost& host)
{
    const auto loss = lossOf(host);
    if (!loss || loss->leastShare() <= context.option("again")) {
        return std::nullopt;
    }
    const auto timeouts = gainOf(host, "tcp_timeouts");
    Finding finding;
    finding.limit = Limit::Link;
    finding.ranks = ranksOn(context, host);
    finding.title =
        fmt::format("TCP of {} retransmitted {} of its {} segments ({:.2g} %){}", host.name, loss->lost,
                    loss->sent, 100.0 * loss->share(),
                    timeouts && *timeouts > 0 ? fmt::format(", {} after a timeout", *timeouts) : "");
    if (const auto needlessly = gainOf(host, "tcp_segments_sent_again_needlessly")) {
        finding.figures.push_back(
            {"sent_again_needlessly", Unit::Count, static_cast<double>(*needlessly), {}});
    }
    if (timeouts) {
        finding.figures.push_back({"timeouts", Unit::Count, static_cast<double>(*timeouts), {}});
    }
    addEvidence(context, host, "the whole run of a rank on this host", finding);
    judgeShare(context, loss->share(), finding);
    return finding;
}

void addCongestionControlFindings(const Context& context, const SocketHost& host,
                                  std::vector<Finding>& findings)
{
    const auto setting = [&host](std::string_view name) { return host.kernel(name); };
    for (const settings::TcpRemark& remark : settings::checkCongestionControl(setting)) {
        Finding finding;
        finding.severity = remark.severity;
        finding.limit = Limit::Settings;
        finding.title = fmt::format("On {}: {}", host.name, remark.what);
        finding.settings = {remark.setting};
        finding.advice = fmt::format("{} `{}`", remark.advice, remark.fix);
        addEvidence(context, host, "the whole run of a rank on this host", finding);
        findings.push_back(std::move(finding));
    }
}

Outcome run(const Context& context)
{
    if (context.run.hosts.size() < 2) {
        return kOneHost;
    }
    std::vector<Finding> findings;
    const std::vector<metrics::TcpLink> links = metrics::tcpLinksOf(context.run);
    const LossyLinks lossy = lossyLinks(links, context.option("again"), context.option("least"));
    if (!lossy.links.empty()) {
        judgeShare(context, lossy.links.front().second.share(),
                   findings.emplace_back(describeLoss(context, lossy)));
    }
    bool known = lossy.isJudged;
    for (const SocketHost& host : socketHosts(context)) {
        const Interface* const used = host.busiest();
        const bool isKnown = !host.kernel("net.ipv4.tcp_congestion_control").empty() ||
                             gainOf(host, "tcp_segments_sent_again");
        known = known || (used != nullptr && isKnown);
        if (used == nullptr || !carriesGradients(context, host, *used)) {
            continue;
        }
        addCongestionControlFindings(context, host, findings);
        if (auto finding = lossy.isJudged ? std::nullopt : resent(context, host)) {
            findings.push_back(std::move(*finding));
        }
    }
    if (!known) {
        return NotApplicable{"needs TCP connections between hosts, or the traffic of network interfaces and "
                             "the kernel's TCP counters (tier sampled, sources tcp, network and "
                             "host_network)"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(
    congestion_control, .title = "TCP loses many segments, or uses a poor congestion control",
    .needs = "sampled (tcp, network, host_network)", .options = kOptions, .run = run,
    .help = "The kernel's congestion control (cubic and bbr are fine), and the share of segments that were "
            "retransmitted because they had not arrived. Links between hosts are judged by the job's own "
            "connections. Where the kernel does not report these, each host is judged by all segments of its "
            "TCP, including those of other programs, if an interface carried gradients. The cost is not "
            "estimated.");

} // namespace ringside::rules::rule_congestion_control
