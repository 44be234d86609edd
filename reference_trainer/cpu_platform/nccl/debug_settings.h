// SPDX-License-Identifier: Apache-2.0
// Settings of NCCL_DEBUG and related variables, with the grammar of NCCL 2.28 (user guide, environment
// variables). This file only reads the environment; debug_log.h writes.
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
    /// bit n: lines of level n have a time stamp
    std::uint32_t stampedLevels = 1U << static_cast<unsigned>(LogLevel::Warn);
    std::string stampFormat = "[%F %T] "; ///< format of strftime, with %1f to %9f for parts of the second
    std::string file;                     ///< empty: standard output
    bool informAfterWarning = false;      ///< the first warning raises the level to Info
};

/// Reads NCCL_DEBUG, NCCL_DEBUG_SUBSYS, NCCL_DEBUG_FILE, NCCL_DEBUG_TIMESTAMP_LEVELS,
/// NCCL_DEBUG_TIMESTAMP_FORMAT and NCCL_WARN_ENABLE_DEBUG_INFO. Unknown words are ignored, as in NCCL.
[[nodiscard]] DebugSettings readDebugSettings();
/// Parses NCCL_DEBUG_SUBSYS: a comma-separated list; a leading "^" means all but these.
[[nodiscard]] unsigned long parseSubsystems(std::string_view text);
/// Expands NCCL_DEBUG_FILE: %h is the host's short name, %p the process id, %% a percent sign.
[[nodiscard]] std::string expandDebugFile(std::string_view pattern);
/// Returns the time in `format`; empty for an empty format.
[[nodiscard]] std::string formatStamp(const std::string& format, const std::timespec& time);
/// Returns the host's name up to its first dot, "unknown" if it has none.
[[nodiscard]] std::string shortHostName();

} // namespace ringside::nccl
