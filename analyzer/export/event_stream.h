// SPDX-License-Identifier: Apache-2.0
// Events in Chrome's trace format, which Perfetto, chrome://tracing and others read: one JSON object for each
// event, times in microseconds with three decimals, so that no nanosecond is lost.
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU ("Trace Event Format")
#pragma once
#include "model/time.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ringside::exporting {

/// Returns a JSON string with its quotes; bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string jsonText(std::string_view text);

/// Receives pieces of the file in order.
using Sink = std::function<void(std::string_view)>;

/// The events of one process. Parameters named `json` are valid JSON already.
class EventStream final {
public:
    /// `clock` converts the process's times to times of the file.
    EventStream(Sink sink, std::int64_t pid, const model::ClockMap& clock);
    ~EventStream() = default;
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;

    void processName(std::string_view name);
    /// `order` sorts the process's tracks, the lowest on top.
    void trackName(std::int64_t tid, std::string_view name, std::int64_t order);
    /// Slices of one track must nest. `args` is empty or a JSON object.
    void slice(std::int64_t tid, std::string_view category, std::string_view jsonName,
               const model::Interval& time, std::string_view args = {});
    /// May overlap others of the same name and track.
    void async(std::int64_t tid, std::string_view category, std::string_view jsonName,
               const model::Interval& time, std::string_view args = {});
    void instant(std::int64_t tid, std::string_view category, std::string_view jsonName, std::int64_t timeNs);
    void counter(std::string_view jsonName, std::int64_t timeNs, std::int64_t value);
    /// Adds an arrow between the slices that contain these times.
    void flow(std::int64_t fromTid, std::int64_t fromNs, std::int64_t toTid, std::int64_t toNs);
    /// Writes what is buffered. No event may be written after it.
    void finish();

private:
    void head(char phase, std::int64_t tid, std::string_view category, std::string_view jsonName,
              std::int64_t timeNs);
    void end(std::string_view args = {});
    void appendTime(std::int64_t ns);

    Sink m_sink;
    std::int64_t m_pid;
    model::ClockMap m_clock;
    std::string m_buffer;
    std::uint64_t m_nextId = 0;
    bool m_first = true;
};

} // namespace ringside::exporting
