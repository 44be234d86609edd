// SPDX-License-Identifier: Apache-2.0
#include "stacks/collect.h"

#include "host/monotonic.h"
#include "stacks/bounded_child.h"
#include "stacks/thread_snapshot.h"
#include "stacks/unwinder.h"
#include "values/parse_number.h"

#include <ringside/trace/stacks.h>

#include <fmt/format.h>
#include <unistd.h>

namespace ringside::stacks {
namespace {

using namespace std::chrono_literals;
using trace::StackRow;

StackRow printNote(std::string text, std::int64_t tid = 0, std::string thread = {})
{
    StackRow row;
    row.source = "note";
    row.tid = tid;
    row.thread = std::move(thread);
    row.text = std::move(text);
    return row;
}

template <class Visit>
void forEachLine(std::string_view text, const Visit& visit)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        visit(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

void printFrames(Unwinder& unwinder, const ThreadSnapshot& thread)
{
    StackRow row;
    row.source = "native";
    row.tid = thread.ownTid;
    row.thread = thread.name;
    for (const std::string& frame : unwinder.frames(thread)) {
        row.text = frame;
        fmt::print("{}\n", trace::formatStackLine(row));
        ++row.frame;
    }
    std::fflush(stdout);
}

/// Runs in a process of its own: libdw reads all files that the program has mapped, and large ones take long.
void addNative(std::vector<StackRow>& rows, const ProcessSnapshot& process)
{
    const BoundedResult unwound = runBounded(
        [&process] {
            Unwinder unwinder(process.pid);
            if (!unwinder.error().empty()) {
                fmt::print("{}\n", trace::formatStackLine(printNote(unwinder.error())));
            }
            for (const ThreadSnapshot& thread : process.threads) {
                if (thread.error.empty()) {
                    printFrames(unwinder, thread);
                }
            }
            return 0;
        },
        20s);
    forEachLine(unwound.output, [&rows](std::string_view line) {
        if (auto row = trace::parseStackLine(line)) {
            rows.push_back(std::move(*row));
        }
    });
    for (const ThreadSnapshot& thread : process.threads) {
        if (!thread.error.empty()) {
            rows.push_back(printNote(thread.error, thread.ownTid, thread.name));
        }
    }
    for (const std::string& error : {process.error, unwound.error}) {
        if (!error.empty()) {
            rows.push_back(printNote("native stacks: " + error));
        }
    }
}

bool isInPath(const std::string& program)
{
    const char* const path = std::getenv("PATH");
    std::string_view rest(path != nullptr ? path : "");
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (access((std::string(rest.substr(0, end)) + "/" + program).c_str(), X_OK) == 0) {
            return true;
        }
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return false;
}

PythonThreads threadsOf(const ProcessSnapshot& process)
{
    PythonThreads threads{process.pid, {}};
    for (const ThreadSnapshot& thread : process.threads) {
        threads.main = thread.tid == process.pid ? thread.ownTid : threads.main;
#if defined(__x86_64__)
        if (thread.error.empty()) {
            threads.byHandle.emplace(thread.registers.fs_base, thread.ownTid); // glibc's pthread_t
        }
#endif
    }
    return threads;
}

/// `rest` is the part of a line after "Thread ".
std::int64_t tidOf(std::string_view rest, const PythonThreads& threads)
{
    const bool isHandle = rest.starts_with("0x");
    std::string_view digits = rest.substr(isHandle ? 2 : 0);
    const std::uint64_t id = values::takeNumber<std::uint64_t>(digits, isHandle ? 16 : 10).value_or(0);
    if (!isHandle) {
        return static_cast<std::int64_t>(id);
    }
    if (const auto found = threads.byHandle.find(id); found != threads.byHandle.end()) {
        return found->second;
    }
    return rest.ends_with("\"MainThread\"") ? threads.main : 0;
}

/// The text of py-spy ends in advice for an interactive shell, which does not fit here.
bool isRefusal(std::string_view output)
{
    return output.find("Permission Denied") != std::string_view::npos ||
           output.find("Operation not permitted") != std::string_view::npos;
}

void addPython(std::vector<StackRow>& rows, const ProcessSnapshot& process)
{
    if (!isInPath("py-spy")) {
        rows.push_back(printNote("Python stacks: py-spy is not in PATH"));
        return;
    }
    const std::string id = std::to_string(process.pid);
    const BoundedResult dump = runBounded(
        [&id] {
            execlp("py-spy", "py-spy", "dump", "--nonblocking", "--pid", id.c_str(), nullptr);
            return 127;
        },
        10s);
    if (isRefusal(dump.output)) {
        rows.push_back(printNote(
            "Python stacks: py-spy may not read the process. If kernel.yama.ptrace_scope is 1 "
            "or 2, it needs CAP_SYS_PTRACE (setcap cap_sys_ptrace=ep on its file, or root); else the process "
            "belongs to another user, or seccomp forbids it"));
        return;
    }
    for (StackRow& row : parsePythonDump(dump.output, threadsOf(process))) {
        rows.push_back(std::move(row));
    }
    if (!dump.error.empty()) {
        rows.push_back(printNote("Python stacks: py-spy " + dump.error));
    }
}

} // namespace

std::vector<StackRow> parsePythonDump(std::string_view output, const PythonThreads& threads)
{
    std::vector<StackRow> rows;
    StackRow row;
    row.source = "python";
    forEachLine(output, [&](std::string_view line) {
        constexpr std::string_view kThread = "Thread ";
        if (line.starts_with(kThread)) { // Thread 4711 (idle): "MainThread"
            const std::string_view rest = line.substr(kThread.size());
            row.tid = tidOf(rest, threads);
            row.frame = 0;
            row.thread = rest;
        } else if (line.starts_with("    ")) {
            row.text = line.substr(4);
            rows.push_back(row);
            ++row.frame;
        } else if (!line.empty()) {
            rows.push_back(printNote("py-spy: " + std::string(line)));
        }
    });
    return rows;
}

CollectedStacks collectStacks(pid_t pid, std::optional<std::int64_t> hang)
{
    CollectedStacks collected;
    const std::int64_t takenNs = host::monotonicNs();
    ProcessSnapshot process = snapshotThreads(pid, 2s);
    addNative(collected.rows, process);
    addPython(collected.rows, process);
    for (StackRow& row : collected.rows) {
        row.hang = hang;
        row.takenNs = takenNs;
    }
    collected.stillAttached = std::move(process.stillAttached);
    return collected;
}

} // namespace ringside::stacks
