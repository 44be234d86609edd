// SPDX-License-Identifier: Apache-2.0
#include "profiler/context.h"

#include "calls/wrapper.h"
#include "record/clock.h"

#include <cstring>
#include <new>

namespace ringside::collector::profiler {

void bind(Context& context, Communicator* communicator)
{
    if (communicator != nullptr &&
        context.communicator.exchange(communicator, std::memory_order_relaxed) != communicator) {
        context.named.store(false, std::memory_order_release);
    }
}

Context* Contexts::open(unsigned version, int* mask, std::int32_t size, std::int32_t rank, std::uint64_t hash,
                        const char* name)
{
    auto* context = new (std::nothrow) Context;
    if (context == nullptr) {
        return nullptr;
    }
    context->version = version;
    context->size = size;
    context->rank = rank;
    context->device = currentDevice(); // NCCL has set the communicator's device as the current one
    context->createdTicks = ticks();
    context->mask = mask;
    context->hash.store(hash);
    if (name != nullptr) {
        std::strncpy(context->name.data(), name, context->name.size() - 1);
    }
    const std::scoped_lock lock(m_mutex);
    MaskUse* free = nullptr;
    for (MaskUse& use : m_masks) {
        if (use.mask == mask) {
            free = &use;
            break;
        }
        free = use.mask == nullptr && free == nullptr ? &use : free;
    }
    if (free != nullptr) { // with more than eight copies of NCCL, the mask stays as set by init
        *free = {mask, version, free->contexts + 1};
    }
    context->next = m_first.load(std::memory_order_relaxed);
    m_first.store(context, std::memory_order_release);
    return context;
}

Context* Contexts::unboundSince(std::uint64_t sinceTicks, std::int32_t size, std::int32_t rank) const
{
    Context* found = nullptr;
    for (Context* context = m_first.load(std::memory_order_acquire);
         context != nullptr && context->createdTicks >= sinceTicks; context = context->next) {
        if (context->communicator.load(std::memory_order_relaxed) == nullptr && context->size == size &&
            context->rank == rank) {
            if (found != nullptr) {
                return nullptr;
            }
            found = context;
        }
    }
    return found;
}

bool Contexts::anyOpen(std::uint64_t hash, unsigned version) const
{
    for (const Context* context = m_first.load(std::memory_order_acquire); context != nullptr && hash != 0;
         context = context->next) {
        if (context->hash.load(std::memory_order_relaxed) == hash && context->version >= version &&
            context->open.load(std::memory_order_relaxed)) {
            return true;
        }
    }
    return false;
}

bool Contexts::close(Context& context)
{
    const std::scoped_lock lock(m_mutex);
    if (!context.open.exchange(false)) {
        return false;
    }
    for (MaskUse& use : m_masks) {
        if (use.mask == context.mask && --use.contexts == 0) {
            use = {};
        }
    }
    return true;
}

void Contexts::nameCommunicators(Registry& registry)
{
    for (Context* context = m_first.load(std::memory_order_acquire); context != nullptr;
         context = context->next) {
        const std::uint64_t hash = context->hash.load(std::memory_order_relaxed);
        if (hash != 0 && !context->named.load(std::memory_order_acquire)) {
            context->named.store(true, std::memory_order_relaxed);
            if (!registry.nameCommunicator(*context->communicator.load(std::memory_order_relaxed), hash,
                                           context->name.data())) {
                context->named.store(false, std::memory_order_relaxed);
            }
        }
    }
}

} // namespace ringside::collector::profiler
