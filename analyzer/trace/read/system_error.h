// SPDX-License-Identifier: Apache-2.0
// Errors of the operating system, with what to do about them.
#pragma once
#include <ringside/error.h>

#include <string>

namespace ringside::trace {

/// Returns "WHAT: the system's words" with the usual advice for this value of errno, if there is one.
[[nodiscard]] Error systemError(const std::string& what, int number);

} // namespace ringside::trace
