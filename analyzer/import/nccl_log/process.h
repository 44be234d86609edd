// SPDX-License-Identifier: Apache-2.0
// Builds the trace of one process from its messages.
#pragma once
#include "import/nccl_log/log_line.h"
#include "import/nccl_log/message.h"
#include "import/row_budget.h"
#include "import/text.h"

#include <ringside/trace/reader.h>

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::importers::nccl_log {

/// A process that wrote into the log.
class Process final {
public:
    /// Keeps a reference to `budget`, which all processes of the log share.
    Process(const Message& first, RowBudget& budget);
    Process(const Process&) = delete; // m_strings refers to m_trace
    Process& operator=(const Process&) = delete;

    /// Adds a message. If it is `torn`, its text may be cut off or contain another message.
    void add(const Message& message, bool torn);
    /// Returns the communicators that NCCL gave no hash: (row, size, their place among those of that size).
    struct Unnamed {
        std::size_t row = 0;
        std::int64_t size = 0, place = 0;
    };
    [[nodiscard]] std::vector<Unnamed> unnamed() const;
    [[nodiscard]] trace::CommunicatorRow& communicator(std::size_t row) { return m_trace.communicators[row]; }
    /// Completes the trace and returns it.
    [[nodiscard]] trace::ProcessTrace finish();
    /// Returns the rank in the largest communicator. Null if it is not known.
    [[nodiscard]] std::optional<std::int64_t> rank() const;
    /// Sets the number of earlier processes in the log with the same rank.
    void setAttempt(std::int64_t attempt) { m_attempt = attempt; }

private:
    struct Communicator {
        std::size_t row = 0;
        bool complete = false;
        std::int64_t calls = 0;
        std::optional<std::uint64_t> opCount; ///< of its last call
    };
    void addLine(const OtherLine&) { ++m_other; }
    void addLine(const TornLine& line);
    void addLine(const InitLine& line);
    void addLine(const CallLine& line);
    void addLine(const EnvironmentLine& line);
    void addLine(const FactLine& line);
    Communicator* addCommunicator(std::uint64_t address);
    [[nodiscard]] std::int64_t takeSequence(Communicator& communicator, std::uint64_t opCount);
    [[nodiscard]] const trace::CommunicatorRow* world() const;
    void addDevice(const InitLine& line);
    void addContext();

    trace::ProcessTrace m_trace;
    StringTable m_strings;
    RowBudget& m_budget;
    std::int64_t m_attempt = 0;
    std::unordered_map<std::uint64_t, Communicator> m_communicators; ///< by address
    std::set<std::size_t> m_unnamed;                                 ///< rows without a hash of NCCL's
    std::map<std::int64_t, std::int64_t> m_threads;                  ///< ids by the kernel's thread id
    std::map<std::string, std::string> m_facts;
    std::map<std::string, std::int64_t> m_connections;
    std::map<std::string, std::string> m_environment;
    std::int64_t m_thread = 0; ///< thread of the message that is being added
    std::string m_firstWarning;
    std::int64_t m_warnings = 0, m_other = 0, m_torn = 0, m_notStored = 0, m_repeated = 0, m_beyondBudget = 0,
                 m_unknownCommunicators = 0, m_tornCalls = 0, m_gaps = 0;
};

} // namespace ringside::importers::nccl_log
