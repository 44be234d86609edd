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
    /// `launcher` is the part of `command` that the user gave.
    void start(const std::string& launcher, const std::string& command)
    {
        const std::array<const char*, 4> words{"sh", "-c", command.c_str(), nullptr};
        pid_t child = 0;
        if (posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char* const*>(words.data()), environ) !=
            0) {
            throw Error(ErrorCode::Io, fmt::format("cannot start: {}", command),
                        "Is /bin/sh there, and are there processes left (ulimit -u)?");
        }
        m_children.push_back({child, launcher});
    }
    /// Throws if one ended with an error: its hosts will not answer.
    void refuseFailed() const
    {
        for (const Child& child : m_children) {
            siginfo_t end{};
            const bool ended =
                waitid(P_PID, static_cast<id_t>(child.pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                end.si_pid == child.pid;
            if (ended && (end.si_code != CLD_EXITED || end.si_status != 0)) {
                throw Error(
                    ErrorCode::Unusable,
                    fmt::format("a launcher ended with {} {} before its hosts answered: {}",
                                end.si_code == CLD_EXITED ? "code" : "signal", end.si_status, child.launcher),
                    "The launcher must start programs on the hosts, and ringside must be installed there "
                    "under the same path.");
            }
        }
    }
    Launchers() = default;
    Launchers(const Launchers&) = delete;
    Launchers& operator=(const Launchers&) = delete;
    ~Launchers()
    {
        for (const Child& child : m_children) {
            waitpid(child.pid, nullptr, 0);
        }
    }

private:
    struct Child {
        pid_t pid;
        std::string launcher;
    };
    std::vector<Child> m_children;
};

/// Returns null if nobody connected.
Descriptor acceptAgent(const Descriptor& listener, const Launchers& launchers)
{
    constexpr int kStartPatienceS = 120; // schedulers may start jobs late
    for (int second = 0; second < kStartPatienceS; ++second) {
        if (Descriptor accepted = acceptAt(listener, Patience{1})) {
            return accepted;
        }
        launchers.refuseFailed();
    }
    return {};
}

/// Accepts agents that present the token until all announced ones are there, and disconnects others.
std::vector<ProbedHost> gather(const Descriptor& listener, const Campaign& campaign, const std::string& token,
                               const Launchers& launchers)
{
    std::vector<ProbedHost> hosts;
    while (hosts.size() < campaign.hosts) {
        Descriptor accepted = acceptAgent(listener, launchers);
        if (!accepted) {
            throw Error(ErrorCode::Unusable,
                        fmt::format("{} of {} hosts answered", hosts.size(), campaign.hosts),
                        "--leader must be an address of this host that the others reach, and ringside must "
                        "be installed there under the same path.");
        }
        LineConnection connection(std::move(accepted));
        const auto hello = receiveMessage(connection);
        if (hello && wordOf(*hello, "token") == token) {
            const Message rdma = hello->value("rdma", Message::object());
            hosts.push_back({wordOf(*hello, "host"),
                             wordOf(*hello, "interface"),
                             wordOf(*hello, "address"),
                             {wordOf(rdma, "port"), wordOf(rdma, "reason")},
                             std::move(connection)});
        }
    }
    std::ranges::sort(hosts, {}, &ProbedHost::name);
    return hosts;
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
void measureRound(std::vector<ProbedHost>& hosts, std::vector<Direction> round, const Bounds& bounds,
                  Matrix& matrix)
{
    constexpr std::uint16_t kLastPort = 65535;
    for (Direction& each : round) {
        each.served = sendMessage(hosts[each.receiver].connection, {{"do", "serve"}});
    }
    for (Direction& each : round) {
        const auto port = each.served ? receiveMessage(hosts[each.receiver].connection) : std::nullopt;
        each.served =
            port && sendMessage(hosts[each.sender].connection, {{"do", "measure"},
                                                                {"address", hosts[each.receiver].address},
                                                                {"port", numberOf(*port, "port", kLastPort)},
                                                                {"bytes", bounds.bytes},
                                                                {"milliseconds", bounds.milliseconds}});
    }
    for (const Direction& each : round) {
        if (each.served) {
            matrix.directions[each.sender][each.receiver] =
                measurementOf(receiveMessage(hosts[each.sender].connection));
            static_cast<void>(receiveMessage(hosts[each.receiver].connection)); // the end of serving
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

void repeat(std::vector<ProbedHost>& hosts, const Outlier& outlier, const Bounds& bounds, Matrix& matrix)
{
    const Direction direction{outlier.sender, outlier.receiver};
    if (outlier.network == Network::Rdma) {
        RdmaResult& measured = matrix.rdma[outlier.sender][outlier.receiver];
        const RdmaResult before = measured;
        measureRdmaRound(hosts, {direction}, bounds, matrix);
        measured = better(before, measured);
    } else {
        auto& measured = matrix.directions[outlier.sender][outlier.receiver];
        const std::optional<Measurement> before = measured;
        measureRound(hosts, {direction}, bounds, matrix);
        measured = better(before, measured);
    }
}

/// Measures each outlier again, alone: hosts may have been busy for a moment. The best result counts.
void repeatOutliers(std::vector<ProbedHost>& hosts, const Bounds& bounds, Matrix& matrix)
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
            repeat(hosts, each, bounds, matrix);
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
        launchers.start(launcher, fmt::format("{} '{}' probe --follow {} {} {}", launcher, self, address,
                                              portOf(listener), token));
    }
    std::vector<ProbedHost> hosts = gather(listener, campaign, token, launchers);
    Matrix matrix;
    for (const ProbedHost& each : hosts) {
        matrix.hosts.push_back(each.name);
        matrix.interfaces.push_back(fmt::format("{} ({})", each.interface, each.address));
        matrix.rdmaEnds.push_back(each.rdma);
    }
    matrix.directions.assign(hosts.size(), std::vector<std::optional<Measurement>>(hosts.size()));
    matrix.rdma.assign(hosts.size(), std::vector<RdmaResult>(hosts.size()));
    for (const auto& round : roundRobin(hosts.size())) {
        std::vector<Direction> there;
        std::vector<Direction> back;
        for (const auto& [one, other] : round) {
            there.push_back({one, other});
            back.push_back({other, one});
        }
        for (const auto& directions : {there, back}) {
            measureRound(hosts, directions, campaign.bounds, matrix);
            measureRdmaRound(hosts, directions, campaign.bounds, matrix);
        }
    }
    repeatOutliers(hosts, campaign.bounds, matrix);
    return matrix;
}

} // namespace ringside::probe
