// SPDX-License-Identifier: Apache-2.0
// Finds a pair of ranks or hosts that exchanges data much more slowly than the others. Every ring collective
// runs at the rate of its slowest link, so the collectives themselves do not show which link it is. NCCL's
// proxy threads show it message by message; for TCP, the kernel counts how long data was under way on each
// connection.
#include "words/slow_link.h"

#include "metrics/messages.h"
#include "metrics/metrics.h"
#include "rules/shared/origins.h"
#include "rules/shared/ports.h"
#include "rules/shared/slow_tcp.h"
#include "words/slow_messages.h"

#include <algorithm>
#include <array>
#include <map>

namespace ringside::rules::rule_slow_link {
namespace {

/// A message of the job of which both ends were seen, as kernels.
struct MatchedMessage {
    std::size_t sender = 0;   ///< index into Model::ranks
    std::size_t receiver = 0; ///< index into Model::ranks
    std::uint64_t bytes = 0;
    std::int64_t ns = 0; ///< from the later begin to the earlier end; greater than 0
    /// Whether the kernel of one end carries no other message, so that its end is the end of this message.
    bool alone = false;
    model::Interval time; ///< on the sender's clock
};

/// Identifies a kernel by its rank and the time at which it begins.
using KernelBegin = std::pair<std::size_t, std::int64_t>;

std::map<KernelBegin, std::size_t> messagesByKernel(const model::Model& model)
{
    std::map<KernelBegin, std::size_t> counts;
    for (const model::Message& message : model.messages) {
        for (const model::MessageEnd* const end : {&message.sender, &message.receiver}) {
            if (end->device) {
                ++counts[{end->rank, end->device->start}];
            }
        }
    }
    return counts;
}

std::map<std::size_t, model::Interval> analyzedSpans(const metrics::RunMetrics& run)
{
    std::map<std::size_t, model::Interval> spans;
    for (const metrics::RankMetrics& rank : run.ranks) {
        spans[rank.rank] = {rank.windows.front().start, rank.windows.back().end};
    }
    return spans;
}

/// Returns the messages of the analyzed steps whose size is known and whose clocks can be compared.
std::vector<MatchedMessage> matchedMessages(const model::Model& model, const metrics::RunMetrics& run)
{
    const auto counts = messagesByKernel(model);
    const auto spans = analyzedSpans(run);
    std::vector<MatchedMessage> result;
    for (const model::Message& message : model.messages) {
        const model::MessageEnd& from = message.sender;
        const model::MessageEnd& to = message.receiver;
        const auto span = spans.find(from.rank);
        if (!from.device || !to.device || !message.bytes || span == spans.end() ||
            model::overlapLength(span->second, *from.device) == 0 ||
            !model.clocksComparable(from.rank, to.rank)) {
            continue;
        }
        const model::ClockMap& sender = model.ranks[from.rank].clock;
        const model::ClockMap& receiver = model.ranks[to.rank].clock;
        const std::int64_t bothBegan =
            std::max(sender.toRun(from.device->start), receiver.toRun(to.device->start));
        const std::int64_t end = std::min(sender.toRun(from.device->end), receiver.toRun(to.device->end));
        if (end > bothBegan) {
            const bool alone = counts.at({from.rank, from.device->start}) == 1 ||
                               counts.at({to.rank, to.device->start}) == 1;
            result.push_back({from.rank, to.rank, *message.bytes, end - bothBegan, alone, *from.device});
        }
    }
    return result;
}

/// The size of a message, and the time from the later begin to the earlier end of its two kernels.
struct Passage {
    double bytes = 0;
    double ns = 0;
};

struct PairMessages {
    std::vector<Passage> all;
    std::vector<Passage> alone; ///< messages that were alone in their kernel
    std::int64_t sumNs = 0;
    model::Interval slowest;
    double slowestRate = 0;

