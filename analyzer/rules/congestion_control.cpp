// SPDX-License-Identifier: Apache-2.0
// Checks TCP's congestion control on hosts that sent their data through sockets, and which share of the
// segments was retransmitted: of each link between hosts by the job's own connections, else of each host by
// the counters of its kernel. After each timeout a connection, and with it a collective, waits for at least
// 200 ms.
#include "words/congestion_control.h"

#include "metrics/tcp_links.h"
#include "rules/shared/sockets.h"
#include "rules/shared/support.h"
#include "settings/tcp.h"
#include "words/tcp_loss.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::rules::rule_congestion_control {
namespace {

/// Segments sent, and those of them that were retransmitted because they had not arrived.
struct TcpLoss {
    std::int64_t lost = 0;
    std::int64_t sent = 0;
    [[nodiscard]] double share() const { return static_cast<double>(lost) / static_cast<double>(sent); }
    /// Returns the lower confidence limit of the share (95 %, Poisson). A single segment of a short run,
    /// which the kernel may have retransmitted because an acknowledgement was late, proves no share.
    [[nodiscard]] double leastShare() const;
};

/// Links between hosts that lose segments, the worst first. `isJudged`: the connections of at least one link
/// counted their segments.
struct LossyLinks {
    bool isJudged = false;
    std::vector<std::pair<const metrics::TcpLink*, TcpLoss>> links;
};

std::string nameOf(const Context& context, const metrics::TcpLink& link)
{
    return context.run.hosts[link.sender].name + " -> " + context.run.hosts[link.receiver].name;
}

/// Returns the text about the links besides the worst: how many there are, and the host that all end at or
/// start from.
words::Text othersText(const Context& context, const LossyLinks& lossy)
{
    const std::size_t others = lossy.links.size() - 1;
    if (others == 0) {
        return {};
    }
    std::set<std::size_t> senders;
    std::set<std::size_t> receivers;
    for (const auto& [link, loss] : lossy.links) {
        senders.insert(link->sender);
        receivers.insert(link->receiver);
    }
    words::Text says = say(words::tcp_loss::others, {{"others", others}});
    if (receivers.size() == 1) {
        says += say(words::tcp_loss::lead_to, {{"host", context.run.hosts[*receivers.begin()].name}});
    } else if (senders.size() == 1) {
        says += say(words::tcp_loss::start_at, {{"host", context.run.hosts[*senders.begin()].name}});
    }
    return says;
}

double TcpLoss::leastShare() const
{
    constexpr double kDeviations = 1.645;
    const auto count = static_cast<double>(lost);
    return (count - kDeviations * std::sqrt(count)) / static_cast<double>(sent);
}

/// Under load acknowledgements are late and senders retransmit needlessly; receivers report that. Kernels
/// without that counter count all retransmissions as losses. Returns null if nothing was sent.
std::optional<TcpLoss> tcpLossOf(std::int64_t again, std::optional<std::int64_t> needlessly,
                                 std::int64_t sent)
{
    if (sent <= 0 || again < 0) {
        return std::nullopt;
    }
    const std::int64_t needless = std::clamp<std::int64_t>(needlessly.value_or(0), 0, again);
    return TcpLoss{again - needless, sent};
}

/// A link is lossy above the share `again`, with at least `atLeast` segments lost.
LossyLinks lossyLinks(const std::vector<metrics::TcpLink>& all, double again, double atLeast)
{
    LossyLinks lossy;
    for (const metrics::TcpLink& link : all) {
        const auto loss = link.segments
                              ? tcpLossOf(link.retransmits, link.needlessRetransmits, *link.segments)
                              : std::nullopt;
        lossy.isJudged = lossy.isJudged || loss;
        if (loss && static_cast<double>(loss->lost) >= atLeast && loss->leastShare() > again) {
            lossy.links.emplace_back(&link, *loss);
        }
    }
    std::ranges::stable_sort(lossy.links, std::greater{},
                             [](const auto& each) { return each.second.share(); });
    return lossy;
}

/// Returns one finding about all of them, with links, ranks, title, figures and evidence.
Finding describeLoss(const Context& context, const LossyLinks& lossy)
{
    const auto& [worst, loss] = lossy.links.front();
    Finding finding;
    finding.limit = Limit::Link;
    std::set<std::size_t> ends;
    for (const auto& [link, each] : lossy.links) {
        finding.links.push_back(nameOf(context, *link));
        ends.insert({link->sender, link->receiver});
    }
    for (const model::Rank& rank : context.run.ranks) {
        if (ends.contains(rank.host)) {
            finding.ranks.push_back(rank.rank);
        }
    }
    finding.title = say(words::tcp_loss::title, {{"share", loss.share()},
                                                 {"sender", context.run.hosts[worst->sender].name},
                                                 {"receiver", context.run.hosts[worst->receiver].name},
                                                 {"lost", loss.lost},
                                                 {"sent", loss.sent},
                                                 {"others", othersText(context, lossy)}});
    if (worst->needlessRetransmits) {
        finding.figures.push_back(
            {"sent_again_needlessly", Unit::Count, static_cast<double>(*worst->needlessRetransmits), {}});
    }
    finding.evidence = {evidence(context.run.ranks[worst->rank], worst->sampled, words::tcp_loss::counted)};
    return finding;
}

namespace text = words::congestion_control;

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
    finding.advice = text::remedy;
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
    finding.title = say(
        text::title, {{"host", host.name},
                      {"lost", loss->lost},
                      {"sent", loss->sent},
                      {"share", loss->share()},
                      {"timeouts", timeouts && *timeouts > 0 ? say(text::timeouts, {{"timeouts", *timeouts}})
                                                             : words::Text()}});
    if (const auto needlessly = gainOf(host, "tcp_segments_sent_again_needlessly")) {
        finding.figures.push_back(
            {"sent_again_needlessly", Unit::Count, static_cast<double>(*needlessly), {}});
    }
    if (timeouts) {
        finding.figures.push_back({"timeouts", Unit::Count, static_cast<double>(*timeouts), {}});
    }
    addEvidence(context, host, text::whole_run, finding);
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
        finding.title = say(text::setting_title, {{"host", host.name}, {"what", remark.what}});
        finding.settings = {remark.setting};
        finding.advice = say(text::setting_remedy, {{"advice", remark.advice}, {"fix", remark.fix}});
        addEvidence(context, host, text::whole_run, finding);
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
        return NotApplicable{text::needs_tcp};
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(congestion_control, .title = text::heading,
              .needs = {{"sampled"}, " (tcp, network, host_network)"}, .options = kOptions, .run = run,
              .help = text::help);

} // namespace ringside::rules::rule_congestion_control
