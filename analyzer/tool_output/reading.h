// SPDX-License-Identifier: Apache-2.0
// What one file says of ports, GPUs and the kernel: the neutral form that the readers in formats/ fill and
// make_run.h turns into a run. All of it comes from strangers' files: numbers are as large as they like, and
// texts are printable only after printable().
#pragma once
#include "trace/vocabulary/kernel_event.h"
#include "trace/vocabulary/port_fact.h"
#include "trace/vocabulary/series.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::tool_output {

/// One file as the user gave it.
struct File {
    std::string path;
    std::string text;
    std::int64_t modifiedNs = 0; ///< since 1970: when its tool is taken to have printed it
    std::string host;            ///< as the user named it; empty: the file, or nobody, tells it
    std::string port;            ///< likewise; else the file's name without its ending
};

/// A counter's total at that time.
struct CounterValue {
    trace::SeriesName series{};
    std::uint64_t raw = 0;
    unsigned saturatesBits = 0; ///< the counter sticks at this width; 0: it does not
    std::uint64_t unit = 1;     ///< what one count is worth
};

/// A port as a tool calls it. Tools call the same port by different names, so it has all that are known.
struct PortReading {
    std::string host;   ///< of an adapter; empty: not told
    std::string device; ///< "mlx5_0:1", or a network interface; empty: of a switch, or not told
    std::string node;   ///< what the fabric calls its device, such as "MF0;leaf01:MQM9700/U1"
    bool isSwitch = false;
    std::vector<std::string> guids; ///< of its node and of itself, "0x" and hexadecimal digits
    std::optional<std::uint64_t> lid;
    std::optional<std::uint64_t> number;
    std::string farEnd;       ///< the port at its other end, for people; empty: not told
    bool isUnplugged = false; ///< it is down and nothing is known at its other end

    trace::PortFacts facts;
    std::map<trace::SeriesName, std::int64_t> states;
    std::vector<CounterValue> counters;
    std::vector<std::string> damaged; ///< counters whose text is no count: "PortXmitWait says \"-5\""
};

/// A message of the kernel or of NCCL that says something of a link or a GPU. Both times are null where the
/// log has none.
struct KernelMessage {
    std::optional<std::int64_t> realtimeNs; ///< since 1970; null: the log only tells the time since boot
    std::optional<std::int64_t> bootNs;     ///< since boot, by the clock of printk
    std::string host;                       ///< empty: the log does not name it
    std::string device;                     ///< PCI address or interface
    trace::KernelEvent event = trace::KernelEvent::LinkDown;
    std::string text; ///< the line
};

struct Reading {
    std::vector<PortReading> ports;
    std::vector<KernelMessage> messages;
    std::map<std::string, std::string> topology; ///< how each GPU or adapter is connected
    bool holdsTotals = false;                    ///< its counters are totals of an unknown period
    std::vector<std::string> losses;             ///< what else was left out, as clauses
};

} // namespace ringside::tool_output
