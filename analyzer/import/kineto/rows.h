// SPDX-License-Identifier: Apache-2.0
// What a stretch of events becomes: rows of the trace, with times as the file counts them (ns), names as
// numbers of the stretch's own table, and threads as the kernel's ids. Joining and interpreting come later,
// because what they need may stand behind the events.
#pragma once
#include "import/kineto/category.h"
#include "import/kineto/event.h"
#include "import/name_table.h"

#include <ringside/trace/reader.h>

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace ringside::importers::kineto {

/// A collective as the profiler describes it, beside the event that carries it.
struct Collective {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t correlation = 0; ///< of a kernel
    std::int64_t tid = -1;         ///< of record_param_comms; -1: it stands on a kernel
    trace::StringId name = 0, datatype = 0, group = 0, groupDescription = 0, groupRanks = 0;
    std::optional<std::uint64_t> inElements, outElements;
    std::optional<std::int64_t> groupSize, sequence, source, destination;
};

/// One half of a range: phases B and E.
struct HalfRange {
    std::int64_t timeNs = 0;
    std::int64_t tid = 0;
    trace::StringId name = 0, category = 0;
    bool begins = false;
};

struct Counts {
    std::int64_t events = 0;
    std::int64_t implausible = 0;  ///< times or durations that no clock shows
    std::int64_t incomplete = 0;   ///< device work without a device or a stream
    std::int64_t otherProcess = 0; ///< events of a second process id
    std::int64_t instants = 0, counters = 0, flows = 0, unknownPhases = 0;
    std::array<std::int64_t, kCategories> categories{};
    void add(const Counts& other);
};

class Rows final {
public:
    struct Time {
        std::int64_t start;
        std::int64_t end;
    };
    void add(const Event& event);
    /// Takes over another stretch's rows; its names become this one's.
    void append(Rows&& other);

    trace::KernelColumns kernels;
    trace::CopyColumns copies;
    trace::ApiCallColumns apiCalls;      ///< thread: the kernel's id
    trace::LaunchColumns launches;       ///< those of apiCalls that put work onto a device
    std::vector<trace::RangeRow> ranges; ///< thread: the kernel's id; domain: the category
    std::vector<HalfRange> halves;       ///< in the file's order
    std::vector<Collective> collectives;
    std::map<std::int64_t, std::string> threadNames; ///< by tid
    std::map<std::string, std::string> processNames; ///< by pid
    std::string pid;                                 ///< of the first host event
    NameTable names;
    Counts counts;

private:
    std::optional<Time> timeOf(const Event& event);
    void addComplete(const Event& event);
    void addKernel(const Event& event, const Time& time);
    void addCopy(const Event& event, const Time& time, Category category);
    void addApiCall(const Event& event, const Time& time);
    void addRange(const Event& event, const Time& time);
    void addHalf(const Event& event);
    void addCollective(const Event& event, const Time& time, std::int64_t tid);
    void addName(const Event& event);
    bool isHost(const Event& event, std::int64_t& tid);
    [[nodiscard]] bool isLaunch(trace::StringId api);

    std::vector<std::int8_t> m_launchesOf; ///< by name: -1 not looked at
    std::string m_lastCategory;
    Category m_lastMeaning = Category::Range;
    std::string m_lastTid;
    std::int64_t m_lastTidNumber = 0;
};

} // namespace ringside::importers::kineto
