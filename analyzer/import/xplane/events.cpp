// SPDX-License-Identifier: Apache-2.0
#include "import/xplane/events.h"

#include "import/device_words.h"
#include "import/text.h"
#include "import/xplane/details.h"
#include "model/kernel_class.h"
#include "trace/read/plausible.h"
#include "trace/vocabulary/api_name.h"
#include "values/parse_number.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace ringside::importers::xplane {
namespace {

constexpr std::int64_t kMostEvents = 50'000'000; // a message of the largest size, 2 GiB, has about as many

/// Returns a number of CUPTI, which has 32 bits; 0 if there is none or it does not fit.
std::uint32_t number32(const std::optional<std::uint64_t>& number)
{
    const std::uint64_t value = number.value_or(0);
    return value <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(value) : 0;
}

/// An event with the arguments that matter. Texts are views into the file or the catalogue.
struct Event {
    std::int64_t metadata = 0;
    std::uint64_t offsetPs = 0, durationPs = 0;
    bool isSum = false; ///< of several occurrences, without a time
    std::optional<std::uint64_t> correlation, graph, graphNode, step;
    std::optional<std::string_view> kernel, copy, set;
    bool isGraph = false; ///< recorded as a whole
    bool isRoot = false;
    std::string_view hloOperation;
};

void addValue(const Plane& plane, const Value& value, Event& event)
{
    switch (plane.argumentOf(value)) {
    case Argument::Correlation:
        event.correlation = value.number;
        break;
    case Argument::Kernel:
        event.kernel = plane.textOf(value);
        break;
    case Argument::Copy:
        event.copy = plane.textOf(value);
        break;
    case Argument::Set:
        event.set = plane.textOf(value);
        break;
    case Argument::Graph:
        event.graph = value.number;
        break;
    case Argument::GraphNode:
        event.graphNode = value.number;
        break;
    case Argument::GraphExec:
        event.isGraph = true;
        break;
    case Argument::HloOp:
        event.hloOperation = plane.textOf(value);
        break;
    case Argument::StepNumber:
        event.step = value.number;
        break;
    case Argument::Root:
        event.isRoot = value.number != 0;
        break;
    case Argument::Other:
        break;
    }
}

/// Parses an XEvent. Null if it is damaged.
std::optional<Event> readEvent(const Plane& plane, std::string_view bytes)
{
    Message message(bytes);
    Event event;
    for (Field field; message.next(field);) {
        if (field.number == 1) {
            event.metadata = static_cast<std::int64_t>(field.value);
        } else if (field.number == 2) {
            event.offsetPs = field.value;
        } else if (field.number == 3) {
            event.durationPs = field.value;
        } else if (field.number == 5) {
            event.isSum = true;
        } else if (field.number == 4) {
            const auto value = readValue(field.bytes);
            if (!value) {
                return std::nullopt;
            }
            addValue(plane, *value, event);
        }
    }
    return message.isDamaged() ? std::nullopt : std::optional(event);
}

class Builder final {
public:
    Builder(Wire& wire, const Catalogue& catalogue, kineto::Rows& rows, LeftOut& leftOut)
        : m_wire(wire), m_catalogue(catalogue), m_rows(rows), m_leftOut(leftOut)
    {}

    void read()
    {
        std::size_t plane = 0;
        for (Field field; m_wire.next(Wire::kEndOfFile, field);) {
            if (field.number == 1 && field.isBytes && plane < m_catalogue.planes.size()) {
                readPlane(m_wire.offset() + field.value, m_catalogue.planes[plane]);
                ++plane;
            } else {
                m_wire.skip(field);
            }
        }
    }

    /// Takes the steps of a device's line "Steps" where the host marks none.
    void finish()
    {
        if (m_rows.steps.empty()) {
            m_rows.steps = std::move(m_deviceSteps);
        }
    }

private:
    void readPlane(std::uint64_t end, const Plane& plane)
    {
        std::size_t line = 0;
        for (Field field; m_wire.next(end, field);) {
            if (field.number == 3 && field.isBytes && line < plane.lines.size()) {
                readLine(m_wire.offset() + field.value, plane, plane.lines[line]);
                ++line;
            } else {
                m_wire.skip(field);
            }
        }
    }

