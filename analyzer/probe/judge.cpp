// SPDX-License-Identifier: Apache-2.0
#include "probe/judge.h"

#include "probe/rdma_judge.h"
#include "probe/thresholds.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

namespace ringside::probe {
namespace {

constexpr double kLimitedShare =
    0.3; // share of the time with data to send (on links with small buffers, 0.5 and more were measured)
// Of two hosts there is no median: one switch is near.
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
std::string sentAgainText(std::uint64_t packets)
{
    return packets == 0 ? "nothing was lost" : fmt::format("only {} packets were sent again", packets);
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

/// Small messages one after the other cause no congestion: what is lost of them is lost by the path. Three
/// are no coincidence; above 0.2 % of them, TCP keeps less than 4 Gb/s over 100 us with frames of 1500 bytes
/// (Mathis et al., 1997).
bool losesPings(const Measurement& measured)
{
    constexpr double kLeast = 3;
    constexpr double kShare = 0.002;
    const auto lost = static_cast<double>(measured.pingsLost.value_or(0));
    return lost >= kLeast && lost > kShare * static_cast<double>(measured.pings.value_or(0));
}

std::string lossText(const std::string& direction, const Measurement& measured, bool pings)
{
    constexpr double kUsAMs = 1000;
    const std::string what =
        pings ? fmt::format("{} of {} small messages", *measured.pingsLost, *measured.pings)
              : fmt::format("{} packets", measured.retransmits);
    return fmt::format("{}: one of a {} round trips takes {:.0f} ms, half of them at most {:.0f} us, and {} "
                       "were sent again: they were lost on the way",
                       direction, measured.roundTripP999Us ? "thousand" : "hundred",
                       measured.roundTripP999Us.value_or(measured.roundTripP99Us) / kUsAMs,
                       measured.roundTripUs, what);
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
    const bool loses = losesPings(*measured);
    if (measured->gbps < leastGbps(matrix, verdict, sender, receiver)) {
        const auto [cause, why] = causeOf(*measured);
        found.push_back({sender, receiver, timedOut || loses ? Cause::Loss : cause,
                         fmt::format("{}: {}; {}", direction,
                                     bandwidthText(matrix, verdict, *measured, sender, receiver), why)});
    } else if (!several && measured->receiverShare > kLimitedShare) {
        found.push_back(
            {sender, receiver, Cause::ReceiveBuffer,
             fmt::format("{}: {:.2f} Gb/s; {}", direction, measured->gbps, causeOf(*measured).second)});
    }
    if ((timedOut || loses) && (found.empty() || found.front().cause != Cause::Loss)) {
        found.push_back({sender, receiver, Cause::Loss, lossText(direction, *measured, loses)});
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

Verdict judge(const Matrix& matrix)
{
    std::vector<double> gbps;
    std::vector<double> roundTrips;
    forAllDirections(matrix, [&](std::size_t sender, std::size_t receiver) {
        if (const auto& measured = matrix.directions[sender][receiver]) {
            gbps.push_back(measured->gbps);
            roundTrips.push_back(measured->roundTripUs);
        }
    });
    Verdict verdict;
    verdict.medianGbps = values::median(gbps);
    verdict.medianRoundTripUs = values::median(roundTrips);
    const RdmaJudge rdma(matrix);
    verdict.medianRdmaGbps = rdma.medianGbps();
    verdict.medianWriteUs = rdma.medianWriteUs();
    forAllDirections(matrix, [&](std::size_t sender, std::size_t receiver) {
        std::ranges::move(outliersOf(matrix, verdict, sender, receiver),
                          std::back_inserter(verdict.outliers));
        std::ranges::move(rdma.outliersOf(sender, receiver), std::back_inserter(verdict.outliers));
    });
    verdict.hosts = suspectHosts(matrix, verdict.outliers);
    verdict.rails = rdma.suspects(verdict.outliers);
    return verdict;
}

} // namespace ringside::probe
