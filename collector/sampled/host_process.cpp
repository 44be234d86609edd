// SPDX-License-Identifier: Apache-2.0
#include "sampled/host_process.h"

#include "host/proc_text.h"
#include "host/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ringside::collector::sampled {
namespace {

std::uint64_t nanoseconds(const timeval& time)
{
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 +
           static_cast<std::uint64_t>(time.tv_usec) * 1000;
}

std::uint64_t count(long value)
{
    return static_cast<std::uint64_t>(value);
}

} // namespace

std::optional<ThreadSchedule> parseSchedule(std::string_view text)
{
    const auto cpu = host::takeNumberWord(text);
    const auto delay = host::takeNumberWord(text);
    return cpu && delay ? std::optional(ThreadSchedule{*cpu, *delay}) : std::nullopt;
}

void HostProcess::open()
{
    m_stat.open("/proc/self/stat");
    m_schedules = access("/proc/self/schedstat", R_OK) == 0;
}

void HostProcess::read(Readings& readings, Pace)
{
    readings.beginMoment();
    readUsage(readings);
    readStat(readings);
    readings.beginMoment();
    readThreads(readings);
}

// Of all threads, ended ones too: /proc/PID/status and schedstat know the first thread only, and stat counts
// in hundredths of a second.
void HostProcess::readUsage(Readings& readings)
{
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) {
        const std::string reason = std::string("getrusage: ") + std::strerror(errno);
        for (Series* series :
             {&m_user, &m_system, &m_minorFaults, &m_majorFaults, &m_voluntary, &m_involuntary}) {
            readings.miss(*series, reason);
        }
        return;
    }
    readings.add(m_user, nanoseconds(usage.ru_utime));
    readings.add(m_system, nanoseconds(usage.ru_stime));
    readings.add(m_minorFaults, count(usage.ru_minflt));
    readings.add(m_majorFaults, count(usage.ru_majflt));
    readings.add(m_voluntary, count(usage.ru_nvcsw));
    readings.add(m_involuntary, count(usage.ru_nivcsw));
}

void HostProcess::readStat(Readings& readings)
{
    std::array<char, 1024> buffer; // NOLINT(*-member-init): read as far as it is filled
    const auto text = m_stat.read(buffer);
    const auto stat = text ? host::parseProcessStat(*text) : std::nullopt;
    static const auto pageBytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const auto bytes = stat ? host::times(stat->residentPages, pageBytes) : std::nullopt;
    if (!bytes) {
        readings.miss(m_resident, "/proc/self/stat cannot be read");
        readings.miss(m_threadCount, "/proc/self/stat cannot be read");
        return;
    }
    readings.add(m_resident, *bytes);
    readings.add(m_threadCount, stat->threads);
}

void HostProcess::readThreads(Readings& readings)
{
    if (!m_schedules) {
        const std::string reason = "this kernel has no /proc/self/schedstat";
        readings.miss(m_recordingCpu, reason);
        readings.miss(m_recordingDelay, reason);
        return;
    }
    addThreads(readings);
    ThreadSchedule sum = m_ended;
    std::erase_if(m_threads, [&](Thread& thread) {
        const bool ended = !readThread(thread);
        const ThreadSchedule own{thread.last.cpuNs - thread.first.cpuNs,
                                 thread.last.runDelayNs - thread.first.runDelayNs};
        sum.cpuNs += own.cpuNs;
        sum.runDelayNs += own.runDelayNs;
        if (ended) {
            m_ended.cpuNs += own.cpuNs;
            m_ended.runDelayNs += own.runDelayNs;
        }
        return ended;
    });
    readings.add(m_recordingCpu, sum.cpuNs);
    readings.add(m_recordingDelay, sum.runDelayNs);
}

// A thread that has lived for hours before its first call brings nothing of them into the sums. Descriptors
// are the program's: no more than a few are taken, the first threads' (the main thread's among them).
void HostProcess::addThreads(Readings& readings)
{
    constexpr std::size_t kMostThreads = 16;
    for (const std::uint32_t tid : m_registry.takeNewThreads()) {
        Thread thread;
        if (m_threads.size() == kMostThreads) {
            readings.miss(m_recordingDelay,
                          "more than 16 threads record at a time: the later ones are not in it");
        } else if (thread.file.open("/proc/self/task/" + std::to_string(tid) + "/schedstat") &&
                   readThread(thread)) {
            thread.first = thread.last;
            m_threads.push_back(std::move(thread));
        }
    }
}

bool HostProcess::readThread(Thread& thread) const
{
    std::array<char, 128> buffer; // NOLINT(*-member-init): read as far as it is filled
    const auto text = thread.file.read(buffer);
    const auto schedule = text ? parseSchedule(*text) : std::nullopt;
    if (schedule) {
        thread.last = *schedule;
    }
    return schedule.has_value();
}

} // namespace ringside::collector::sampled
