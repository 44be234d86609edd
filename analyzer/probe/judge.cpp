// SPDX-License-Identifier: Apache-2.0
#include "probe/judge.h"

#include "probe/matrix.h"
#include "probe/thresholds.h"
#include "values/quantile.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace ringside::probe {
namespace {

class RdmaJudge final {
public:
    /// `matrix` must exist as long as this object.
    explicit RdmaJudge(const Matrix& matrix);

    /// Medians of all measured rails; null if none was measured.
    [[nodiscard]] std::optional<double> medianGbps() const;
    [[nodiscard]] std::optional<double> medianWriteUs() const;
    [[nodiscard]] std::vector<Outlier> outliersOf(std::size_t sender, std::size_t receiver) const;
    /// Returns the ports that are an end of more than half of their host's measured directions that are
    /// outliers, if most of the host's other ports are not. Needs three hosts: of two, either end may be it.
    [[nodiscard]] std::vector<std::string> suspects(const std::vector<Outlier>& outliers) const;

private:
    struct Peers {
        std::vector<double> gbps;
        std::vector<double> writeUs;
    };
    [[nodiscard]] const Peers& peersOf(std::size_t sender, std::size_t receiver, const RailPair& pair) const;
    [[nodiscard]] std::optional<Outlier> outlierOf(std::size_t sender, std::size_t receiver,
                                                   std::size_t rail) const;
    [[nodiscard]] std::optional<std::pair<Cause, std::string>>
    causeOf(std::size_t sender, std::size_t receiver, const RdmaDirection::Rail& rail) const;
    [[nodiscard]] const RdmaMeasurement* wayBack(std::size_t sender, std::size_t receiver,
                                                 const RailPair& pair) const;

    const Matrix& m_matrix;
    std::map<double, Peers> m_peers; ///< by the rate that can be expected; 0: not known
};

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
