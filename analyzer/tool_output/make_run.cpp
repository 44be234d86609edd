// SPDX-License-Identifier: Apache-2.0
#include "tool_output/make_run.h"

#include "host/rdma/counter_track.h"
#include "tool_output/host_trace.h"
#include "tool_output/parts.h"
#include "tool_output/port_words.h"
#include "tool_output/same_ports.h"

#include <ringside/error.h>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <set>

namespace ringside::tool_output {
namespace {

constexpr std::string_view kNoHost = "host"; ///< where nobody names it

/// What a port is called in the run.
struct PortName {
    std::string host, port;
    // NOLINTNEXTLINE(modernize-use-nullptr): the 0 that it compares with is the compiler's own
    auto operator<=>(const PortName&) const = default;
};

/// Names a port by its host and device; else by its switch and number; else by LID.
PortName nameOf(const std::vector<PlacedReading>& readings, bool withFarEnd)
{
    PortName name;
    std::string lid;
    std::string farEnd;
    std::string node;
    std::string device;
    for (const PlacedReading& each : readings) {
        const PortReading& port = *each.port;
        name.host = name.host.empty() ? port.host : name.host;
        device = device.empty() ? port.device : device;
        node = node.empty() ? port.node : node;
        farEnd = port.farEnd.empty() ? farEnd : port.farEnd;
        lid = port.lid && port.number ? fmt::format("lid{}:{}", *port.lid, *port.number) : lid;
    }
    if (!device.empty()) {
        name = {name.host.empty() ? std::string(kNoHost) : name.host, device};
    } else if (!node.empty()) {
        name = {shortNode(node), fmt::format("port {}", readings.front().port->number.value_or(0))};
    } else {
        name = {"fabric",
                lid.empty() ? fmt::format("port {}", readings.front().port->number.value_or(0)) : lid};
    }
    name.port += withFarEnd && !farEnd.empty() ? " to " + farEnd : "";
    return name;
}

/// A switch's port to which nothing is connected is no fault. One that had a link before is.
bool isUnused(const std::vector<PlacedReading>& readings)
{
    return std::ranges::all_of(readings,
                               [](const PlacedReading& each) {
                                   return (each.port->isUnplugged || each.port->states.empty()) &&
                                          each.port->farEnd.empty();
                               }) &&
           std::ranges::any_of(readings, [](const PlacedReading& each) {
               return each.port->isUnplugged && each.port->isSwitch;
           });
}

/// A counter of a port over all readings of one tool: another tool may have cleared its own.
struct CounterSeries {
    const Reader* reader = nullptr;
    std::vector<host::CounterTrack> tracks; ///< several counters may make one series
    std::vector<std::uint64_t> last;
    std::int64_t lastNs = 0;
};

class Maker {
public:
    Maker(trace::RunTrace& run, const std::vector<File>& files) : m_run(run)
    {
        for (const File& file : files) {
            take(file, files.size() == 1);
        }
        if (m_files.empty() && !files.empty()) {
            (void)readersOf(files.front()); // says why nothing of them can be read
        }
        for (const trace::ProcessTrace& process : run.processes) {
            m_hostsOfRun.insert(process.process.host);
            for (const trace::SeriesRow& row : process.series) {
                m_measured.insert({process.process.host, row.entity, std::string(row.metric.text())});
            }
        }
    }
    void make()
    {
        std::vector<Reading> readings;
        readings.reserve(m_files.size());
        std::vector<PlacedReading> placed;
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            const Reader& reader = *m_readers[i];
            readings.push_back(reader.read(m_files[i]));
            addLosses(readings.back(), m_files[i]);
            for (const PortReading& port : readings.back().ports) {
                placed.push_back({&reader, i, m_files[i].modifiedNs, &port, readings.back().holdsTotals});
            }
        }
        const std::vector<std::vector<PlacedReading>> ports = groupByPort(placed);
        for (const std::vector<PlacedReading>& port : ports) {
            ++m_named[nameOf(port, false)];
        }
        for (const std::vector<PlacedReading>& port : ports) {
            addPort(port);
        }
        for (std::size_t i = 0; i < m_files.size(); ++i) {
            addTopology(readings[i], m_files[i]);
            for (const KernelMessage& message : readings[i].messages) {
                addMessage(message, m_files[i]);
            }
        }
        for (auto& [key, host] : m_hosts) {
            m_run.processes.push_back(host.take());
        }
    }

private:
    void lose(trace::Issue issue, const std::string& path, const std::string& what)
    {
        m_run.issues.push_back({issue, 1, fmt::format("{}: {}", path, what)});
    }
    void addLosses(const Reading& reading, const File& file)
    {
        for (const std::string& loss : reading.losses) {
            lose(trace::Issue::DamagedLine, file.path, loss);
        }
        for (const PortReading& port : reading.ports) {
            if (!port.damaged.empty()) {
                lose(trace::Issue::DamagedLine, file.path,
                     fmt::format("{}{}, which is no count and was left out", port.damaged.front(),
                                 port.damaged.size() > 1
                                     ? fmt::format(" and {} counters more likewise", port.damaged.size() - 1)
                                     : ""));
            }
        }
    }
    /// Takes the parts of a file that some tool wrote. Throws if there are none and it is the only one.
    void take(const File& file, bool only)
    {
        Parts parts = partsOf(file);
        for (const std::string& failure : parts.failures) {
            if (only && parts.files.empty()) {
                throw Error(ErrorCode::Unusable, fmt::format("{}: {}", file.path, failure),
                            "Repeat the command with the rights and the device that it needs.");
            }
            lose(trace::Issue::UnreadableFile, file.path, failure);
        }
        const auto isKnown = [](const File& part) {
            return std::ranges::any_of(all(),
                                       [&](const Reader* each) { return each->recognizes(part.text); });
        };
        if (parts.files.size() > 1 && std::ranges::none_of(parts.files, isKnown)) {
            parts.files = {file}; // no output of several hosts
        }
        for (const File& part : parts.files) {
            try {
                for (const Reader* const reader : readersOf(part)) {
                    m_readers.push_back(reader);
                    m_files.push_back(part);
                }
            } catch (const Error& error) {
                if (only && parts.files.size() == 1) {
                    throw;
                }
                lose(trace::Issue::UnreadableFile, file.path,
                     part.text.empty() ? "it is empty" : "it is no output of a tool that is known here");
            }
        }
        if (parts.isCut) {
            lose(trace::Issue::TruncatedFile, file.path,
                 "its end is missing: what is not whole was left out, and more may be missing");
        }
    }

