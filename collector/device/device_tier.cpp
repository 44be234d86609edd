// SPDX-License-Identifier: Apache-2.0
#include "device/device_tier.h"

#include "device/correlation.h"
#include "record/levels.h"
#include "record/message.h"

#include <array>

namespace ringside::collector {

std::atomic<bool> g_deviceTierOn{false};

namespace {

// CUPTI's callbacks carry no pointer of ours. Never freed: CUPTI may call late.
BufferPool& pool()
{
    static auto* const buffers = new BufferPool;
    return *buffers;
}
std::atomic<decltype(CuptiLibrary::pushExternal)> g_push{nullptr};
std::atomic<decltype(CuptiLibrary::popExternal)> g_pop{nullptr};

void bufferRequested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* maxRecords)
{
    *buffer = pool().request();
    *bytes = pool().sizeOf(*buffer);
    *maxRecords = 0;
}

void bufferCompleted(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t validBytes)
{
    pool().finish(buffer, validBytes);
}

void ignoreCallback(void*, std::uint32_t, std::uint32_t, const void*) {}

// External correlation first: its record must precede the API record it belongs to.
constexpr std::array kKinds{cupti::kKindExternalCorrelation, cupti::kKindRuntime, cupti::kKindDriver,
                            cupti::kKindConcurrentKernel,    cupti::kKindMemcpy,  cupti::kKindMemset};

} // namespace

void pushCorrelation(std::uint64_t id)
{
    g_push.load(std::memory_order_relaxed)(cupti::kExternalKindCustom0, id);
}

void popCorrelation()
{
    std::uint64_t last = 0;
    g_pop.load(std::memory_order_relaxed)(cupti::kExternalKindCustom0, &last);
}

void DeviceTier::begin(trace::Writer& writer, const Options&)
{
    describe(writer);
    pass(writer, registry());
}

void DeviceTier::pass(trace::Writer& writer, Registry&)
{
    if (m_refused) {
        return;
    }
    const bool wanted = level() >= Level::Standard;
    if (wanted && !m_on) {
        turnOn(writer);
    } else if (!wanted && m_on) {
        turnOff(writer);
    }
    const std::int64_t now = readClockNs(CLOCK_MONOTONIC);
    constexpr std::int64_t kFlushEveryNs = 1'000'000'000;
    if (m_on && now - m_lastFlushNs >= kFlushEveryNs) {
        m_lastFlushNs = now;
        flush(0);
        countDropped(writer);
    }
    readBuffers();
}

// Not before the window opens: most of what CUPTI does to a process begins with loading it.
bool DeviceTier::load(trace::Writer& writer)
{
    if (!m_loaded) {
        m_loaded = m_cupti.load();
        if (m_loaded) {
            m_reader.emplace(m_cupti, writer);
        } else {
            refuse(writer, m_cupti.reason());
        }
    }
    return m_loaded;
}

void DeviceTier::turnOn(trace::Writer& writer)
{
    if (!load(writer)) {
        return;
    }
    if (const cupti::Result result = m_cupti.subscribe(&m_subscriber, &ignoreCallback, nullptr);
        result != cupti::kSuccess) {
        refuse(writer, cuptiFailure(result));
        return;
    }
    cupti::Result result = m_cupti.registerCallbacks(&bufferRequested, &bufferCompleted);
    for (const cupti::Kind kind : kKinds) {
        result = result == cupti::kSuccess ? m_cupti.enable(kind) : result;
    }
    if (result != cupti::kSuccess) {
        disableKinds();
        m_cupti.unsubscribe(m_subscriber);
        refuse(writer, cuptiFailure(result));
        return;
    }
    sampleClock();
    m_on = true;
    m_window = inWords(plan(), appliedLevel().reason);
    ++m_windows;
    m_onNs = readClockNs(CLOCK_MONOTONIC);
    m_offNs.reset();
    m_lastFlushNs = readClockNs(CLOCK_MONOTONIC);
    g_push.store(m_cupti.pushExternal);
    g_pop.store(m_cupti.popExternal);
    g_deviceTierOn.store(true, std::memory_order_release);
    describe(writer);
}

void DeviceTier::turnOff(trace::Writer& writer)
{
    g_deviceTierOn.store(false, std::memory_order_release);
    disableKinds();
    m_offNs = readClockNs(CLOCK_MONOTONIC);
    flush(cupti::kFlushForced);
    readBuffers();
    countDropped(writer);
    m_cupti.unsubscribe(m_subscriber);
    m_on = false;
    describe(writer);
}

void DeviceTier::disableKinds()
{
    for (const cupti::Kind kind : kKinds) {
        m_cupti.disable(kind);
    }
}

void DeviceTier::abandon()
{
    g_deviceTierOn.store(false, std::memory_order_release);
    if (m_on) {
        disableKinds();
        m_cupti.unsubscribe(m_subscriber);
        m_on = false;
    }
}

void DeviceTier::end(trace::Writer& writer, Registry&)
{
    if (m_on) {
        turnOff(writer);
    }
    if (m_reader.has_value()) {
        m_reader->reportIssues();
    }
}

void DeviceTier::refuse(trace::Writer& writer, const char* reason)
{
    m_refused = true;
    writer.setTier({"device", m_onNs.has_value(), reason, m_onNs, readClockNs(CLOCK_MONOTONIC)});
    say(Talk::Always, "what runs on the GPU is not measured: %s", reason);
}

// The row holds the last window; all of them, between which nothing was measured, stand in table window.
void DeviceTier::describe(trace::Writer& writer) const
{
    std::string reason = m_windows > 0 ? m_window : whenDevice(plan());
    if (m_windows > 1) {
        reason += "; the last of " + std::to_string(m_windows) + " windows";
    }
    writer.setTier({"device", m_onNs.has_value(), reason, m_onNs, m_offNs});
}

void DeviceTier::flush(std::uint32_t flag)
{
    sampleClock();
    m_cupti.flushAll(flag);
}

void DeviceTier::readBuffers()
{
    for (const BufferPool::Finished& buffer : pool().takeFinished()) {
        m_reader->read(buffer.data, buffer.validBytes);
        pool().giveBack(buffer.data);
    }
}

void DeviceTier::sampleClock()
{
    const std::int64_t before = readClockNs(CLOCK_MONOTONIC);
    std::uint64_t device = 0;
    if (m_cupti.timestamp(&device) != cupti::kSuccess) {
        return;
    }
    const std::int64_t after = readClockNs(CLOCK_MONOTONIC);
    const std::int64_t realtime = readClockNs(CLOCK_REALTIME);
    m_reader->addClock({static_cast<std::int64_t>(device), before + (after - before) / 2, realtime});
}

void DeviceTier::countDropped(trace::Writer& writer)
{
    std::size_t dropped = 0;
    if (m_cupti.droppedRecords(nullptr, 0, &dropped) == cupti::kSuccess) {
        m_dropped += static_cast<std::int64_t>(dropped);
    }
    if (m_dropped != 0) {
        writer.setDropped({"device records", 0, m_dropped});
    }
    if (pool().lostBuffers() != 0) {
        writer.setDropped({"device buffers", 0, static_cast<std::int64_t>(pool().lostBuffers())});
    }
}

} // namespace ringside::collector
