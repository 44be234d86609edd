// SPDX-License-Identifier: Apache-2.0
// Turns a stretch of events into rows of the trace. Times are ns with the file's origin, names are ids in the
// stretch's own table, and threads are the kernel's ids. Joining and interpretation come later, because they
// need data that may follow after the events.
#pragma once
#include "import/kineto/event.h"
#include "import/kineto/launches.h"
#include "import/name_table.h"
#include "trace/tables.h"

#include <ringside/trace/reader.h>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::importers::kineto {

// Maps the category of an event to its kind. The names changed with PyTorch's versions; all are listed.
// Source: Kineto, libkineto/include/ActivityType.h and src/output_json.cpp, and PyTorch 1.8 for the old
// names.

enum class Category : std::uint8_t {
    Range, ///< operators, annotations, and unknown categories
    Kernel,
    Copy,
    Set,
    ApiCall,
    PythonFunction,
    // The following are left out and counted.
    DeviceAnnotation, ///< the host's annotations, repeated on the device
    Synchronisation,
    Overhead,
    Span,
    Count ///< number of the categories above
};
inline constexpr std::size_t kCategories = static_cast<std::size_t>(Category::Count);

struct CategoryName {
    std::string_view name;
    Category category;
};
inline constexpr std::array kCategoryNames{CategoryName{"cpu_op", Category::Range},
                                           CategoryName{"user_annotation", Category::Range},
                                           CategoryName{"kernel", Category::Kernel},
                                           CategoryName{"Kernel", Category::Kernel},
                                           CategoryName{"gpu_memcpy", Category::Copy},
                                           CategoryName{"Memcpy", Category::Copy},
                                           CategoryName{"gpu_memset", Category::Set},
                                           CategoryName{"Memset", Category::Set},
                                           CategoryName{"cuda_runtime", Category::ApiCall},
                                           CategoryName{"cuda_driver", Category::ApiCall},
                                           CategoryName{"Runtime", Category::ApiCall},
                                           CategoryName{"python_function", Category::PythonFunction},
                                           CategoryName{"gpu_user_annotation", Category::DeviceAnnotation},
                                           CategoryName{"cuda_sync", Category::Synchronisation},
                                           CategoryName{"cuda_event", Category::Synchronisation},
                                           CategoryName{"overhead", Category::Overhead},
                                           CategoryName{"Trace", Category::Span}};

/// Returns the kind of a category; Range if the name is unknown.
[[nodiscard]] inline Category categoryOf(std::string_view name)
{
    for (const CategoryName& entry : kCategoryNames) {
        if (entry.name == name) {
            return entry.category;
        }
    }
    return Category::Range;
}

/// The description of a collective, in addition to the row of the event that carries it.
struct Collective {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t correlation = 0; ///< of the kernel
    std::int64_t tid = -1;         ///< thread of record_param_comms; -1 if the event is a kernel
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

/// What the allocator of a device holds from a moment on.
struct Allocation {
    std::int64_t timeNs = 0;
    std::uint32_t device = 0;
    std::optional<std::int64_t> allocatedBytes, reservedBytes;
};

struct Counts {
    std::int64_t events = 0;
    std::int64_t implausible = 0;     ///< events with impossible times or durations
    std::int64_t incomplete = 0;      ///< device work without device or stream, host events without thread
    std::int64_t otherProcess = 0;    ///< host events of another process than the first
    std::int64_t hostAllocations = 0; ///< of the CPU's memory
    std::int64_t pythonBeyond = 0;    ///< Python functions beyond kMostPythonCalls
    std::int64_t instants = 0, counters = 0, flows = 0, unknownPhases = 0;
    std::array<std::int64_t, kCategories> categories{};
    std::map<std::string, std::int64_t>
        others; ///< events of further kinds, which another importer leaves out
    void add(const Counts& other);
};

/// Appends a row to the columns of its table.
template <class Row, class Columns>
void push(Columns& columns, const Row& row)
{
    trace::TableOf<Row>::forEachColumn(
        [&](const char*, trace::Encoding, auto from, auto to) { (columns.*to).push_back(row.*from); });
}

class Rows final {
public:
    /// Of a file. A profile with stacks of a usual length has one or two million; this number takes 0.5 GB.
    static constexpr std::size_t kMostPythonCalls = 20'000'000;

    struct Time {
        std::int64_t start;
        std::int64_t end;
    };
    /// Adds the rows of an event, or counts the event.
    void add(const Event& event);
    /// Moves the rows of another stretch to the end of these, and translates their name ids.
    void append(Rows&& other);

    trace::KernelColumns kernels;
    trace::CopyColumns copies;
    trace::ApiCallColumns apiCalls;       ///< thread: the kernel's id
    trace::LaunchColumns launches;        ///< the rows of apiCalls that launch device work
    trace::PythonCallColumns pythonCalls; ///< thread: the kernel's id
    trace::OperatorColumns operators;
    std::vector<Allocation> allocations; ///< in the order of the file
    std::vector<trace::RangeRow> ranges; ///< thread: the kernel's id; domain: the category
    std::vector<HalfRange> halves;       ///< in the order of the file
    std::vector<Collective> collectives;
    std::unordered_map<std::uint32_t, std::uint64_t>
        callBytes;                                   ///< of copies, as calls of HIP name them, by correlation
    std::vector<trace::StepRow> steps;               ///< thread: the kernel's id; 0 if a device marks them
    std::map<std::int64_t, std::string> threadNames; ///< by tid
    std::map<std::string, std::string> processNames; ///< by pid
    std::string pid;                                 ///< process id of the first host event
    NameTable names;
    LaunchTable configurations;
    Counts counts;

private:
    std::optional<Time> timeOf(const Event& event);
    void addComplete(const Event& event);
    void addKernel(const Event& event, const Time& time);
    void addCopy(const Event& event, const Time& time, Category category);
    void addApiCall(const Event& event, const Time& time);
    void addRange(const Event& event, const Time& time);
    void addOperator(const Event& event, const trace::RangeRow& row);
    void addPythonCall(const Event& event, const Time& time);
    void addInstant(const Event& event);
    void addHalf(const Event& event);
    void addCollective(const Event& event, const Time& time, std::int64_t tid);
    void addName(const Event& event);
    bool isHost(const Event& event, std::int64_t& tid);
    [[nodiscard]] bool isLaunch(trace::StringId api);

    std::vector<std::int8_t> m_launchesOf; ///< by name: whether it launches work; -1 if not yet determined
    std::string m_lastCategory;
    Category m_lastMeaning = Category::Range;
    std::string m_lastTid;
    std::int64_t m_lastTidNumber = 0;
};

} // namespace ringside::importers::kineto
