// SPDX-License-Identifier: Apache-2.0
// The time stamps of logs: those of the kernel, and those that programs write.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::values {

struct LogTime {
    std::optional<std::int64_t> realtimeNs; ///< since 1970
    std::optional<std::int64_t> bootNs;     ///< by printk's clock, which drifts against all others
    std::string_view host;                  ///< empty: not written
    std::string_view message;               ///< the rest of the line
};

/// Reads the beginning of a line:
///   [  123.456789] MESSAGE                              dmesg
///   [Tue Nov 24 19:07:07 2026] MESSAGE                  dmesg -T, in the time zone of this machine
///   [2026-11-24 19:07:07] MESSAGE                       NCCL from 2.26 on, likewise
///   2026-11-24T19:07:07,123456+00:00 MESSAGE            dmesg --time-format iso
///   2026-11-24T19:07:07.123456+0000 HOST kernel: MESSAGE journalctl -k -o short-iso-precise
///   [  123.456789] HOST kernel: MESSAGE                 journalctl -k -o short-monotonic
///   Nov 24 19:07:07 HOST kernel: MESSAGE                journalctl -k, syslog: in the year before
///   `writtenNs`
/// Null for any other line.
[[nodiscard]] std::optional<LogTime> logTimeOf(std::string_view line, std::int64_t writtenNs);

struct Stamp {
    std::int64_t realtimeNs = 0;   ///< since 1970: the earliest moment that the text may mean
    std::int64_t resolutionNs = 0; ///< the unit of its last digit
};

/// Finds the date and clock that a logger wrote near the beginning of a line:
///   2026-11-28 10:04:12,350 (also with 'T' or '_' between, and with a zone behind), [E1128 10:04:12.204117
///   of glog, Nov 28 10:04:12, Sat Nov 28 10:04:12 2026
/// A text without a zone is of this machine's, one without a year of the last year that does not lie after
/// `writtenNs`. Null if there is none.
[[nodiscard]] std::optional<Stamp> stampIn(std::string_view line, std::int64_t writtenNs);

} // namespace ringside::values
