// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix.h"

#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace ringside::probe {
namespace {

constexpr double kLimitedShare =
    0.3; // share of the time with data to send (on links with small buffers, 0.5 and more were measured)
constexpr double kSlowShare = 0.70;    // share of the median bandwidth, as in rule slow_link
constexpr double kFarTimes = 3;        // times the median round trip
constexpr double kFarUs = 100;         // minimum difference: less is noise of the scheduler
constexpr double kMostRetransmits = 4; // a burst loses a few packets while TCP finds the rate
// Of two hosts there is no median: the directions of one cable should be alike, and one switch is near.
constexpr double kSlowOfTwo = 0.5;     // share of the other direction's bandwidth
constexpr double kFarOfTwoUs = 1000;   // round trip, or acknowledged write, within a data centre
constexpr double kTimeoutUs = 150'000; // Linux waits 200 ms at least before it repeats what got no answer

template <class Each>
void forAllDirections(const Matrix& matrix, const Each& each)
{
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            if (sender != receiver) {
                each(sender, receiver);
            }
        }
    }
}

/// Mentions also a few retransmissions that explain nothing.
std::string sentAgainText(std::optional<std::uint64_t> packets)
{
    if (!packets) {
        return "whether packets were lost is not counted";
    }
    return *packets == 0 ? "nothing was lost" : fmt::format("only {} packets were sent again", *packets);
}

/// Returns why this direction was slow: by the kernel's figures, else the link itself.
std::pair<Cause, std::string> causeOf(const Measurement& measured)
{
    if (measured.receiverShare > kLimitedShare) {
        return {
            Cause::ReceiveBuffer,
            fmt::format("the receiver's buffer was full {:.0f} % of the time: raise net.ipv4.tcp_rmem there",
                        100 * measured.receiverShare)};
    }
    if (measured.senderShare > kLimitedShare) {
        return {
            Cause::SendBuffer,
            fmt::format("the sender's buffer was full {:.0f} % of the time: raise net.ipv4.tcp_wmem there",
                        100 * measured.senderShare)};
    }
    if (static_cast<double>(measured.retransmits) > kMostRetransmits) {
        return {Cause::Loss, fmt::format("{} packets were sent again: loss on the way, or a limit that drops",
                                         measured.retransmits)};
    }
    return {Cause::Bandwidth,
            fmt::format("no buffer was full and {}: the link itself", sentAgainText(measured.retransmits))};
}

/// Returns the bandwidth below which a direction is slow: of the others' median, or of the way back.
double leastGbps(const Matrix& matrix, const Verdict& verdict, std::size_t sender, std::size_t receiver)
{
    if (matrix.hosts.size() > 2) {
        return kSlowShare * verdict.medianGbps;
    }
    const auto& back = matrix.directions[receiver][sender];
    return back ? kSlowOfTwo * back->gbps : 0.0;
}

std::string bandwidthText(const Matrix& matrix, const Verdict& verdict, const Measurement& measured,
                          std::size_t sender, std::size_t receiver)
{
    const bool several = matrix.hosts.size() > 2;
    const auto& back = matrix.directions[receiver][sender];
    return fmt::format("{:.2f} Gb/s, {} {:.2f}", measured.gbps,
                       several ? "the median is" : "the other direction has",
                       several ? verdict.medianGbps
                       : back  ? back->gbps
                               : 0.0);
}

bool isFar(const Matrix& matrix, double us, double medianUs)
{
    return matrix.hosts.size() > 2 ? us > kFarTimes * medianUs && us > medianUs + kFarUs : us > kFarOfTwoUs;
}

