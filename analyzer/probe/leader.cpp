// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"
#include "probe/campaign.h"
#include "probe/judge.h"
#include "probe/rdma_message.h"
#include "probe/rdma_round.h"
#include "probe/tcp_message.h"
#include "trace/own_program.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace ringside::probe {
namespace {

class Launchers final {
public:
    /// Starts `command` by the shell and returns at once. `launcher` is the part of it that the user gave.
    /// Throws ringside::Error (Io) if no shell can be started.
    void start(const std::string& launcher, const std::string& command);
    Launchers() = default;
    Launchers(const Launchers&) = delete;
    Launchers& operator=(const Launchers&) = delete;
    /// Waits until all have ended; those that have not after 10 s are sent SIGTERM, then SIGKILL.
    ~Launchers();

    [[nodiscard]] std::size_t size() const { return m_children.size(); }
    [[nodiscard]] const std::string& launcher(std::size_t index) const { return m_children[index].launcher; }
    /// Returns how a launcher failed, such as "ended with code 255"; null while it runs, or if it ended well
    /// (that of a queue may end before its hosts start).
    [[nodiscard]] std::optional<std::string> failure(std::size_t index) const;

private:
    struct Child {
        pid_t pid;
        std::string launcher;
    };
    void signalAll(int signal) const;
    [[nodiscard]] bool reapAll(int milliseconds);

