// SPDX-License-Identifier: Apache-2.0
#include "stacks/collect.h"

#include "host/monotonic.h"
#include "stacks/bounded_child.h"
#include "stacks/thread_snapshot.h"
#include "trace/vocabulary/demangle.h"
#include "values/parse_number.h"

#include <ringside/trace/stacks.h>

#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct Dwfl;

namespace ringside::stacks {
namespace {

// Function names of the stacks that thread_snapshot copied, by libdw. It reads only files that the process
// has mapped; it searches no separate debug information, neither on disk nor over the network.

class Unwinder final {
public:
    /// Reads the process's mappings; error() tells whether that failed.
    explicit Unwinder(pid_t pid);

    /// Returns for example "function+0x12 (libc.so.6)", innermost first, at most kMostFrames.
    [[nodiscard]] std::vector<std::string> frames(const ThreadSnapshot& thread);
    [[nodiscard]] const std::string& error() const { return m_error; }

    static constexpr std::size_t kMostFrames = 64;

private:
    struct Access;
    struct End {
        void operator()(Dwfl* dwfl) const;
    };
    [[nodiscard]] std::string describe(std::uint64_t address, bool exact) const;

    pid_t m_pid;
    std::unique_ptr<Dwfl, End> m_dwfl;
    const ThreadSnapshot* m_thread = nullptr; ///< the thread being unwound
    std::vector<std::string> m_frames;        ///< its frames
    std::string m_error;
};

/// The default function would also ask debuginfod servers and wait for them.
int findNoDebugInfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word,
                    char**)
{
    return -1;
}

/// Callbacks of libdw.
struct Unwinder::Access {
    static pid_t nextThread(Dwfl*, void* argument, void** thread)
    {
        const auto* self = static_cast<Unwinder*>(argument);
        if (*thread != nullptr || self->m_thread == nullptr) {
            return 0;
        }
        *thread = argument;
        return self->m_thread->tid;
    }
    static bool getThread(Dwfl*, pid_t, void* argument, void** thread)
    {
        *thread = argument;
        return true;
    }
    static bool readMemory(Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* argument)
    {
        const auto* self = static_cast<Unwinder*>(argument);
        const ThreadSnapshot& thread = *self->m_thread;
        const std::uint64_t offset = address - stackPointerOf(thread.registers);
        if (offset < thread.stack.size() && thread.stack.size() - offset >= sizeof *result) {
            std::memcpy(result, thread.stack.data() + offset, sizeof *result);
            return true;
        }
        // Not the stack, so that it hardly changes: it is read from the process itself.
        iovec to{result, sizeof *result};
        iovec from{reinterpret_cast<void*>(address), sizeof *result}; // NOLINT(performance-no-int-to-ptr)
        return process_vm_readv(self->m_pid, &to, 1, &from, 1, 0) == sizeof *result;
    }
    static bool setRegisters(Dwfl_Thread* thread, void* argument)
    {
        const Registers& registers = static_cast<Unwinder*>(argument)->m_thread->registers;
        const auto byNumber = dwarfRegistersOf(registers);
        dwfl_thread_state_register_pc(thread, programCounterOf(registers));
        return dwfl_thread_state_registers(thread, 0, byNumber.size(), byNumber.data());
    }
    static int takeFrame(Dwfl_Frame* frame, void* argument)
    {
        auto* self = static_cast<Unwinder*>(argument);
        Dwarf_Addr address = 0;
        bool exact = false; // otherwise it is a return address: the call lies before it
        if (self->m_frames.size() == kMostFrames || !dwfl_frame_pc(frame, &address, &exact)) {
            return DWARF_CB_ABORT;
        }
        self->m_frames.push_back(self->describe(address, exact));
        return DWARF_CB_OK;
    }
};

void Unwinder::End::operator()(Dwfl* dwfl) const
{
    dwfl_end(dwfl);
}

Unwinder::Unwinder(pid_t pid) : m_pid(pid)
{
    static const Dwfl_Callbacks files{dwfl_linux_proc_find_elf, findNoDebugInfo, nullptr, nullptr};
    static const Dwfl_Thread_Callbacks threads{Access::nextThread,   Access::getThread, Access::readMemory,
                                               Access::setRegisters, nullptr,           nullptr};
    m_dwfl.reset(dwfl_begin(&files));
    if (!m_dwfl || dwfl_linux_proc_report(m_dwfl.get(), pid) != 0 ||
        dwfl_report_end(m_dwfl.get(), nullptr, nullptr) != 0 ||
        !dwfl_attach_state(m_dwfl.get(), nullptr, pid, &threads, this)) {
        const char* const why = dwfl_errmsg(-1);
        m_error = fmt::format("its program files cannot be read: {}", why != nullptr ? why : "unknown");
    }
}

std::vector<std::string> Unwinder::frames(const ThreadSnapshot& thread)
{
    m_frames.clear();
    if (m_error.empty()) {
        m_thread = &thread;
        dwfl_getthread_frames(m_dwfl.get(), thread.tid, Access::takeFrame, this);
        m_thread = nullptr;
    }
    return std::move(m_frames);
}

std::string Unwinder::describe(std::uint64_t address, bool exact) const
{
    Dwfl_Module* const module = dwfl_addrmodule(m_dwfl.get(), address);
    if (module == nullptr) {
        return fmt::format("{:#x}", address);
    }
    const char* const path =
        dwfl_module_info(module, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    const std::string_view file(path != nullptr ? path : "?");
    const std::string_view base = file.substr(file.rfind('/') + 1);
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const name =
        dwfl_module_addrinfo(module, address - (exact ? 0 : 1), &offset, &symbol, nullptr, nullptr, nullptr);
    return name != nullptr
               ? fmt::format("{}+{:#x} ({})", trace::demangled(name), offset + (exact ? 0 : 1), base)
               : fmt::format("{:#x} ({})", address, base);
}

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
        if (const auto handle = pthreadHandleOf(thread.registers); handle && thread.error.empty()) {
            threads.byHandle.emplace(*handle, thread.ownTid);
        }
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
