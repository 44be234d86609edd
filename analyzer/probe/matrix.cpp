// SPDX-License-Identifier: Apache-2.0
#include "probe/matrix.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::probe {
namespace {

constexpr double kLimitedShare =
    0.3; // of the time with data to send (tried on links with small buffers: 0.5 and more)
constexpr double kSlowShare = 0.75;    // of the median bandwidth
constexpr double kFarTimes = 3;        // the median round trip
constexpr double kFarUs = 100;         // and so much more, or it is the scheduler's noise
constexpr double kMostRetransmits = 4; // a burst that finds out how much fits loses a few

double median(std::vector<double> values)
{
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

template <class Each>
void forAllDirections(const Matrix& matrix, const Each& each)
{
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            if (sender != receiver) {
                each(sender, receiver, matrix.directions[sender][receiver]);
            }
        }
    }
}

/// Why this direction was slow: what the kernel says, else the link.
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
    return {Cause::Bandwidth, "no buffer was full and nothing was lost: the link itself"};
}

std::optional<Outlier> outlierOf(const Matrix& matrix, const Verdict& verdict, std::size_t sender,
                                 std::size_t receiver)
{
    const auto& measured = matrix.directions[sender][receiver];
    const std::string direction = fmt::format("{} -> {}", matrix.hosts[sender], matrix.hosts[receiver]);
    if (!measured) {
        return Outlier{sender, receiver, Cause::Unreachable,
                       fmt::format("{}: no connection, or it ended early", direction)};
    }
    const bool several = matrix.hosts.size() > 2;
    if (several && measured->gbps < kSlowShare * verdict.medianGbps) {
        const auto [cause, why] = causeOf(*measured);
        return Outlier{sender, receiver, cause,
                       fmt::format("{}: {:.2f} Gb/s, the median is {:.2f}; {}", direction, measured->gbps,
                                   verdict.medianGbps, why)};
    }
    if (several && measured->roundTripUs > kFarTimes * verdict.medianRoundTripUs &&
        measured->roundTripUs > verdict.medianRoundTripUs + kFarUs) {
        return Outlier{sender, receiver, Cause::Latency,
                       fmt::format("{}: a round trip takes {:.0f} us, the median is {:.0f}", direction,
                                   measured->roundTripUs, verdict.medianRoundTripUs)};
    }
    if (!several && measured->receiverShare > kLimitedShare) {
        return Outlier{
            sender, receiver, Cause::ReceiveBuffer,
            fmt::format("{}: {:.2f} Gb/s; {}", direction, measured->gbps, causeOf(*measured).second)};
    }
    return std::nullopt;
}

/// Those behind more than half of whose directions, to and from, stands an outlier, while the others are
/// fine.
std::vector<std::size_t> blamed(const Matrix& matrix, const std::vector<Outlier>& outliers)
{
    std::vector<std::size_t> count(matrix.hosts.size());
    for (const Outlier& each : outliers) {
        ++count[each.sender];
        ++count[each.receiver];
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

std::vector<std::vector<std::pair<std::size_t, std::size_t>>> tournament(std::size_t hosts)
{
    // The circle method: one stays, the others move on by one; with an odd number, who meets the missing one
    // rests.
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
    forAllDirections(matrix, [&](std::size_t, std::size_t, const std::optional<Measurement>& measured) {
        if (measured) {
            gbps.push_back(measured->gbps);
            roundTrips.push_back(measured->roundTripUs);
        }
    });
    Verdict verdict{median(gbps), median(roundTrips), {}, {}};
    forAllDirections(matrix,
                     [&](std::size_t sender, std::size_t receiver, const std::optional<Measurement>&) {
                         if (auto outlier = outlierOf(matrix, verdict, sender, receiver)) {
                             verdict.outliers.push_back(std::move(*outlier));
                         }
                     });
    verdict.hosts = blamed(matrix, verdict.outliers);
    return verdict;
}

} // namespace ringside::probe
