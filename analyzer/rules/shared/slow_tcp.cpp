// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/slow_tcp.h"

#include "words/slow_tcp.h"

#include <algorithm>

namespace ringside::rules {
namespace {

/// Returns the upper quartile of the rates: what links of this run can do. The median is not enough, because
/// one slow network card makes two links of a ring of four slow.
double upperOf(std::vector<double> rates)
{
    constexpr double kUpper = 0.75;
    return values::quantile(std::move(rates), kUpper);
}

/// A link is slow only if two measurements agree: the rate while data was under way, which includes late
/// acknowledgements, and the delivery rate that the kernel estimated.
bool isSlowTcp(const Context& context, const metrics::TcpLink& link, const UsualTcp& usual)
{
    const double part = *link.gbs() / usual.gbs;
    const bool delivered = !link.deliveryGBs || *link.deliveryGBs < usual.part * usual.deliveryGBs;
    return part < usual.part && delivered && link.busyShare() * (1.0 - part) > context.option("min_time");
}

std::string nameOfLink(const Context& context, const metrics::TcpLink& link)
{
    return context.run.hosts[link.sender].name + " -> " + context.run.hosts[link.receiver].name;
}

std::vector<std::int64_t> ranksAtEnds(const Context& context, const metrics::TcpLink& link)
{
    std::vector<std::int64_t> ranks;
    for (const model::Rank& rank : context.run.ranks) {
        if (rank.host == link.sender || rank.host == link.receiver) {
            ranks.push_back(rank.rank);
        }
    }
    return ranks;
}

Finding describeTcp(const Context& context, const metrics::TcpLink& link, const UsualTcp& usual,
                    const std::vector<double>& othersBusy)
{
    const double part = *link.gbs() / usual.gbs;
    Finding finding = slowFinding(context, part);
    finding.ranks = ranksAtEnds(context, link);
    finding.links = {nameOfLink(context, link)};
    finding.title = say(words::slow_tcp::title,
                        {{"link", finding.links.front()},
                         {"rate", *link.gbs()},
                         {"part", part},
                         {"from", *usual.from},
                         {"busy", link.busyShare()},
                         {"others", othersBusy.empty() ? words::Text()
                                                       : say(words::slow_tcp::others,
                                                             {{"busy", model::median(othersBusy)}})}});
    finding.figures = {{"part_of_expected", Unit::Share, part, usual.part},
                       {"link_gb_s", Unit::GigabytesPerSecond, *link.gbs(), {}},
                       {"expected_gb_s", Unit::GigabytesPerSecond, usual.gbs, {}},
                       {"under_way", Unit::Share, link.busyShare(), {}},
                       {"retransmitted_segments", Unit::Count, static_cast<double>(link.retransmits), {}}};
    if (link.roundTripNs) {
        finding.figures.push_back({"round_trip_ns", Unit::Ns, static_cast<double>(*link.roundTripNs), {}});
    }
    finding.evidence = {
        {context.run.ranks[link.rank].rank, link.busiest.start, link.busiest.end, words::slow_tcp::busiest}};
    finding.advice =
        say(words::slow_tcp::remedy,
            {{"seen", link.retransmits > 0 ? words::slow_tcp::lost : words::slow_tcp::not_lost}});
    return finding;
}

/// Returns true if a link is slow only because its data is acknowledged behind data on the slow return link.
/// A probe, which measures one direction at a time, then found nothing wrong with the link, and found the
/// return link as slow as it was in the run.
bool isSlowedBy(const Context& context, const metrics::TcpLink& wayBack, const metrics::TcpLink& link)
{
    const auto& hosts = context.run.hosts;
    const metrics::Probed probed = metrics::probedOf(context.run);
    const auto gbs = [&](const metrics::TcpLink& of) {
        const auto found = probed.links.find({hosts[of.sender].name, hosts[of.receiver].name});
        return found == probed.links.end() ? std::nullopt : found->second.gbs;
    };
    const auto there = gbs(link);
    const auto back = gbs(wayBack);
    const double part = context.option("probe_part");
    return wayBack.sender == link.receiver && wayBack.receiver == link.sender && there && back &&
           *back < part * *there && *there >= part * *probed.usualLinkGBs() && *wayBack.gbs() >= part * *back;
}

/// Moves the links that are slow only because of another slow link out of `slow`, and returns them.
TcpLinks separateSlowedLinks(const Context& context, TcpLinks& slow)
{
    const auto isSlowed = [&, all = slow](const metrics::TcpLink* link) {
        return std::ranges::any_of(all, [&](const auto* each) { return isSlowedBy(context, *each, *link); });
    };
    const auto first = std::stable_partition(slow.begin(), slow.end(), std::not_fn(isSlowed));
    TcpLinks slowed(first, slow.end());
    slow.erase(first, slow.end());
    return slowed;
}

/// Returns the host that is an end of all links and has several other hosts at the other ends. For a single
/// pair it is not known which of the two hosts is the cause.
std::optional<std::size_t> hostOfAll(const TcpLinks& slow)
{
    for (const std::size_t host : {slow.front()->sender, slow.front()->receiver}) {
        std::set<std::size_t> others;
        for (const metrics::TcpLink* const link : slow) {
            others.insert(link->sender == host     ? link->receiver
                          : link->receiver == host ? link->sender
                                                   : host);
        }
        if (others.size() > 1 && !others.contains(host)) {
            return host;
        }
    }
    return std::nullopt;
}

} // namespace

Finding slowFinding(const Context& context, double part)
{
    const auto transfer = std::min(context.figures.perStep(&metrics::Breakdown::transferNs),
                                   context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs));
    Finding finding;
    finding.limit = Limit::Link;
    finding.severity = Severity::Warning;
    if (!context.figures.ranks.empty()) {
        finding.costNsPerStep = std::llround(static_cast<double>(transfer) * (1.0 - part));
        finding.severity = severityByCost(context, *finding.costNsPerStep);
    }
    finding.partOf = {"exposed_communication", "collective_bandwidth_low"};
    return finding;
}

