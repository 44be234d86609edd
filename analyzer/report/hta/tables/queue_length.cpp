// SPDX-License-Identifier: Apache-2.0
// Writes queue_length_series.csv, queue_length_summary.csv and blocked_on_full_queue_{1024,32}.csv: the
// number of operations that were launched onto a stream and have not begun. Statistics are over points, not
// weighted by time, as in HTA.
#include "report/hta/figures.h"
#include "report/hta/joined.h"
#include "report/hta/numpy_order.h"
#include "report/hta/table.h"

#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <optional>

namespace ringside::report::hta::hta_table_queue_length {
namespace {

bool isLaunchName(std::string_view name)
{
    constexpr std::array<std::string_view, 12> kNames{
        "cudaLaunchKernel", "cudaLaunchKernelExC",      "cuLaunchKernel",
        "cuLaunchKernelEx", "cudaMemcpyAsync",          "cudaMemsetAsync",
        "hipLaunchKernel",  "hipExtModuleLaunchKernel", "hipMemsetAsync",
        "hipMemcpyAsync",   "hipMemcpyWithStream",      "runFunction - job_prep_and_submit_for_execution"};
    return std::ranges::find(kNames, name) != kNames.end();
}

struct Change {
    double ts = 0.0;
    std::int64_t stream = 0;
    int by = 0;
};

/// Returns the launches of kernels, then the kernels. HTA fails if a launch has several kernels; here each
/// one counts.
std::vector<Change> changesOf(const Frame& frame)
{
    const auto isLaunch = [&](const Event& event) {
        return event.partner > 0 && isLaunchName(frame.names[event.name]);
    };
    const ByCorrelation kernels(frame.events, [](const Event& event) { return event.isKernel(); });
    const ByCorrelation launches(frame.events, isLaunch);
    JoinBudget budget(frame);
    std::vector<Change> changes;
    for (const Event& event : frame.events) {
        if (isLaunch(event)) {
            const auto launched = kernels.of(event.correlation);
            budget.take(launched.size());
            for (const std::size_t i : launched) {
                changes.push_back({event.ts, frame.events[i].stream, 1});
            }
        }
    }
    for (const Event& event : frame.events) {
        if (event.isKernel() && !launches.of(event.correlation).empty()) {
            changes.push_back({event.ts, event.stream, -1});
        }
    }
    return changes;
}

struct Point {
    double ts = 0.0;
    std::int64_t length = 0;
};
using Series = std::map<std::int64_t, std::vector<Point>>; ///< keyed by stream

/// All streams are sorted together, because this determines which of two changes at the same time comes
/// first.
Series seriesOf(const Frame& frame)
{
    std::vector<Change> changes = changesOf(frame);
    sortAsNumpy(changes, [](const Change& change) { return change.ts; });
    Series series;
    for (const Change& change : changes) {
        std::vector<Point>& points = series[change.stream];
        points.push_back({change.ts, change.by + (points.empty() ? 0 : points.back().length)});
    }
    return series;
}

void writeSeries(CsvFile& file, std::int64_t rank, const Series& series)
{
    for (const auto& [stream, points] : series) {
        for (const Point& point : points) {
            file.whole(rank).whole(stream).number(point.ts).whole(point.length).endRow();
        }
    }
}

void writeSummary(CsvFile& file, std::int64_t rank, const Series& series)
{
    for (const auto& [stream, points] : series) {
        std::vector<double> lengths;
        for (const Point& point : points) {
            lengths.push_back(static_cast<double>(point.length));
        }
        file.whole(rank).whole(stream);
        writeDescription(file, describe(std::move(lengths)), [](double value) { return value; });
        file.endRow();
    }
}

struct Blocked {
    std::int64_t stream = 0;
    double duration = 0.0;
};

/// HTA keeps the last stream of a rank that was ever full.
std::optional<Blocked> blockedOn(const Series& series, std::int64_t most)
{
    std::optional<Blocked> blocked;
    for (const auto& [stream, points] : series) {
        Blocked here{stream, 0.0};
        bool full = false;
        for (std::size_t i = 0; i < points.size(); ++i) {
            if (points[i].length >= most) {
                full = true;
                here.duration += i + 1 < points.size() ? points[i + 1].ts - points[i].ts : 0.0;
            }
        }
        blocked = full ? here : blocked;
    }
    return blocked;
}

double durationOf(const Frame& frame)
{
    const auto [first, last] = std::ranges::minmax(frame.events, {}, &Event::ts);
    return last.ts - first.ts;
}

void writeBlocked(const std::filesystem::path& folder, const std::vector<Frame>& frames,
                  const std::vector<Series>& series, std::int64_t most)
{
    CsvFile file(
        folder / fmt::format("blocked_on_full_queue_{}.csv", most),
        {"", "rank", "stream", "duration_at_max_queue_length", "relative_duration_at_max_queue_length"});
    std::int64_t index = 0;
    for (std::size_t i = 0; i < frames.size(); ++i) {
        if (const auto blocked = blockedOn(series[i], most)) {
            file.whole(index++).whole(frames[i].rank).whole(blocked->stream).number(blocked->duration);
            file.number(blocked->duration / durationOf(frames[i])).endRow();
        }
    }
    file.close();
}

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    CsvFile points(folder / "queue_length_series.csv", {"rank", "stream", "ts", "queue_length"});
    CsvFile summary(folder / "queue_length_summary.csv",
                    {"rank", "stream", "queue_length.count", "queue_length.mean", "queue_length.std",
                     "queue_length.min", "queue_length.25%", "queue_length.50%", "queue_length.75%",
                     "queue_length.max"});
    std::vector<Series> all;
    for (const Frame& frame : frames) {
        const Series& series = all.emplace_back(seriesOf(frame));
        writeSeries(points, frame.rank, series);
        writeSummary(summary, frame.rank, series);
    }
    points.close();
    summary.close();
    for (const std::int64_t most : {1024, 32}) {
        writeBlocked(folder, frames, all, most);
    }
}

} // namespace

RINGSIDE_HTA_TABLE(queue_length, write);

} // namespace ringside::report::hta::hta_table_queue_length
