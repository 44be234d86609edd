// SPDX-License-Identifier: Apache-2.0
// Collects the records of a file by the process that wrote them.
#pragma once
#include "import/row_budget.h"
#include "import/text.h"
#include "values/interval.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace ringside::importers::inspector {

// Parses one line of NCCL Inspector: a completed operation. Up to output format v4.2 each has its
// communicator and process (plugins/profiler/inspector/inspector_json.cc); from v4.3 on a line before them
// tells both for all operations of a dump.

struct Record {
    std::string communicator; ///< NCCL's hash as text, such as "0x7f8c..."
    std::string communicatorName;
    std::int64_t rank = 0;
    std::int64_t size = 0; ///< number of ranks of the communicator
    std::string version;
    std::string host;
    std::int64_t pid = 0;
    bool pointToPoint = false;
    std::string function; ///< such as "AllReduce"
    std::int64_t sequence = 0;
    std::uint64_t bytes = 0;
    std::optional<std::int64_t> peer;
    std::optional<std::int64_t> lengthUs; ///< null if not known or longer than a month
    std::string timedBy;                  ///< kernel_gpu, kernel_cpu or collective_cpu
};

/// The beginning of a dump, which holds for the lines after it.
struct Dump {
    std::optional<Record> of; ///< communicator and process; null: none was read, or it is damaged
    std::int64_t lost = 0;    ///< operations that were overwritten since the dump before
};

enum class LineKind : std::uint8_t { Record, Dump, Empty, Other, Damaged };

/// Parses a line into `record`, which is valid only for LineKind::Record, or `dump`. Other is JSON without an
/// operation, or one of which nobody told the communicator.
[[nodiscard]] LineKind parseLine(std::string_view line, Dump& dump, Record& record);

/// A process that wrote records.
class Process final {
public:
    /// Keeps a reference to `budget`, which all processes of the file share.
    Process(const Record& first, RowBudget& budget);
    Process(const Process&) = delete; // m_strings refers to m_trace
    Process& operator=(const Process&) = delete;

    void add(const Record& record);
    [[nodiscard]] trace::ProcessTrace finish(std::int64_t lost);

private:
    struct Communicator {
        std::size_t row = 0;
        std::int64_t messages = 0;
    };
    Communicator* communicatorOf(const Record& record);
    void addLength(const Record& record, std::int64_t call);

    trace::ProcessTrace m_trace;
    StringTable m_strings;
    RowBudget& m_budget;
    std::map<std::pair<std::string, std::string>, Communicator> m_communicators; ///< hash, function
    std::set<std::tuple<std::size_t, std::int64_t>> m_seen; ///< communicator row, sequence number
    std::set<std::string> m_timedBy;
    std::int64_t m_largest = 0; ///< size of the largest communicator, which gives the process its rank
    std::int64_t m_rank = 0;
    std::int64_t m_noLength = 0, m_repeated = 0, m_beyondBudget = 0;
};

/// All processes of a file.
class Collector final {
public:
    void add(const Record& record);
    void add(const Dump& dump)
    {
        std::int64_t& lost = m_lost[{dump.of->host, dump.of->pid}];
        lost = values::addCapped(lost, dump.lost);
    }
    /// Returns the traces, ordered by host and process id.
    [[nodiscard]] std::vector<trace::ProcessTrace> finish();

private:
    RowBudget m_budget;
    using Writer = std::pair<std::string, std::int64_t>; ///< host, pid
    std::map<Writer, std::unique_ptr<Process>> m_processes;
    std::map<Writer, std::int64_t> m_lost; ///< operations
};

} // namespace ringside::importers::inspector