TcpLinks carriers(const std::vector<metrics::TcpLink>& all)
{
    constexpr double kLittle = 0.1; // share of what the busiest link carries
    std::int64_t most = 0;
    for (const metrics::TcpLink& link : all) {
        most = std::max(most, link.bytes);
    }
    TcpLinks links;
    for (const metrics::TcpLink& link : all) {
        if (link.gbs() && static_cast<double>(link.bytes) >= kLittle * static_cast<double>(most)) {
            links.push_back(&link);
        }
    }
    return links;
}

std::optional<UsualTcp> usualOf(const Context& context, const TcpLinks& links)
{
    std::vector<double> rates;
    std::vector<double> delivered;
    for (const metrics::TcpLink* const link : links) {
        rates.push_back(*link->gbs());
        if (link->deliveryGBs) {
            delivered.push_back(*link->deliveryGBs);
        }
    }
    std::optional<UsualTcp> usual;
    if (links.size() >= kLeastTcpLinks) {
        usual = {upperOf(std::move(rates)), upperOf(std::move(delivered)), context.option("part"),
                 &words::slow_tcp::others_reach};
    }
    const auto probed = metrics::probedOf(context.run).usualLinkGBs();
    const double part = context.option("probe_part");
    if (probed && (!usual || *probed * part > usual->gbs * usual->part)) {
        usual = {*probed, *probed, part, &words::slow_tcp::probe_measured};
    }
    return usual;
}

std::vector<Finding> joined(const Context& context, std::vector<Finding> findings, std::size_t host)
{
    const auto costliest = std::ranges::max_element(findings, {}, &Finding::costNsPerStep);
    Finding finding = *costliest;
    finding.links.clear();
    finding.ranks.clear();
    for (const Finding& each : findings) {
        finding.links.insert(finding.links.end(), each.links.begin(), each.links.end());
    }
    for (const model::Rank& rank : context.run.ranks) {
        if (rank.host == host) {
            finding.ranks.push_back(rank.rank);
        }
    }
    finding.title =
        say(words::slow_tcp::host,
            {{"host", context.run.hosts[host].name}, {"links", findings.size()}, {"names", finding.links}}) +
        finding.title;
    return {std::move(finding)};
}

std::vector<Finding> slowByTcp(const Context& context, const TcpLinks& links, const UsualTcp& usual)
{
    TcpLinks slow;
    std::vector<double> others;
    for (const metrics::TcpLink* const link : links) {
        if (isSlowTcp(context, *link, usual)) {
            slow.push_back(link);
        } else {
            others.push_back(link->busyShare());
        }
    }
    const TcpLinks slowed = separateSlowedLinks(context, slow);
    std::vector<Finding> findings;
    for (const metrics::TcpLink* const link : slow) {
        Finding& finding = findings.emplace_back(describeTcp(context, *link, usual, others));
        for (const metrics::TcpLink* const other : slowed) {
            if (isSlowedBy(context, *link, *other)) {
                finding.title += say(words::slow_tcp::behind, {{"link", nameOfLink(context, *other)}});
            }
        }
    }
    const auto host = slow.empty() ? std::nullopt : hostOfAll(slow);
    return host ? joined(context, std::move(findings), *host) : findings;
}

} // namespace ringside::rules
