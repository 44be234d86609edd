// SPDX-License-Identifier: Apache-2.0
// The lines that NCCL_DEBUG asks for, in NCCL 2.28's form, so that what reads NCCL's logs reads these. Lines
// that say which implementation speaks say "emulated". Costs two loads where nothing is asked for.
#pragma once
#include "debug_settings.h"

namespace ringside::nccl {

/// Writes one line, cut at 1 KiB, when the settings want it. A warning also becomes the last error. The
/// arguments are those of ncclDebugLogger_t: plugins get this function. `file` and `line` say where a warning
/// arose. Any thread.
void debugLog(LogLevel level, unsigned long subsystems, const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 5, 6)));
/// Whether such a line would be written: worth asking before costly arguments.
[[nodiscard]] bool debugLogs(LogLevel level, unsigned long subsystems);
/// Reads the environment again before the next line (ncclResetDebugInit).
void resetDebugLog();

} // namespace ringside::nccl

/// Information about `subsystems`, printf-style.
#define RINGSIDE_NCCL_INFO(subsystems, ...)                                                                  \
    do {                                                                                                     \
        if (::ringside::nccl::debugLogs(::ringside::nccl::LogLevel::Info, subsystems))                       \
            ::ringside::nccl::debugLog(::ringside::nccl::LogLevel::Info, subsystems, __func__, __LINE__,     \
                                       __VA_ARGS__);                                                         \
    } while (false)