    enum class Clock : std::uint8_t { Time, Boot };

    HostTrace& hostOf(const std::string& name, Clock clock = Clock::Time)
    {
        const auto found = m_hosts.find({name, clock});
        return found != m_hosts.end()
                   ? found->second
                   : m_hosts.emplace(std::pair(name, clock), HostTrace(name, clockOf(m_run, name)))
                         .first->second;
    }

    /// The only host of the run is that of files that name none.
    [[nodiscard]] std::string hostOfRun(const std::string& told, const File& file) const
    {
        if (!told.empty() && (m_hostsOfRun.empty() || m_hostsOfRun.contains(told) || !file.host.empty())) {
            return told;
        }
        if (m_hostsOfRun.size() == 1) {
            return *m_hostsOfRun.begin();
        }
        if (m_hostsOfRun.empty()) {
            return std::string(kNoHost);
        }
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} does not tell which of the run's {} hosts it is of", file.path,
                                m_hostsOfRun.size()),
                    "Name it: --from HOST/=FILE, or HOST/PORT=FILE.");
    }

    void addPort(const std::vector<PlacedReading>& readings)
    {
        PortName name = nameOf(readings, m_hostsOfRun.empty());
        if (name.host == kNoHost && !m_hostsOfRun.empty()) {
            name.host = hostOfRun({}, m_files[readings.front().file]);
        } else if (m_named[nameOf(readings, false)] > 1) {
            name.host = hostByFile(readings.front().file); // two hosts' ports, or two subnets'
        }
        if (!m_added.insert(name).second) {
            const std::string& path = m_files[readings.front().file].path;
            lose(trace::Issue::DamagedLine, path,
                 fmt::format("it holds several ports {} and does not tell whose they are: only the first is "
                             "judged; write each host into a file of its own",
                             name.port));
            return;
        }
        HostTrace& host = hostOf(name.host);
        addFacts(readings, name, host);
        std::map<trace::SeriesName, CounterSeries> counters;
        const bool unused = isUnused(readings);
        bool measured = false;
        for (const PlacedReading& each : readings) {
            if (!unused) {
                addStates(each, name, host);
            }
            addCounters(each, name, host, counters);
            measured = measured || (!unused && !each.port->states.empty()) || !each.port->counters.empty();
        }
        if (!measured && !unused && !isMeasured(name, trace::SeriesName::RdmaState)) {
            host.setReason(host.series(trace::SeriesName::RdmaState, name.port),
                           fmt::format("{} does not show it", readings.front().reader->id));
        }
    }

    /// Names a host that no file names by what its files are called.
    [[nodiscard]] std::string hostByFile(std::size_t index) const
    {
        const std::filesystem::path path = m_files[index].path;
        const auto isSame = [&](const File& each) {
            return std::filesystem::path(each.path).stem() == path.stem();
        };
        return std::ranges::count_if(m_files, isSame) > 1 ? path.string() : path.stem().string();
    }

    static void addFacts(const std::vector<PlacedReading>& readings, const PortName& name, HostTrace& host)
    {
        trace::PortFacts facts;
        bool totals = false;
        for (const PlacedReading& each : readings) {
            for (const auto& [fact, value] : each.port->facts) {
                facts.insert_or_assign(fact, value);
            }
            if (each.port->isSwitch) {
                facts.insert_or_assign("node", "switch");
            }
            if (each.isTotal) {
                facts.insert_or_assign("read_by", std::string(each.reader->id));
            }
            if (!each.port->farEnd.empty()) {
                facts.insert_or_assign("far_end", each.port->farEnd);
            }
            totals = totals || each.isTotal;
        }
        for (const auto& [fact, value] : facts) {
            host.addFact(trace::settingRow("rdma", name.port, fact, value));
        }
    }

    [[nodiscard]] bool isMeasured(const PortName& name, trace::SeriesName series) const
    {
        return m_measured.contains({name.host, name.port, std::string(trace::entryOf(series).metric)});
    }

    static std::int64_t timeOn(const HostTrace& host, std::int64_t realtimeNs)
    {
        std::int64_t time = realtimeNs;
        const auto offset = host.clock().toMonotonicNs;
        return offset && !__builtin_add_overflow(realtimeNs, *offset, &time) ? time : realtimeNs;
    }

    void addStates(const PlacedReading& each, const PortName& name, HostTrace& host)
    {
        for (const auto& [series, value] : each.port->states) {
            if (!isMeasured(name, series)) {
                host.addSample(host.series(series, name.port), timeOn(host, each.timeNs), value);
            }
        }
    }

    void addCounters(const PlacedReading& each, const PortName& name, HostTrace& host,
                     std::map<trace::SeriesName, CounterSeries>& all)
    {
        std::map<trace::SeriesName, std::vector<const CounterValue*>> bySeries;
        for (const CounterValue& counter : each.port->counters) {
            bySeries[counter.series].push_back(&counter);
        }
        for (const auto& [series, values] : bySeries) {
            CounterSeries& state = all[series];
            if (isMeasured(name, series) || (state.reader != nullptr && state.reader != each.reader)) {
                continue;
            }
            if (state.reader != nullptr && !isNewer(each, values, name, state)) {
                continue;
            }
            state.reader = each.reader;
            state.lastNs = each.timeNs;
            take(values, state, host.series(series, name.port), timeOn(host, each.timeNs), host);
        }
    }

    /// Returns false for the same reading once more.
    bool isNewer(const PlacedReading& each, const std::vector<const CounterValue*>& values,
                 const PortName& name, const CounterSeries& state) const
    {
        if (each.timeNs > state.lastNs) {
            return true;
        }
        const bool same = std::ranges::equal(values, state.last, {}, &CounterValue::raw);
        if (same && each.timeNs == state.lastNs) {
            return false;
        }
        throw Error(ErrorCode::Unusable,
                    fmt::format("{} is not newer than the file before it that holds port {} {}, too",
                                m_files[each.file].path, name.host, name.port),
                    "Give the files in the order in which they were written, and keep their times when "
                    "you copy them (cp -p).");
    }

    static void take(const std::vector<const CounterValue*>& values, CounterSeries& state,
                     std::uint32_t series, std::int64_t timeNs, HostTrace& host)
    {
        std::uint64_t sum = 0;
        bool known = true;
        bool arrived = false;
        state.last.clear();
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i >= state.tracks.size()) {
                state.tracks.emplace_back(values[i]->saturatesBits, values[i]->unit);
            }
            state.last.push_back(values[i]->raw);
            const auto total = state.tracks[i].take(values[i]->raw);
            known = known && total.has_value();
            sum += total.value_or(0);
            arrived = arrived || state.tracks[i].arrived();
        }
        if (known) {
            host.addSample(series, timeNs, static_cast<std::int64_t>(sum));
        }
        if (!known || arrived) {
            host.setReason(series, "it sticks at its largest value");
        }
    }

    void addTopology(const Reading& reading, const File& file)
    {
        if (reading.topology.empty()) {
            return;
        }
        HostTrace& host = hostOf(hostOfRun(file.host, file));
        for (const auto& [name, value] : reading.topology) {
            host.addFact(trace::settingRow({"machine", "topology *"}, value, name));
        }
    }

    static std::string stampOf(const KernelMessage& message)
    {
        constexpr std::int64_t kNsASecond = 1'000'000'000;
        return !message.realtimeNs && !message.bootNs ? std::string("at an unknown time")
               : message.realtimeNs
                   ? fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                                 fmt::gmtime(static_cast<std::time_t>(*message.realtimeNs / kNsASecond)))
                   : fmt::format("{:.1f} s after boot", static_cast<double>(message.bootNs.value_or(0)) /
                                                            static_cast<double>(kNsASecond));
    }

    void addMessage(const KernelMessage& message, const File& file)
    {
        const Clock clock = message.realtimeNs ? Clock::Time : Clock::Boot;
        HostTrace& host = hostOf(hostOfRun(message.host, file), clock);
        const std::int64_t time =
            message.realtimeNs ? timeOn(host, *message.realtimeNs) : message.bootNs.value_or(0);
        const HostClock& ofRun = host.clock();
        const bool inRun = m_hostsOfRun.empty() || (!message.realtimeNs && !message.bootNs) ||
                           (time >= ofRun.startNs && time <= ofRun.endNs.value_or(time) &&
                            (clock == Clock::Boot || ofRun.toMonotonicNs));
        if (inRun) {
            host.addSample(host.kernelSeries(trace::wordOf(message.event), message.device), time,
                           host.text(stampOf(message) + ": " + message.text));
        }
    }

    trace::RunTrace& m_run;
    std::vector<File> m_files; ///< those that a tool wrote; one for each host in a file
    std::vector<const Reader*> m_readers;
    std::set<PortName> m_added;
    std::set<std::string> m_hostsOfRun;
    std::set<std::tuple<std::string, std::string, std::string>> m_measured; ///< host, entity, metric
    std::map<std::pair<std::string, Clock>, HostTrace> m_hosts;
    std::map<PortName, int> m_named; ///< how many ports have that name
};

} // namespace

std::vector<const Reader*> readersOf(const File& file)
{
    std::vector<const Reader*> readers;
    std::ranges::copy_if(all(), std::back_inserter(readers),
                         [&](const Reader* each) { return each->recognizes(file.text); });
    if (!readers.empty()) {
        return readers;
    }
    std::string commands;
    for (const Reader* const reader : all()) {
        commands += fmt::format("{}{}", commands.empty() ? "" : "; ", reader->command);
    }
    throw Error(ErrorCode::Unusable,
                file.text.empty() ? fmt::format("{} is empty", file.path)
                                  : fmt::format("{} is no output of a tool that is known here", file.path),
                fmt::format("Write it with one of: {}.", commands));
}

void addFiles(trace::RunTrace& run, const std::vector<File>& files)
{
    Maker(run, files).make();
}

} // namespace ringside::tool_output
