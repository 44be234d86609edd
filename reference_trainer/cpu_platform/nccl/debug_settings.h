// SPDX-License-Identifier: Apache-2.0
// What NCCL_DEBUG and its companions ask for, read with the grammar of NCCL 2.28 (user guide, environment
// variables). Only reads the environment; debug_log.h writes.
#pragma once
#include <cstdint>
#include <ctime>
#include <string>
#include <string_view>

namespace ringside::nccl {

/// Values as in ncclDebugLogLevel, which plugins pass.
enum class LogLevel : int { None = 0, Version = 1, Warn = 2, Info = 3, Abort = 4, Trace = 5 };

/// Bits as in ncclDebugLogSubSys, which plugins pass.
enum Subsystem : unsigned long {
    kLogInit = 0x1,
    kLogColl = 0x2,
    kLogNet = 0x10,
    kLogEnv = 0x80,
    kLogCall = 0x200,
    kLogBootstrap = 0x1000,
    kLogAll = ~0UL
};

struct DebugSettings {
    LogLevel level = LogLevel::None;
    unsigned long subsystems = kLogInit | kLogBootstrap | kLogEnv;
    std::uint32_t stampedLevels = 1U << static_cast<unsigned>(LogLevel::Warn); ///< bit n: level n has a time
    std::string stampFormat = "[%F %T] "; ///< strftime's, and %1f to %9f for parts of the second
    std::string file;                     ///< empty: standard output
    bool informAfterWarning = false;      ///< the first warning raises the level to Info
};

/// Reads NCCL_DEBUG, NCCL_DEBUG_SUBSYS, NCCL_DEBUG_FILE, NCCL_DEBUG_TIMESTAMP_LEVELS,
/// NCCL_DEBUG_TIMESTAMP_FORMAT and NCCL_WARN_ENABLE_DEBUG_INFO. Unknown words are ignored, as there.
[[nodiscard]] DebugSettings readDebugSettings();
/// NCCL_DEBUG_SUBSYS: a comma list; "^" in front means everything but these.
[[nodiscard]] unsigned long parseSubsystems(std::string_view text);
/// NCCL_DEBUG_FILE: %h is the host's short name, %p the process, %% a percent sign.
[[nodiscard]] std::string expandDebugFile(std::string_view pattern);
/// The time as `format` wants it; empty for an empty format.
[[nodiscard]] std::string formatStamp(const std::string& format, const std::timespec& time);
/// The host's name up to its first dot, "unknown" where it has none.
[[nodiscard]] std::string shortHostName();

} // namespace ringside::nccl
