// SPDX-License-Identifier: Apache-2.0
// The job's end of live control (ringside/trace/control.h): one look at the run directory a pass of the drain
// thread, an answer when somebody asked. An order names a step, and the thread that begins it obeys
// (record/levels.h); this thread only passes it on. Failing to answer stops nothing.
#pragma once
#include "record/ring_store.h"

#include <ringside/trace/control.h>

#include <cstdint>
#include <optional>
#include <string>

namespace ringside::collector {

class ControlPoll final {
public:
    /// What stands there now was asked of the processes before this one. To be made before this one announces
    /// itself (ring_store.h): who asks from then on waits for its answer.
    explicit ControlPoll(const ProcessNames& names);

    /// An order that was given before is obeyed at once.
    void begin();
    void pass();
    /// What became of a dump: the answer, if it was asked for here.
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
    // How long a step takes: since then.
    std::int64_t m_fromNs = 0;
    std::uint64_t m_fromSteps = 0; ///< 0: none has begun
};

} // namespace ringside::collector
