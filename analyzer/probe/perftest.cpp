// SPDX-License-Identifier: Apache-2.0
#include "probe/perftest.h"

#include "probe/retransmissions.h"
#include "values/parse_number.h"
#include "values/text.h"

#include <ringside/error.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace ringside::probe {
namespace {

constexpr std::chrono::milliseconds kReadPause{10};

std::vector<char*> pointersTo(const std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(const_cast<char*>(word.c_str())); // execvp does not write to them
    }
    pointers.push_back(nullptr);
    return pointers;
}

int exitCodeOf(int status)
{
    constexpr int kSignal = 128;
    return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

std::pair<Descriptor, Descriptor> makePipe(const std::string& program)
{
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
        throw Error(ErrorCode::Io, fmt::format("no pipe for {}: {}", program, std::strerror(errno)));
    }
    return {Descriptor(ends[0]), Descriptor(ends[1])};
}

/// Runs in the new process, and calls only what may be called after a fork. The kernel ends the tool with its
/// parent, however that dies: an end that waits for a client would wait for ever.
[[noreturn]] void becomeTool(const std::vector<char*>& words, pid_t parent, int output, int report)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 &&
        dup2(output, STDERR_FILENO) >= 0) {
        execvp(words.front(), words.data());
    }
    const int error = errno;
    static_cast<void>(!write(report, &error, sizeof error));
    _exit(EXIT_FAILURE);
}

using Clock = ToolProcess::Clock;
constexpr std::chrono::seconds kUntilListening{4};
constexpr std::chrono::seconds kUntilMeasured{7}; // of each program; the leader waits for kPatience

/// Returns whether a socket of this machine listens at this port (Linux:
/// Documentation/networking/proc_net_tcp.rst).
bool isListening(std::uint16_t port)
{
    const std::string local = fmt::format(":{:04X} ", port);
    for (const char* table : {"/proc/self/net/tcp", "/proc/self/net/tcp6"}) {
        std::ifstream lines(table);
        for (std::string line; std::getline(lines, line);) {
            const std::size_t at = line.find(local);
            constexpr std::string_view kListen = " 0A ";
            if (at != std::string::npos && at < line.find(kListen) &&
                line.find(kListen) != std::string::npos) {
                return true;
            }
        }
    }
    return false;
}

/// Returns the last line of what a program printed: there it says why it gave up.
std::string lastLine(const std::string& output)
{
    const std::string_view text = values::trimmed(output);
    return std::string(values::trimmed(text.substr(text.find_last_of('\n') + 1)));
}

std::string failureOf(const char* program, const ToolProcess& process)
{
    const std::string said = lastLine(process.output());
    return process.exitCode()
               ? fmt::format("{} ended with code {}: {}", program, *process.exitCode(), said)
               : fmt::format("{} did not end in time{}{}", program, said.empty() ? "" : "; it said: ", said);
}

/// Runs the client of a program until it has printed a figure. What it does after that may take long on a
/// slow link: it takes its connection down. Throws ringside::Error (Io) if the figure does not come.
std::string outputOf(const char* program, const RdmaPort& port, const Endpoint& server, const Bounds& bounds,
                     std::string_view heading)
{
    constexpr std::chrono::milliseconds kPause{50};
    ToolProcess process(perftestWords(program, port, server, bounds));
    const Clock::time_point last = Clock::now() + kUntilMeasured;
    while (!perftestFigure(process.output(), heading)) {
        if (process.endsBefore(Clock::now() + kPause) || Clock::now() > last) {
            break;
        }
    }
    if (!perftestFigure(process.output(), heading)) {
        throw Error(ErrorCode::Io, failureOf(program, process));
    }
    return process.output();
}

constexpr std::array<std::string_view, 2> kFirstHeadings{"#bytes", "#iterations"};

/// Returns the place of a heading among those with a unit; null if it is not there.
std::optional<std::size_t> placeOf(std::string_view line, std::string_view heading)
{
    const std::size_t first = line.find(kFirstHeadings.back());
    std::string_view rest = first == std::string_view::npos
                                ? std::string_view()
                                : line.substr(first + kFirstHeadings.back().size());
    std::size_t place = 0;
    for (std::size_t end = rest.find(']'); end != std::string_view::npos; end = rest.find(']'), ++place) {
        if (values::trimmed(rest.substr(0, end + 1)) == heading) {
            return place;
        }
        rest.remove_prefix(end + 1);
    }
    return std::nullopt;
}

} // namespace

ToolProcess::ToolProcess(const std::vector<std::string>& words)
{
    auto [read, write] = makePipe(words.front());
    auto [failure, report] = makePipe(words.front()); // closed by exec
    m_pipe = std::move(read);
    const std::vector<char*> pointers = pointersTo(words);
    const pid_t self = getpid();
    m_pid = fork();
    if (m_pid == 0) {
        becomeTool(pointers, self, write.number(), report.number());
    }
    int error = errno;
    report = Descriptor();
    if (m_pid > 0 && ::read(failure.number(), &error, sizeof error) != sizeof error) {
        return; // it runs
    }
    if (m_pid > 0) {
        waitpid(m_pid, nullptr, 0);
    }
    throw Error(ErrorCode::Io, fmt::format("{} cannot be started: {}", words.front(), std::strerror(error)));
}

ToolProcess::~ToolProcess()
{
    if (m_pid > 0 && !m_exitCode) {
        kill(m_pid, SIGKILL);
        // A driver may hold it for long while it takes a connection down: then it is left to the system.
        static_cast<void>(endsBefore(Clock::now() + std::chrono::seconds(2)));
    }
}

