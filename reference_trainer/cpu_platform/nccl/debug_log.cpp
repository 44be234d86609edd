// SPDX-License-Identifier: Apache-2.0
#include "debug_log.h"

#include "errors.h"

#include <cuda_runtime_api.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <mutex>

namespace ringside::nccl {
namespace {

constexpr int kUnread = -1; ///< instead of a level: the environment has not been read yet

/// Never destroyed: threads may still write while the process exits.
struct Log {
    std::atomic<int> level = kUnread;
    std::atomic<unsigned long> subsystems = 0;
    std::mutex mutex; ///< guards all members below, and the output
    DebugSettings settings;
    std::FILE* file = stdout;
    std::string place; ///< host and process
    std::chrono::steady_clock::time_point start;
};

Log& theLog()
{
    static auto* const instance = new Log;
    return *instance;
}

/// The mutex must be held.
void readEnvironment(Log& log)
{
    if (log.file != stdout)
        std::fclose(log.file);
    log.file = stdout;
    log.settings = readDebugSettings();
    log.place = shortHostName() + ":" + std::to_string(::getpid()) + ":";
    log.start = std::chrono::steady_clock::now();
    if (!log.settings.file.empty()) {
        // As the real library does, a file that cannot be opened means standard output.
        if (std::FILE* file = std::fopen(log.settings.file.c_str(), "we")) {
            ::setlinebuf(file);
            log.file = file;
        }
    }
    log.subsystems = log.settings.subsystems;
    log.level.store(static_cast<int>(log.settings.level), std::memory_order_release);
}

/// A line under construction. Text that does not fit is cut off.
class Line final {
public:
    void append(const char* format, ...) __attribute__((format(printf, 2, 3)))
    {
        std::va_list arguments;
        va_start(arguments, format);
        appendList(format, arguments);
        va_end(arguments);
    }
    void appendList(const char* format, std::va_list arguments) __attribute__((format(printf, 2, 0)))
    {
        const int length = std::vsnprintf(&m_text[m_length], kRoom - m_length, format, arguments);
        m_length = std::min(m_length + static_cast<std::size_t>(std::max(length, 0)), kRoom - 1);
    }
    void write(std::FILE* file)
    {
        m_text[m_length] = '\n';
        std::fwrite(m_text.data(), 1, m_length + 1, file);
    }

private:
    static constexpr std::size_t kRoom = 1024; ///< size of the real library's buffer
    std::array<char, kRoom> m_text{};
    std::size_t m_length = 0;
};

void appendStamp(Line& line, const DebugSettings& settings, LogLevel level)
{
    if ((settings.stampedLevels >> static_cast<unsigned>(level) & 1U) == 0)
        return;
    std::timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    line.append("%s", formatStamp(settings.stampFormat, now).c_str());
}

int currentDevice()
{
    int device = 0;
    (void)cudaGetDevice(&device);
    return device;
}

/// Appends the text before the message. A warning begins with an empty line; a version has no prefix.
void appendPrefix(Line& line, const Log& log, LogLevel level, unsigned long subsystems, const char* file,
                  int number)
{
    if (level == LogLevel::Warn)
        line.append("\n");
    appendStamp(line, log.settings, level);
    if (level == LogLevel::Version)
        return;
    line.append("%s%ld ", log.place.c_str(), ::syscall(SYS_gettid));
    if (level == LogLevel::Warn) {
        line.append("[%d] %s:%d NCCL WARN ", currentDevice(), file, number);
    } else if (level == LogLevel::Info) {
        line.append("[%d] NCCL INFO ", currentDevice());
    } else if (level == LogLevel::Trace && subsystems == kLogCall) {
        line.append("NCCL CALL ");
    } else if (level == LogLevel::Trace) {
        const std::chrono::duration<double, std::milli> age = std::chrono::steady_clock::now() - log.start;
        line.append("[%d] %f %s:%d NCCL TRACE ", currentDevice(), age.count(), file, number);
    }
}

void rememberError(const char* format, std::va_list arguments)
{
    std::array<char, 1024> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    setLastError(text.data());
}

} // namespace

bool debugLogs(LogLevel level, unsigned long subsystems)
{
    Log& log = theLog();
    int wanted = log.level.load(std::memory_order_acquire);
    if (wanted == kUnread) {
        const std::lock_guard lock(log.mutex);
        if (log.level == kUnread)
            readEnvironment(log);
        wanted = log.level;
    }
    return wanted >= static_cast<int>(level) && (subsystems & log.subsystems) != 0;
}

void debugLog(LogLevel level, unsigned long subsystems, const char* file, int line, const char* format, ...)
{
    std::va_list arguments;
    if (level == LogLevel::Warn) {
        va_start(arguments, format);
        rememberError(format, arguments);
        va_end(arguments);
    }
    if (!debugLogs(level, subsystems))
        return;
    Log& log = theLog();
    const std::lock_guard lock(log.mutex);
    Line text;
    appendPrefix(text, log, level, subsystems, file, line);
    va_start(arguments, format);
    text.appendList(format, arguments);
    va_end(arguments);
    text.write(log.file);
    if (level == LogLevel::Warn && log.settings.informAfterWarning)
        log.level = static_cast<int>(LogLevel::Info);
}

void resetDebugLog()
{
    const std::lock_guard lock(theLog().mutex);
    theLog().level = kUnread;
}

} // namespace ringside::nccl
