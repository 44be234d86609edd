// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/tcp_loss.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::rules {
namespace {

std::string nameOf(const Context& context, const metrics::TcpLink& link)
{
    return fmt::format("{} -> {}", context.run.hosts[link.sender].name,
                       context.run.hosts[link.receiver].name);
}

/// Returns the text about the links besides the worst: how many there are, and the host that all end at or
/// start from.
std::string othersText(const Context& context, const LossyLinks& lossy)
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
    std::string text =
        fmt::format("; {} other {} segments, too", others, others == 1 ? "link loses" : "links lose");
    if (receivers.size() == 1) {
        text += fmt::format(": all of them lead to {}", context.run.hosts[*receivers.begin()].name);
    } else if (senders.size() == 1) {
        text += fmt::format(": all of them start at {}", context.run.hosts[*senders.begin()].name);
    }
    return text;
}

} // namespace

double TcpLoss::leastShare() const
{
    constexpr double kDeviations = 1.645;
    const auto count = static_cast<double>(lost);
    return (count - kDeviations * std::sqrt(count)) / static_cast<double>(sent);
}

std::optional<TcpLoss> tcpLossOf(std::int64_t again, std::optional<std::int64_t> needlessly,
                                 std::int64_t sent)
{
    if (sent <= 0 || again < 0) {
        return std::nullopt;
    }
    const std::int64_t needless = std::clamp<std::int64_t>(needlessly.value_or(0), 0, again);
    return TcpLoss{again - needless, sent};
}

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
    finding.title = fmt::format(
        "TCP lost {:.2g} % of the segments from {} to {} ({} of {} were sent again){}", 100.0 * loss.share(),
        context.run.hosts[worst->sender].name, context.run.hosts[worst->receiver].name, loss.lost, loss.sent,
        othersText(context, lossy));
    if (worst->needlessRetransmits) {
        finding.figures.push_back(
            {"sent_again_needlessly", Unit::Count, static_cast<double>(*worst->needlessRetransmits), {}});
    }
    finding.evidence = {evidence(context.run.ranks[worst->rank], worst->sampled,
                                 "the time in which the segments of this link were counted")};
    return finding;
}

} // namespace ringside::rules
