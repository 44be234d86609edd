// SPDX-License-Identifier: Apache-2.0
// The job's side of live control (ringside/trace/control.h). Each pass of the drain thread checks the
// run directory for a request and answers a new one. An order names a step; the thread that begins this
// step changes the level (record/levels.h). A failure to answer stops nothing.
#pragma once
#include "record/ring_store.h"

#include <ringside/trace/control.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::collector {

class ControlPoll final {
public:
    /// A request that is there now was made to processes that started earlier. Construct this object
    /// before the process announces itself (ring_store.h): later requests wait for its answer.
    explicit ControlPoll(const ProcessNames& names);

    /// Applies an order that was given before this process started.
    void begin();
    void pass();
    /// Answers a request for a dump with its result, if the dump was requested here.
    void tellDump(const std::string& what);
    void end();

private:
    [[nodiscard]] bool hasChanged();
    void obey(const trace::ControlOrder& order, bool atOnce);
    void measureSteps();
    void answer();

    std::string m_control;
    std::string m_status;
    std::uint64_t m_inode = 0;
    std::int64_t m_modifiedNs = 0;
    std::optional<trace::ControlRequest> m_before;
    trace::ControlStatus m_answer;
    trace::ControlOrder m_order; ///< the last one
    bool m_byTime = false;       ///< the last one is: no step was to wait for
    bool m_dumpAsked = false;
    bool m_answered = false; ///< the status file is there, and ours
    // The duration of a step is measured from then on.
    std::int64_t m_fromNs = 0;
    std::uint64_t m_fromSteps = 0; ///< 0: none has begun
};

} // namespace ringside::collector
