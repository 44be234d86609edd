// SPDX-License-Identifier: Apache-2.0
#include "probe/keep.h"

#include "host/process.h"
#include "metrics/gigabytes.h"
#include "trace/vocabulary/series.h"

#include <ringside/error.h>
#include <ringside/trace/write_process.h>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

namespace ringside::probe {
namespace {

constexpr double kBytesAGigabit = 1e9 / 8;
constexpr double kNsAUs = 1e3;

std::int64_t readClock(clockid_t clock)
{
    timespec now{};
    clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

/// The rows of a probe that has just ended.
class Record {
public:
    Record()
    {
        m_rows.process.host = host::hostName();
        m_rows.process.pid = getpid();
        m_rows.process.startNs = m_now;
        m_rows.process.endNs = m_now;
        m_rows.process.command = "ringside probe";
        m_rows.clockSamples.push_back({m_now, readClock(CLOCK_REALTIME), std::nullopt, std::nullopt});
    }
    void add(const std::string& entity, trace::SeriesName name, double value)
    {
        const auto id = static_cast<std::uint32_t>(m_rows.series.size() + 1);
        m_rows.series.push_back(trace::seriesRow(name, id, entity));
        m_rows.samples.timeNs.push_back(m_now);
        m_rows.samples.series.push_back(id);
        m_rows.samples.value.push_back(std::llround(value));
    }
    void set(const trace::Fact& fact, std::string value, std::string_view of = {})
    {
        m_rows.settings.push_back(trace::settingRow(fact, std::move(value), of));
    }
    void write(const std::filesystem::path& run) const
    {
        trace::writeProcess(m_rows, run / fmt::format("probe-{}-{}.db", m_rows.process.host,
                                                      m_rows.clockSamples.front().realtimeNs));
    }

private:
    std::int64_t m_now = readClock(CLOCK_MONOTONIC);
    trace::ProcessTrace m_rows;
};

/// Of several rails, the middle one stands for the link that runs are compared with.
void addRdma(const Matrix& matrix, std::size_t sender, std::size_t receiver, Record& record)
{
    if (const RdmaDirection::Rail* const rail = matrix.rdma[sender][receiver].middle()) {
        const RdmaMeasurement* const measured = &*rail->result.measured;
        const std::string entity = matrix.hosts[sender] + " > " + matrix.hosts[receiver];
        record.add(entity, trace::SeriesName::ProbeRdmaRate, measured->gbps * kBytesAGigabit);
        if (!matrix.perftest) { // perftest's latency is another figure
            record.add(entity, trace::SeriesName::ProbeRdmaWrite, measured->writeUs * kNsAUs);
            record.add(entity, trace::SeriesName::ProbeRdmaWriteP99, measured->writeP99Us * kNsAUs);
        }
    }
}

} // namespace

void checkRun(const std::filesystem::path& run)
{
    std::error_code error;
    const std::filesystem::directory_iterator files(run, error);
    if (error || std::none_of(begin(files), end(files),
                              [](const auto& file) { return file.path().extension() == ".db"; })) {
        throw Error(ErrorCode::Usage, fmt::format("{} is not a run directory with traces", run.string()),
                    "Give --into a run that `ringside record` created.");
    }
}

void storeIn(const std::filesystem::path& run, const Matrix& matrix)
{
    Record record;
    for (std::size_t sender = 0; sender < matrix.hosts.size(); ++sender) {
        record.set({"probe", "* interface"}, matrix.interfaces[sender], matrix.hosts[sender]);
        for (std::size_t receiver = 0; receiver < matrix.hosts.size(); ++receiver) {
            if (const auto& measured = matrix.directions[sender][receiver]) {
                const std::string entity = matrix.hosts[sender] + " > " + matrix.hosts[receiver];
                record.add(entity, trace::SeriesName::ProbeTcpRate, measured->gbps * kBytesAGigabit);
                record.add(entity, trace::SeriesName::ProbeRoundTrip, measured->roundTripUs * kNsAUs);
                record.add(entity, trace::SeriesName::ProbeRoundTripP99, measured->roundTripP99Us * kNsAUs);
                record.add(entity, trace::SeriesName::ProbeRetransmits,
                           static_cast<double>(measured->retransmits));
            }
            addRdma(matrix, sender, receiver, record);
        }
    }
    record.write(run);
}

void storeIn(const std::filesystem::path& run, const AllReduceCurve& curve)
{
    if (!curve.missing.empty()) {
        return;
    }
    Record record;
    record.set({"probe", "all_reduce nccl_version"}, std::to_string(curve.ncclVersion));
    for (const CurvePoint& point : curve.points) {
        const std::string entity = fmt::format("all_reduce {}", point.bytes);
        record.add(entity, trace::SeriesName::ProbeAllReduceTime, static_cast<double>(point.ns));
        record.add(entity, trace::SeriesName::ProbeAllReduceBusRate,
                   curve.busGBs(point) * metrics::kBytesPerGigabyte);
        record.add(entity, trace::SeriesName::ProbeAllReduceRanks, curve.gpus);
    }
    record.write(run);
}

} // namespace ringside::probe
