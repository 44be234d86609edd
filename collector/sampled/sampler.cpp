// SPDX-License-Identifier: Apache-2.0
#include "sampled/sampler.h"

#include "record/level.h"
#include "record/session.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <new>
#include <utility>

namespace ringside::collector::sampled {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;

timespec timeOf(std::int64_t ns)
{
    return {static_cast<time_t>(ns / kSecondNs), static_cast<long>(ns % kSecondNs)};
}

/// Until then, or until somebody wakes it.
void waitUntil(sem_t& wake, std::int64_t ns)
{
    const timespec time = timeOf(ns);
    while (sem_clockwait(&wake, CLOCK_MONOTONIC, &time) != 0 && errno == EINTR) {
    }
}

} // namespace

Sampler::Sampler(const char* name, std::vector<std::unique_ptr<Source>> sources, std::int64_t periodNs)
    : m_name(name), m_sources(std::move(sources)), m_periodNs(periodNs)
{
    sem_init(&m_wake, 0, 0);
    for (const auto& source : m_sources) {
        m_states.push_back({source->name(), {}});
    }
}

bool Sampler::start(Ring& ring, Registry& registry, StartThread startThread)
{
    m_ring = &ring;
    m_registry = &registry;
    return startThread(m_thread, &Sampler::threadMain, this);
}

void* Sampler::load(void* self)
{
    const Inside inside;
    auto* const sampler = static_cast<Sampler*>(self);
    for (const auto& source : sampler->m_sources) {
        sampler->attempt([&] { source->load(); });
    }
    return nullptr;
}

void* Sampler::threadMain(void* self)
{
    auto* const sampler = static_cast<Sampler*>(self);
    pthread_setname_np(pthread_self(), sampler->m_name);
    const Inside inside; // what it asks of the driver is not the program's doing
    sampler->run();
    return nullptr;
}

void Sampler::run()
{
    for (std::size_t index = 0; index < m_sources.size(); ++index) {
        attempt([&] { guarded(index, [&] { m_sources[index]->open(); }); });
    }
    std::int64_t next = readClockNs(CLOCK_MONOTONIC);
    std::int64_t nextSlow = next;
    while (!m_stop.load()) {
        const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
        if (level() != Level::Paused) {
            const Pace pace = now >= nextSlow ? Pace::OnceASecond : Pace::EveryTick;
            attempt([&] { tick(pace); });
            nextSlow = now >= nextSlow ? now + kSecondNs - m_periodNs / 2 : nextSlow;
        }
        next = std::max(next + m_periodNs, now); // what was slept through is not made up for
        waitUntil(m_wake, next);
    }
    for (std::size_t index = 0; index < m_sources.size(); ++index) {
        attempt([&] { guarded(index, [&] { m_sources[index]->close(); }); });
    }
}

/// What fails for lack of memory is counted: whatever says more would need memory itself.
template <class Call>
void Sampler::attempt(const Call& call)
{
    try {
        call();
    } catch (const std::bad_alloc&) {
        m_failed.fetch_add(1);
    }
}

/// A call into a source, which may last for ever.
template <class Call>
void Sampler::guarded(std::size_t index, const Call& call)
{
    m_busyWith.store(index);
    m_busySinceNs.store(readClockNs(CLOCK_MONOTONIC));
    try {
        call();
    } catch (const std::bad_alloc&) {
        m_busySinceNs.store(0);
        throw;
    } catch (const std::exception& error) {
        m_readings.clear();
        m_readings.report({trace::Issue::SamplingFailed, 1,
                           std::string("source ") + m_sources[index]->name() + ": " + error.what()});
    }
    m_busySinceNs.store(0);
}

void Sampler::tick(Pace pace)
{
    for (std::size_t index = 0; index < m_sources.size() && !m_stop.load(); ++index) {
        m_readings.clear();
        guarded(index, [&] { m_sources[index]->read(m_readings, pace); });
        m_readings.endMoment();
        write(*m_sources[index]);
        if (pace == Pace::OnceASecond || !m_readings.issues().empty() || !m_readings.settings().empty()) {
            note(index);
        }
    }
}

void Sampler::write(Source& source)
{
    for (const Readings::Value& value : m_readings.values()) {
        if (!define(*value.series, source)) {
            continue;
        }
        if (auto* record = m_ring->reserve<trace::SampleRecord>(); record != nullptr) {
            record->ticks = value.ticks;
            record->value = value.value;
            record->series = value.series->id;
            record->reserved = 0;
            m_ring->commit(record, trace::RecordKind::Sample);
        }
    }
    for (Series* series : m_readings.missing()) {
        static_cast<void>(define(*series, source));
    }
}

/// Whether the trace knows the series. It may learn why values are missing later than the series itself.
bool Sampler::define(Series& series, const Source& source)
{
    const bool reasonIsNew = !series.reason.empty() && !series.reasonWritten;
    if (series.id == 0 || reasonIsNew) {
        const StringId reason = m_registry->intern(series.reason);
        const std::uint32_t id = m_registry->defineSeries(
            {source.name(), series.entity, series.metric(), trace::entryOf(*series.name).kind, reason},
            series.id);
        series.id = id != 0 ? id : series.id;
        series.reasonWritten = id != 0;
    }
    return series.id != 0;
}

void Sampler::note(std::size_t index)
{
    std::string reason;
    guarded(index, [&] { reason = m_sources[index]->reason(); });
    const std::scoped_lock lock(m_mutex);
    m_states[index].reason = std::move(reason);
    m_issues.insert(m_issues.end(), m_readings.issues().begin(), m_readings.issues().end());
    m_settings.insert(m_settings.end(), m_readings.settings().begin(), m_readings.settings().end());
}

void Sampler::askToStop()
{
    m_stop.store(true);
    sem_post(&m_wake);
}

bool Sampler::waitForEnd()
{
    const std::int64_t busySince = m_busySinceNs.load();
    const std::int64_t from = busySince != 0 ? busySince : readClockNs(CLOCK_MONOTONIC);
    const timespec until = timeOf(from + kPatienceNs);
    m_leftBehind = !joinOwnThread(m_thread, until);
    return !m_leftBehind;
}

std::vector<SourceState> Sampler::states() const
{
    std::vector<SourceState> states;
    {
        const std::scoped_lock lock(m_mutex);
        states = m_states;
    }
    const std::int64_t busySince = m_busySinceNs.load();
    if (m_leftBehind || (busySince != 0 && readClockNs(CLOCK_MONOTONIC) - busySince > kPatienceNs)) {
        states[m_busyWith.load()].reason = kStuck;
    }
    return states;
}

std::vector<trace::IssueRow> Sampler::takeIssues()
{
    const std::scoped_lock lock(m_mutex);
    if (const std::int64_t failed = m_failed.exchange(0); failed != 0) {
        m_issues.push_back({trace::Issue::SamplingFailed, failed,
                            std::string(m_name) + ": memory was out: values are missing"});
    }
    return std::exchange(m_issues, {});
}

std::vector<trace::SettingRow> Sampler::takeSettings()
{
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_settings, {});
}

} // namespace ringside::collector::sampled
