// SPDX-License-Identifier: Apache-2.0
// Writes the report as text: the verdict first, then the collective, then the ranks that it waits for.
#include "values/text.h"

#include "hang/hang.h"
#include "hang/text_parts.h"
#include "hang/verdict_text.h"
#include "hang/wait_chain.h"
#include "hang/witness.h"
#include "trace/utf8.h"
#include "trace/vocabulary/datatype.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace ringside::hang {
namespace {

/// Names of ncclRedOp_t in the order of nccl.h (2.28).
constexpr std::array<std::string_view, 5> kReductions{"sum", "prod", "max", "min", "avg"};

template <std::size_t N>
std::string nameIn(const std::array<std::string_view, N>& names, std::int64_t value)
{
    return value >= 0 && value < static_cast<std::int64_t>(N)
               ? std::string(names[static_cast<std::size_t>(value)])
               : std::to_string(value);
}

/// Shorter times are not printed: the trace ends with the call, or holds no times.
constexpr std::int64_t kShortestNs = 1'000'000;

std::string describe(const Signature& call)
{
    std::string text = call.function;
    if (call.count) {
        text += fmt::format(", {} elements", *call.count);
    }
    if (call.datatype) {
        text += " of " + trace::datatypeName(*call.datatype);
    }
    if (call.bytes) {
        text += fmt::format(", {} bytes", *call.bytes);
    }
    if (call.reduction) {
        text += ", reduction " + nameIn(kReductions, *call.reduction);
    }
    const bool toPeer = call.function == "ncclSend" || call.function == "ncclRecv";
    return call.root ? text + fmt::format(", {} {}", toPeer ? "peer" : "root", *call.root) : text;
}

/// Returns for example " (process 42 on node1, running)", as far as it is known.
std::string processText(const RankReport& rank)
{
    std::string text = rank.pid != 0 ? fmt::format("process {}", rank.pid) : "";
    text += rank.host.empty() ? "" : fmt::format("{}on {}", text.empty() ? "" : " ", rank.host);
    if (rank.life != Life::NotKnown || !text.empty()) {
        text += fmt::format("{}{}{}", text.empty() ? "" : ", ", lifeName(rank.life),
                            rank.waitStatus ? " " + howEnded(*rank.waitStatus) : "");
    }
    return text.empty() ? "" : " (" + text + ")";
}

std::string threadName(const ThreadReport& thread)
{
    if (thread.tid == 0) { // from another tool, which does not name the calling thread
        return thread.name.empty() ? "its thread" : "its thread " + thread.name;
    }
    return thread.name.empty() ? fmt::format("thread {}", thread.tid)
                               : fmt::format("thread {} ({})", thread.tid, thread.name);
}

std::string activity(const RankReport& rank, const ThreadReport& thread)
{
    if (!thread.function.empty()) {
        return fmt::format("{} is in {} for {}", threadName(thread), thread.function, duration(thread.forNs));
    }
    const char* const state = rank.callsKnown ? "in no intercepted call" : "its present call is unknown";
    const std::string last =
        thread.forNs < kShortestNs
            ? fmt::format("its last call was {}", thread.lastCall)
            : fmt::format("its last call, {}, returned {} before", thread.lastCall, duration(thread.forNs));
    return fmt::format("{}: {}; {}", threadName(thread), state, last);
}

/// Returns for example "ncclAllReduce #4 (8.0 s before), cudaMalloc (9.1 s before)".
std::string lastCalls(const RankReport& rank)
{
    std::string text;
    for (const ReturnedCall& call : rank.lastCalls) {
        text += text.empty() ? "" : ", ";
        text += call.function + (call.sequence ? fmt::format(" #{}", *call.sequence) : "");
        text += call.beforeNs < kShortestNs ? "" : fmt::format(" ({} before)", duration(call.beforeNs));
    }
    return text;
}

void appendRank(std::string& text, const RankReport& rank)
{
    text += fmt::format("  rank {}{}{}\n", rank.rank, processText(rank),
                        rank.lastStep ? fmt::format(", finished step {}", *rank.lastStep) : "");
    constexpr std::size_t kThreads = 3;
    for (std::size_t i = 0; i < std::min(kThreads, rank.threads.size()); ++i) {
        text += "    " + activity(rank, rank.threads[i]) + "\n";
    }
    if (rank.threads.size() > kThreads) {
        text += fmt::format("    and {} more threads\n", rank.threads.size() - kThreads);
    }
    if (!rank.lastCalls.empty()) {
        text += "    that thread's last calls: " + lastCalls(rank) + "\n";
    }
    if (rank.cpuShare) {
        text += fmt::format("    its calling threads use {:.0f} % of a CPU, or wait for one\n",
                            *rank.cpuShare * 100);
    }
    if (rank.storage) {
        text += fmt::format("    it has {} for {}: {} a second\n",
                            rank.storage->use.moves    ? "moved data of files"
                            : rank.storage->use.passes ? "read or written files, pipes or sockets"
                                                       : "waited for storage",
                            duration(rank.storage->forNs), values::byteText(rank.storage->use.bytesPerS));
    }
    if (rank.openGroupCalls > 0) {
        text += fmt::format(
            "    {} call{} in a group that it has not closed (ncclGroupEnd): NCCL has not launched {}\n",
            rank.openGroupCalls, rank.openGroupCalls == 1 ? "" : "s",
            rank.openGroupCalls == 1 ? "it" : "them");
    }
    if (rank.hang) {
        text += "    it hangs: " + rank.hang->reason + "\n";
    }
    if (!rank.stack.empty()) {
        text += fmt::format("    stack of {}, innermost first:\n", rank.stackThread);
    }
    for (const std::string& line : rank.stack) {
        text += "      " + line + "\n";
    }
    for (const std::string& note : rank.stackNotes) {
        text += (rank.stack.empty() ? "    no stack: " : "    ") + note + "\n";
    }
}

std::string gpuLine(const StuckCollective& stuck)
{
    const bool known = std::any_of(stuck.finishedOnGpu.begin(), stuck.finishedOnGpu.end(),
                                   [](const auto& entry) { return entry.second.has_value(); });
    if (!known) {
        return "Progress on the GPUs is unknown: there are no device records of this communicator.";
    }
    std::string text =
        "Last of them that was recorded on the GPU (the device is recorded in a window of steps, which may "
        "have ended before, and a kernel when it ends):";
    for (const auto& [rank, order] : stuck.finishedOnGpu) {
        text += fmt::format(" rank {} {};", rank, order ? fmt::format("#{}", *order) : "none");
    }
    text.pop_back();
    return text;
}

/// Returns ranks that explain the verdict, or all ranks if none does.
std::vector<std::int64_t> ranksOfInterest(const Report& report)
{
    std::vector<std::int64_t> ranks;
    if (report.diedFirst) {
        ranks.push_back(*report.diedFirst);
    }
    if (!report.origins.empty()) {
        const Origin& first = report.origins.front();
        ranks.insert(ranks.end(), first.ranks.begin(), first.ranks.end());
    }
    return ranks;
}

/// Who waits for whom, where the summary does not name them all.
std::string chainText(const Report& report)
{
    std::string text;
    if (!report.origins.empty() && report.origins.front().chain.size() > 1) {
        for (const std::string& line : document::waitLines(*waitChainOf(report))) {
            text += "  " + line + "\n";
        }
    }
    return text.empty() ? text : "\nWho waits for whom:\n" + text;
}

} // namespace

