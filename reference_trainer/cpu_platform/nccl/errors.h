// SPDX-License-Identifier: Apache-2.0
// How the emulated NCCL fails: inside it by exception, at its C boundary by result code and last-error text.
// Nothing may leave a public function as an exception.
#pragma once
#include <nccl.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace ringside::nccl {

/// A failed call: the code the caller gets, and the sentence that the log and ncclGetLastError give.
class Failure final : public std::runtime_error {
public:
    Failure(ncclResult_t code, const std::string& message, const char* file = __builtin_FILE(),
            int line = __builtin_LINE())
        : std::runtime_error(message), m_code(code), m_file(file), m_line(line)
    {}
    /// The same failure once more, for the result of a later call: the log has told of it.
    [[nodiscard]] static Failure again(ncclResult_t code, const std::string& message)
    {
        Failure failure(code, message);
        failure.m_told = true;
        return failure;
    }
    [[nodiscard]] ncclResult_t code() const { return m_code; }
    [[nodiscard]] bool told() const { return m_told; }
    /// Where it arose: the compiler's path.
    [[nodiscard]] const char* file() const { return m_file; }
    [[nodiscard]] int line() const { return m_line; }

private:
    ncclResult_t m_code;
    const char* m_file;
    int m_line;
    bool m_told = false;
};

/// Remembers `message` for ncclGetLastError.
void setLastError(const std::string& message);
/// The last message of any thread; the pointer is valid until the calling thread asks again.
const char* lastError();
/// One line on stderr, prefixed as ours.
void warn(const std::string& message);
/// Refuses a call that is not implemented: ncclInvalidUsage, one line on stderr the first time for each name.
ncclResult_t refuse(const char* functionName);
/// Turns the exception in flight into its result code, and into a warning in the log unless that has told.
ncclResult_t resultOfCurrentException() noexcept;

/// Runs the body of a public function, which may return a result that is no error (ncclInProgress).
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

/// Throws ncclUnhandledCudaError, naming the function, unless `error` is cudaSuccess.
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