    void readLine(std::uint64_t end, const Plane& plane, const Line& line)
    {
        const bool isStream = line.name.starts_with("Stream #");
        const bool isSteps = plane.kind == PlaneKind::Gpu && line.name == "Steps";
        const bool counts =
            plane.kind == PlaneKind::Host || isSteps || (plane.kind == PlaneKind::Gpu && isStream);
        for (Field field; m_wire.next(end, field);) {
            if (field.number != 4 || !field.isBytes) {
                m_wire.skip(field);
            } else if (!counts) {
                m_wire.skip(field);
                leaveOut(plane.kind == PlaneKind::Gpu ? "lines that other programs derived"
                                                      : "planes of other devices");
            } else if (++m_events > kMostEvents) {
                m_wire.skip(field);
                ++m_leftOut.beyond;
            } else {
                addEvent(field, plane, line, isSteps);
            }
        }
    }

    void leaveOut(const char* kind) { ++m_rows.counts.others[kind]; }

    void addEvent(const Field& field, const Plane& plane, const Line& line, bool isStep)
    {
        const std::uint64_t offset = m_wire.offset();
        const auto bytes = m_wire.take(field);
        const auto event = bytes ? readEvent(plane, *bytes) : std::nullopt;
        if (!event) {
            m_leftOut.firstDamaged = m_leftOut.damaged == 0 ? offset : m_leftOut.firstDamaged;
            ++m_leftOut.damaged;
            return;
        }
        const auto name = plane.events.find(event->metadata);
        if (name == plane.events.end()) {
            ++m_leftOut.nameless;
            return;
        }
        const auto time = timeOf(*event, line);
        if (event->isSum) {
            leaveOut("sums of several events");
        } else if (!time) {
            ++m_rows.counts.implausible;
        } else if (isStep) {
            addDeviceStep(m_rows.names.text(name->second), *time, plane);
        } else if (plane.kind == PlaneKind::Gpu) {
            addDeviceWork(*event, name->second, *time, plane, line);
        } else {
            addHostEvent(*event, name->second, *time, line);
        }
    }

    /// Returns ns with the origin of the lines' times. Digits below a ns are cut off.
    static std::optional<kineto::Rows::Time> timeOf(const Event& event, const Line& line)
    {
        constexpr std::uint64_t kPsPerNs = 1000;
        constexpr std::uint64_t kMostPs = std::numeric_limits<std::int64_t>::max(); // the sum of two fits
        if (line.startNs < 0 || line.startNs > trace::kFarthestDateNs || event.offsetPs > kMostPs ||
            event.durationPs > kMostPs) {
            return std::nullopt;
        }
        const auto at = [&](std::uint64_t ps) {
            return line.startNs + static_cast<std::int64_t>(ps / kPsPerNs);
        };
        return kineto::Rows::Time{at(event.offsetPs), at(event.offsetPs + event.durationPs)};
    }

    void addDeviceStep(std::string_view name, const kineto::Rows::Time& time, const Plane& plane)
    {
        const std::size_t digit = name.find_first_of("0123456789");
        std::string_view digits = name.substr(std::min(digit, name.size()));
        const auto number = values::takeNumber<std::int64_t>(digits);
        m_stepDevice = m_stepDevice.value_or(plane.device);
        if (number && m_stepDevice == plane.device) { // the steps of one device are those of all
            m_deviceSteps.push_back({*number, time.start, time.end, 0});
        } else {
            leaveOut("steps of further devices");
        }
    }

    void addDeviceWork(const Event& event, trace::StringId name, const kineto::Rows::Time& time,
                       const Plane& plane, const Line& line)
    {
        if (line.id < 0 || line.id > std::numeric_limits<std::uint32_t>::max()) {
            ++m_rows.counts.incomplete;
        } else if (event.kernel || event.isGraph) {
            addKernel(event, name, time, plane, line);
        } else if (event.copy || event.set) {
            addCopy(event, name, time, plane, line);
        } else {
            leaveOut("allocations and other events of streams without work");
        }
    }

    void addKernel(const Event& event, trace::StringId name, const kineto::Rows::Time& time,
                   const Plane& plane, const Line& line)
    {
        trace::KernelRow row;
        row.startNs = time.start;
        row.endNs = time.end;
        row.name = name;
        row.device = plane.device;
        row.stream = static_cast<std::uint32_t>(line.id);
        row.correlation = number32(event.correlation);
        row.graph = number32(event.graph);
        row.graphNode = event.graphNode.value_or(0);
        const LaunchDetails details = launchDetails(event.kernel.value_or(""));
        row.configuration = m_rows.configurations.idOf(name, details.texts());
        m_leftOut.wholeGraphs += event.isGraph ? 1 : 0;
        kineto::push(m_rows.kernels, row);
        if (!event.hloOperation.empty() && row.correlation != 0 && communicates(name)) {
            kineto::Collective call; // XLA's name tells what RCCL's kernel names do not
            call.startNs = time.start;
            call.endNs = time.end;
            call.correlation = row.correlation;
            call.name = m_rows.names.idOf(cleanText(event.hloOperation));
            m_rows.collectives.push_back(call);
        }
    }

