// SPDX-License-Identifier: Apache-2.0
#include "probe/rdma_judge.h"

#include "probe/thresholds.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::probe {
namespace {

constexpr std::size_t kSeveral = 3; // measurements of which a median says which one differs

std::string sentAgainText(const std::optional<std::uint64_t>& packets)
{
    if (!packets) {
        return "whether packets were lost is not counted";
    }
    return *packets == 0 ? "nothing was lost" : fmt::format("only {} packets were sent again", *packets);
}

/// Returns ", rail mlx5_3:1", and the counterpart's name if that differs; empty if there is one rail only.
std::string railText(const Matrix& matrix, std::size_t sender, std::size_t receiver, const RailPair& pair)
{
    if (matrix.rdma[sender][receiver].rails.size() < 2) {
        return {};
    }
    const std::string& own = matrix.rdmaEnds[sender].rails[pair.sender].port;
    const std::string& other = matrix.rdmaEnds[receiver].rails[pair.receiver].port;
    return own == other ? ", rail " + own : fmt::format(", rail {} to {}", own, other);
}

} // namespace

RdmaJudge::RdmaJudge(const Matrix& matrix) : m_matrix(matrix)
{
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            for (const RdmaDirection::Rail& rail : matrix.rdma[sender][receiver].rails) {
                if (const auto& measured = rail.result.measured; measured && sender != receiver) {
                    Peers& peers = m_peers[expectedGbps(matrix, sender, receiver, rail.pair).value_or(0)];
                    peers.gbps.push_back(measured->gbps);
                    peers.writeUs.push_back(measured->writeUs);
                }
            }
        }
    }
}

std::optional<double> RdmaJudge::medianGbps() const
{
    std::vector<double> all;
    for (const auto& [rate, peers] : m_peers) {
        all.insert(all.end(), peers.gbps.begin(), peers.gbps.end());
    }
    return all.empty() ? std::nullopt : std::optional(values::median(std::move(all)));
}

std::optional<double> RdmaJudge::medianWriteUs() const
{
    std::vector<double> all;
    for (const auto& [rate, peers] : m_peers) {
        all.insert(all.end(), peers.writeUs.begin(), peers.writeUs.end());
    }
    return all.empty() ? std::nullopt : std::optional(values::median(std::move(all)));
}

const RdmaJudge::Peers& RdmaJudge::peersOf(std::size_t sender, std::size_t receiver,
                                           const RailPair& pair) const
{
    return m_peers.at(expectedGbps(m_matrix, sender, receiver, pair).value_or(0));
}

const RdmaMeasurement* RdmaJudge::wayBack(std::size_t sender, std::size_t receiver,
                                          const RailPair& pair) const
{
    for (const RdmaDirection::Rail& rail : m_matrix.rdma[receiver][sender].rails) {
        if (rail.pair.sender == pair.receiver && rail.pair.receiver == pair.sender && rail.result.measured) {
            return &*rail.result.measured;
        }
    }
    return nullptr;
}