    std::vector<Child> m_children;
};

void Launchers::start(const std::string& launcher, const std::string& command)
{
    const std::array<const char*, 4> words{"sh", "-c", command.c_str(), nullptr};
    pid_t child = 0;
    if (posix_spawnp(&child, "sh", nullptr, nullptr, const_cast<char* const*>(words.data()), environ) != 0) {
        throw Error(ErrorCode::Io, fmt::format("cannot start: {}", command),
                    "Is /bin/sh there, and are there processes left (ulimit -u)?");
    }
    m_children.push_back({child, launcher});
}

std::optional<std::string> Launchers::failure(std::size_t index) const
{
    siginfo_t end{};
    const pid_t pid = m_children[index].pid;
    const bool ended =
        waitid(P_PID, static_cast<id_t>(pid), &end, WEXITED | WNOHANG | WNOWAIT) == 0 && end.si_pid == pid;
    if (!ended || (end.si_code == CLD_EXITED && end.si_status == 0)) {
        return std::nullopt;
    }
    return fmt::format("ended with {} {}", end.si_code == CLD_EXITED ? "code" : "signal", end.si_status);
}

bool Launchers::reapAll(int milliseconds)
{
    constexpr int kStepMs = 20;
    for (int waited = 0;; waited += kStepMs) {
        std::erase_if(m_children,
                      [](const Child& child) { return waitpid(child.pid, nullptr, WNOHANG) != 0; });
        if (m_children.empty() || waited >= milliseconds) {
            return m_children.empty();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
    }
}

void Launchers::signalAll(int signal) const
{
    for (const Child& child : m_children) {
        kill(child.pid, signal);
    }
}

Launchers::~Launchers()
{
    constexpr int kEndPatienceMs = 10'000; // agents end as soon as the leader closes their connections
    constexpr int kSignalPatienceMs = 2'000;
    if (reapAll(kEndPatienceMs)) {
        return;
    }
    signalAll(SIGTERM);
    if (!reapAll(kSignalPatienceMs)) {
        signalAll(SIGKILL);
        static_cast<void>(reapAll(kSignalPatienceMs));
    }
}

std::string tokenOf(const std::string& token, std::size_t launcher)
{
    return fmt::format("{}.{}", token, launcher);
}

std::string randomToken()
{
    std::random_device source;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", source(), source(), source(), source());
}

using Clock = std::chrono::steady_clock;

/// Accepts agents and tells which launchers are still awaited.
class Gathering {
public:
    Gathering(const Campaign& campaign, std::string token, const Launchers& launchers)
        : m_campaign(campaign)
        , m_token(std::move(token))
        , m_launchers(launchers)
        , m_answered(launchers.size())
    {}
    /// Waits until all announced hosts are there, or cannot come any more, or the time is over.
    void gather(const Descriptor& listener)
    {
        const Clock::time_point end = Clock::now() + std::chrono::seconds(m_campaign.patienceS);
        while (m_hosts.size() < m_campaign.hosts && mayCome() && Clock::now() < end) {
            if (Descriptor accepted = acceptAt(listener, Patience{1})) {
                greet(LineConnection(std::move(accepted)));
            }
        }
        std::ranges::sort(m_hosts, {}, &ProbedHost::name);
    }
    [[nodiscard]] std::vector<ProbedHost> takeHosts() { return std::move(m_hosts); }

    /// Returns the launchers that brought no host, with the reason; of one launcher for several hosts, how
    /// many are missing.
    [[nodiscard]] std::vector<LeftOut> leftOut() const
    {
        std::vector<LeftOut> all;
        const std::string late = fmt::format("no answer within {} s", m_campaign.patienceS);
        for (std::size_t i = 0; i < m_launchers.size(); ++i) {
            if (m_answered[i] == 0) {
                all.push_back({m_launchers.launcher(i), m_launchers.failure(i).value_or(late)});
            }
        }
        if (all.empty() && m_hosts.size() < m_campaign.hosts) {
            all.push_back(
                {fmt::format("{} of {} hosts", m_campaign.hosts - m_hosts.size(), m_campaign.hosts), late});
        }
        return all;
    }

private:
    /// A launcher that failed before one of its hosts answered brings none any more.
    [[nodiscard]] bool mayCome() const
    {
        std::size_t failed = 0;
        for (std::size_t i = 0; i < m_launchers.size(); ++i) {
            failed += m_answered[i] == 0 && m_launchers.failure(i) ? 1 : 0;
        }
        const bool oneEach = m_launchers.size() == m_campaign.hosts;
        return oneEach ? m_hosts.size() + failed < m_campaign.hosts : failed < m_launchers.size();
    }

    /// Takes an agent that presents the token, with the number of its launcher, and disconnects others.
    void greet(LineConnection connection)
    {
        const auto hello = receiveMessage(connection);
        const std::string presented = hello ? wordOf(*hello, "token") : std::string();
        for (std::size_t i = 0; i < m_launchers.size(); ++i) {
            if (presented == tokenOf(m_token, i)) {
                ++m_answered[i];
                m_hosts.push_back(hostOf(*hello, std::move(connection)));
                return;
            }
        }
    }

    static ProbedHost hostOf(const Message& hello, LineConnection connection)
    {
        constexpr double kMostMbps = 1e8;
        const Message rdma = hello.value("rdma", Message());
        return {wordOf(hello, "host"),
                wordOf(hello, "interface"),
                wordOf(hello, "address"),
                numberOf(hello, "mbps", kMostMbps),
                rdmaEndOf(rdma.is_object() ? rdma : Message::object()),
                std::move(connection)};
    }

    const Campaign& m_campaign;
    std::string m_token;
    const Launchers& m_launchers;
    std::vector<std::size_t> m_answered; ///< hosts, by launcher
    std::vector<ProbedHost> m_hosts;
};

[[noreturn]] void refuse(std::size_t hosts, const std::vector<LeftOut>& leftOut)
{
    std::string missing;
    for (const LeftOut& each : leftOut) {
        missing += fmt::format("; {}: {}", each.what, each.reason);
    }
    throw Error(ErrorCode::Unusable,
                fmt::format("{} answered, and two hosts are needed{}", hosts == 0 ? "none" : "one", missing),
                "The launcher must start programs on the hosts, ringside must be installed there under the "
                "same path, and --leader must be an address of this host that the others reach.");
}

/// Measures all directions of a round at once: every receiver serves, then every sender measures.
void measureRound(std::vector<ProbedHost>& hosts, std::vector<Direction> round, const Bounds& bounds,
                  Matrix& matrix)
{
    constexpr std::uint16_t kLastPort = 65535;
    for (Direction& each : round) {
        each.served = order(hosts[each.receiver], {{"do", "serve"}});
    }
    for (Direction& each : round) {
        const auto port = each.served ? answerOf(hosts[each.receiver]) : std::nullopt;
        each.served = port && order(hosts[each.sender], {{"do", "measure"},
                                                         {"address", hosts[each.receiver].address},
                                                         {"port", numberOf(*port, "port", kLastPort)},
                                                         {"bytes", bounds.bytes},
                                                         {"milliseconds", bounds.milliseconds}});
    }
    for (const Direction& each : round) {
        if (each.served) {
            matrix.directions[each.sender][each.receiver] = measurementOf(answerOf(hosts[each.sender]));
            static_cast<void>(answerOf(hosts[each.receiver])); // the end of serving
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

void repeat(std::vector<ProbedHost>& hosts, const Outlier& outlier, const Campaign& campaign, Matrix& matrix)
{
    const Direction direction{outlier.sender, outlier.receiver};
    if (outlier.network == Network::Rdma) {
        RdmaResult& measured = matrix.rdma[outlier.sender][outlier.receiver].rails[outlier.rail].result;
        const RdmaResult before = measured;
        measureRail(hosts, direction, outlier.rail, campaign, matrix);
        measured = better(before, measured);
    } else {
        auto& measured = matrix.directions[outlier.sender][outlier.receiver];
        const std::optional<Measurement> before = measured;
        measureRound(hosts, {direction}, campaign.bounds, matrix);
        measured = better(before, measured);
    }
}

/// Measures each outlier again, alone: hosts may have been busy for a moment. The best result counts.
void repeatOutliers(std::vector<ProbedHost>& hosts, const Campaign& campaign, Matrix& matrix)
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
            repeat(hosts, each, campaign, matrix);
        }
    }
}

/// Names hosts that have fewer rails than others: theirs that are down are not measured.
void addMissingRails(Matrix& matrix)
{
    std::size_t most = 0;
    for (const RdmaEnd& end : matrix.rdmaEnds) {
        most = std::max(most, end.rails.size());
    }
    for (std::size_t i = 0; i < matrix.hosts.size(); ++i) {
        const std::size_t count = matrix.rdmaEnds[i].rails.size();
        if (count > 0 && count < most) {
            matrix.leftOut.push_back(
                {matrix.hosts[i], fmt::format("it has {} active RDMA {} that NCCL would use, other hosts "
                                              "have {}; rails without a counterpart are not measured",
                                              count, count == 1 ? "port" : "ports", most)});
        }
    }
}

} // namespace

Matrix lead(const Campaign& campaign)
{
    const std::string token = randomToken();
    const Descriptor listener = listenAt(campaign.leader);
    const std::string address = campaign.leader.empty() ? host::hostName() : campaign.leader;
    Launchers launchers;
    const std::string self = trace::ownProgram();
    for (std::size_t i = 0; i < campaign.launchers.size(); ++i) {
        const std::string& launcher = campaign.launchers[i];
        launchers.start(launcher, fmt::format("{} '{}' probe --follow {} {} {}", launcher, self, address,
                                              portOf(listener), tokenOf(token, i)));
    }
    Gathering gathering(campaign, token, launchers);
    gathering.gather(listener);
    std::vector<LeftOut> leftOut = gathering.leftOut();
    std::vector<ProbedHost> hosts = gathering.takeHosts();
    if (hosts.size() < 2) {
        refuse(hosts.size(), leftOut);
    }
    Matrix matrix;
    matrix.perftest = campaign.perftest;
    for (const ProbedHost& each : hosts) {
        matrix.hosts.push_back(each.name);
        matrix.interfaces.push_back(fmt::format("{} ({})", each.interface, each.address));
        matrix.interfaceMbps.push_back(each.interfaceMbps);
        matrix.rdmaEnds.push_back(each.rdma);
    }
    matrix.leftOut = std::move(leftOut);
    matrix.directions.assign(hosts.size(), std::vector<std::optional<Measurement>>(hosts.size()));
    matrix.rdma.assign(hosts.size(), std::vector<RdmaDirection>(hosts.size()));
    addMissingRails(matrix);
    for (const auto& round : roundRobin(hosts.size())) {
        std::vector<Direction> there;
        std::vector<Direction> back;
        for (const auto& [one, other] : round) {
            there.push_back({one, other});
            back.push_back({other, one});
        }
        for (const auto& directions : {there, back}) {
            measureRound(hosts, directions, campaign.bounds, matrix);
            measureRdmaRound(hosts, directions, campaign, matrix);
        }
    }
    repeatOutliers(hosts, campaign, matrix);
    for (const ProbedHost& each : hosts) {
        if (each.isGone) {
            matrix.leftOut.push_back({each.name, "it stopped answering during the measurement"});
        }
    }
    return matrix;
}

} // namespace ringside::probe
