// SPDX-License-Identifier: Apache-2.0
#include "attach/stuck.h"

#include "hang/ras_witness.h"
#include "values/number_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

namespace ringside::attach {
namespace {

using trace::StackRow;

/// The lines of the main thread, innermost first.
std::vector<std::string> linesOf(const std::vector<StackRow>& rows, const trace::StackSource& source,
                                 std::int64_t mainThread)
{
    std::vector<std::string> lines;
    for (const StackRow& row : rows) {
        const bool isMain = row.tid == mainThread ||
                            (source == "python" && row.thread.find("\"MainThread\"") != std::string::npos);
        if (row.source == source && isMain) {
            lines.push_back(row.text);
        }
    }
    return lines;
}

/// "ncclAllReduce+0x1c (libnccl.so.2)" becomes "ncclAllReduce (libnccl.so.2)": the same call loops inside.
std::string withoutOffset(const std::string& frame)
{
    const std::size_t file = frame.rfind(" (");
    const std::size_t offset = frame.rfind("+0x", file);
    return offset == std::string::npos
               ? frame
               : frame.substr(0, offset) + (file == std::string::npos ? "" : frame.substr(file));
}

/// Waiting itself, whatever is waited for, and frames without a name.
bool isOfTheSystem(std::string_view frame)
{
    constexpr std::array<std::string_view, 6> kFiles{"(libc.so", "(libpthread", "(ld-linux",
                                                     "([vdso])", "(libstdc++",  "(linux-vdso"};
    return frame.starts_with("0x") || std::ranges::any_of(kFiles, [&](std::string_view file) {
               return frame.find(file) != std::string_view::npos;
           });
}

std::string placeOf(const std::vector<StackRow>& rows, std::int64_t mainThread)
{
    if (const auto python = linesOf(rows, "python", mainThread); !python.empty()) {
        return python.front();
    }
    const auto native = linesOf(rows, "native", mainThread);
    const auto known = std::ranges::find_if_not(native, isOfTheSystem);
    return known != native.end() ? withoutOffset(*known)
           : native.empty()      ? ""
                                 : withoutOffset(native.front());
}

/// Threads of NCCL's proxy stand in its functions all the time; these are of calls.
bool isOfCall(std::string_view frame)
{
    constexpr std::array<std::string_view, 10> kCalls{
        "ncclAll",  "ncclReduce", "ncclBroadcast", "ncclBcast", "ncclSend",
        "ncclRecv", "ncclGather", "ncclScatter",   "ncclGroup", "ncclComm"};
    return std::ranges::any_of(kCalls, [&](std::string_view call) { return frame.starts_with(call); });
}

/// The outermost function: inside of it, NCCL's own functions call each other.
std::string ncclCallIn(const std::vector<StackRow>& rows)
{
    std::string call;
    std::int64_t thread = 0;
    for (const StackRow& row : rows) {
        std::string_view name = row.text;
        name.remove_prefix(name.starts_with("pnccl") ? 1 : 0);
        if (row.source == "native" && isOfCall(name) && (call.empty() || row.tid == thread)) {
            call = name.substr(0, name.find_first_of("+( "));
            thread = row.tid;
        }
    }
    return call;
}

using Indices = std::vector<std::size_t>;

/// "rank 2", "ranks 0 and 1", "process 4711", "processes 17 and 19".
std::string namesOf(const StuckReport& report, const Indices& indices)
{
    std::vector<std::int64_t> ranks;
    std::string processes;
    for (const std::size_t index : indices) {
        const JobProcess& process = report.processes[index].process;
        if (process.rank) {
            ranks.push_back(*process.rank);
        }
        processes += fmt::format("{}{}", processes.empty() ? "" : ", ", process.pid);
    }
    return ranks.size() == indices.size()
               ? values::rankList(std::move(ranks))
               : fmt::format("process{} {}", indices.size() == 1 ? "" : "es", processes);
}

template <class Holds>
Indices where(const StuckReport& report, const Holds& holds)
{
    Indices indices;
    for (std::size_t i = 0; i < report.processes.size(); ++i) {
        if (holds(report.processes[i].standing)) {
            indices.push_back(i);
        }
    }
    return indices;
}

/// The place at which most of `known` processes stand; empty if there is none, or if it is not more than
/// half.
std::string commonPlace(const StuckReport& report, std::size_t known)
{
    std::map<std::string, std::size_t> counts;
    for (const ProcessReport& process : report.processes) {
        counts[process.standing.stood ? process.standing.place : ""] += 1;
    }
    counts.erase("");
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most != counts.end() && 2 * most->second > known ? most->first : "";
}

std::string placesOf(const StuckReport& report, const Indices& indices)
{
    std::string text;
    for (const std::size_t index : indices) {
        const Standing& standing = report.processes[index].standing;
        text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", namesOf(report, {index}),
                            standing.stood ? "stands in" : "is in",
                            standing.place.empty() ? "a place that is not known" : standing.place);
    }
    return text;
}

/// Of two ranks, or where places differ: who is in a call of NCCL waits for those who are not.
std::string summaryByCalls(StuckReport& report)
{
    const Indices inCall =
        where(report, [](const Standing& standing) { return standing.stood && !standing.ncclCall.empty(); });
    report.lookFirst = where(report, [](const Standing& standing) {
        return standing.ncclCall.empty() && !standing.place.empty();
    });
    const auto isInCall = [&](std::size_t i) { return std::ranges::find(inCall, i) != inCall.end(); };
    if (inCall.empty() || report.lookFirst.empty() || std::ranges::any_of(report.lookFirst, isInCall)) {
        report.lookFirst.clear();
        return {};
    }
    return fmt::format("{} stand{} in {}, and {} not in a call of NCCL: {}. Look there first.",
                       namesOf(report, inCall), inCall.size() == 1 ? "s" : "",
                       report.processes[inCall.front()].standing.ncclCall,
                       namesOf(report, report.lookFirst) + (report.lookFirst.size() == 1 ? " is" : " are"),
                       placesOf(report, report.lookFirst));
}

std::string summaryByPlace(StuckReport& report, const std::string& place)
{
    report.lookFirst = where(
        report, [&](const Standing& standing) { return !standing.place.empty() && standing.place != place; });
    const std::size_t there =
        where(report, [&](const Standing& standing) { return standing.place == place; }).size();
    if (report.lookFirst.empty()) {
        return fmt::format(
            "{} processes stand in {}. Their stacks do not say which of them the others wait "
            "for, if any: look at the other hosts in the same way, and at what they wait for there, "
            "such as storage, a GPU or the network.",
            there == report.processes.size() ? fmt::format("All {}", there)
                                             : fmt::format("{} of {}", there, report.processes.size()),
            place);
    }
    return fmt::format(
        "{} of {} processes stand in {}, but {}. Look there first: the others may wait for it.", there,
        report.processes.size(), place, placesOf(report, report.lookFirst));
}

std::string summaryOfStopped(StuckReport& report)
{
    for (std::size_t i = 0; i < report.processes.size(); ++i) {
        if (isStopped(report.processes[i].process)) {
            report.lookFirst.push_back(i);
        }
    }
    if (report.lookFirst.empty()) {
        return {};
    }
    std::string pids;
    for (const std::size_t index : report.lookFirst) {
        pids += fmt::format(" {}", report.processes[index].process.pid);
    }
    const bool one = report.lookFirst.size() == 1;
    return fmt::format("{} {} stopped by a signal or a debugger. Nothing of {} runs until `kill -CONT{}`.",
                       namesOf(report, report.lookFirst), one ? "is" : "are", one ? "it" : "them", pids);
}

/// Of the processes whose stacks are known; empty if there is none.
std::string summaryOfKnown(StuckReport& report)
{
    const Indices known = where(report, [](const Standing& standing) { return !standing.place.empty(); });
    const Indices stood = where(report, [](const Standing& standing) { return standing.stood; });
    const Indices moved = where(report, [](const Standing& standing) { return standing.moved; });
    if (known.empty()) {
        return "No stack could be read, so that nothing is known of where the processes stand.";
    }
    if (known.size() == 1) {
        return fmt::format("{} {} {}.", namesOf(report, known),
                           moved.empty() ? "stands in" : "moves, and was last in",
                           report.processes[known.front()].standing.place);
    }
    if (2 * stood.size() <= known.size()) {
        return fmt::format("No sign of a hang: {} of {} processes moved between the samples{}.", moved.size(),
                           report.processes.size(), stood.empty() ? "" : "; " + placesOf(report, stood));
    }
    const std::string place = commonPlace(report, known.size());
    std::string summary = place.empty() || known.size() == 2 ? summaryByCalls(report) : "";
    if (summary.empty() && !place.empty()) {
        return summaryByPlace(report, place);
    }
    return summary.empty() ? fmt::format("{} of {} processes stand, each elsewhere: {}.", stood.size(),
                                         report.processes.size(), placesOf(report, stood))
                           : summary;
}

std::string summaryOf(StuckReport& report)
{
    if (std::string summary = summaryOfStopped(report); !summary.empty()) {
        return summary;
    }
    std::string summary = summaryOfKnown(report);
    const Indices unknown = where(report, [](const Standing& standing) { return standing.place.empty(); });
    if (!unknown.empty() && unknown.size() < report.processes.size()) {
        summary += fmt::format(" The stacks of {} could not be read.", namesOf(report, unknown));
    }
    return summary;
}

} // namespace

