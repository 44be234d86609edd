// SPDX-License-Identifier: Apache-2.0
// Decides when a process hangs and when it makes progress again, from what each pass of the drain thread
// observes. It reads no clock and does no input or output, so that tests supply the time.
#pragma once
#include "values/patience.h"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::collector {

/// A recording thread at the moment of a pass.
struct ThreadActivity {
    std::uint32_t ring = 0;       ///< id of its ring
    std::uint32_t tid = 0;        ///< the kernel's
    std::uint32_t api = 0;        ///< string id of the function it is in, 0: in no intercepted call
    std::uint64_t startTicks = 0; ///< tells calls of one thread apart
    std::int64_t sinceNs = 0;     ///< CLOCK_MONOTONIC, when it entered the call
};

struct ProcessActivity {
    std::int64_t nowNs = 0;
    /// Collectives issued so far on all communicators. Null: the process has no communicator (any more),
    /// so none are expected.
    std::optional<std::uint64_t> collectives;
    std::vector<ThreadActivity> threads;
};

struct Hang {
    std::int64_t sinceNs = 0;
    std::string reason;
};

class HangDetector final {
public:
    enum class Change { None, Began, Ended };

    explicit HangDetector(std::int64_t timeoutNs) : m_timeoutNs(timeoutNs) {}

    /// A hang begins in three cases. A call of NCCL (or any call, once collectives were issued) has been
    /// in flight for the timeout. Or collectives came in a rhythm, and none has come for twice the
    /// timeout and five times the longest gap of the rhythm. Or none has come for four times the timeout
    /// after a first one: loading, compiling and writing a checkpoint take minutes. Where the job survived
    /// long pauses, these times are longer (values::Patience). A hang ends when that call returns or a
    /// collective is issued; until then no other hang begins. The same call is reported only once: a thread
    /// may wait for ever on purpose.
    Change look(const ProcessActivity& activity);
    /// Since when no collective was issued, after earlier ones. Null: none is expected.
    [[nodiscard]] std::optional<std::int64_t> quietSinceNs() const
    {
        return m_collectives.value_or(0) > 0 ? std::optional(m_progressNs) : std::nullopt;
    }
    /// The most recent hang.
    [[nodiscard]] const Hang& hang() const { return m_hang; }

private:
    /// Collectives that come repeatedly, since they last started to.
    struct Rhythm {
        int gaps = 0;
        std::int64_t longestNs = 0; ///< between two of them, as passes see it
    };
    void noteProgress(std::int64_t nowNs);
    [[nodiscard]] std::int64_t patienceNs() const { return m_patience.of(m_timeoutNs); }
    [[nodiscard]] bool isOverdue(std::int64_t nowNs) const;
    [[nodiscard]] bool goesOn(const ProcessActivity& activity) const;
    [[nodiscard]] const ThreadActivity* longestUnreported(const ProcessActivity& activity) const;
    void begin(const ProcessActivity& activity, const ThreadActivity* call);

    std::int64_t m_timeoutNs;
    std::optional<std::uint64_t> m_collectives;
    std::int64_t m_progressNs = 0; ///< when a collective was last seen to have been issued, or a hang to end
    Rhythm m_rhythm;
    bool m_regular = false; ///< collectives came in a rhythm at some time
    values::Patience m_patience;
    bool m_hanging = false;
    std::optional<ThreadActivity> m_cause; ///< the call that hangs, when it is one
    Hang m_hang;
    std::unordered_map<std::uint32_t, std::uint64_t> m_reported; ///< ring -> startTicks of a call told of
};

/// Describes the first few threads: "thread 4711 is in cudaStreamSynchronize, thread 4712 is in no
/// intercepted call".
[[nodiscard]] std::string describeThreads(const std::vector<ThreadActivity>& threads);

} // namespace ringside::collector
