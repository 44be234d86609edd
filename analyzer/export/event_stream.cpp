// SPDX-License-Identifier: Apache-2.0
#include "export/event_stream.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

namespace ringside::exporting {
namespace {

constexpr std::size_t kPieceBytes = 1U << 20U;

} // namespace

std::string jsonText(std::string_view text)
{
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

EventStream::EventStream(Sink sink, std::int64_t pid, const model::ClockMap& clock)
    : m_sink(std::move(sink)), m_pid(pid), m_clock(clock)
{}

void EventStream::appendTime(std::int64_t ns)
{
    const std::uint64_t size = ns < 0 ? ~static_cast<std::uint64_t>(ns) + 1 : static_cast<std::uint64_t>(ns);
    fmt::format_to(std::back_inserter(m_buffer), "{}{}.{:03}", ns < 0 ? "-" : "", size / 1000, size % 1000);
}

void EventStream::head(char phase, std::int64_t tid, std::string_view category, std::string_view jsonName,
                       std::int64_t timeNs)
{
    fmt::format_to(std::back_inserter(m_buffer),
                   "{}{{\"ph\":\"{}\",\"pid\":{},\"tid\":{},\"cat\":\"{}\",\"name\":{},\"ts\":",
                   m_first ? "" : ",\n", phase, m_pid, tid, category, jsonName);
    m_first = false;
    appendTime(m_clock.toRun(timeNs));
}

void EventStream::end(std::string_view args)
{
    if (!args.empty()) {
        m_buffer.append(",\"args\":").append(args);
    }
    m_buffer += '}';
    if (m_buffer.size() >= kPieceBytes) {
        m_sink(m_buffer);
        m_buffer.clear();
    }
}

void EventStream::processName(std::string_view name)
{
    head('M', 0, "__metadata", "\"process_name\"", m_clock.localReference);
    end(fmt::format("{{\"name\":{}}}", jsonText(name)));
    head('M', 0, "__metadata", "\"process_sort_index\"", m_clock.localReference);
    end(fmt::format("{{\"sort_index\":{}}}", m_pid));
}

void EventStream::trackName(std::int64_t tid, std::string_view name, std::int64_t order)
{
    head('M', tid, "__metadata", "\"thread_name\"", m_clock.localReference);
    end(fmt::format("{{\"name\":{}}}", jsonText(name)));
    head('M', tid, "__metadata", "\"thread_sort_index\"", m_clock.localReference);
    end(fmt::format("{{\"sort_index\":{}}}", order));
}

void EventStream::slice(std::int64_t tid, std::string_view category, std::string_view jsonName,
                        const model::Interval& time, std::string_view args)
{
    head('X', tid, category, jsonName, time.start);
    m_buffer += ",\"dur\":";
    appendTime(std::max<std::int64_t>(0, m_clock.toRun(time.end) - m_clock.toRun(time.start)));
    end(args);
}

void EventStream::async(std::int64_t tid, std::string_view category, std::string_view jsonName,
                        const model::Interval& time, std::string_view args)
{
    const std::uint64_t id = m_nextId++;
    head('b', tid, category, jsonName, time.start);
    fmt::format_to(std::back_inserter(m_buffer), ",\"id2\":{{\"local\":\"{:#x}\"}}", id);
    end(args);
    head('e', tid, category, jsonName, std::max(time.start, time.end));
    fmt::format_to(std::back_inserter(m_buffer), ",\"id2\":{{\"local\":\"{:#x}\"}}", id);
    end();
}

void EventStream::instant(std::int64_t tid, std::string_view category, std::string_view jsonName,
                          std::int64_t timeNs)
{
    head('i', tid, category, jsonName, timeNs);
    m_buffer += ",\"s\":\"t\"";
    end();
}

void EventStream::counter(std::string_view jsonName, std::int64_t timeNs, std::int64_t value)
{
    head('C', 0, "sample", jsonName, timeNs);
    end(fmt::format("{{\"value\":{}}}", value));
}

void EventStream::flow(std::int64_t fromTid, std::int64_t fromNs, std::int64_t toTid, std::int64_t toNs)
{
    // Ids of flows are global in a file with several processes.
    const std::string id = fmt::format(",\"id\":\"{}.{}\"", m_pid, m_nextId++);
    head('s', fromTid, "launch", "\"launch\"", fromNs);
    m_buffer += id;
    end();
    head('f', toTid, "launch", "\"launch\"", toNs);
    m_buffer.append(id).append(",\"bp\":\"e\"");
    end();
}

void EventStream::finish()
{
    m_sink(m_buffer);
    m_buffer.clear();
}

} // namespace ringside::exporting
