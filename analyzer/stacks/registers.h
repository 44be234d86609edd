// SPDX-License-Identifier: Apache-2.0
// What unwinding needs of a thread's registers, by processor. The rest of this room does not know which it
// is.
#pragma once
#include <sys/user.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace ringside::stacks {

using Registers = user_regs_struct; // as NT_PRSTATUS fills it

#if defined(__x86_64__)
inline std::uint64_t stackPointerOf(const Registers& registers)
{
    return registers.rsp;
}
inline std::uint64_t programCounterOf(const Registers& registers)
{
    return registers.rip;
}
/// The thread's pthread_t of glibc.
inline std::optional<std::uint64_t> pthreadHandleOf(const Registers& registers)
{
    return registers.fs_base;
}
/// In the order of the DWARF numbers of the x86-64 psABI, without the last one, the return address.
inline std::array<std::uint64_t, 16> dwarfRegistersOf(const Registers& r)
{
    return {r.rax, r.rdx, r.rcx, r.rbx, r.rsi, r.rdi, r.rbp, r.rsp,
            r.r8,  r.r9,  r.r10, r.r11, r.r12, r.r13, r.r14, r.r15};
}
#elif defined(__aarch64__)
inline std::uint64_t stackPointerOf(const Registers& registers)
{
    return registers.sp;
}
inline std::uint64_t programCounterOf(const Registers& registers)
{
    return registers.pc;
}
/// Not among these registers: Python's threads are then told apart by their ids alone.
inline std::optional<std::uint64_t> pthreadHandleOf(const Registers& /*registers*/)
{
    return std::nullopt;
}
/// x0 to x30 and the stack pointer have the DWARF numbers 0 to 31 (DWARF for the Arm 64-bit Architecture).
inline std::array<std::uint64_t, 32> dwarfRegistersOf(const Registers& registers)
{
    std::array<std::uint64_t, 32> all{};
    for (std::size_t i = 0; i < 31; ++i) {
        all[i] = registers.regs[i];
    }
    all[31] = registers.sp;
    return all;
}
#endif

} // namespace ringside::stacks
