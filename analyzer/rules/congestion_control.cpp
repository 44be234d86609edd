// SPDX-License-Identifier: Apache-2.0
// How TCP goes about losses on the hosts whose data went through sockets, and whether it had to send much
// again: each timeout stands for at least 200 ms in which a connection, and with it a collective, waits.
#include "rules/shared/sockets.h"
#include "settings/tcp.h"

#include <algorithm>
#include <cmath>

namespace ringside::rules::rule_congestion_control {
namespace {

// What a connection can carry falls with the root of the share that is lost (Mathis et al., 1997): with
// frames of 9000 bytes and 100 us there and back a thousandth leaves 28 Gb/s, less than today's cards do.
// Below it hosts under load repeat some that were only overtaken, and not all receivers say so.
constexpr Option kOptions[] = {
    {"again", 1e-3,
     "segments sent again of those sent, without those that had arrived already, surely above which it is a "
     "warning"},
    {"again_much", 1e-2, "the same from which on it is a problem"},
    {"min_bytes", kGradientBytes, "bytes that an interface sent, at least: less is no gradients"},
};

std::optional<std::int64_t> gainOf(const SocketHost& host, std::string_view metric)
{
    return metrics::gainIn(*host.sampler, {"host_network", "machine", metric}, wholeLife());
}

/// Above what share the true one lies for sure (95 %, Poisson): one segment of a short run, which the kernel
/// may have sent again because an answer was slow, tells of no share.
double leastShare(std::int64_t again, std::int64_t sent)
{
    constexpr double kDeviations = 1.645;
    const auto count = static_cast<double>(again);
    return (count - kDeviations * std::sqrt(count)) / static_cast<double>(sent);
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

/// What was sent again because it had not arrived. Under load acknowledgements come late and senders repeat
/// what had; receivers say so. Kernels that do not tell count all.
std::optional<std::int64_t> lostSegments(const SocketHost& host)
{
    const auto again = gainOf(host, "tcp_segments_sent_again");
    const auto needlessly = gainOf(host, "tcp_segments_sent_again_needlessly");
    return again ? std::optional(std::max<std::int64_t>(0, *again - needlessly.value_or(0))) : std::nullopt;
}

std::optional<Finding> resent(const Context& context, const SocketHost& host)
{
    const auto sent = gainOf(host, "tcp_segments_sent");
    const auto lost = lostSegments(host);
    if (!sent || !lost || *sent <= 0) {
        return std::nullopt;
    }
    const double share = static_cast<double>(*lost) / static_cast<double>(*sent);
    if (leastShare(*lost, *sent) <= context.option("again")) {
        return std::nullopt;
    }
    const auto timeouts = gainOf(host, "tcp_timeouts");
    Finding finding;
    finding.severity = share >= context.option("again_much") ? Severity::Problem : Severity::Warning;
    finding.limit = Limit::Link;
    finding.ranks = ranksOn(context, host);
    finding.title = fmt::format(
        "TCP of {} had to send {} of its {} segments again ({:.2g} %){}", host.name, *lost, *sent,
        100.0 * share, timeouts && *timeouts > 0 ? fmt::format(", {} after a timeout", *timeouts) : "");
    finding.figures = {{"sent_again", Unit::Share, share, context.option("again")}};
    if (const auto needlessly = gainOf(host, "tcp_segments_sent_again_needlessly")) {
        finding.figures.push_back(
            {"sent_again_needlessly", Unit::Count, static_cast<double>(*needlessly), {}});
    }
    if (timeouts) {
        finding.figures.push_back({"timeouts", Unit::Count, static_cast<double>(*timeouts), {}});
    }
    addEvidence(context, host, "the whole run of a rank on this host", finding);
    finding.advice = "Look for drops on the way: `ethtool -S` and `ip -s link` on both ends, the switch's "
                     "ports, a bond of which one link is bad, too many senders at once into one port.";
    return finding;
}

void control(const Context& context, const SocketHost& host, std::vector<Finding>& findings)
{
    const auto setting = [&host](std::string_view name) { return host.kernel(name); };
    for (const settings::TcpRemark& remark : settings::judgeCongestionControl(setting)) {
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
    bool known = false;
    for (const SocketHost& host : socketHosts(context)) {
        const Interface* const used = host.busiest();
        const bool isKnown = !host.kernel("net.ipv4.tcp_congestion_control").empty() ||
                             gainOf(host, "tcp_segments_sent_again");
        known = known || (used != nullptr && isKnown);
        if (used == nullptr || !carriesGradients(context, host, *used)) {
            continue;
        }
        control(context, host, findings);
        if (auto finding = resent(context, host)) {
            findings.push_back(std::move(*finding));
        }
    }
    if (!known) {
        return NotApplicable{"needs the traffic of network interfaces and what the kernel says of TCP (tier "
                             "sampled, sources network and host_network)"};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(congestion_control, .title = "TCP goes about losses badly, or meets many",
              .needs = "sampled (network, host_network)", .options = kOptions, .run = run,
              .help = "The kernel's congestion control (cubic and bbr are fine), and the segments that each "
                      "host's TCP sent again during the run because they had not arrived, those of other "
                      "programs too. Only where an interface carried gradients. The cost is not estimated.");

} // namespace ringside::rules::rule_congestion_control