std::string headingOf(const StuckCollective& stuck)
{
    if (stuck.setup && stuck.communicator == 0) {
        return fmt::format("a communicator of {} ranks: {}", stuck.size, stuck.call().function);
    }
    return fmt::format("{}{}communicator {:016x}{} ({} ranks): {}", stuck.pointToPoint ? "message " : "",
                       stuck.setup ? "" : fmt::format("#{} of ", stuck.order), stuck.communicator,
                       stuck.name.empty() ? "" : " '" + stuck.name + "'", stuck.size, describe(stuck.call()));
}

std::vector<std::string> linesOf(const StuckCollective& stuck)
{
    std::vector<std::string> lines;
    std::vector<std::int64_t> returned;
    std::vector<std::int64_t> inside;
    for (const Arrived& arrived : stuck.arrived) {
        (arrived.inCall ? inside : returned).push_back(arrived.rank);
    }
    if (!returned.empty()) {
        lines.push_back(fmt::format("issued (the host call returned; the GPU may not have come to it): {}",
                                    rankList(returned)));
    }
    if (!inside.empty()) {
        lines.push_back(fmt::format("still inside the host call: {}", rankList(inside)));
    }
    if (!stuck.missing.empty()) {
        lines.push_back(fmt::format("{}not issued: {}", stuck.pointToPoint ? "counterpart, " : "",
                                    rankList(stuck.missing)));
    }
    for (const Arrived& arrived : stuck.arrived) {
        if (std::find(stuck.different.begin(), stuck.different.end(), arrived.rank) !=
            stuck.different.end()) {
            lines.push_back(fmt::format("rank {} calls there: {}", arrived.rank, describe(arrived.call)));
        }
    }
    if (!stuck.lost.empty()) {
        lines.push_back("not known whether they issued their part: " + rankList(stuck.lost));
    }
    if (!stuck.queued.empty()) {
        lines.push_back(fmt::format("the GPU has not started it: {}", rankList(stuck.queued)));
    }
    if (stuck.notRecorded > 0) {
        lines.push_back(fmt::format("unknown: {} members have no trace, or an older one{}", stuck.notRecorded,
                                    stuck.unknown.empty() ? "" : " (" + rankList(stuck.unknown) + ")"));
    }
    if (stuck.ordersByPlace && !stuck.pointToPoint) {
        lines.emplace_back(
            "The number counts this communicator's collectives: send and receive share NCCL's numbering.");
    }
    if (!stuck.pointToPoint && !stuck.setup) {
        lines.push_back(gpuLine(stuck));
    }
    return lines;
}

