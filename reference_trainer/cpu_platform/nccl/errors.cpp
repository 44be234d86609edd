// SPDX-License-Identifier: Apache-2.0
#include "errors.h"

#include "debug_log.h"

#include <unistd.h>

#include <mutex>
#include <set>
#include <string_view>

namespace ringside::nccl {
namespace {

/// Never destroyed: threads may still report errors while the process exits.
struct LastError {
    std::mutex mutex;
    std::string message;
    std::set<std::string> refused;
};

LastError& theLastError()
{
    static auto* const instance = new LastError;
    return *instance;
}

/// Removes the folders of the build machine from the path.
void warnAt(std::string_view path, int line, const char* message)
{
    const std::string file(path.substr(path.rfind('/') + 1));
    debugLog(LogLevel::Warn, kLogAll, file.c_str(), line, "%s", message);
}

} // namespace

void setLastError(const std::string& message)
{
    const std::lock_guard lock(theLastError().mutex);
    theLastError().message = message;
}

const char* lastError()
{
    thread_local std::string copy;
    const std::lock_guard lock(theLastError().mutex);
    copy = theLastError().message;
    // Valid until this thread's next call, as ncclGetLastError promises. NOLINTNEXTLINE(*InnerPointer)
    return copy.c_str();
}

void warn(const std::string& message)
{
    const std::string line =
        "ringside emulated NCCL [pid " + std::to_string(::getpid()) + "]: " + message + "\n";
    // One write, so that lines of several ranks do not mix; it is lost if stderr is closed.
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

ncclResult_t refuse(const char* functionName)
{
    const std::string message =
        std::string(functionName) + " is not implemented by the emulated NCCL of the CPU platform";
    setLastError(message);
    bool first = false;
    {
        const std::lock_guard lock(theLastError().mutex);
        first = theLastError().refused.insert(functionName).second;
    }
    if (first)
        warn(message + "; it returns ncclInvalidUsage");
    return ncclInvalidUsage;
}

ncclResult_t resultOfCurrentException() noexcept
{
    try {
        throw;
    } catch (const Failure& failure) {
        failure.told() ? setLastError(failure.what())
                       : warnAt(failure.file(), failure.line(), failure.what());
        return failure.code();
    } catch (const std::exception& error) {
        warnAt(__FILE__, __LINE__, error.what());
        return ncclSystemError;
    } catch (...) {
        warnAt(__FILE__, __LINE__, "unknown exception");
        return ncclInternalError;
    }
}

} // namespace ringside::nccl
