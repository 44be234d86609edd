// SPDX-License-Identifier: Apache-2.0
#include "cli/perfquery.h"

#include "cli/text_file.h"
#include "host/rdma/counter_track.h"
#include "host/sysfs_text.h"
#include "trace/read/system_error.h"
#include "trace/vocabulary/series.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>

namespace ringside::cli {
namespace {

struct Counter {
    std::string_view folder;
    std::string_view file;
    const char* metric;
    unsigned saturatesBits;
    std::uint64_t unit;
};
constexpr Counter kCounters[] = {
#define RINGSIDE_PORT_COUNTER(folder, file, metric, bits, unit, pace) {folder, file, metric, bits, unit},
#include "host/rdma/counters.def"
};

/// Maps "PortXmitPkts" and "port_xmit_packets" to the same word.
std::string wordOf(std::string_view name)
{
    std::string word;
    for (const char c : name) {
        if (c != '_') {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    if (word.ends_with("pkts")) {
        word.replace(word.size() - 4, 4, "packets");
    }
    constexpr std::string_view kEnd = "counter";
    return word.ends_with(kEnd) ? word.substr(0, word.size() - kEnd.size()) : word;
}

const Counter* counterOf(std::string_view name)
{
    const std::string word = wordOf(name);
    const auto* const found = std::ranges::find_if(kCounters, [&word](const Counter& each) {
        return each.folder == "counters" && wordOf(each.file) == word;
    });
    return found != std::end(kCounters) ? found : nullptr;
}

/// Returns "lid1719:2" for "# Port extended counters: Lid 1719 port 2 (CapMask: 0x5300)"; empty for other
/// lines.
std::string portOf(std::string_view line)
{
    constexpr std::string_view kLid = " counters: Lid ";
    constexpr std::string_view kPort = " port ";
    const std::size_t lid = line.find(kLid);
    const std::size_t port = line.find(kPort);
    if ((!line.starts_with("# Port counters") && !line.starts_with("# Port extended counters")) ||
        lid == std::string_view::npos || port == std::string_view::npos || port < lid) {
        return {};
    }
    const std::string_view rest = line.substr(port + kPort.size());
    const auto lidNumber = host::numberIn(line.substr(lid + kLid.size(), port - lid - kLid.size()));
    const auto portNumber = host::numberIn(rest.substr(0, rest.find_first_of(" \t\r")));
    return lidNumber && portNumber ? fmt::format("lid{}:{}", *lidNumber, *portNumber) : std::string();
}

class Readings {
public:
    Readings()
    {
        m_trace.process.host = "fabric";
        m_trace.strings[kSticks] = "it sticks at its largest value";
    }
    void add(const std::string& path)
    {
        const std::int64_t time = timeOf(path);
        std::istringstream file(readText(path));
        std::string port;
        std::set<std::string> seen;
        for (std::string line; std::getline(file, line);) {
            if (line.starts_with('#')) {
                port = portOf(line);
                if (!port.empty() && !seen.insert(port).second) {
                    throw Error(ErrorCode::Unusable, fmt::format("{} holds port {} twice", path, port),
                                "Write each reading into a separate file.");
                }
            } else if (!port.empty()) {
                addLine(port, line, time);
            }
        }
        if (seen.empty()) {
            throw Error(ErrorCode::Unusable, fmt::format("{} holds no counters of perfquery", path),
                        "Write them with `perfquery -x LID PORT > FILE`, or -a for all ports of a switch.");
        }
        for (const std::string& name : seen) {
            m_trace.settings.push_back({"rdma", name + " link_layer", "InfiniBand"});
            m_trace.settings.push_back({"rdma", name + " read_by", "perfquery"});
        }
    }
    [[nodiscard]] trace::RunTrace run()
    {
        trace::RunTrace run;
        run.path = "perfquery";
        run.processes.push_back(std::move(m_trace));
        return run;
    }

private:
    static constexpr std::uint32_t kSticks = 1;

    struct Series {
        std::size_t row;
        host::CounterTrack track;
    };

    std::int64_t timeOf(const std::string& path)
    {
        std::error_code error;
        const auto written = std::filesystem::last_write_time(path, error);
        if (error) {
            throw trace::systemError("cannot read " + path, error.value());
        }
        const std::int64_t time = std::chrono::nanoseconds(written.time_since_epoch()).count();
        if (m_last && time <= *m_last) {
            throw Error(ErrorCode::Unusable, fmt::format("{} is not newer than the file before it", path),
                        "Give the files in the order in which they were written, and keep their times when "
                        "you copy them (cp -p).");
        }
        m_trace.process.startNs = m_last ? m_trace.process.startNs : time;
        m_last = time;
        return time;
    }
    void addLine(const std::string& port, const std::string& line, std::int64_t time)
    {
        const std::size_t colon = line.find(':');
        const std::size_t digits =
            colon == std::string::npos ? colon : line.find_first_not_of(".: \t", colon);
        const Counter* const counter = counterOf(line.substr(0, colon));
        const auto raw = digits == std::string::npos || counter == nullptr
                             ? std::nullopt
                             : host::numberIn(line.substr(digits));
        if (!raw) {
            return;
        }
        const auto [found, fresh] = m_series.try_emplace(
            {port, counter->metric}, Series{m_trace.series.size(), {counter->saturatesBits, counter->unit}});
        if (fresh) {
            const auto id = static_cast<std::int64_t>(m_trace.series.size()) + 1;
            m_trace.series.push_back(
                trace::seriesRow(trace::findSeries("rdma", counter->metric)->name, id, port));
        }
        trace::SeriesRow& row = m_trace.series[found->second.row];
        if (const auto total = found->second.track.take(*raw)) {
            m_trace.samples.timeNs.push_back(time);
            m_trace.samples.series.push_back(static_cast<std::uint32_t>(row.id));
            m_trace.samples.value.push_back(static_cast<std::int64_t>(*total));
        } else {
            row.reason = kSticks;
        }
    }

    trace::ProcessTrace m_trace;
    std::map<std::pair<std::string, std::string>, Series> m_series; ///< by port and metric
    std::optional<std::int64_t> m_last;
};

} // namespace

trace::RunTrace runOfPerfquery(const std::vector<std::string>& files)
{
    Readings readings;
    for (const std::string& file : files) {
        readings.add(file);
    }
    return readings.run();
}

} // namespace ringside::cli
