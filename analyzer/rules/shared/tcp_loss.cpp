// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/tcp_loss.h"

#include "words/tcp_loss.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace ringside::rules {
namespace {

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

} // namespace ringside::rules
