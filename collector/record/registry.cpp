// SPDX-License-Identifier: Apache-2.0
#include "record/registry.h"

#include "api/functions.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

namespace ringside::collector {
namespace {

bool isWorld(const CommunicatorIdentity& identity)
{
    return identity.parent == 0 && identity.hash != 0 && identity.size > 0;
}

template <std::size_t kBytes>
void fill(char (&field)[kBytes], std::string_view text)
{
    std::memset(field, 0, kBytes);
    std::memcpy(field, text.data(), std::min(text.size(), kBytes));
}

} // namespace

std::uint64_t hashBytes(const void* data, std::size_t bytes, std::uint64_t seed)
{
    std::uint64_t hash = 0xCBF29CE484222325ULL ^ seed;
    const auto* at = static_cast<const unsigned char*>(data);
    for (std::size_t index = 0; index < bytes; ++index) {
        hash = (hash ^ at[index]) * 0x100000001B3ULL;
    }
    hash = (hash ^ (hash >> 32)) * 0xD6E8FEB86659FD93ULL;
    hash ^= hash >> 32;
    return hash != 0 ? hash : 1;
}

Registry::Registry(Ring& definitions) : m_definitions(definitions), m_nextString(kFirstFreeStringId)
{
    for (std::size_t index = 0; index < kApiNames.size(); ++index) {
        const StringId id = stringIdOf(static_cast<Api>(index));
        defineString(id, kApiNames[index]);
        m_strings.set(hashBytes(kApiNames[index].data(), kApiNames[index].size()), id);
    }
}

StringId Registry::intern(std::string_view text)
{
    constexpr std::size_t kLongest = 4096;
    text = text.substr(0, kLongest);
    if (text.empty()) {
        return 0;
    }
    std::uint64_t key = hashBytes(text.data(), text.size());
    if (const StringId known = m_strings.find(key); known != 0) {
        return known;
    }
    const std::scoped_lock lock(m_mutex);
    if (const StringId known = m_strings.find(key); known != 0) {
        return known;
    }
    if (!m_strings.set(key, m_nextString)) {
        constexpr std::string_view kOthers = "(too many different names)";
        constexpr std::uint64_t kOthersId = 0xFFFFFFFFU >> 1; // outside what counting up can reach
        static bool defined = false;
        defined = defined || defineString(kOthersId, kOthers);
        return defined ? kOthersId : 0;
    }
    if (!defineString(m_nextString, text)) {
        m_strings.set(key, 0);
        return 0;
    }
    return m_nextString++;
}

bool Registry::defineString(StringId id, std::string_view text)
{
    std::size_t offset = 0;
    do {
        auto* record = m_definitions.reserve<trace::StringRecord>();
        if (record == nullptr) {
            return false;
        }
        const std::size_t part = std::min(text.size() - offset, sizeof record->text);
        record->id = id;
        record->totalBytes = static_cast<std::uint32_t>(text.size());
        record->offset = static_cast<std::uint32_t>(offset);
        record->partBytes = static_cast<std::uint32_t>(part);
        std::memcpy(record->text, text.data() + offset, part);
        m_definitions.commit(record, trace::RecordKind::String);
        offset += part;
    } while (offset < text.size());
    return true;
}

std::uint32_t Registry::addStream(std::uint64_t handle, std::int32_t device)
{
    const std::scoped_lock lock(m_mutex);
    if (const std::uint32_t known = m_streams.find(handle); known != 0) {
        return known;
    }
    auto* record = m_definitions.reserve<trace::StreamRecord>();
    if (record == nullptr || !m_streams.set(handle, m_nextStream)) {
        return 0;
    }
    record->id = m_nextStream;
    record->device = device;
    record->handle = handle;
    m_definitions.commit(record, trace::RecordKind::Stream);
    return m_nextStream++;
}

void Registry::forgetStream(std::uint64_t handle)
{
    const std::scoped_lock lock(m_mutex);
    if (m_streams.find(handle) != 0) {
        m_streams.set(handle, 0);
    }
}

Communicator* Registry::addCommunicator(const CommunicatorIdentity& identity, std::uint64_t key)
try {
    const std::scoped_lock lock(m_mutex);
    Communicator* communicator = &m_allCommunicators.emplace_back();
    communicator->id = m_nextCommunicator;
    communicator->createdTicks = ticks();
    communicator->identity = identity;
    if (!defineCommunicator(*communicator, identity)) {
        m_allCommunicators.pop_back();
        return nullptr;
    }
    ++m_nextCommunicator;
    if (key != 0) {
        m_communicators.set(key, communicator);
    }
    worldCommunicatorsSeen += isWorld(identity) ? 1U : 0U;
    return communicator;
} catch (const std::bad_alloc&) {
    return nullptr; // called inside a hook, through which nothing may be thrown
}

bool Registry::nameCommunicator(const Communicator& communicator, std::uint64_t ncclHash,
                                std::string_view name)
{
    const StringId nameId = intern(name);
    const std::scoped_lock lock(m_mutex);
    CommunicatorIdentity identity = communicator.identity;
    identity.ncclHash = ncclHash;
    identity.name = nameId != 0 ? nameId : identity.name;
    return defineCommunicator(communicator, identity);
}

void Registry::amendCommunicator(Communicator& communicator, const CommunicatorIdentity& identity)
{
    const std::scoped_lock lock(m_mutex);
    if (defineCommunicator(communicator, identity)) {
        const bool wasWorld = isWorld(communicator.identity);
        communicator.identity = identity;
        worldCommunicatorsSeen += !wasWorld && isWorld(identity) ? 1U : 0U;
    }
}

bool Registry::defineCommunicator(const Communicator& communicator, const CommunicatorIdentity& identity)
{
    auto* record = m_definitions.reserve<trace::CommunicatorRecord>();
    if (record == nullptr) {
        return false;
    }
    record->id = communicator.id;
    record->parent = identity.parent;
    record->hash = identity.hash;
    record->size = identity.size;
    record->rank = identity.rank;
    record->device = identity.device;
    record->name = identity.name;
    record->createdTicks = communicator.createdTicks;
    record->handle = identity.handle;
    record->ncclHash = identity.ncclHash;
    m_definitions.commit(record, trace::RecordKind::Communicator);
    return true;
}

std::vector<CommunicatorIdentity> Registry::worldCommunicators()
{
    std::vector<CommunicatorIdentity> worlds;
    const std::scoped_lock lock(m_mutex);
    for (const Communicator& communicator : m_allCommunicators) {
        if (isWorld(communicator.identity)) {
            worlds.push_back(communicator.identity);
        }
    }
    return worlds;
}

void Registry::forgetCommunicator(std::uint64_t handle)
{
    const std::scoped_lock lock(m_mutex);
    if (Communicator* const known = m_communicators.find(handle); known != nullptr) {
        known->inUse = false;
        m_communicators.set(handle, nullptr);
    }
}

std::optional<std::uint64_t> Registry::collectivesIssued()
{
    std::uint64_t issued = 0;
    bool inUse = false;
    const std::scoped_lock lock(m_mutex);
    for (const Communicator& communicator : m_allCommunicators) {
        issued += communicator.nextSequence.load(std::memory_order_relaxed);
        inUse = inUse || communicator.inUse;
    }
    return inUse ? std::optional(issued) : std::nullopt;
}

void Registry::addThread(std::uint32_t threadId, std::uint32_t tid, const char* name)
{
    const std::scoped_lock lock(m_mutex);
    if (m_newThreadCount < m_newThreads.size()) {
        m_newThreads[m_newThreadCount++] = tid;
    }
    if (auto* record = m_definitions.reserve<trace::ThreadRecord>(); record != nullptr) {
        record->threadId = threadId;
        record->tid = tid;
        std::snprintf(record->name, sizeof record->name, "%s", name);
        m_definitions.commit(record, trace::RecordKind::Thread);
    }
}

void Registry::recordClock(const ClockSample& sample)
{
    const std::scoped_lock lock(m_mutex);
    if (auto* record = m_definitions.reserve<trace::ClockRecord>(); record != nullptr) {
        record->ticks = sample.ticks;
        record->monotonicNs = sample.monotonicNs;
        record->realtimeNs = sample.realtimeNs;
        m_definitions.commit(record, trace::RecordKind::Clock);
    }
}

bool Registry::recordWindow(std::int64_t startNs, std::uint64_t steps, std::string_view level,
                            const WindowReason& why)
{
    const std::scoped_lock lock(m_mutex);
    auto* record = m_definitions.reserve<trace::WindowRecord>();
    if (record == nullptr) {
        return false;
    }
    record->startNs = startNs;
    record->steps = steps;
    fill(record->level, level);
    std::memcpy(record->why, why.data(), why.size());
    m_definitions.commit(record, trace::RecordKind::Window);
    return true;
}

std::uint32_t Registry::defineSeries(const SeriesDefinition& definition, std::uint32_t id)
{
    const std::scoped_lock lock(m_mutex);
    auto* record = m_definitions.reserve<trace::SeriesRecord>();
    if (record == nullptr) {
        return 0;
    }
    record->id = id != 0 ? id : m_nextSeries++;
    record->kind = definition.kind;
    std::memset(record->padding, 0, sizeof record->padding);
    record->reason = definition.reason;
    fill(record->source, definition.source);
    fill(record->entity, definition.entity);
    fill(record->metric, definition.metric);
    const std::uint32_t defined = record->id;
    m_definitions.commit(record, trace::RecordKind::Series);
    return defined;
}

std::vector<std::uint32_t> Registry::takeNewThreads()
{
    const std::scoped_lock lock(m_mutex);
    return {m_newThreads.begin(), m_newThreads.begin() + std::exchange(m_newThreadCount, 0)};
}

} // namespace ringside::collector
