// SPDX-License-Identifier: Apache-2.0
// The interface of a source: a place that values are read from periodically, one file in this folder
// each. A source only reads. The sampler numbers the series, writes the records and schedules the
// readings. So a source depends on no ring, thread or trace, and a call that never returns blocks only
// its own thread.
#pragma once
#include "record/clock.h"
#include "trace/vocabulary/series.h"

#include <ringside/trace/ring.h>
#include <ringside/trace/rows.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ringside::collector::sampled {

/// A measured quantity. Its address must not change while its source exists.
struct Series {
    std::string entity;                         ///< "gpu0", "eth0" ...
    std::optional<trace::SeriesName> name = {}; ///< null: nothing is measured here
    std::uint32_t id = 0;                       ///< the sampler's: 0 until it is defined in the trace
    const char* source = "";                    ///< the sampler's
    std::string reason = {};    ///< why it ended; else why a value was missing, the first time that one was
    bool ended = false;         ///< no value can be expected any more
    bool reasonWritten = false; ///< the sampler's

    [[nodiscard]] const char* metric() const { return trace::entryOf(*name).metric.data(); }
};

/// The values of one reading of a source.
class Readings final {
public:
    struct Value {
        Series* series;
        std::int64_t value;
        std::uint64_t ticks;
    };
    /// Values that are added from now on were read at one moment: the middle of the time until the next
    /// call of beginMoment() or the end of the reading.
    void beginMoment()
    {
        endMoment();
        m_momentBegan = ticks();
    }
    void add(Series& series, std::int64_t value) { m_values.push_back({&series, value, 0}); }
    /// Adds the value of a 64-bit counter, stored modulo 2^64.
    void add(Series& series, std::uint64_t value) { add(series, static_cast<std::int64_t>(value)); }
    /// Notes that a value could not be read. Only the first reason of a series is kept.
    void miss(Series& series, const std::string& reason)
    {
        if (series.reason.empty()) {
            explain(series, reason);
        }
    }
    /// Notes that the series has ended. This reason replaces that of a missing value, and stays.
    void end(Series& series, const std::string& reason)
    {
        if (!std::exchange(series.ended, true)) {
            explain(series, reason);
        }
    }
    void report(trace::IssueRow issue) { m_issues.push_back(std::move(issue)); }
    /// Sets a value that is not a number and rarely changes.
    void set(trace::SettingRow setting) { m_settings.push_back(std::move(setting)); }
    void endMoment()
    {
        const std::uint64_t middle = m_momentBegan + (ticks() - m_momentBegan) / 2;
        for (; m_stamped < m_values.size(); ++m_stamped) {
            m_values[m_stamped].ticks = middle;
        }
    }
    void clear()
    {
        m_values.clear();
        m_missing.clear();
        m_issues.clear();
        m_settings.clear();
        m_stamped = 0;
    }
    [[nodiscard]] const std::vector<Value>& values() const { return m_values; }
    [[nodiscard]] const std::vector<Series*>& missing() const { return m_missing; }
    [[nodiscard]] const std::vector<trace::IssueRow>& issues() const { return m_issues; }
    [[nodiscard]] const std::vector<trace::SettingRow>& settings() const { return m_settings; }

private:
    void explain(Series& series, const std::string& reason)
    {
        series.reason = reason;
        series.reasonWritten = false;
        m_missing.push_back(&series);
    }

    std::vector<Value> m_values;
    std::vector<Series*> m_missing;
    std::vector<trace::IssueRow> m_issues;
    std::vector<trace::SettingRow> m_settings;
    std::size_t m_stamped = 0; ///< of m_values
    std::uint64_t m_momentBegan = 0;
};

/// How often values that are expensive to read and change slowly are read.
enum class Pace { EveryTick, OnceASecond };

class Source {
public:
    virtual ~Source() = default;
    /// The source in table `series` of the trace.
    [[nodiscard]] virtual const char* name() const = 0;
    /// Loads the library that the source uses, if any, before the sampler's thread starts
    /// (record/program_calls.h).
    virtual void load() {}
    /// Called once, on the sampler's thread, before the first read.
    virtual void open() = 0;
    /// `pace` is OnceASecond at the first tick and then about once a second.
    virtual void read(Readings& readings, Pace pace) = 0;
    /// Why the source has no values at present. Empty: it has some.
    [[nodiscard]] virtual std::string reason() const = 0;
    /// Called after the last read.
    virtual void close() {}
};

} // namespace ringside::collector::sampled
