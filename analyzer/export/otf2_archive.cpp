// SPDX-License-Identifier: Apache-2.0
#include "export/otf2_archive.h"

#include <ringside/error.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace ringside::exporting {
namespace {

constexpr std::uint64_t kEventChunk = std::uint64_t{1} << 20U;
constexpr std::uint64_t kDefinitionChunk = std::uint64_t{4} << 20U;

void check(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS) {
        throw Error(ErrorCode::Io,
                    std::string("the OTF2 archive cannot be written: ") + OTF2_Error_GetDescription(code));
    }
}

/// The library's own printing of errors is off: they are thrown.
OTF2_ErrorCode silence(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                       va_list)
{
    return code;
}

OTF2_FlushType flushBefore(void*, OTF2_FileType, OTF2_LocationRef, void*, bool)
{
    return OTF2_FLUSH;
}

OTF2_TimeStamp flushedAfter(void*, OTF2_FileType, OTF2_LocationRef)
{
    return 0; // no event says when the buffer was written
}

} // namespace

Otf2Archive::Otf2Archive(const std::filesystem::path& folder)
{
    OTF2_Error_RegisterCallback(silence, nullptr);
    m_archive = OTF2_Archive_Open(folder.c_str(), "traces", OTF2_FILEMODE_WRITE, kEventChunk,
                                  kDefinitionChunk, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (m_archive == nullptr) {
        throw Error(ErrorCode::Io, "cannot create " + folder.string(), "Check the path and the space there.");
    }
    static const OTF2_FlushCallbacks kCallbacks{flushBefore, flushedAfter};
    check(OTF2_Archive_SetFlushCallbacks(m_archive, &kCallbacks, nullptr));
    check(OTF2_Archive_SetSerialCollectiveCallbacks(m_archive));
    check(OTF2_Archive_SetCreator(m_archive, "Ringside"));
    check(OTF2_Archive_OpenEvtFiles(m_archive));
}

Otf2Archive::~Otf2Archive()
{
    if (m_archive != nullptr) {
        OTF2_Archive_Close(m_archive);
    }
}

OTF2_StringRef Otf2Archive::text(const std::string& text)
{
    return m_texts.try_emplace(text, static_cast<OTF2_StringRef>(m_texts.size())).first->second;
}

OTF2_SystemTreeNodeRef Otf2Archive::node(const std::string& name, const char* kind,
                                         OTF2_SystemTreeNodeRef parent)
{
    m_nodes.push_back({text(name), text(kind), parent});
    return static_cast<OTF2_SystemTreeNodeRef>(m_nodes.size() - 1);
}

OTF2_LocationGroupRef Otf2Archive::process(const std::string& name, OTF2_SystemTreeNodeRef node)
{
    m_groups.push_back({text(name), OTF2_LOCATION_GROUP_TYPE_PROCESS, node, OTF2_UNDEFINED_LOCATION_GROUP});
    return static_cast<OTF2_LocationGroupRef>(m_groups.size() - 1);
}

OTF2_LocationGroupRef Otf2Archive::accelerators(OTF2_LocationGroupRef process)
{
    m_groups.push_back({text("GPU"), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, m_groups[process].node, process});
    return static_cast<OTF2_LocationGroupRef>(m_groups.size() - 1);
}

OTF2_LocationRef Otf2Archive::location(const std::string& name, OTF2_LocationType type,
                                       OTF2_LocationGroupRef process)
{
    m_locations.push_back({text(name), type, process});
    return m_locations.size() - 1;
}

OTF2_RegionRef Otf2Archive::region(const std::string& name, OTF2_RegionRole role, OTF2_Paradigm paradigm)
{
    const auto [entry, fresh] =
        m_regionIds.try_emplace({name, role}, static_cast<OTF2_RegionRef>(m_regions.size()));
    if (fresh) {
        m_regions.push_back({text(name), role, paradigm});
    }
    return entry->second;
}

OTF2_CommRef Otf2Archive::communicator(const std::string& name, const std::vector<OTF2_LocationRef>& members)
{
    m_communicators.push_back({text(name), members});
    return static_cast<OTF2_CommRef>(m_communicators.size() - 1);
}

/// Returns the writer of a location. `time` becomes a time that is not before that of its last event.
OTF2_EvtWriter* Otf2Archive::writerAt(OTF2_LocationRef location, std::int64_t ns, std::uint64_t& time)
{
    Location& of = m_locations[location];
    of.lastNs = std::max({std::int64_t{0}, of.lastNs, ns});
    time = static_cast<std::uint64_t>(of.lastNs);
    ++of.events;
    m_length = std::max(m_length, time);
    return OTF2_Archive_GetEvtWriter(m_archive, location);
}

void Otf2Archive::enter(OTF2_LocationRef location, std::int64_t ns, OTF2_RegionRef region)
{
    std::uint64_t time = 0;
    OTF2_EvtWriter* const writer = writerAt(location, ns, time);
    check(OTF2_EvtWriter_Enter(writer, nullptr, time, region));
}

void Otf2Archive::leave(OTF2_LocationRef location, std::int64_t ns, OTF2_RegionRef region)
{
    std::uint64_t time = 0;
    OTF2_EvtWriter* const writer = writerAt(location, ns, time);
    check(OTF2_EvtWriter_Leave(writer, nullptr, time, region));
}

void Otf2Archive::beginCollective(OTF2_LocationRef location, std::int64_t ns)
{
    std::uint64_t time = 0;
    OTF2_EvtWriter* const writer = writerAt(location, ns, time);
    check(OTF2_EvtWriter_MpiCollectiveBegin(writer, nullptr, time));
}

void Otf2Archive::endCollective(OTF2_LocationRef location, std::int64_t ns, const Collective& collective)
{
    std::uint64_t time = 0;
    OTF2_EvtWriter* const writer = writerAt(location, ns, time);
    check(OTF2_EvtWriter_MpiCollectiveEnd(writer, nullptr, time, collective.operation,
                                          collective.communicator, collective.root, collective.sentBytes,
                                          collective.receivedBytes));
}

void Otf2Archive::writeCommunicators(OTF2_GlobalDefWriter* definitions)
{
    std::set<OTF2_LocationRef> all;
    for (const Communicator& each : m_communicators) {
        all.insert(each.members.begin(), each.members.end());
    }
    const std::vector<std::uint64_t> locations(all.begin(), all.end());
    const OTF2_StringRef none = text("");
    OTF2_GroupRef group = 0;
    check(OTF2_GlobalDefWriter_WriteGroup(definitions, group++, none, OTF2_GROUP_TYPE_COMM_LOCATIONS,
                                          OTF2_PARADIGM_MPI, OTF2_GROUP_FLAG_NONE,
                                          static_cast<std::uint32_t>(locations.size()), locations.data()));
    for (std::size_t i = 0; i < m_communicators.size(); ++i) {
        std::vector<std::uint64_t> places; // in the group of all locations
        for (const OTF2_LocationRef member : m_communicators[i].members) {
            places.push_back(static_cast<std::uint64_t>(std::distance(all.begin(), all.find(member))));
        }
        check(OTF2_GlobalDefWriter_WriteGroup(
            definitions, group, m_communicators[i].name, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI,
            OTF2_GROUP_FLAG_NONE, static_cast<std::uint32_t>(places.size()), places.data()));
        check(OTF2_GlobalDefWriter_WriteComm(definitions, static_cast<OTF2_CommRef>(i),
                                             m_communicators[i].name, group++, OTF2_UNDEFINED_COMM,
                                             OTF2_COMM_FLAG_NONE));
    }
}

void Otf2Archive::writeDefinitions(std::uint64_t realtimeNs)
{
    constexpr std::uint64_t kNsASecond = 1'000'000'000;
    OTF2_GlobalDefWriter* const definitions = OTF2_Archive_GetGlobalDefWriter(m_archive);
    check(OTF2_GlobalDefWriter_WriteClockProperties(definitions, kNsASecond, 0, m_length + 1,
                                                    realtimeNs != 0 ? realtimeNs : OTF2_UNDEFINED_TIMESTAMP));
    text(""); // the last texts get their numbers
    for (const auto& [text, id] : m_texts) {
        check(OTF2_GlobalDefWriter_WriteString(definitions, id, text.c_str()));
    }
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        check(OTF2_GlobalDefWriter_WriteSystemTreeNode(definitions, static_cast<OTF2_SystemTreeNodeRef>(i),
                                                       m_nodes[i].name, m_nodes[i].kind, m_nodes[i].parent));
    }
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        check(OTF2_GlobalDefWriter_WriteLocationGroup(definitions, static_cast<OTF2_LocationGroupRef>(i),
                                                      m_groups[i].name, m_groups[i].type, m_groups[i].node,
                                                      m_groups[i].creator));
    }
    for (std::size_t i = 0; i < m_locations.size(); ++i) {
        check(OTF2_GlobalDefWriter_WriteLocation(definitions, i, m_locations[i].name, m_locations[i].type,
                                                 m_locations[i].events, m_locations[i].process));
    }
    for (std::size_t i = 0; i < m_regions.size(); ++i) {
        check(OTF2_GlobalDefWriter_WriteRegion(definitions, static_cast<OTF2_RegionRef>(i), m_regions[i].name,
                                               m_regions[i].name, text(""), m_regions[i].role,
                                               m_regions[i].paradigm, OTF2_REGION_FLAG_NONE, text(""), 0, 0));
    }
    writeCommunicators(definitions);
}

void Otf2Archive::close(std::uint64_t realtimeNs)
{
    for (std::size_t i = 0; i < m_locations.size(); ++i) {
        check(OTF2_Archive_CloseEvtWriter(m_archive, OTF2_Archive_GetEvtWriter(m_archive, i)));
    }
    check(OTF2_Archive_CloseEvtFiles(m_archive));
    check(OTF2_Archive_OpenDefFiles(m_archive));
    for (std::size_t i = 0; i < m_locations.size(); ++i) {
        check(OTF2_Archive_CloseDefWriter(m_archive, OTF2_Archive_GetDefWriter(m_archive, i)));
    }
    check(OTF2_Archive_CloseDefFiles(m_archive));
    writeDefinitions(realtimeNs);
    check(OTF2_Archive_Close(std::exchange(m_archive, nullptr)));
}

} // namespace ringside::exporting