/// Returns what is wrong with a direction over TCP. A slow one may be far away, too.
std::vector<Outlier> outliersOf(const Matrix& matrix, const Verdict& verdict, std::size_t sender,
                                std::size_t receiver)
{
    const auto& measured = matrix.directions[sender][receiver];
    const std::string direction = fmt::format("{} -> {}", matrix.hosts[sender], matrix.hosts[receiver]);
    if (!measured) {
        return {Outlier{sender, receiver, Cause::Unreachable,
                        fmt::format("{}: no connection, or it ended early", direction)}};
    }
    std::vector<Outlier> found;
    const bool several = matrix.hosts.size() > 2;
    const bool timedOut = measured->roundTripP99Us > kTimeoutUs && measured->retransmits > 0;
    if (measured->gbps < leastGbps(matrix, verdict, sender, receiver)) {
        const auto [cause, why] = causeOf(*measured);
        found.push_back({sender, receiver, timedOut ? Cause::Loss : cause,
                         fmt::format("{}: {}; {}", direction,
                                     bandwidthText(matrix, verdict, *measured, sender, receiver), why)});
    } else if (!several && measured->receiverShare > kLimitedShare) {
        found.push_back(
            {sender, receiver, Cause::ReceiveBuffer,
             fmt::format("{}: {:.2f} Gb/s; {}", direction, measured->gbps, causeOf(*measured).second)});
    }
    if (timedOut && (found.empty() || found.front().cause != Cause::Loss)) {
        found.push_back({sender, receiver, Cause::Loss,
                         fmt::format("{}: one of a hundred round trips takes {:.0f} ms, half of them at most "
                                     "{:.0f} us, and {} packets were sent again: they were lost on the way",
                                     direction, measured->roundTripP99Us / 1000, measured->roundTripUs,
                                     measured->retransmits)});
    }
    if (isFar(matrix, measured->roundTripUs, verdict.medianRoundTripUs)) {
        found.push_back(
            {sender, receiver, Cause::Latency,
             fmt::format("{}: a round trip takes {:.0f} us, {}", direction, measured->roundTripUs,
                         several ? fmt::format("the median is {:.0f}", verdict.medianRoundTripUs)
                                 : fmt::format("over {:.0f} within a data centre", kFarOfTwoUs))});
    }
    return found;
}

/// Returns how a direction differs from the others, and why. Late acknowledgements also slow down writes, so
/// that they are checked first. Losses are reported even if the direction was as fast as the others: RDMA
/// networks are built to be lossless, and a short measurement seldom includes a retransmission timeout.
std::optional<std::pair<Cause, std::string>> findRdmaCause(const RdmaMeasurement& measured,
                                                           const RdmaResult& back, const Verdict& verdict,
                                                           std::size_t hosts)
{
    const double usualGbps = verdict.medianRdmaGbps.value_or(0);
    const double usualUs = verdict.medianWriteUs.value_or(0);
    const bool several = hosts > 2;
    const double leastGbps = several         ? kSlowShare * usualGbps
                             : back.measured ? kSlowOfTwo * back.measured->gbps
                                             : 0.0;
    const bool slow = measured.gbps < leastGbps;
    const bool far = several && measured.writeUs > kFarTimes * usualUs && measured.writeUs > usualUs + kFarUs;
    const bool loses = static_cast<double>(measured.lost.value_or(0)) > kMostRetransmits;
    if (!slow && !far && !loses) {
        return std::nullopt;
    }
    std::string what =
        fmt::format("{:.2f} Gb/s, a write is acknowledged after {:.0f} us", measured.gbps, measured.writeUs);
    if (several) {
        what += fmt::format(" (medians {:.2f} and {:.0f})", usualGbps, usualUs);
    } else if (slow) {
        what += fmt::format(" (the other direction has {:.2f} Gb/s)", back.measured->gbps);
    }
    if (loses) {
        return std::pair(Cause::Loss, fmt::format("{}; {} packets were sent again: they were lost on the way",
                                                  what, *measured.lost));
    }
    what += "; " + sentAgainText(measured.lost);
    return far ? std::pair(Cause::Latency, what + ": a detour, or a queue on the way")
               : std::pair(Cause::Bandwidth, what + ": the link itself");
}

/// Two hosts have no median: both directions of RDMA may be slow, which only the line rate shows. A kernel
/// that does not know a port's speed says SDR, 10 Gb/s for four lanes: such rates prove nothing.
std::optional<Outlier> belowLineRate(const Matrix& matrix, std::size_t sender, std::size_t receiver)
{
    constexpr double kUnknownGbps = 10;
    const auto expected = expectedGbps(matrix, Network::Rdma, sender, receiver);
    const auto& measured = matrix.rdma[sender][receiver].measured;
    if (matrix.hosts.size() > 2 || !expected || !measured || *expected <= kUnknownGbps ||
        measured->gbps >= kSlowOfTwo * *expected) {
        return std::nullopt;
    }
    return Outlier{sender, receiver, Cause::Bandwidth,
                   fmt::format("{} -> {} over RDMA: {:.2f} Gb/s, {:.0f} % of the ports' {:g} Gb/s",
                               matrix.hosts[sender], matrix.hosts[receiver], measured->gbps,
                               100 * measured->gbps / *expected, *expected),
                   Network::Rdma};
}

