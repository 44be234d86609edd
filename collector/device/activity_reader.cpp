// SPDX-License-Identifier: Apache-2.0
#include "device/activity_reader.h"

#include "device/questions.h"
#include "trace/write/launch_configurations.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace ringside::collector {
namespace {

cupti::Shape shapeOf(const cupti::Kernel& record)
{
    cupti::Shape shape{};
    constexpr std::size_t kAsInRecord = offsetof(cupti::Shape, registersPerThread);
    static_assert(offsetof(cupti::Kernel, grid) + kAsInRecord ==
                  offsetof(cupti::Kernel, localMemoryPerThread));
    std::memcpy(&shape, reinterpret_cast<const char*>(&record) + offsetof(cupti::Kernel, grid), kAsInRecord);
    shape.registersPerThread = record.registersPerThread;
    return shape;
}

/// CUPTI leaves a member that it does not know at 0, so no launch with an empty grid or block, or without
/// registers, is stored as such.
std::optional<trace::LaunchConfigurationRow> configurationRow(const cupti::Shape& shape)
{
    trace::LaunchConfigurationRow row;
    row.gridX = shape.grid[0];
    row.gridY = shape.grid[1];
    row.gridZ = shape.grid[2];
    row.blockX = shape.block[0];
    row.blockY = shape.block[1];
    row.blockZ = shape.block[2];
    row.registersPerThread = shape.registersPerThread;
    row.staticSharedBytes = shape.staticSharedMemory;
    row.dynamicSharedBytes = shape.dynamicSharedMemory;
    row = trace::withoutImpossible(row);
    if (!row.gridX) {
        return std::nullopt; // the record says nothing of the launch
    }
    trace::addSharedBytes(row);
    return row;
}

} // namespace

ActivityReader::ActivityReader(const CuptiLibrary& cupti, trace::Writer& writer, const ThreadIds& threads)
    : m_cupti(cupti), m_writer(writer), m_threads(threads)
{
    std::uint32_t version = 0;
    m_hasGraphId = cupti.getVersion(&version) == cupti::kSuccess && version >= cupti::kFirstWithGraphId;
}

void ActivityReader::addClock(const DeviceClockSample& reading)
{
    m_clock.add(reading);
    m_writer.add(
        trace::ClockSampleRow{reading.monotonicNs, reading.realtimeNs, std::nullopt, reading.deviceNs});
}

void ActivityReader::read(std::uint8_t* buffer, std::size_t validBytes)
{
    cupti::Activity* record = nullptr;
    while (m_cupti.nextRecord(buffer, validBytes, &record) == cupti::kSuccess && record != nullptr) {
        readRecord(*record);
    }
}

void ActivityReader::readRecord(const cupti::Activity& record)
{
    const void* at = &record;
    switch (record.kind) {
    case cupti::kKindConcurrentKernel:
        readKernel(*static_cast<const cupti::Kernel*>(at));
        break;
    case cupti::kKindMemcpy: {
        const auto& copy = *static_cast<const cupti::Memcpy*>(at);
        readCopy(copy, copy.copyKind,
                 trace::hostMemoryOf(copy.copyKind, copy.sourceKind, copy.destinationKind));
        break;
    }
    case cupti::kKindPeerMemcpy: {
        const auto& copy = *static_cast<const cupti::PeerMemcpy*>(at);
        readCopy(copy, copy.copyKind);
        break;
    }
    case cupti::kKindMemset:
        readCopy(*static_cast<const cupti::Memset*>(at), trace::kSetKind);
        break;
    case cupti::kKindRuntime:
        readApi(*static_cast<const cupti::Api*>(at), cupti::kDomainRuntimeApi);
        break;
    case cupti::kKindDriver:
        readApi(*static_cast<const cupti::Api*>(at), cupti::kDomainDriverApi);
        break;
    case cupti::kKindExternalCorrelation: {
        const auto& link = *static_cast<const cupti::ExternalCorrelation*>(at);
        if (link.externalKind == cupti::kExternalKindCustom2) {
            m_writer.add(trace::CallCorrelationRow{link.correlationId, link.externalId});
        }
        break;
    }
    default:
        break;
    }
}

bool ActivityReader::measured(std::uint64_t start, std::uint64_t end)
{
    const bool is = start != 0 && end != 0;
    m_unmeasured += is ? 0 : 1;
    return is;
}

void ActivityReader::awaitWorkAfter(std::int64_t ns)
{
    m_awaitedNs = ns;
    m_firstLater.reset();
}

