// SPDX-License-Identifier: Apache-2.0
// What NCCL prints of its network while a job runs (NCCL_DEBUG=WARN is enough for most of it): ports that it
// gave up, transfers that failed, and events of a port. The messages are those of NCCL 2.18 to 2.30
// (transport/net_ib: common.cc, p2p.cc, p2p_resiliency.cc). NCCL 2.26 and later stamp warnings with the time.
#include "tool_output/event_pattern.h"
#include "tool_output/reader.h"
#include "tool_output/text.h"
#include "values/log_time.h"

#include <array>

namespace ringside::tool_output::reader_nccl_log {
namespace {

using trace::KernelEvent;

constexpr std::array<EventPattern, 9> kPatterns{{
    {"NET/IB: Device ", " marked as failed", KernelEvent::NetFailover},
    {"NET/IB: The error is fatal", "", KernelEvent::NetFatal},
    {"NET/IB", "async fatal event", KernelEvent::NetFatal},
    {"Got completion from peer", "status=", KernelEvent::NetCompletion},
    {"NET/IB", "async event: port error", KernelEvent::NetPortDown},
    {"NET/IB", "async event : port error", KernelEvent::NetPortDown},
    {"NET/IB", "async event: port active", KernelEvent::NetPortUp},
    {"NET/IB", "async event : port active", KernelEvent::NetPortUp},
    {"NET/IB", "speed change detected", KernelEvent::NetSpeed},
}};

/// A line "[2026-11-24 19:07:07] gpu7:311:350 [0] net_ib.cc:57 NCCL WARN TEXT".
struct Line {
    std::optional<std::int64_t> realtimeNs;
    std::string_view host;
    std::string_view process; ///< "gpu7:311"
    std::string_view text;
};

std::optional<Line> lineOf(std::string_view line, std::int64_t writtenNs)
{
    for (const std::string_view mark : {" NCCL WARN ", " NCCL INFO ", " NCCL ATTN "}) {
        auto [before, text] = partedBy(line, mark);
        if (text.empty()) {
            continue;
        }
        const std::size_t stamp = before.find("[2");
        const auto time = stamp == std::string_view::npos
                              ? std::nullopt
                              : values::logTimeOf(before.substr(stamp), writtenNs);
        for (std::string_view word = takeWord(before); !word.empty(); word = takeWord(before)) {
            const auto [host, rest] = partedBy(word, ":");
            const auto [pid, tid] = partedBy(rest, ":");
            if (!host.empty() && numberIn(pid) && numberIn(tid)) {
                return Line{time ? time->realtimeNs : std::nullopt, host,
                            word.substr(0, host.size() + 1 + pid.size()), text};
            }
        }
    }
    return std::nullopt;
}

/// Transfers that end because their connection ended before are a consequence (IBV_WC_WR_FLUSH_ERR, 5).
bool isFlushed(std::string_view text)
{
    return holds(text, "WR_FLUSH_ERR") || holds(text, "status=5 ");
}

/// Returns "mlx5_1:1" of "NET/IB : mlx5_1:1 ...", or "mlx5_1" of "... hca mlx5_1"; empty if none is named.
std::string portIn(std::string_view text)
{
    constexpr std::string_view kBefore = "NET/IB : ";
    std::string_view rest = partedBy(text, " hca ").second;
    if (rest.empty() && text.starts_with(kBefore)) {
        rest = text.substr(kBefore.size());
    }
    const std::string_view word = takeWord(rest);
    return holds(word, "%") ? std::string() : printable(word);
}

bool recognizes(std::string_view text)
{
    while (const auto line = takeLine(text)) {
        if (lineOf(*line, 0)) {
            return true;
        }
    }
    return false;
}

Reading read(const File& file)
{
    Reading reading;
    std::map<std::string, std::string, std::less<>> lastPorts; ///< by process: where its last transfer failed
    std::string_view text = file.text;
    while (const auto whole = takeLine(text)) {
        const auto line = lineOf(*whole, file.modifiedNs);
        const auto event = line ? eventOf(kPatterns, line->text) : std::nullopt;
        if (!event) {
            continue;
        }
        KernelMessage message{line->realtimeNs, {}, {}, portIn(line->text), *event, {}};
        std::string& last = lastPorts[std::string(line->process)];
        last = message.device.empty() ? last : message.device;
        if (*event == KernelEvent::NetCompletion && isFlushed(line->text)) {
            continue;
        }
        message.device = last;
        message.host = file.host.empty() ? printable(line->host) : file.host;
        message.text = printable(line->text);
        reading.messages.push_back(std::move(message));
    }
    return reading;
}

} // namespace

RINGSIDE_TOOL_OUTPUT(nccl_log, .command = "NCCL_DEBUG=WARN COMMAND 2> FILE", .recognizes = recognizes,
                     .read = read);

} // namespace ringside::tool_output::reader_nccl_log