std::vector<std::string> unreadNotes(const Report& report)
{
    using trace::Issue;
    constexpr std::array kUnread{Issue::HangNotCompared, Issue::UnreadableFile, Issue::TruncatedFile,
                                 Issue::TornMessage,     Issue::TornLine,       Issue::GroupsLost};
    constexpr std::size_t kMost = 16;
    std::vector<std::string> notes;
    for (const trace::IssueRow& issue : report.issues) {
        if (std::ranges::any_of(kUnread, [&](Issue each) { return issue.is(each); })) {
            notes.push_back(issue.message);
        }
    }
    if (notes.size() > kMost) {
        const std::size_t left = notes.size() - kMost + 1;
        notes.resize(kMost - 1);
        notes.push_back(fmt::format("{} more: --format json lists all", left));
    }
    return notes;
}

std::string confidenceText(const Report& report)
{
    std::string text = fmt::format("confidence: {}", confidenceName(report.confidence));
    for (std::size_t i = 0; i < report.reasons.size(); ++i) {
        text += (i == 0 ? ": " : "; ") + words::render(report.reasons[i], {});
    }
    return text;
}

std::string formatText(const Report& report)
{
    std::string text = words::render(report.summary, {}) + (report.emulated ? " (emulated GPUs)\n" : "\n");
    text += report.kind == Kind::Nothing ? "" : confidenceText(report) + "\n";
    text += chainText(report);
    for (const StuckCollective& stuck : report.collectives) {
        text += "\n" + headingOf(stuck) + "\n";
        for (const std::string& line : linesOf(stuck)) {
            text += "  " + line + "\n";
        }
    }
    for (const std::string& note : unreadNotes(report)) {
        text += "note: " + note + "\n";
    }
    text += witnessText(report);
    const std::vector<std::int64_t> wanted = ranksOfInterest(report);
    const auto isWanted = [&wanted](const RankReport& rank) {
        return std::find(wanted.begin(), wanted.end(), rank.rank) != wanted.end();
    };
    if (report.kind == Kind::Nothing) {
        return trace::shownText(text, ' ', "\n");
    }
    constexpr std::size_t kOthers = 8;
    std::size_t left = 0;
    std::string others;
    for (const RankReport& rank : report.ranks) {
        if (!isWanted(rank) && left++ < kOthers) {
            appendRank(others, rank);
        }
    }
    if (std::ranges::any_of(report.ranks, isWanted)) {
        text += report.kind == Kind::Died ? "\nThe first to end:\n" : "\nRanks that it waits for:\n";
    }
    for (const RankReport& rank : report.ranks) {
        if (isWanted(rank)) {
            appendRank(text, rank);
        }
    }
    if (!others.empty()) {
        text += (wanted.empty() ? "\nRanks:\n" : "\nOther ranks:\n") + others;
    }
    if (left > kOthers) {
        text += fmt::format("  and {} more ranks: --format json lists all\n", left - kOthers);
    }
    return trace::shownText(text, ' ', "\n"); // names in a trace may hold any character
}

} // namespace ringside::hang
