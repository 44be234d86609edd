// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/slow_messages.h"

#include "words/slow_messages.h"

#include <algorithm>

namespace ringside::rules {
namespace {

Finding slowPair(const Context& context, const std::pair<std::size_t, std::size_t>& ends,
                 const PairMessages& pair, double median, double part)
{
    const double rate = pair.rate();
    const auto steps = static_cast<double>(std::max<std::size_t>(1, context.figures.stepCount()));
    const auto exposed =
        static_cast<double>(context.figures.perStep(&metrics::Breakdown::exposedCommunicationNs));
    Finding finding;
    finding.limit = Limit::Link;
    finding.partOf = {"exposed_communication"};
    finding.costNsPerStep =
        std::llround(std::min(exposed, static_cast<double>(pair.sumNs) / steps * (1 - rate / median)));
    finding.severity = severityByCost(context, *finding.costNsPerStep);
    const model::Rank& sender = context.run.ranks[ends.first];
    finding.ranks = {sender.rank, context.run.ranks[ends.second].rank};
    finding.title =
        say(words::slow_messages::title, {{"sender", finding.ranks[0]},
                                          {"sender_place", words::Text(placeText(context, ends.first))},
                                          {"receiver", finding.ranks[1]},
                                          {"receiver_place", words::Text(placeText(context, ends.second))},
                                          {"rate", rate},
                                          {"part", rate / median}});
    finding.figures = {{"part_of_median", Unit::Share, rate / median, part},
                       {"link_gb_s", Unit::GigabytesPerSecond, rate, {}},
                       {"median_gb_s", Unit::GigabytesPerSecond, median, {}},
                       {"messages", Unit::Count, static_cast<double>(pair.all.size()), {}}};
    finding.evidence = {evidence(sender, pair.slowest, words::slow_messages::slowest)};
    finding.advice = words::slow_messages::remedy;
    return finding;
}

} // namespace

double PairMessages::rate(double moreNs) const
{
    constexpr std::size_t kEnough = 2;
    std::vector<double> rates;
    for (const Passage& passage : alone.size() >= kEnough ? alone : all) {
        rates.push_back(passage.bytes / std::max(1.0, passage.ns + moreNs));
    }
    return model::median(std::move(rates));
}

std::array<MessagePairs, 2> messagePairs(const Context& context, double leastBytes, double leastMessages)
{
    std::array<MessagePairs, 2> pairs;
    for (const metrics::MatchedMessage& message : metrics::matchedMessages(context.run, context.figures)) {
        if (static_cast<double>(message.bytes) < leastBytes) {
            continue;
        }
        const bool apart = context.run.ranks[message.sender].host != context.run.ranks[message.receiver].host;
        PairMessages& pair = pairs[apart ? 1 : 0][{message.sender, message.receiver}];
        const Passage passage{static_cast<double>(message.bytes), static_cast<double>(message.ns)};
        const double rate = passage.bytes / passage.ns;
        pair.all.push_back(passage);
        if (message.alone) {
            pair.alone.push_back(passage);
        }
        pair.sumNs = model::addCapped(pair.sumNs, message.ns);
        if (pair.all.size() == 1 || rate < pair.slowestRate) {
            pair.slowestRate = rate;
            pair.slowest = message.time;
        }
    }
    for (MessagePairs& each : pairs) {
        std::erase_if(each, [&](const auto& entry) {
            return static_cast<double>(entry.second.all.size()) < leastMessages;
        });
    }
    return pairs;
}

std::vector<Finding> slowByMatchedMessages(const Context& context, const MessagePairs& pairs, double part,
                                           double errorNs)
{
    const auto medianIf = [&pairs](double moreNs) {
        std::vector<double> rates;
        for (const auto& [ends, pair] : pairs) {
            rates.push_back(pair.rate(moreNs));
        }
        return model::median(std::move(rates));
    };
    const double median = medianIf(0);
    const double leastMedian = medianIf(errorNs);
    std::vector<Finding> findings;
    for (const auto& [ends, pair] : pairs) {
        if (pair.rate(-errorNs) < part * leastMedian) {
            findings.push_back(slowPair(context, ends, pair, median, part));
        }
    }
    return findings;
}

} // namespace ringside::rules
