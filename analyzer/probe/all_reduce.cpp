// SPDX-License-Identifier: Apache-2.0
#include "probe/all_reduce.h"

#include "document/table.h"
#include "output/json_value.h"
#include "values/quantile.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <sstream>
#include <utility>

namespace ringside::probe {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kLeastBytes = 1024;
constexpr int kMostRepeats = 50;
constexpr int kLeastRepeats = 3;
// nccl.h and cuda_runtime_api.h of CUDA 11 to 13.
constexpr int kFloat = 7;
constexpr int kSum = 0;

/// The functions that are needed. The constructor checks that each exists.
struct Libraries {
    int (*deviceCount)(int*);
    int (*setDevice)(int);
    int (*allocate)(void**, std::size_t);
    int (*makeStream)(void**);
    int (*waitFor)(void*);
    int (*version)(int*);
    int (*makeAll)(void**, int, const int*);
    int (*allReduce)(const void*, void*, std::size_t, int, int, void*, void*);
    int (*beginGroup)();
    int (*endGroup)();
};

/// A failure in the child. Its text becomes the last line of the output.
struct MeasurementFailure {
    std::string why;
};

void check(int result, const char* what)
{
    if (result != 0) {
        throw MeasurementFailure{fmt::format("{} failed with {}", what, result)};
    }
}

void* openFirst(std::initializer_list<const char*> files)
{
    for (const char* const file : files) {
        if (void* const handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL)) {
            return handle;
        }
    }
    throw MeasurementFailure{fmt::format("{} cannot be loaded", *files.begin())};
}

template <class Function>
void find(void* library, const char* name, Function*& function)
{
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) {
        throw MeasurementFailure{fmt::format("{} is missing", name)};
    }
}

Libraries load()
{
    Libraries all{};
    void* const cuda = openFirst({"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"});
    find(cuda, "cudaGetDeviceCount", all.deviceCount);
    find(cuda, "cudaSetDevice", all.setDevice);
    find(cuda, "cudaMalloc", all.allocate);
    find(cuda, "cudaStreamCreate", all.makeStream);
    find(cuda, "cudaStreamSynchronize", all.waitFor);
    void* const nccl = openFirst({"libnccl.so.2"});
    find(nccl, "ncclGetVersion", all.version);
    find(nccl, "ncclCommInitAll", all.makeAll);
    find(nccl, "ncclAllReduce", all.allReduce);
    find(nccl, "ncclGroupStart", all.beginGroup);
    find(nccl, "ncclGroupEnd", all.endGroup);
    return all;
}

/// All GPUs of this host, each with a buffer, a stream and its member of the communicator.
class Gpus {
public:
    explicit Gpus(const Libraries& libraries, std::uint64_t bytes) : m_libraries(libraries)
    {
        int count = 0;
        if (m_libraries.deviceCount(&count) != 0 || count == 0) {
            throw MeasurementFailure{"no GPU"};
        }
        m_buffers.resize(static_cast<std::size_t>(count));
        m_streams.resize(m_buffers.size());
        m_members.resize(m_buffers.size());
        for (int device = 0; device < count; ++device) {
            check(m_libraries.setDevice(device), "cudaSetDevice");
            check(m_libraries.allocate(&m_buffers[static_cast<std::size_t>(device)], bytes), "cudaMalloc");
            check(m_libraries.makeStream(&m_streams[static_cast<std::size_t>(device)]), "cudaStreamCreate");
        }
        check(m_libraries.makeAll(m_members.data(), count, nullptr), "ncclCommInitAll");
    }
    [[nodiscard]] std::size_t count() const { return m_members.size(); }
    /// Returns the time of one all-reduce, from the first call until the last GPU is done.
    [[nodiscard]] std::int64_t run(std::uint64_t bytes) const
    {
        const auto begin = Clock::now();
        check(m_libraries.beginGroup(), "ncclGroupStart");
        for (std::size_t i = 0; i < m_members.size(); ++i) {
            check(m_libraries.allReduce(m_buffers[i], m_buffers[i], bytes / sizeof(float), kFloat, kSum,
                                        m_members[i], m_streams[i]),
                  "ncclAllReduce");
        }
        check(m_libraries.endGroup(), "ncclGroupEnd");
        for (void* const stream : m_streams) {
            check(m_libraries.waitFor(stream), "cudaStreamSynchronize");
        }
        return std::chrono::nanoseconds(Clock::now() - begin).count();
    }

private:
    const Libraries& m_libraries;
    std::vector<void*> m_buffers;
    std::vector<void*> m_streams;
    std::vector<void*> m_members;
};

CurvePoint measure(const Gpus& gpus, std::uint64_t bytes, std::chrono::milliseconds patience)
{
    static_cast<void>(gpus.run(bytes)); // the first run of a size is slower because it sets up connections
    std::vector<std::int64_t> times;
    const auto last = Clock::now() + patience;
    while (times.size() < kMostRepeats && (times.size() < kLeastRepeats || Clock::now() < last)) {
        times.push_back(gpus.run(bytes));
    }
    const auto count = static_cast<int>(times.size());
    return {bytes, values::median(std::move(times)), count};
}

