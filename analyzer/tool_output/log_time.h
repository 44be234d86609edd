// SPDX-License-Identifier: Apache-2.0
// The time stamps in which dmesg, journalctl and syslog write the kernel's log.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::tool_output {

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

} // namespace ringside::tool_output
