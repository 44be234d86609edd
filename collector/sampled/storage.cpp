// SPDX-License-Identifier: Apache-2.0
#include "sampled/storage.h"

#include "host/storage_wait.h"
#include "record/own_thread.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

namespace ringside::collector::sampled {
namespace {

/// Of all threads: frameworks write checkpoints with threads that make no recorded call. The first that waits
/// is enough. Null: the kernel does not show it.
std::optional<bool> anyThreadWaits()
{
    constexpr int kMostThreads = 1024; // a few milliseconds
    std::optional<bool> any;
    const std::unique_ptr<DIR, int (*)(DIR*)> tasks(opendir("/proc/self/task"), &closedir);
    const dirent* entry = tasks != nullptr ? readdir(tasks.get()) : nullptr;
    for (int looked = 0; entry != nullptr && looked < kMostThreads; entry = readdir(tasks.get())) {
        const int tid = std::atoi(entry->d_name);
        if (tid <= 0 || isOwnThread(tid)) {
            continue;
        }
        ++looked;
        const auto waits = host::waitsForStorage("self/task/" + std::string(entry->d_name));
        if (waits == true) {
            return true;
        }
        any = any.has_value() ? any : waits;
    }
    return any;
}

} // namespace

void Storage::read(Readings& readings, Pace pace)
{
    if (pace == Pace::OnceASecond) {
        readings.beginMoment(); // one time for all of them: they are compared with each other
        readBytes(readings);
        readWait(readings);
    }
}

void Storage::readBytes(Readings& readings)
{
    std::array<char, 512> buffer; // NOLINT(*-member-init): read as far as it is filled
    const auto text = m_io.read(buffer);
    const auto bytes = text ? host::parseStorageBytes(*text) : std::nullopt;
    if (!bytes) {
        for (Series* series : {&m_fileRead, &m_fileWritten, &m_storageRead, &m_storageWritten}) {
            readings.miss(*series, "/proc/self/io cannot be read");
        }
        return;
    }
    readings.add(m_fileRead, bytes->fileRead);
    readings.add(m_fileWritten, bytes->fileWritten);
    readings.add(m_storageRead, bytes->storageRead);
    readings.add(m_storageWritten, bytes->storageWritten);
}

/// A job that goes on is not looked at: that costs some microseconds for each of its threads.
bool Storage::isQuiet(std::int64_t nowNs)
{
    constexpr std::int64_t kQuietNs = 2'000'000'000;
    const auto collectives = m_registry.collectivesIssued();
    if (collectives != m_collectives || m_lookedNs == 0) {
        m_collectives = collectives;
        m_quietSinceNs = nowNs;
    }
    return collectives.has_value() && nowNs - m_quietSinceNs >= kQuietNs;
}

void Storage::readWait(Readings& readings)
{
    constexpr std::int64_t kLongestNs = 2'000'000'000; // of time that one look stands for
    const std::int64_t nowNs = readClockNs(CLOCK_MONOTONIC);
    if (isQuiet(nowNs)) {
        const auto waits = anyThreadWaits();
        if (!waits) {
            readings.end(m_wait, "this kernel does not show in which calls threads are (/proc/PID/syscall)");
        }
        m_waitNs += waits == true ? std::min(nowNs - m_lookedNs, kLongestNs) : 0;
    }
    m_lookedNs = nowNs;
    if (!m_wait.ended) {
        readings.add(m_wait, m_waitNs);
    }
}

} // namespace ringside::collector::sampled