/// Returns how a rail differs from its siblings, and why. Late acknowledgements also slow down writes, so
/// that they are checked first. Losses are reported even if the rail was as fast as the others: RDMA networks
/// are built to be lossless, and a short measurement seldom includes a retransmission timeout.
std::optional<std::pair<Cause, std::string>> RdmaJudge::causeOf(std::size_t sender, std::size_t receiver,
                                                                const RdmaDirection::Rail& rail) const
{
    constexpr double kUnknownGbps = 10; // a kernel that does not know a port's speed says SDR
    const RdmaMeasurement& measured = *rail.result.measured;
    const Peers& peers = peersOf(sender, receiver, rail.pair);
    const bool several = peers.gbps.size() >= kSeveral;
    constexpr double kHalf = 0.5;
    const double usualGbps = values::quantile(peers.gbps, kHalf); // the upper one of two: the good half
    const double usualUs = values::median(peers.writeUs);
    const RdmaMeasurement* const back = wayBack(sender, receiver, rail.pair);
    const double leastGbps = several ? kSlowShare * usualGbps : back != nullptr ? kSlowOfTwo * back->gbps : 0;
    const bool slow = measured.gbps < leastGbps;
    const bool far = several && measured.writeUs > kFarTimes * usualUs && measured.writeUs > usualUs + kFarUs;
    const bool loses = static_cast<double>(measured.lost.value_or(0)) > kMostRetransmits;
    const auto expected = expectedGbps(m_matrix, sender, receiver, rail.pair);
    // Of two hosts all may be slow, which only the line rate shows.
    const bool belowLine = m_matrix.hosts.size() <= 2 && expected && *expected > kUnknownGbps &&
                           measured.gbps < kSlowOfTwo * *expected;
    if (!slow && !far && !loses && !belowLine) {
        return std::nullopt;
    }
    std::string what = fmt::format("{:.2f} Gb/s, a write {} {:.0f} us", measured.gbps,
                                   m_matrix.perftest ? "takes" : "is acknowledged after", measured.writeUs);
    if (several) {
        what += fmt::format(" (medians {:.2f} and {:.0f})", usualGbps, usualUs);
    } else if (slow) {
        what += fmt::format(" (the other direction has {:.2f} Gb/s)", back->gbps);
    }
    if (expected && *expected > kUnknownGbps) {
        what += fmt::format(", {:.0f} % of the ports' {:g} Gb/s", 100 * measured.gbps / *expected, *expected);
    }
    if (loses) {
        return std::pair(Cause::Loss, fmt::format("{}; {} packets were sent again: they were lost on the way",
                                                  what, *measured.lost));
    }
    what += "; " + sentAgainText(measured.lost);
    return far ? std::pair(Cause::Latency, what + ": a detour, or a queue on the way")
               : std::pair(Cause::Bandwidth, what + ": the link itself");
}

std::optional<Outlier> RdmaJudge::outlierOf(std::size_t sender, std::size_t receiver, std::size_t rail) const
{
    const RdmaDirection::Rail& found = m_matrix.rdma[sender][receiver].rails[rail];
    const auto trouble = found.result.measured
                             ? causeOf(sender, receiver, found)
                             : std::optional(std::pair(Cause::Unreachable, found.result.reason));
    if (!trouble) {
        return std::nullopt;
    }
    return Outlier{sender,
                   receiver,
                   trouble->first,
                   fmt::format("{} -> {} over RDMA{}: {}", m_matrix.hosts[sender], m_matrix.hosts[receiver],
                               railText(m_matrix, sender, receiver, found.pair), trouble->second),
                   Network::Rdma,
                   rail};
}

std::vector<Outlier> RdmaJudge::outliersOf(std::size_t sender, std::size_t receiver) const
{
    std::vector<Outlier> found;
    for (std::size_t rail = 0; rail < m_matrix.rdma[sender][receiver].rails.size(); ++rail) {
        if (auto outlier = outlierOf(sender, receiver, rail)) {
            found.push_back(std::move(*outlier));
        }
    }
    return found;
}

std::vector<std::string> RdmaJudge::suspects(const std::vector<Outlier>& outliers) const
{
    const std::size_t hosts = m_matrix.hosts.size();
    std::vector<std::vector<std::size_t>> count(hosts);
    for (std::size_t host = 0; host < hosts; ++host) {
        count[host].resize(m_matrix.rdmaEnds[host].rails.size());
    }
    for (const Outlier& each : outliers) {
        if (each.network == Network::Rdma) {
            const RailPair& pair = m_matrix.rdma[each.sender][each.receiver].rails[each.rail].pair;
            ++count[each.sender][pair.sender];
            ++count[each.receiver][pair.receiver];
        }
    }
    std::vector<std::string> found;
    for (std::size_t host = 0; host < hosts && hosts > 2; ++host) {
        const auto isBad = [&](std::size_t directions) { return directions > hosts - 1; };
        const auto bad = static_cast<std::size_t>(std::ranges::count_if(count[host], isBad));
        for (std::size_t rail = 0; rail < count[host].size() && 2 * bad <= count[host].size(); ++rail) {
            if (isBad(count[host][rail])) {
                found.push_back(m_matrix.hosts[host] + " " + m_matrix.rdmaEnds[host].rails[rail].port);
            }
        }
    }
    return found;
}

} // namespace ringside::probe
