// SPDX-License-Identifier: Apache-2.0
#include "stacks/unwinder.h"

#include "trace/vocabulary/demangle.h"

#include <elfutils/libdwfl.h>
#include <fmt/format.h>
#include <sys/uio.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ringside::stacks {
namespace {

/// The default function would also ask debuginfod servers and wait for them.
int findNoDebugInfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*, GElf_Word,
                    char**)
{
    return -1;
}

} // namespace

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
        const std::uint64_t offset = address - thread.registers.rsp;
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
        const user_regs_struct& r = static_cast<Unwinder*>(argument)->m_thread->registers;
        // In the order of the DWARF numbers of the x86-64 psABI; the last one is the return address.
        const std::array<Dwarf_Word, 17> registers{r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi,
                                                   r.rbp, r.rsp, r.r8,  r.r9,  r.r10, r.r11,
                                                   r.r12, r.r13, r.r14, r.r15, r.rip};
        return dwfl_thread_state_registers(thread, 0, registers.size(), registers.data());
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

} // namespace ringside::stacks