Standing standingOf(const std::vector<std::vector<StackRow>>& samples, std::int64_t mainThread)
{
    Standing standing;
    if (samples.empty()) {
        return standing;
    }
    const std::vector<StackRow>* shown = &samples.back(); // the latest one with a stack
    std::set<std::string> places;
    std::size_t known = 0;
    for (const std::vector<StackRow>& rows : samples) {
        if (std::string place = placeOf(rows, mainThread); !place.empty()) {
            shown = &rows;
            standing.place = place;
            places.insert(std::move(place));
            ++known;
        }
    }
    const std::vector<StackRow>& latest = *shown;
    standing.ncclCall = ncclCallIn(latest);
    standing.stood = known > 1 && places.size() == 1;
    standing.moved = places.size() > 1;
    standing.stack = linesOf(latest, "python", mainThread);
    if (standing.stack.empty()) {
        standing.stack = linesOf(latest, "native", mainThread);
    }
    for (const StackRow& row : samples.back()) {
        if (row.source == "note") {
            standing.notes.push_back(row.text);
        }
    }
    return standing;
}

void judge(StuckReport& report)
{
    report.lookFirst.clear();
    report.summary = summaryOf(report);
}

void addRas(StuckReport& report, std::string_view answer, const std::string& whyNot)
{
    const auto parsed = hang::parseRasAnswer(answer);
    if (!parsed) {
        report.ras.emplace().notAvailable = whyNot.empty() ? "its answer could not be read" : whyNot;
        return;
    }
    hang::Report known;
    for (const ProcessReport& each : report.processes) {
        hang::RankReport& rank = known.ranks.emplace_back();
        rank.rank = each.process.rank.value_or(each.process.pid);
        rank.pid = each.process.pid;
    }
    report.ras = hang::rasWitness(*parsed, known, {});
}

bool isStuck(const StuckReport& report)
{
    const Indices known = where(report, [](const Standing& standing) { return !standing.place.empty(); });
    return 2 * where(report, [](const Standing& standing) { return standing.stood; }).size() > known.size();
}

} // namespace ringside::attach
