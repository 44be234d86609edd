// SPDX-License-Identifier: Apache-2.0
// The lines requested by NCCL_DEBUG, in the format of NCCL 2.28, so that parsers of NCCL's logs can read
// them. Lines that name the implementation contain "emulated". Without a request, a call costs two loads.
#pragma once
#include "debug_settings.h"

namespace ringside::nccl {

/// Writes one line, cut at 1 KiB, if the settings request it. A warning also becomes the last error. The
/// signature is that of ncclDebugLogger_t, because plugins get this function. `file` and `line` name the
/// origin of a warning. May be called from any thread.
void debugLog(LogLevel level, unsigned long subsystems, const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 5, 6)));
/// Returns whether such a line would be written; check it before computing costly arguments.
[[nodiscard]] bool debugLogs(LogLevel level, unsigned long subsystems);
/// Makes the next line read the environment again (ncclResetDebugInit).
void resetDebugLog();

} // namespace ringside::nccl

/// Writes information about `subsystems`, printf-style.
#define RINGSIDE_NCCL_INFO(subsystems, ...)                                                                  \
    do {                                                                                                     \
        if (::ringside::nccl::debugLogs(::ringside::nccl::LogLevel::Info, subsystems))                       \
            ::ringside::nccl::debugLog(::ringside::nccl::LogLevel::Info, subsystems, __func__, __LINE__,     \
                                       __VA_ARGS__);                                                         \
    } while (false)
