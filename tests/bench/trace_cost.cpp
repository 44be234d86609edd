// SPDX-License-Identifier: Apache-2.0
// What an event costs behind the hook: draining a ring into a trace, device records into chunks, the same as
// plain SQLite rows, reading back, and interval metrics. CPU time of one thread; the plain rows run in the
// same process, so that ratios hold.
//   trace_cost FOLDER [EVENTS]
#include "metrics/sweep.h"
#include "trace/write/launch_configurations.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/ring_decoder.h>

#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <stdexcept>
#include <vector>

namespace {

namespace trace = ringside::trace;
namespace metrics = ringside::metrics;
using Path = std::filesystem::path;

constexpr std::uint64_t kCommitEvery = 1U << 15; // records between two commits: half of the default ring

/// CPU time of this thread, or of all threads of the process: wall time would measure the machine's other
/// work too.
double cpuNs(clockid_t clock = CLOCK_THREAD_CPUTIME_ID)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Cost {
    double nsAnEvent = 0;
    double bytesAnEvent = 0;
};

void print(const char* what, const Cost& cost)
{
    std::printf("%-44s %8.1f ns", what, cost.nsAnEvent);
    if (cost.bytesAnEvent > 0) {
        std::printf(" %8.2f bytes on disk", cost.bytesAnEvent);
    }
    std::printf(" an event\n");
}

/// Jitter of a few hundred ns around a launch every 8 us, as a training step looks.
class Timeline {
public:
    struct Span {
        std::int64_t startNs, endNs;
    };
    Span next()
    {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        const auto jitter = static_cast<std::int64_t>(m_state >> 55);
        m_nowNs += 8000 + jitter;
        return {m_nowNs, m_nowNs + 5000 + 3 * jitter};
    }

private:
    std::uint64_t m_state = 1;
    std::int64_t m_nowNs = 1'000'000'000;
};

/// A ring in memory, filled as a hooked thread fills its own; ticks are ns.
class FakeRing {
public:
    FakeRing(trace::RingRole role, std::uint64_t slots)
        : m_bytes(trace::kRingHeaderBytes + slots * trace::kSlotBytes)
    {
        auto& header = *reinterpret_cast<trace::RingHeader*>(m_bytes.data());
        header.magic = trace::kRingMagic;
        header.version = trace::kRingVersion;
        header.headerBytes = trace::kRingHeaderBytes;
        header.slotCount = slots;
        header.role = role;
        header.clock = trace::ClockKind::Monotonic;
        header.ringId = role == trace::RingRole::Definitions ? 1 : 2;
        header.threadId = role == trace::RingRole::Definitions ? 0 : 1;
    }
    template <class Record>
    void add(Record record, trace::RecordKind kind)
    {
        auto& header = *reinterpret_cast<trace::RingHeader*>(m_bytes.data());
        const std::uint64_t index = header.head.load();
        commitOf(record) = {static_cast<std::uint32_t>(index + 1), kind, sizeof(Record) / trace::kSlotBytes,
                            0};
        const std::uint64_t slot = index & (header.slotCount - 1);
        std::memcpy(m_bytes.data() + trace::kRingHeaderBytes + slot * trace::kSlotBytes, &record,
                    sizeof(record));
        header.head.store(index + sizeof(Record) / trace::kSlotBytes);
    }
    [[nodiscard]] std::span<const std::byte> mapping() const { return m_bytes; }

private:
    static trace::CommitWord& commitOf(trace::StringRecord& record) { return record.commit; }
    static trace::CommitWord& commitOf(trace::CallRecord& record) { return record.commit; }
    std::vector<std::byte> m_bytes;
};

void defineName(FakeRing& definitions)
{
    trace::StringRecord name{};
    name.id = 1;
    name.totalBytes = name.partBytes = 10;
    std::memcpy(name.text, "cudaLaunch", 10);
    definitions.add(name, trace::RecordKind::String);
}

Cost drain(const Path& file, std::uint64_t events)
{
    FakeRing definitions(trace::RingRole::Definitions, 64);
    FakeRing calls(trace::RingRole::Thread, 2 * kCommitEvery);
    defineName(definitions);
    trace::Writer writer(file, trace::Writer::Mode::Create);
    trace::RingDecoder decoder(writer);
    decoder.decode(definitions.mapping(), 0);
    Timeline timeline;
    double spent = 0;
    std::uint64_t read = 0;
    for (std::uint64_t done = 0; done < events; done += kCommitEvery) {
        for (std::uint64_t i = 0; i < kCommitEvery; ++i) {
            const Timeline::Span span = timeline.next();
            calls.add(trace::CallRecord{{},
                                        static_cast<std::uint64_t>(span.startNs),
                                        static_cast<std::uint64_t>(span.endNs),
                                        1,
                                        0},
                      trace::RecordKind::Call);
        }
        const double start = cpuNs();
        read = decoder.decode(calls.mapping(), read);
        writer.setRingProgress(2, read);
        writer.commit();
        spent += cpuNs() - start;
    }
    if (read != events) {
        throw std::runtime_error("the decoder stopped early");
    }
    const double start = cpuNs();
    writer.close();
    spent += cpuNs() - start;
    return {spent / static_cast<double>(events),
            static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(events)};
}

/// 37 names, each launched in eight configurations: 296 of them.
constexpr std::uint64_t kNames = 37;
constexpr std::uint64_t kConfigurationsOfName = 8;

trace::KernelRow kernelOf(Timeline::Span span, std::uint64_t index)
{
    trace::KernelRow row;
    row.startNs = span.startNs;
    row.endNs = span.endNs;
    row.name = static_cast<trace::StringId>(1 + index % kNames);
    row.stream = static_cast<std::uint32_t>(7 + 6 * (index % 5 == 0));
    row.correlation = static_cast<std::uint32_t>(index);
    row.configuration = static_cast<std::uint32_t>(1 + index % (kNames * kConfigurationsOfName));
    return row;
}

/// Finding the id of a launch configuration. The collector does so only where a kernel's differs from the
/// last one of its name.
Cost configurationLookups(std::uint64_t events)
{
    trace::LaunchConfigurations configurations;
    std::uint64_t sum = 0;
    const double start = cpuNs();
    for (std::uint64_t i = 0; i < events; ++i) {
        trace::LaunchConfigurationRow row;
        row.name = static_cast<trace::StringId>(1 + i % kNames);
        row.gridX = static_cast<std::int64_t>(1 + i % (kNames * kConfigurationsOfName));
        row.gridY = row.gridZ = row.blockY = row.blockZ = 1;
        row.blockX = 128;
        row.registersPerThread = 32;
        row.staticSharedBytes = row.dynamicSharedBytes = row.sharedBytes = 0;
        sum += configurations.idOf(row).id;
    }
    const double spent = cpuNs() - start;
    if (sum == 0) {
        throw std::runtime_error("no configuration was found");
    }
    return {spent / static_cast<double>(events), 0};
}

Cost kernelsAsChunks(const Path& file, std::uint64_t events)
{
    trace::Writer writer(file, trace::Writer::Mode::Create);
    Timeline timeline;
    const double start = cpuNs();
    for (std::uint64_t i = 0; i < events; ++i) {
        writer.add(kernelOf(timeline.next(), i));
        if (i % kCommitEvery == 0) {
            writer.commit();
        }
    }
    writer.close();
    const double spent = cpuNs() - start;
    return {spent / static_cast<double>(events),
            static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(events)};
}

void require(int code, sqlite3* database)
{
    if (code != SQLITE_OK && code != SQLITE_DONE) {
        throw std::runtime_error(sqlite3_errmsg(database));
    }
}

Cost kernelsAsRows(const Path& file, std::uint64_t events)
{
    sqlite3* database = nullptr;
    require(sqlite3_open(file.c_str(), &database), database);
    require(sqlite3_exec(database,
                         "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF; CREATE TABLE kernel(start_ns "
                         "INTEGER, end_ns INTEGER, "
                         "name INTEGER, device INTEGER, stream INTEGER, correlation INTEGER) STRICT; BEGIN",
                         nullptr, nullptr, nullptr),
            database);
    sqlite3_stmt* insert = nullptr;
    require(sqlite3_prepare_v2(database, "INSERT INTO kernel VALUES(?,?,?,?,?,?)", -1, &insert, nullptr),
            database);
    Timeline timeline;
    const double start = cpuNs();
    for (std::uint64_t i = 0; i < events; ++i) {
        const trace::KernelRow row = kernelOf(timeline.next(), i);
        int column = 0;
        for (const std::int64_t value :
             {row.startNs, row.endNs, std::int64_t{row.name}, std::int64_t{row.device},
              std::int64_t{row.stream}, std::int64_t{row.correlation}}) {
            sqlite3_bind_int64(insert, ++column, value);
        }
        require(sqlite3_step(insert), database);
        sqlite3_reset(insert);
        if (i % kCommitEvery == 0) {
            require(sqlite3_exec(database, "COMMIT; BEGIN", nullptr, nullptr, nullptr), database);
        }
    }
    require(sqlite3_exec(database, "COMMIT; PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr),
            database);
    const double spent = cpuNs() - start;
    sqlite3_finalize(insert);
    sqlite3_close(database);
    return {spent / static_cast<double>(events),
            static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(events)};
}

/// The reader may use several threads: events a second of one core.
double decodeEventsPerSecond(const Path& file, std::uint64_t events)
{
    const double start = cpuNs(CLOCK_PROCESS_CPUTIME_ID);
    const trace::ProcessTrace process = trace::readProcess(file);
    const double spent = cpuNs(CLOCK_PROCESS_CPUTIME_ID) - start;
    if (process.kernels.size() != events) {
        throw std::runtime_error("the reader found another number of kernels than were written");
    }
    return static_cast<double>(events) * 1e9 / spent;
}

/// Three streams of intervals over 1,000 windows that tile, as steps do.
Cost sweepCost(std::uint64_t events)
{
    trace::Column<std::int64_t> starts[3];
    trace::Column<std::int64_t> ends[3];
    Timeline timeline;
    Timeline::Span span{};
    for (std::uint64_t i = 0; i < events; ++i) {
        span = timeline.next();
        starts[i % 3].push_back(span.startNs);
        ends[i % 3].push_back(span.endNs + 6000); // overlaps the next two
    }
    metrics::Lanes lanes;
    for (std::size_t c = 0; c < 3; ++c) {
        lanes[c].push_back({&starts[c], &ends[c], nullptr, {}, starts[c].size()});
    }
    std::vector<metrics::Interval> windows;
    const std::int64_t step = (span.endNs - starts[0][0]) / 1000;
    for (std::int64_t w = 0; w < 1000; ++w) {
        windows.push_back({starts[0][0] + w * step, starts[0][0] + (w + 1) * step});
    }
    const double start = cpuNs();
    const std::vector<metrics::Coverage> result = metrics::sweep(lanes, windows);
    const double spent = cpuNs() - start;
    if (result.size() != windows.size() || result[500].time(metrics::bit(metrics::kCompute)) == 0) {
        throw std::runtime_error("the sweep measured nothing");
    }
    return {spent / static_cast<double>(events), 0};
}

void runAll(const Path& folder, std::uint64_t events)
{
    print("drain: ring records to a closed trace", drain(folder / "drain.db", events));
    const Cost chunks = kernelsAsChunks(folder / "chunks.db", events);
    print("finding a launch configuration", configurationLookups(events));
    const Cost rows = kernelsAsRows(folder / "rows.db", events);
    print("kernels as column chunks", chunks);
    print("the same as plain SQLite rows", rows);
    std::printf("%-44s %8.2f of the time, %.2f of the bytes\n", "chunks against rows",
                chunks.nsAnEvent / rows.nsAnEvent, chunks.bytesAnEvent / rows.bytesAnEvent);
    std::printf("%-44s %8.1f M events/s a core\n", "reading them back",
                decodeEventsPerSecond(folder / "chunks.db", events) / 1e6);
    print("interval metrics: sweep over 3 classes", sweepCost(events));
}

} // namespace

int main(int count, char** arguments)
{
    if (count < 2) {
        std::fprintf(stderr, "usage: trace_cost FOLDER [EVENTS]\n");
        return 2;
    }
    const Path folder = arguments[1];
    const std::uint64_t wanted = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 4'000'000;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    try {
        runAll(folder, wanted / kCommitEvery * kCommitEvery);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "trace_cost: %s\n", error.what());
        return 1;
    }
    return 0;
}
