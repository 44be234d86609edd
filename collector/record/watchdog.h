// SPDX-License-Identifier: Apache-2.0
// Detects on the drain thread that the process hangs, and writes the call that every recording thread is
// in. It does not touch the program's threads. For their stacks it writes a request, HOST-PID.hang in
// the run directory, which `ringside record` answers from outside (trace/FORMAT.md, "Stacks").
#pragma once
#include "record/hang_detector.h"
#include "record/registry.h"
#include "record/ring_store.h"

#include <ringside/trace/ring_decoder.h>
#include <ringside/trace/writer.h>

#include <string>
#include <vector>

namespace ringside::collector {

class Watchdog final {
public:
    /// `timeoutNs` 0: hangs are not detected.
    Watchdog(const ProcessNames& names, std::int64_t timeoutNs);

    /// Checks all rings. If a hang begins or ends, writes and commits that. Throws as the writer does.
    void pass(trace::Writer& writer, trace::RingDecoder& decoder, const std::vector<Ring*>& rings,
              Registry& registry);
    /// HangDetector::quietSinceNs as of the last pass. Null also if hangs are not detected.
    [[nodiscard]] std::optional<std::int64_t> quietSinceNs() const { return m_detector.quietSinceNs(); }
    /// Removes a request that was not answered.
    void withdrawRequest();

private:
    void begin(trace::Writer& writer, trace::RingDecoder& decoder, const std::vector<Ring*>& rings);
    void end(trace::Writer& writer);
    void leaveRequest(const Ring& ring);

    std::string m_request; ///< its path
    std::int64_t m_timeoutNs;
    HangDetector m_detector;
    trace::HangRow m_row; ///< of the hang that began last
    bool m_requested = false;
};

} // namespace ringside::collector