/// Returns false once it has closed its streams. Waits for 10 ms at most.
bool ToolProcess::readMore()
{
    constexpr std::size_t kMostOutput = 64U << 10U;
    pollfd ready{m_pipe.number(), POLLIN, 0};
    if (poll(&ready, 1, static_cast<int>(kReadPause.count())) <= 0) {
        return true;
    }
    std::array<char, 4096> text{};
    const ssize_t count = read(m_pipe.number(), text.data(), text.size());
    if (count > 0) {
        m_output.append(text.data(),
                        std::min(static_cast<std::size_t>(count), kMostOutput - m_output.size()));
    }
    return count > 0;
}

bool ToolProcess::endsBefore(Clock::time_point last)
{
    bool open = true;
    while (!m_exitCode && Clock::now() < last) {
        open = open && readMore();
        int status = 0;
        if (!open && waitpid(m_pid, &status, WNOHANG) == m_pid) {
            m_exitCode = exitCodeOf(status);
        } else if (!open) {
            std::this_thread::sleep_for(kReadPause);
        }
    }
    return m_exitCode.has_value();
}

std::vector<std::string> perftestWords(const std::string& program, const RdmaPort& port, const Endpoint& peer,
                                       const Bounds& bounds)
{
    constexpr std::int64_t kMsASecond = 1000;
    std::vector<std::string> words{
        program, "-F", // no warning about the processor's clock
        "-d",    port.device, "-i", std::to_string(port.number), "-p", std::to_string(peer.port)};
    if (port.ethernet) {
        words.insert(words.end(),
                     {"-x", std::to_string(port.gidIndex), "--tclass=" + std::to_string(port.trafficClass)});
    } else {
        words.insert(words.end(), {"-S", std::to_string(port.serviceLevel)});
    }
    if (program == kPerftestLatency) {
        words.insert(words.end(), {"-s", "8", "-n", "200"});
    } else {
        // 2 MiB under way are enough at 400 Gb/s, and no more than a second's work of a link of 20 Mb/s,
        // which must be done before the program can end. Its -D takes whole seconds.
        const std::int64_t seconds = std::max<std::int64_t>(1, bounds.milliseconds / kMsASecond);
        words.insert(words.end(),
                     {"-s", "65536", "-t", "32", "--report_gbits", "-D", std::to_string(seconds)});
    }
    if (!peer.address.empty()) {
        words.push_back(peer.address);
    }
    return words;
}

std::optional<double> perftestFigure(std::string_view output, std::string_view heading)
{
    std::istringstream lines{std::string(output)};
    std::string line;
    while (std::getline(lines, line) && line.find(kFirstHeadings.back()) == std::string::npos) {
    }
    const auto place = placeOf(line, heading);
    if (!place) {
        return std::nullopt;
    }
    const std::size_t column = *place + kFirstHeadings.size();
    std::string row;
    std::getline(lines, row);
    row += lines.eof() ? "" : "\n";
    std::istringstream values(row);
    std::string value;
    for (std::size_t i = 0; i <= column && (values >> value); ++i) {
        // A number at the end of what was printed until now may go on.
        if (i == column && !values.eof()) {
            return values::parseNumber<double>(value);
        }
    }
    return std::nullopt;
}

PerftestServer::Program PerftestServer::start(const char* program, const RdmaPort& port,
                                              const std::string& address, const Bounds& bounds)
{
    Program started;
    started.port = portOf(listenAt(address)); // free now: perftest cannot choose one itself
    started.process = std::make_unique<ToolProcess>(perftestWords(program, port, {"", started.port}, bounds));
    const Clock::time_point last = Clock::now() + kUntilListening;
    while (!isListening(started.port)) {
        constexpr std::chrono::milliseconds kPause{20};
        if (started.process->endsBefore(Clock::now() + kPause) || Clock::now() > last) {
            throw Error(ErrorCode::Io, failureOf(program, *started.process));
        }
    }
    return started;
}

PerftestServer::PerftestServer(const RdmaPort& port, const std::string& address, const Bounds& bounds)
    : m_latency(start(kPerftestLatency, port, address, bounds))
    , m_bandwidth(start(kPerftestBandwidth, port, address, bounds))
{}

RdmaResult measureWithPerftest(const RdmaPort& port, const std::string& address, std::uint16_t latencyPort,
                               std::uint16_t bandwidthPort, const Bounds& bounds)
{
    in_addr parsed{};
    if (inet_pton(AF_INET, address.c_str(), &parsed) != 1) { // also keeps options out of the command line
        return {std::nullopt, fmt::format("perftest needs an IPv4 address of the host, and not {}", address)};
    }
    constexpr std::string_view kTypical = "t_typical[usec]";
    constexpr std::string_view kPercentile = "99% percentile[usec]";
    constexpr std::string_view kAverage = "BW average[Gb/sec]";
    const Retransmissions retransmissions(port);
    try {
        const std::string latency =
            outputOf(kPerftestLatency, port, {address, latencyPort}, bounds, kPercentile);
        const std::string bandwidth =
            outputOf(kPerftestBandwidth, port, {address, bandwidthPort}, bounds, kAverage);
        const auto typical = perftestFigure(latency, kTypical);
        const auto percentile = perftestFigure(latency, kPercentile);
        const auto average = perftestFigure(bandwidth, kAverage);
        if (!typical || !percentile || !average) {
            return {std::nullopt, "perftest's tables are not those of its version 4.5"};
        }
        RdmaMeasurement measured;
        measured.writeUs = *typical;
        measured.writeP99Us = *percentile;
        measured.gbps = *average;
        measured.lost = retransmissions.count();
        return {measured, {}};
    } catch (const Error& error) {
        return {std::nullopt, error.what()};
    }
}

} // namespace ringside::probe