    /// Median rate in bytes per ns if each message took `moreNs` longer than measured. A kernel with several
    /// messages ends with the slowest, so messages that were alone are preferred.
    [[nodiscard]] double rate(double moreNs = 0) const;
};
using MessagePairs = std::map<std::pair<std::size_t, std::size_t>,
                              PairMessages>; ///< sender and receiver, as indices of Model::ranks

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

double PairMessages::rate(double moreNs) const
{
    constexpr std::size_t kEnough = 2;
    std::vector<double> rates;
    for (const Passage& passage : alone.size() >= kEnough ? alone : all) {
        rates.push_back(passage.bytes / std::max(1.0, passage.ns + moreNs));
    }
    return model::median(std::move(rates));
}

/// Returns the pairs within hosts, then the pairs between hosts.
std::array<MessagePairs, 2> messagePairs(const Context& context, double leastBytes, double leastMessages)
{
    std::array<MessagePairs, 2> pairs;
    for (const MatchedMessage& message : matchedMessages(context.run, context.figures)) {
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

/// Returns the pairs that are slow even if the clocks of the two ends are wrong by `errorNs` in their favour.
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

namespace text = words::slow_link;

constexpr Option kOptions[] = {
    {"part", 0.70, "warn if a pair's median rate is below this share of the median of all pairs"},
    {"min_messages", 20, "fewest messages of a pair"},
    {"probe_part", 0.50,
     "for TCP links, the same compared with what `ringside probe` measured between the run's hosts"},
    {"min_bytes", 65536, "ignore smaller messages, because latency dominates them"},
    {"min_time", 0.05,
     "for TCP links, warn only if the slowness adds more than this share of the time to the time that data "
     "is under way"},
    {"min_seconds", 1,
     "for TCP links, shortest time in which they were sampled: what is under way for a few steps says little "
     "about the link"},
};

constexpr std::size_t kLeastPairs = 3; // with two it is not known which one is slow

using Pair = std::pair<std::int64_t, std::int64_t>; ///< sender, receiver
struct Messages {
    std::vector<double> bytesPerNs;
    const model::Rank* sender = nullptr;
    model::Interval slowest;
    double slowestRate = 0;
};

std::map<Pair, Messages> messagesOf(const Context& context)
{
    std::map<Pair, Messages> pairs;
    metrics::forEachMessage(context.run, [&](const metrics::NetworkMessage& message) {
        if (static_cast<double>(message.bytes) < context.option("min_bytes")) {
            return;
        }
        Messages& pair = pairs[{message.sender->rank, message.receiver}];
        const double rate = static_cast<double>(message.bytes) / static_cast<double>(message.networkNs);
        pair.bytesPerNs.push_back(rate);
        if (pair.sender == nullptr || rate < pair.slowestRate) {
            pair.sender = message.sender;
            pair.slowestRate = rate;
            pair.slowest = message.time;
        }
    });
    std::erase_if(pairs, [&](const auto& entry) {
        return static_cast<double>(entry.second.bytesPerNs.size()) < context.option("min_messages");
    });
    return pairs;
}

std::string hostOf(const Context& context, std::int64_t number)
{
    const auto rank = std::ranges::find(context.run.ranks, number, &model::Rank::rank);
    return rank != context.run.ranks.end() ? context.run.hosts[rank->host].name : std::string();
}

/// Adds what a probe of the idle network measured between the hosts of the two ranks, on the transport that
/// the run used.
void addProbed(const Context& context, const Pair& ends, Finding& finding)
{
    const metrics::Probed probed = metrics::probedOf(context.run);
    const auto link = probed.links.find({hostOf(context, ends.first), hostOf(context, ends.second)});
    const bool rdma = isOverRdma(context);
    const auto median = rdma ? probed.usualRdmaGBs() : probed.usualLinkGBs();
    const auto own = link == probed.links.end() ? std::nullopt
                     : rdma                     ? link->second.rdmaGBs
                                                : link->second.gbs;
    if (!own || !median || probed.links.size() < kLeastPairs) {
        return;
    }
    const double part = *own / *median;
    finding.title +=
        say(text::probed, {{"transport", rdma ? "RDMA" : "TCP"},
                           {"part", part},
                           {"so", part < context.option("part") ? text::also_without : text::only_with}});
    finding.figures.push_back({"probed_part", Unit::Share, part, context.option("part")});
}

Finding describe(const Context& context, const Pair& ends, const Messages& pair, double rate, double median)
{
    Finding finding = slowFinding(context, rate / median);
    finding.ranks = {ends.first, ends.second};
    finding.title =
        say(text::title,
            {{"sender", ends.first}, {"receiver", ends.second}, {"rate", rate}, {"part", rate / median}});
    finding.figures = {{"part_of_median", Unit::Share, rate / median, context.option("part")},
                       {"link_gb_s", Unit::GigabytesPerSecond, rate, {}},
                       {"median_gb_s", Unit::GigabytesPerSecond, median, {}},
                       {"messages", Unit::Count, static_cast<double>(pair.bytesPerNs.size()),
                        context.option("min_messages")}};
    addProbed(context, ends, finding);
    finding.evidence = {evidence(*pair.sender, pair.slowest, text::slowest)};
    finding.advice = text::remedy;
    return finding;
}

std::vector<Finding> slowByMessages(const Context& context, const std::map<Pair, Messages>& pairs)
{
    std::vector<double> rates;
    for (const auto& [ends, pair] : pairs) {
        rates.push_back(model::median(pair.bytesPerNs));
    }
    const double median = model::median(rates);
    std::vector<Finding> findings;
    std::size_t index = 0;
    for (const auto& [ends, pair] : pairs) {
        const double rate = rates[index++];
        if (rate < context.option("part") * median) {
            findings.push_back(describe(context, ends, pair, rate, median));
        }
    }
    return findings;
}

Outcome run(const Context& context)
{
    if (const std::map<Pair, Messages> pairs = messagesOf(context); pairs.size() >= kLeastPairs) {
        return slowByMessages(context, pairs);
    }
    std::vector<metrics::TcpLink> all = metrics::tcpLinksOf(context.run);
    constexpr double kNsASecond = 1e9;
    std::erase_if(all, [&](const metrics::TcpLink& link) {
        return static_cast<double>(link.sampled.length()) < context.option("min_seconds") * kNsASecond;
    });
    const TcpLinks links = carriers(all);
    if (const auto usual = links.empty() ? std::nullopt : usualOf(context, links)) {
        return slowByTcp(context, links, *usual);
    }
    const auto [within, between] =
        messagePairs(context, context.option("min_bytes"), context.option("min_messages"));
    const auto clockErrorNs = static_cast<double>(context.run.clockErrorNs().value_or(0));
    bool judged = false;
    std::vector<Finding> findings;
    for (const auto& [pairs, errorNs] : {std::pair(&within, 0.0), std::pair(&between, clockErrorNs)}) {
        if (pairs->size() >= kLeastPairs) {
            judged = true;
            std::ranges::move(slowByMatchedMessages(context, *pairs, context.option("part"), errorNs),
                              std::back_inserter(findings));
        }
    }
    if (judged) {
        return findings;
    }
    return NotApplicable{text::few_messages};
}

} // namespace

RINGSIDE_RULE(slow_link, .title = text::heading, .needs = {{"nccl", "sampled"}, " (level deep, or tcp)"},
              .options = kOptions, .run = run, .help = text::help, .checksLinks = true,
              .explainsLateRanks = true);

} // namespace ringside::rules::rule_slow_link
