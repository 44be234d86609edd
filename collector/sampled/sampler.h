// SPDX-License-Identifier: Apache-2.0
// A thread that reads its sources periodically and writes the values into its own ring. A reading may
// never return if a driver hangs. So waits for the thread are short, and the sampler, its sources and
// its ring are never freed, because the call may return later.
#pragma once
#include "record/own_thread.h"
#include "record/registry.h"
#include "record/ring.h"
#include "sampled/source.h"

#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

struct SourceState {
    std::string name;
    std::string reason; ///< why it gives nothing at present; empty: it gives something
};

class Sampler final {
public:
    static constexpr std::int64_t kPatienceNs = 1'000'000'000;
    /// The reason of a source whose call has lasted longer.
    static constexpr const char* kStuck = "a call has not returned for a second or more";

    /// `name`: of the thread.
    Sampler(const char* name, std::vector<std::unique_ptr<Source>> sources, std::int64_t periodNs);
    using StartThread = bool (*)(pthread_t& thread, void* (*main)(void*), void* argument);
    /// Starts sampling into the ring. Returns false if `startThread` cannot start the thread.
    bool start(Ring& ring, Registry& registry, StartThread startThread = &startOwnThread);

    /// The `load` function of startProgramCallsThread (record/program_calls.h), if that starts the
    /// thread.
    static void* load(void* self);

    void askToStop();
    /// Waits for the thread until its present call of a source has lasted kPatienceNs. Returns whether
    /// it has ended. Call it once.
    bool waitForEnd();

    /// The reasons of all sources. For a source whose reading has lasted longer than kPatienceNs, that
    /// it hangs.
    [[nodiscard]] std::vector<SourceState> states() const;
    [[nodiscard]] std::vector<trace::IssueRow> takeIssues();
    [[nodiscard]] std::vector<trace::SettingRow> takeSettings();

private:
    static void* threadMain(void* self);
    void run();
    void tick(Pace pace);
    void read(std::size_t index, Pace pace);
    void write(Source& source);
    [[nodiscard]] bool define(Series& series, const Source& source);
    void note(std::size_t index);
    template <class Call>
    void attempt(const Call& call);
    template <class Call>
    void guarded(std::size_t index, const Call& call);

    const char* m_name;
    std::vector<std::unique_ptr<Source>> m_sources;
    std::int64_t m_periodNs;
    Ring* m_ring = nullptr;
    Registry* m_registry = nullptr;
    Readings m_readings;
    pthread_t m_thread{};
    sem_t m_wake{};
    std::atomic<bool> m_stop{false};
    std::atomic<std::int64_t> m_busySinceNs{0}; ///< when the call into a source began; 0: in none
    std::atomic<std::size_t> m_busyWith{0};     ///< that source
    std::atomic<std::int64_t> m_failed{0};      ///< readings for which there was no memory

    bool m_leftBehind = false; ///< of the drain thread alone

    mutable std::mutex m_mutex; ///< held for moments only, never during a call into a source
    std::vector<SourceState> m_states;
    std::vector<trace::IssueRow> m_issues;
    std::vector<trace::SettingRow> m_settings;
};

} // namespace ringside::collector::sampled
