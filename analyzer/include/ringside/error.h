// SPDX-License-Identifier: Apache-2.0
// The only exception of the library. It means that a request cannot be carried out. Damaged data inside a
// trace is recorded as an Issue and never throws an Error.
#pragma once
#include <stdexcept>
#include <string>

namespace ringside {

enum class ErrorCode {
    Usage,    ///< the request names something that does not exist (exit code 2)
    Unusable, ///< the input cannot be read in its format (exit code 3)
    Newer,    ///< the trace was written by a newer version (exit code 3)
    Io,       ///< a system call failed (exit code 3)
};

/// `what()` is one sentence for the user. `hint` says what to do about it and may be empty.
class Error final : public std::runtime_error {
public:
    Error(ErrorCode errorCode, const std::string& message, std::string hintText = {})
        : std::runtime_error(message), code(errorCode), hint(std::move(hintText))
    {}
    ErrorCode code;
    std::string hint;
};

} // namespace ringside
