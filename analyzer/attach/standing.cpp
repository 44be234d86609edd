// SPDX-License-Identifier: Apache-2.0
#include "attach/standing.h"

#include <algorithm>
#include <array>
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

} // namespace ringside::attach
