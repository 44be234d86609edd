// SPDX-License-Identifier: Apache-2.0
#include "trace/write/ring_view.h"

namespace ringside::trace {

std::optional<CallInFlight> callInFlight(std::span<const std::byte> mapping, std::size_t depth)
{
    const std::byte* const place = mapping.data() + offsetof(RingHeader, inFlight) + depth * sizeof(InFlight);
    const auto load = [place]<class Number>(Number& to, std::size_t member, int order) {
        to = __atomic_load_n(reinterpret_cast<const Number*>(place + member), order);
    };
    CallInFlight call{};
    CallInFlight again{};
    load(call.api, offsetof(InFlight, api), __ATOMIC_ACQUIRE);
    // The time before and after the members: of two calls of one function only the time tells them apart.
    load(call.startTicks, offsetof(InFlight, startTicks), __ATOMIC_ACQUIRE);
    load(call.communicator, offsetof(InFlight, communicator), __ATOMIC_RELAXED);
    load(call.count, offsetof(InFlight, count), __ATOMIC_RELAXED);
    load(call.sequence, offsetof(InFlight, sequence), __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE); // all of it before the second look
    // The function before the time, which the owner stores first.
    load(again.api, offsetof(InFlight, api), __ATOMIC_ACQUIRE);
    load(again.startTicks, offsetof(InFlight, startTicks), __ATOMIC_RELAXED);
    const bool isWhole = call.api != 0 && call.api == again.api && call.startTicks == again.startTicks;
    return isWhole ? std::optional<CallInFlight>(call) : std::nullopt;
}

std::optional<std::string> RingView::parse(std::span<const std::byte> mapping)
{
    if (mapping.size() < kRingHeaderBytes ||
        reinterpret_cast<std::uintptr_t>(mapping.data()) % alignof(std::uint64_t) != 0) {
        return "it is shorter than a ring's header";
    }
    id = headerField<std::uint32_t>(mapping, offsetof(RingHeader, ringId));
    thread = headerField<std::uint32_t>(mapping, offsetof(RingHeader, threadId));
    slotCount = headerField<std::uint64_t>(mapping, offsetof(RingHeader, slotCount));
    role = static_cast<RingRole>(headerField<std::uint32_t>(mapping, offsetof(RingHeader, role)));
    clock = static_cast<ClockKind>(headerField<std::uint32_t>(mapping, offsetof(RingHeader, clock)));
    if (headerField<std::uint64_t>(mapping, offsetof(RingHeader, magic)) != kRingMagic) {
        return "it does not begin with the magic number of a ring";
    }
    if (headerField<std::uint32_t>(mapping, offsetof(RingHeader, version)) != kRingVersion ||
        headerField<std::uint32_t>(mapping, offsetof(RingHeader, headerBytes)) != kRingHeaderBytes) {
        return "its version is unknown";
    }
    slots = mapping.subspan(kRingHeaderBytes);
    if (!std::has_single_bit(slotCount) || slotCount > slots.size() / kSlotBytes) {
        return "its slot count is impossible";
    }
    if ((role != RingRole::Definitions && role != RingRole::Thread) ||
        (clock != ClockKind::Tsc && clock != ClockKind::Monotonic && clock != ClockKind::ArmCounter)) {
        return "its role or clock is unknown";
    }
    return std::nullopt;
}

} // namespace ringside::trace