/// Runs in the child: writes each result as a line.
void writeCurve(const CurveBounds& bounds, int out)
{
    try {
        const Libraries libraries = load();
        int version = 0;
        check(libraries.version(&version), "ncclGetVersion");
        const Gpus gpus(libraries, bounds.mostBytes);
        if (gpus.count() < 2) {
            throw MeasurementFailure{"this host has one GPU: an all-reduce needs two"};
        }
        dprintf(out, "gpus %zu %d %d\n", gpus.count(), version,
                dlsym(RTLD_DEFAULT, "ringside_platform_enqueue") != nullptr ? 1 : 0);
        for (std::uint64_t bytes = kLeastBytes; bytes <= bounds.mostBytes; bytes *= 4) {
            const CurvePoint point = measure(gpus, bytes, bounds.each);
            dprintf(out, "point %llu %lld %d\n", static_cast<unsigned long long>(point.bytes),
                    static_cast<long long>(point.ns), point.repeats);
        }
        dprintf(out, "whole\n");
    } catch (const MeasurementFailure& failure) {
        dprintf(out, "trouble %s\n", failure.why.c_str());
    }
}

/// Returns what the child wrote until it ended or the time was over.
std::string readOutput(int in, std::chrono::milliseconds patience)
{
    const auto last = Clock::now() + patience;
    std::string output;
    std::array<char, 4096> piece{};
    for (;;) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(last - Clock::now()).count();
        pollfd waiting{in, POLLIN, 0};
        if (left <= 0 || poll(&waiting, 1, static_cast<int>(left)) <= 0) {
            return output;
        }
        const ssize_t got = read(in, piece.data(), piece.size());
        if (got <= 0) {
            return output;
        }
        output.append(piece.data(), static_cast<std::size_t>(got));
    }
}

AllReduceCurve curveOf(const std::string& output)
{
    AllReduceCurve curve;
    curve.stopped = "the process that measured it ended or took too long";
    std::istringstream lines(output);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string word;
        words >> word;
        if (word == "gpus") {
            words >> curve.gpus >> curve.ncclVersion >> curve.emulated;
        } else if (word == "point") {
            if (CurvePoint point; words >> point.bytes >> point.ns >> point.repeats) {
                curve.points.push_back(point);
            }
        } else if (word == "trouble") {
            curve.stopped = line.substr(std::min(line.size(), word.size() + 1));
        } else if (word == "whole") {
            curve.stopped.clear();
        }
    }
    if (curve.points.empty()) {
        curve.missing = std::exchange(curve.stopped, {});
    }
    return curve;
}

} // namespace

double AllReduceCurve::busGBs(const CurvePoint& point) const
{
    return static_cast<double>(point.bytes) * 2.0 * (gpus - 1) / std::max(1, gpus) /
           static_cast<double>(std::max<std::int64_t>(1, point.ns));
}

AllReduceCurve measureAllReduce(const CurveBounds& bounds)
{
    std::array<int, 2> pipes{};
    if (pipe(pipes.data()) != 0) {
        return curveOf("trouble cannot create a pipe");
    }
    const pid_t child = fork();
    if (child == 0) {
        close(pipes[0]);
        writeCurve(bounds, pipes[1]);
        _exit(0); // skips exit handlers of libraries, which may hang
    }
    close(pipes[1]);
    const std::string output =
        child > 0 ? readOutput(pipes[0], bounds.all) : "trouble cannot create a process\n";
    close(pipes[0]);
    if (child > 0) {
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
    }
    return curveOf(output);
}

std::string textOf(const AllReduceCurve& curve)
{
    constexpr double kKibibyte = 1024;
    if (!curve.missing.empty()) {
        return fmt::format("All-reduce: not measured: {}\n", curve.missing);
    }
    document::Table table{{"KiB", "us", "bus GB/s", "repeats"}, {}};
    for (const CurvePoint& point : curve.points) {
        table.rows.push_back(
            {document::Cell(static_cast<double>(point.bytes), values::Unit::Bytes, {.divisor = kKibibyte}),
             document::microsecondsCell(static_cast<double>(point.ns), 1),
             document::Cell(curve.busGBs(point), values::Unit::GigabytesPerSecond, {.digits = 2}),
             point.repeats});
    }
    return fmt::format("All-reduce of float32 over {} {}GPUs of this host, NCCL {}, medians\n", curve.gpus,
                       curve.emulated ? "emulated " : "", curve.ncclVersion) +
           document::plainTable(table, "  ") +
           (curve.stopped.empty() ? "" : fmt::format("  stopped: {}\n", curve.stopped));
}

std::string jsonOf(const AllReduceCurve& curve)
{
    Json points = Json::array();
    for (const CurvePoint& point : curve.points) {
        points.push_back({{"bytes", point.bytes},
                          {"ns", point.ns},
                          {"bus_gb_s", curve.busGBs(point)},
                          {"repeats", point.repeats}});
    }
    const auto text = [](const std::string& words) { return words.empty() ? Json(nullptr) : Json(words); };
    const Json json = {{"schema", "ringside-probe-all-reduce/1"},
                       {"missing", text(curve.missing)},
                       {"emulated", curve.emulated},
                       {"gpus", curve.gpus},
                       {"nccl_version", curve.ncclVersion},
                       {"points", points},
                       {"stopped", text(curve.stopped)}};
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::probe
