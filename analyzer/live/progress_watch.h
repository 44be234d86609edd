// SPDX-License-Identifier: Apache-2.0
// The alarm of a job that stands still, once it had a rhythm.
#pragma once
#include "live/snapshot.h"
#include "live/step_watch.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ringside::live {

/// A job makes progress when a step ends or a collective is issued. Its rhythm is known once some steps have
/// come. It stands still when nothing has come for kPatienceMs, five times the median step and twice the
/// longest pause so far, whichever is longest. So the first checkpoint that keeps all ranks waiting may be
/// called a hang, and the following ones are not: the message says what is known.
class ProgressWatch final {
public:
    static constexpr std::int64_t kPatienceMs = 9'000;

    /// Kind "hang".
    [[nodiscard]] std::vector<AlarmChange> look(const RunNow& run);

private:
    [[nodiscard]] std::int64_t patienceMs() const;

    std::int64_t m_progressMs = 0; ///< the latest that was seen
    std::int64_t m_longestPauseMs = 0;
    std::int64_t m_stepMs = 0;
    bool m_hasRhythm = false;
    bool m_hangs = false;
};

} // namespace ringside::live
