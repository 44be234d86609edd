// SPDX-License-Identifier: Apache-2.0
// Errors of the emulated NCCL: exceptions inside, result codes and a last-error text at the C boundary. No
// exception may leave a public function.
#pragma once
#include <nccl.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ringside::nccl {

/// A failed call: the caller's result code, and the text for the log and ncclGetLastError.
class Failure final : public std::runtime_error {
public:
    Failure(ncclResult_t code, const std::string& message, const char* file = __builtin_FILE(),
            int line = __builtin_LINE())
        : std::runtime_error(message), m_code(code), m_file(file), m_line(line)
    {}
    /// Returns the same failure for the result of a later call; it has been logged already.
    [[nodiscard]] static Failure again(ncclResult_t code, const std::string& message)
    {
        Failure failure(code, message);
        failure.m_reported = true;
        return failure;
    }
    [[nodiscard]] ncclResult_t code() const { return m_code; }
    [[nodiscard]] bool told() const { return m_reported; }
    /// Returns the compiler's path of the source file in which it arose.
    [[nodiscard]] const char* file() const { return m_file; }
    [[nodiscard]] int line() const { return m_line; }

private:
    ncclResult_t m_code;
    const char* m_file;
    int m_line;
    bool m_reported = false;
};

/// Stores `message` for ncclGetLastError.
void setLastError(const std::string& message);
/// Returns the last message of any thread; the pointer is valid until the calling thread's next call.
const char* lastError();
/// Prints one prefixed line on stderr.
void warn(const std::string& message);
/// Refuses a call that is not implemented: returns ncclInvalidUsage, and prints one line on stderr the first
/// time for each name.
ncclResult_t refuse(const char* functionName);
/// Converts the present exception to its result code, and logs a warning unless it was logged before.
ncclResult_t resultOfCurrentException() noexcept;

/// Runs the body of a public function. The body may return a result that is no error (ncclInProgress).
template <class Body>
ncclResult_t guarded(Body&& body) noexcept
{
    try {
        if constexpr (std::is_void_v<decltype(body())>) {
            body();
            return ncclSuccess;
        } else {
            return body();
        }
    } catch (...) {
        return resultOfCurrentException();
    }
}

/// Throws ncclUnhandledCudaError with the function's name unless `error` is cudaSuccess.
inline void checkCuda(cudaError_t error, const char* function, const char* file = __builtin_FILE(),
                      int line = __builtin_LINE())
{
    if (error != cudaSuccess)
        throw Failure(ncclUnhandledCudaError, std::string(function) + ": CUDA error " + std::to_string(error),
                      file, line);
}

/// Throws ncclInvalidArgument with `message` unless `condition` holds.
inline void require(bool condition, const char* message, const char* file = __builtin_FILE(),
                    int line = __builtin_LINE())
{
    if (!condition)
        throw Failure(ncclInvalidArgument, message, file, line);
}

} // namespace ringside::nccl
