// SPDX-License-Identifier: Apache-2.0
#include "probe/campaign.h"
#include "probe/rdma_round.h"
#include "probe/this_host.h"
#include "trace/own_program.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <random>

namespace ringside::probe {
namespace {

std::string randomToken()
{
    std::random_device source;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

/// Runs the launchers, and waits for them in its destructor.
class Launchers {
public:
    void start(const std::string& command)
    {
        const std::array<const char*, 4> words{"sh", "-c", command.c_str(), nullptr};
        pid_t child = 0;
        if (posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char* const*>(words.data()), environ) !=
            0) {
            throw Error(ErrorCode::Io, fmt::format("cannot start: {}", command));
        }
        m_children.push_back(child);
    }
    Launchers() = default;
    Launchers(const Launchers&) = delete;
    Launchers& operator=(const Launchers&) = delete;
    ~Launchers()
    {
        for (const pid_t child : m_children) {
            waitpid(child, nullptr, 0);
        }
    }

private:
    std::vector<pid_t> m_children;
};

/// Accepts agents that present the token until all announced ones are there, and disconnects others.
std::vector<Player> gather(const Descriptor& listener, const Campaign& campaign, const std::string& token)
{
    constexpr Patience kStartPatience{120}; // schedulers may start jobs late
    std::vector<Player> players;
    while (players.size() < campaign.hosts) {
        Descriptor connection = acceptAt(listener, kStartPatience);
        if (!connection) {
            throw Error(ErrorCode::Unusable,
                        fmt::format("{} of {} hosts answered", players.size(), campaign.hosts),
                        "--leader must be an address of this host that the others reach, and ringside must "
                        "be installed there under the same path.");
        }
        Conversation voice(std::move(connection));
        const auto hello = hearMessage(voice);
        if (hello && wordOf(*hello, "token") == token) {
            const Message rdma = hello->value("rdma", Message::object());
            players.push_back({wordOf(*hello, "host"),
                               wordOf(*hello, "interface"),
                               wordOf(*hello, "address"),
                               {wordOf(rdma, "port"), wordOf(rdma, "reason")},
                               std::move(voice)});
        }
    }
    std::ranges::sort(players, {}, &Player::name);
    return players;
}

std::optional<Measurement> measurementOf(const std::optional<Message>& answer)
{
    if (!answer || !answer->contains("measured") || !(*answer)["measured"].is_object()) {
        return std::nullopt;
    }
    constexpr double kMost = 1e12;
    constexpr std::uint64_t kMostCount = 1ULL << 53U;
    const Message& json = (*answer)["measured"];
    return Measurement{numberOf(json, "round_trip_us", kMost),
                       numberOf(json, "round_trip_p99_us", kMost),
                       numberOf(json, "gbps", kMost),
                       numberOf(json, "bytes", kMostCount),
                       numberOf(json, "retransmits", kMostCount),
                       numberOf(json, "receiver_share", 1.0),
                       numberOf(json, "sender_share", 1.0)};
}

/// Measures all directions of a round at once: every receiver serves, then every sender measures.
void play(std::vector<Player>& players, std::vector<Direction> round, const Bounds& bounds, Matrix& matrix)
{
    constexpr std::uint16_t kLastPort = 65535;
    for (Direction& each : round) {
        each.served = sayMessage(players[each.receiver].voice, {{"do", "serve"}});
    }
    for (Direction& each : round) {
        const auto port = each.served ? hearMessage(players[each.receiver].voice) : std::nullopt;
        each.served =
            port && sayMessage(players[each.sender].voice, {{"do", "measure"},
                                                            {"address", players[each.receiver].address},
                                                            {"port", numberOf(*port, "port", kLastPort)},
                                                            {"bytes", bounds.bytes},
                                                            {"milliseconds", bounds.milliseconds}});
    }
    for (const Direction& each : round) {
        if (each.served) {
            matrix.directions[each.sender][each.receiver] =
                measurementOf(hearMessage(players[each.sender].voice));
            static_cast<void>(hearMessage(players[each.receiver].voice)); // the end of serving
        }
    }
}

std::optional<Measurement> better(const std::optional<Measurement>& one,
                                  const std::optional<Measurement>& other)
{
    if (!one || !other) {
        return one ? one : other;
    }
    Measurement best = one->gbps > other->gbps ? *one : *other;
    best.roundTripUs = std::min(one->roundTripUs, other->roundTripUs);
    return best;
}

RdmaResult better(const RdmaResult& one, const RdmaResult& other)
{
    if (!one.measured || !other.measured) {
        return one.measured ? one : other;
    }
    RdmaResult best = one.measured->gbps > other.measured->gbps ? one : other;
    best.measured->writeUs = std::min(one.measured->writeUs, other.measured->writeUs);
    return best;
}

void repeat(std::vector<Player>& players, const Outlier& outlier, const Bounds& bounds, Matrix& matrix)
{
    const Direction direction{outlier.sender, outlier.receiver};
    if (outlier.network == Network::Rdma) {
        RdmaResult& measured = matrix.rdma[outlier.sender][outlier.receiver];
        const RdmaResult before = measured;
        playRdma(players, {direction}, bounds, matrix);
        measured = better(before, measured);
    } else {
        auto& measured = matrix.directions[outlier.sender][outlier.receiver];
        const std::optional<Measurement> before = measured;
        play(players, {direction}, bounds, matrix);
        measured = better(before, measured);
    }
}

/// Measures each outlier again, alone: hosts may have been busy for a moment. The best result counts.
void repeatOutliers(std::vector<Player>& players, const Bounds& bounds, Matrix& matrix)
{
    constexpr int kTimes = 3;
    constexpr std::size_t kMost = 64; // more outliers are no coincidence
    for (int i = 0; i < kTimes; ++i) {
        std::vector<Outlier> outliers = judge(matrix).outliers;
        std::erase_if(outliers, [](const Outlier& each) { return each.cause == Cause::Unreachable; });
        if (outliers.size() > kMost) {
            return;
        }
        for (const Outlier& each : outliers) {
            repeat(players, each, bounds, matrix);
        }
    }
}

} // namespace

Matrix lead(const Campaign& campaign)
{
    const std::string token = randomToken();
    const Descriptor listener = listenAt(campaign.leader);
    const std::string address = campaign.leader.empty() ? hostName() : campaign.leader;
    Launchers launchers;
    const std::string self = trace::ownProgram();
    for (const std::string& launcher : campaign.launchers) {
        launchers.start(
            fmt::format("{} '{}' probe --follow {} {} {}", launcher, self, address, portOf(listener), token));
    }
    std::vector<Player> players = gather(listener, campaign, token);
    Matrix matrix;
    for (const Player& each : players) {
        matrix.hosts.push_back(each.name);
        matrix.interfaces.push_back(fmt::format("{} ({})", each.interface, each.address));
        matrix.rdmaEnds.push_back(each.rdma);
    }
    matrix.directions.assign(players.size(), std::vector<std::optional<Measurement>>(players.size()));
    matrix.rdma.assign(players.size(), std::vector<RdmaResult>(players.size()));
    for (const auto& round : tournament(players.size())) {
        std::vector<Direction> there;
        std::vector<Direction> back;
        for (const auto& [one, other] : round) {
            there.push_back({one, other});
            back.push_back({other, one});
        }
        for (const auto& directions : {there, back}) {
            play(players, directions, campaign.bounds, matrix);
            playRdma(players, directions, campaign.bounds, matrix);
        }
    }
    repeatOutliers(players, campaign.bounds, matrix);
    return matrix;
}

} // namespace ringside::probe