void ActivityReader::readKernel(const cupti::Kernel& record)
{
    m_lastRun = std::max(m_lastRun, record.correlationId);
    if (measured(record.start, record.end)) {
        const trace::StringId name = kernelName(record.name);
        m_writer.add(trace::KernelRow{toMonotonicNs(record.start), toMonotonicNs(record.end), name,
                                      record.deviceId, record.streamId, record.correlationId, graphId(record),
                                      record.graphNodeId, configurationOf(name, shapeOf(record))});
    }
}

template <class Record>
void ActivityReader::readCopy(const Record& record, std::uint32_t kind, std::uint32_t hostMemory)
{
    m_lastRun = std::max(m_lastRun, record.correlationId);
    if (measured(record.start, record.end)) {
        m_writer.add(trace::CopyRow{toMonotonicNs(record.start), toMonotonicNs(record.end), record.bytes,
                                    record.deviceId, record.streamId, record.correlationId, kind,
                                    graphId(record), record.graphNodeId, hostMemory});
    }
}

void ActivityReader::readApi(const cupti::Api& record, cupti::CallbackDomain domain)
{
    const trace::StringId name = apiName(domain, record.cbid);
    if (name != kQuestion && measured(record.start, record.end)) {
        const std::int64_t start = toMonotonicNs(record.start);
        const std::uint32_t tid =
            m_systemThreadIds ? record.threadId : m_threads.tidAt(record.threadId, start);
        if (m_awaitedNs && start >= *m_awaitedNs) {
            m_firstLater = std::min(m_firstLater.value_or(record.correlationId), record.correlationId);
        }
        m_writer.add(trace::LaunchRow{start, toMonotonicNs(record.end), name, tid, record.correlationId});
    }
}

// By text, not by address: CUPTI may free and reuse a name's memory.
trace::StringId ActivityReader::kernelName(const char* name)
{
    const std::string_view text = name != nullptr ? name : "(unnamed kernel)";
    const auto known = m_kernelNames.find(text);
    return known != m_kernelNames.end() ? known->second
                                        : m_kernelNames.emplace(text, m_writer.intern(text)).first->second;
}

std::uint32_t ActivityReader::configurationOf(trace::StringId name, const cupti::Shape& shape)
{
    const LaunchKey key(name, shape);
    if (const std::uint32_t* const known = m_launches.find(key)) {
        return *known;
    }
    if (m_launches.size() >= trace::LaunchConfigurations::kMost) {
        ++m_refusedConfigurations;
        return 0;
    }
    std::uint32_t id = 0;
    if (auto row = configurationRow(shape)) {
        id = ++m_lastConfiguration;
        row->id = id;
        row->name = name;
        m_writer.add(*row);
    }
    m_launches.add(key, id);
    return id;
}

// CUPTI's names end in the version that introduced the signature: cudaLaunchKernel_v7000.
trace::StringId ActivityReader::apiName(cupti::CallbackDomain domain, std::uint32_t cbid)
{
    const auto [entry, fresh] = m_apiNames.try_emplace(std::uint64_t{domain} << 32 | cbid, 0);
    if (fresh) {
        const char* name = nullptr;
        if (m_cupti.callbackName(domain, cbid, &name) != cupti::kSuccess || name == nullptr) {
            name = domain == cupti::kDomainRuntimeApi ? "(runtime call)" : "(driver call)";
        }
        std::string_view text(name);
        const std::size_t version = text.rfind("_v");
        if (domain == cupti::kDomainRuntimeApi && version != std::string_view::npos &&
            text.find_first_not_of("0123456789", version + 2) == std::string_view::npos) {
            text = text.substr(0, version);
        }
        entry->second = isQuestion(text) ? kQuestion : m_writer.intern(text);
    }
    return entry->second;
}

void ActivityReader::reportIssues()
{
    if (m_unmeasured != 0) {
        m_writer.add(trace::IssueRow{trace::Issue::DeviceTimeMissing, m_unmeasured,
                                     "CUPTI gave no start or end for device records; they are left out"});
        m_unmeasured = 0;
    }
    if (m_refusedConfigurations != 0) {
        m_writer.add(trace::IssueRow{trace::Issue::ConfigurationsLeftOut, m_refusedConfigurations,
                                     "kernels have launch configurations beyond the first 65535, which are "
                                     "not stored"});
        m_refusedConfigurations = 0;
    }
}

} // namespace ringside::collector