std::optional<Outlier> rdmaOutlierOf(const Matrix& matrix, const Verdict& verdict, std::size_t sender,
                                     std::size_t receiver)
{
    const RdmaResult& result = matrix.rdma[sender][receiver];
    const bool haveIt = !matrix.rdmaEnds[sender].port.empty() && !matrix.rdmaEnds[receiver].port.empty();
    const auto trouble = result.measured ? findRdmaCause(*result.measured, matrix.rdma[receiver][sender],
                                                         verdict, matrix.hosts.size())
                         : haveIt        ? std::optional(std::pair(Cause::Unreachable, result.reason))
                                         : std::nullopt;
    if (!trouble) {
        return std::nullopt;
    }
    return Outlier{
        sender, receiver, trouble->first,
        fmt::format("{} -> {} over RDMA: {}", matrix.hosts[sender], matrix.hosts[receiver], trouble->second),
        Network::Rdma};
}

/// Returns hosts of whose directions more than half are outliers while most other directions are fine.
std::vector<std::size_t> suspectHosts(const Matrix& matrix, const std::vector<Outlier>& outliers)
{
    std::vector<std::size_t> count(matrix.hosts.size());
    std::set<std::pair<std::size_t, std::size_t>> directions; // TCP and RDMA count once
    for (const Outlier& each : outliers) {
        if (directions.emplace(each.sender, each.receiver).second) {
            ++count[each.sender];
            ++count[each.receiver];
        }
    }
    std::vector<std::size_t> hosts;
    for (std::size_t i = 0; i < count.size(); ++i) {
        if (matrix.hosts.size() > 2 && count[i] > matrix.hosts.size() - 1) {
            hosts.push_back(i);
        }
    }
    return hosts.size() < matrix.hosts.size() ? hosts : std::vector<std::size_t>{};
}

} // namespace

std::optional<double> expectedGbps(const Matrix& matrix, Network network, std::size_t sender,
                                   std::size_t receiver)
{
    constexpr double kMegabits = 1000;
    const auto rateOf = [&](std::size_t host) {
        return network == Network::Rdma             ? matrix.rdmaEnds[host].mbps
               : host < matrix.interfaceMbps.size() ? matrix.interfaceMbps[host]
                                                    : 0.0;
    };
    const double slower = std::min(rateOf(sender), rateOf(receiver));
    return slower > 0 ? std::optional(slower / kMegabits) : std::nullopt;
}

std::vector<std::vector<std::pair<std::size_t, std::size_t>>> roundRobin(std::size_t hosts)
{
    // The circle method: one host stays, the others move on by one. With an odd number of hosts, one has no
    // partner in each round.
    const std::size_t seats = hosts + hosts % 2;
    std::vector<std::vector<std::pair<std::size_t, std::size_t>>> rounds;
    for (std::size_t round = 0; round + 1 < seats; ++round) {
        auto& pairs = rounds.emplace_back();
        for (std::size_t i = 0; i < seats / 2; ++i) {
            const auto seat = [&](std::size_t place) {
                return place == 0 ? 0 : 1 + (place - 1 + round) % (seats - 1);
            };
            const std::size_t one = seat(i);
            const std::size_t other = seat(seats - 1 - i);
            if (one < hosts && other < hosts) {
                pairs.emplace_back(std::min(one, other), std::max(one, other));
            }
        }
    }
    return rounds;
}

Verdict judge(const Matrix& matrix)
{
    std::vector<double> gbps;
    std::vector<double> roundTrips;
    std::vector<double> rdmaGbps;
    std::vector<double> writes;
    forAllDirections(matrix, [&](std::size_t sender, std::size_t receiver) {
        if (const auto& measured = matrix.directions[sender][receiver]) {
            gbps.push_back(measured->gbps);
            roundTrips.push_back(measured->roundTripUs);
        }
        if (const auto& measured = matrix.rdma[sender][receiver].measured) {
            rdmaGbps.push_back(measured->gbps);
            writes.push_back(measured->writeUs);
        }
    });
    Verdict verdict;
    verdict.medianGbps = values::median(gbps);
    verdict.medianRoundTripUs = values::median(roundTrips);
    if (!writes.empty()) {
        verdict.medianRdmaGbps = values::median(rdmaGbps);
        verdict.medianWriteUs = values::median(writes);
    }
    forAllDirections(matrix, [&](std::size_t sender, std::size_t receiver) {
        std::ranges::move(outliersOf(matrix, verdict, sender, receiver),
                          std::back_inserter(verdict.outliers));
        auto outlier = rdmaOutlierOf(matrix, verdict, sender, receiver);
        outlier = outlier ? std::move(outlier) : belowLineRate(matrix, sender, receiver);
        if (outlier) {
            verdict.outliers.push_back(std::move(*outlier));
        }
    });
    verdict.hosts = suspectHosts(matrix, verdict.outliers);
    return verdict;
}

} // namespace ringside::probe
