// SPDX-License-Identifier: Apache-2.0
// Writes idle_time_breakdown.csv and idle_interval_stats.csv: gaps between the kernels of a stream,
// classified by whether the host launched too late. A kernel without a launch counts as launched by event #0,
// as in HTA.
#include "report/hta/figures.h"
#include "report/hta/numpy_order.h"
#include "report/hta/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace ringside::report::hta::hta_table_idle_time_breakdown {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Returns when the event with an index began; NaN if it was left out.
class Starts final {
public:
    explicit Starts(const Frame& frame)
    {
        for (const Event& event : frame.events) {
            if (event.index >= m_starts.size()) {
                m_starts.resize(event.index + 1 + m_starts.size(), kNone);
            }
            m_starts[event.index] = event.ts;
        }
    }
    [[nodiscard]] double of(std::int64_t index) const
    {
        return index >= 0 && static_cast<std::size_t>(index) < m_starts.size()
                   ? m_starts[static_cast<std::size_t>(index)]
                   : kNone;
    }

private:
    std::vector<double> m_starts;
};

constexpr std::array<std::string_view, 3> kCategories{"host_wait", "kernel_wait", "other"};
constexpr std::size_t kOther = 2;

/// The gaps of one category. `any` is also true if its only kernel has none before it.
struct Gaps {
    std::vector<double> lengths;
    bool any = false;
};
using ByCategory = std::array<Gaps, kCategories.size()>;

struct Stream {
    std::int64_t id = 0;
    std::vector<std::size_t> kernels; ///< positions, in the order of the file
};

/// Streams in the order of their first kernels.
std::vector<Stream> streamsOf(const Frame& frame)
{
    std::vector<Stream> streams;
    for (std::size_t i = 0; i < frame.events.size(); ++i) {
        const Event& event = frame.events[i];
        if (!event.isDeviceWork || !event.isKernel()) {
            continue;
        }
        auto found = std::ranges::find(streams, event.stream, &Stream::id);
        if (found == streams.end()) {
            streams.push_back({event.stream, {}});
            found = streams.end() - 1;
        }
        found->kernels.push_back(i);
    }
    return streams;
}

ByCategory gapsOf(const Frame& frame, const Starts& starts, Stream& stream)
{
    constexpr double kConsecutive = 30.0; // us; HTA's documentation says ns
    ByCategory gaps;
    double before = kNone;
    sortAsNumpy(stream.kernels, [&](std::size_t i) { return frame.events[i].ts; });
    for (const std::size_t position : stream.kernels) {
        const Event& kernel = frame.events[position];
        const double gap = kernel.ts - before;
        const bool launchedLate = starts.of(kernel.partner) > before;
        Gaps& those = gaps[launchedLate ? 0 : gap < kConsecutive ? 1 : kOther];
        those.any = true;
        if (!std::isnan(gap)) {
            those.lengths.push_back(gap);
        }
        before = kernel.end();
    }
    return gaps;
}

class Tables final {
public:
    explicit Tables(const std::filesystem::path& folder)
        : m_times(folder / "idle_time_breakdown.csv",
                  {"", "rank", "stream", "idle_category", "idle_time", "idle_time_ratio"})
        , m_stats(folder / "idle_interval_stats.csv", {"idle_category", "rank", "stream", "count", "mean",
                                                       "std", "min", "25%", "50%", "75%", "max"})
    {}

    void add(const Frame& frame)
    {
        const Starts starts(frame);
        std::int64_t index = 0;
        for (Stream& stream : streamsOf(frame)) {
            const ByCategory gaps = gapsOf(frame, starts, stream);
            std::array<Description, kCategories.size()> figures;
            double total = 0.0;
            for (std::size_t i = 0; i < kCategories.size(); ++i) {
                figures[i] = describe(gaps[i].lengths);
                total += figures[i].sum;
            }
            for (std::size_t i = 0; i < kCategories.size(); ++i) {
                if (gaps[i].any) {
                    write(index++, frame.rank, stream.id, kCategories[i], figures[i], total);
                }
            }
        }
    }

    void close()
    {
        m_times.close();
        m_stats.close();
    }

private:
    void write(std::int64_t index, std::int64_t rank, std::int64_t stream, std::string_view category,
               const Description& figures, double total)
    {
        m_times.whole(index).whole(rank).whole(stream).text(category);
        m_times.number(rounded(figures.sum, 2)).number(rounded(figures.sum / total, 2)).endRow();
        m_stats.text(category).whole(rank).whole(stream);
        writeDescription(m_stats, figures, [](double value) { return rounded(value, 2); });
        m_stats.endRow();
    }

    CsvFile m_times;
    CsvFile m_stats;
};

void write(const std::vector<Frame>& frames, const std::filesystem::path& folder)
{
    Tables tables(folder);
    for (const Frame& frame : frames) {
        tables.add(frame);
    }
    tables.close();
}

} // namespace

RINGSIDE_HTA_TABLE(idle_time_breakdown, write);

} // namespace ringside::report::hta::hta_table_idle_time_breakdown