    bool communicates(trace::StringId name)
    {
        const auto [entry, fresh] = m_communicates.try_emplace(name, false);
        if (fresh) {
            entry->second =
                model::classifyKernel(m_rows.names.text(name)) == model::KernelClass::Communication;
        }
        return entry->second;
    }

    void addCopy(const Event& event, trace::StringId name, const kineto::Rows::Time& time, const Plane& plane,
                 const Line& line)
    {
        const std::string_view details = event.copy ? *event.copy : *event.set;
        trace::CopyRow row;
        row.startNs = time.start;
        row.endNs = time.end;
        row.bytes = bytesIn(details).value_or(0);
        row.device = plane.device;
        row.stream = static_cast<std::uint32_t>(line.id);
        row.correlation = number32(event.correlation);
        row.kind = event.copy ? copyKind(m_rows.names.text(name)) : trace::kSetKind;
        row.hostMemory = hostMemory(row.kind, details);
        row.graph = number32(event.graph);
        row.graphNode = event.graphNode.value_or(0);
        kineto::push(m_rows.copies, row);
    }

    void addHostEvent(const Event& event, trace::StringId name, const kineto::Rows::Time& time,
                      const Line& line)
    {
        const std::int64_t tid = tidOf(line);
        const auto thread = static_cast<std::uint32_t>(tid);
        const std::string_view text = m_rows.names.text(name);
        // TensorFlow repeats the number of a step on parts of it.
        if (event.isRoot && event.step && *event.step <= std::numeric_limits<std::int64_t>::max()) {
            m_rows.steps.push_back({static_cast<std::int64_t>(*event.step), time.start, time.end, tid});
        }
        if (event.correlation) {
            addCall(event, name, time, thread);
        } else if (time.start == time.end) {
            ++m_rows.counts.instants;
        } else if (text.starts_with('$')) { // XLA's mark of a Python function
            const trace::StringId function = m_rows.names.idOf(std::string(text.substr(1)));
            kineto::push(m_rows.pythonCalls, trace::PythonCallRow{time.start, time.end, function, thread});
        } else {
            trace::RangeRow row;
            row.name = name;
            row.domain = m_rows.names.idOf("TraceMe");
            row.startNs = time.start;
            row.endNs = time.end;
            row.thread = tid;
            m_rows.ranges.push_back(row);
        }
    }

    void addCall(const Event& event, trace::StringId name, const kineto::Rows::Time& time,
                 std::uint32_t thread)
    {
        trace::ApiCallRow row;
        row.startNs = time.start;
        row.endNs = time.end;
        row.api = name;
        row.thread = thread;
        kineto::push(m_rows.apiCalls, row);
        if (trace::launchesDeviceWork(m_rows.names.text(name))) {
            kineto::push(m_rows.launches,
                         trace::LaunchRow{time.start, time.end, name, thread, number32(event.correlation)});
        }
    }

    /// Returns the kernel's number of a thread. Lines of TraceMes may count in numbers of pthreads, which do
    /// not fit; such a thread gets a number that is larger than any of the kernel's.
    std::int64_t tidOf(const Line& line)
    {
        constexpr std::int64_t kFirstOwn = std::int64_t{1} << 31U;
        std::int64_t tid = line.id;
        if (tid <= 0 || tid >= kFirstOwn) {
            const auto next = kFirstOwn + static_cast<std::int64_t>(m_ownTids.size());
            tid = m_ownTids.try_emplace(line.id, next).first->second;
        }
        if (const std::string name = threadName(line.name); !name.empty()) {
            m_rows.threadNames.try_emplace(tid, name);
        }
        return tid;
    }

    Wire& m_wire;
    const Catalogue& m_catalogue;
    kineto::Rows& m_rows;
    LeftOut& m_leftOut;
    std::int64_t m_events = 0;
    std::unordered_map<trace::StringId, bool> m_communicates; ///< by name
    std::unordered_map<std::int64_t, std::int64_t> m_ownTids; ///< by line id
    std::vector<trace::StepRow> m_deviceSteps;
    std::optional<std::uint32_t> m_stepDevice;
};

} // namespace

LeftOut readEvents(Wire& wire, const Catalogue& catalogue, kineto::Rows& rows)
{
    LeftOut leftOut;
    Builder builder(wire, catalogue, rows, leftOut);
    try {
        builder.read();
    } catch (const Damage& damage) {
        leftOut.end = damage;
    }
    builder.finish();
    return leftOut;
}

} // namespace ringside::importers::xplane
