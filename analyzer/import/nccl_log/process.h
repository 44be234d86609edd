// SPDX-License-Identifier: Apache-2.0
// One process's trace, from its messages.
#pragma once
#include "import/nccl_log/log_line.h"
#include "import/nccl_log/message.h"
#include "import/room.h"
#include "import/text.h"

#include <ringside/trace/reader.h>

#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::importers::nccl_log {

class Process final {
public:
    Process(const Message& first, Room& room);
    Process(const Process&) = delete; // strings point to the trace
    Process& operator=(const Process&) = delete;

    /// `torn`: its text may lack its end, or hold another line's.
    void add(const Message& message, bool torn);
    [[nodiscard]] trace::ProcessTrace finish();
    [[nodiscard]] std::optional<std::int64_t> rank() const;
    /// How many processes of the log were the same rank before.
    void setAttempt(std::int64_t attempt) { m_attempt = attempt; }

private:
    struct Communicator {
        std::size_t row = 0;
        bool complete = false;
        std::int64_t calls = 0;
    };
    void take(const OtherLine&) { ++m_other; }
    void take(const TornLine&) { ++m_torn; }
    void take(const InitLine& line);
    void take(const CallLine& line);
    void take(const EnvironmentLine& line);
    void take(const FactLine& line);
    Communicator* make(std::uint64_t address);
    [[nodiscard]] const trace::CommunicatorRow* world() const;
    void addDevice(const InitLine& line);
    void addContext();

    trace::ProcessTrace m_trace;
    StringTable m_strings;
    Room& m_room;
    std::int64_t m_attempt = 0;
    std::unordered_map<std::uint64_t, Communicator> m_communicators; ///< by address
    std::map<std::int64_t, std::int64_t> m_threads;                  ///< by the kernel's id
    std::map<std::string, std::string> m_facts;
    std::map<std::string, std::int64_t> m_connections;
    std::map<std::string, std::string> m_environment;
    std::int64_t m_thread = 0; ///< of the message that is taken
    std::string m_firstWarning;
    std::int64_t m_warnings = 0, m_other = 0, m_torn = 0, m_notStored = 0, m_repeated = 0, m_noRoom = 0,
                 m_unknownCommunicators = 0;
};

} // namespace ringside::importers::nccl_log
