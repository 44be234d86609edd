// SPDX-License-Identifier: Apache-2.0
// Writes an archive in the Open Trace Format 2, which Vampir, Scalasca and others read
// (https://www.vi-hps.org/projects/score-p). A wrapper of libotf2: it owns the archive, numbers definitions,
// and turns error codes into exceptions.
#pragma once
#include "model/time.h"

#include <otf2/otf2.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ringside::exporting {

/// Events are written first, definitions last, as the library wants it. Times are ns from the begin of the
/// trace. All functions throw ringside::Error (Io).
class Otf2Archive final {
public:
    explicit Otf2Archive(const std::filesystem::path& folder);
    ~Otf2Archive();
    Otf2Archive(const Otf2Archive&) = delete;
    Otf2Archive& operator=(const Otf2Archive&) = delete;

    /// Returns the id of a text.
    OTF2_StringRef text(const std::string& text);
    OTF2_SystemTreeNodeRef node(const std::string& name, const char* kind, OTF2_SystemTreeNodeRef parent);
    OTF2_LocationGroupRef process(const std::string& name, OTF2_SystemTreeNodeRef node);
    /// Returns the GPUs of a process, to which its streams belong.
    OTF2_LocationGroupRef accelerators(OTF2_LocationGroupRef process);
    OTF2_LocationRef location(const std::string& name, OTF2_LocationType type, OTF2_LocationGroupRef process);
    OTF2_RegionRef region(const std::string& name, OTF2_RegionRole role, OTF2_Paradigm paradigm);
    /// Returns a communicator of these members, which are locations.
    OTF2_CommRef communicator(const std::string& name, const std::vector<OTF2_LocationRef>& members);

    /// Events of a location must come in the order of time, and must nest.
    void enter(OTF2_LocationRef location, std::int64_t ns, OTF2_RegionRef region);
    void leave(OTF2_LocationRef location, std::int64_t ns, OTF2_RegionRef region);
    void beginCollective(OTF2_LocationRef location, std::int64_t ns);
    struct Collective {
        OTF2_CollectiveOp operation = OTF2_COLLECTIVE_OP_BARRIER;
        OTF2_CommRef communicator = OTF2_UNDEFINED_COMM;
        std::uint32_t root = OTF2_UNDEFINED_UINT32;
        std::uint64_t sentBytes =
            OTF2_UNDEFINED_UINT64; ///< by this rank; undefined if not known, as the next
        std::uint64_t receivedBytes = OTF2_UNDEFINED_UINT64;
    };
    void endCollective(OTF2_LocationRef location, std::int64_t ns, const Collective& collective);

    /// Writes the definitions. `realtimeNs`: epoch ns of the begin of the trace; 0 if not known.
    void close(std::uint64_t realtimeNs);

private:
    struct Location {
        OTF2_StringRef name = 0;
        OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
        OTF2_LocationGroupRef process = 0;
        std::uint64_t events = 0;
        std::int64_t lastNs = 0;
    };
    struct Region {
        OTF2_StringRef name = 0;
        OTF2_RegionRole role = OTF2_REGION_ROLE_UNKNOWN;
        OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
    };
    struct Node {
        OTF2_StringRef name = 0, kind = 0;
        OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
    };
    struct Group {
        OTF2_StringRef name = 0;
        OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_PROCESS;
        OTF2_SystemTreeNodeRef node = 0;
        OTF2_LocationGroupRef creator = OTF2_UNDEFINED_LOCATION_GROUP;
    };
    struct Communicator {
        OTF2_StringRef name = 0;
        std::vector<OTF2_LocationRef> members;
    };
    OTF2_EvtWriter* writerAt(OTF2_LocationRef location, std::int64_t ns, std::uint64_t& time);
    void writeDefinitions(std::uint64_t realtimeNs);
    void writeCommunicators(OTF2_GlobalDefWriter* definitions);

    OTF2_Archive* m_archive = nullptr;
    std::map<std::string, OTF2_StringRef> m_texts;
    std::vector<Node> m_nodes;
    std::vector<Group> m_groups;
    std::vector<Location> m_locations;
    std::vector<Region> m_regions;
    std::map<std::pair<std::string, OTF2_RegionRole>, OTF2_RegionRef> m_regionIds;
    std::vector<Communicator> m_communicators;
    std::uint64_t m_length = 0;
};

} // namespace ringside::exporting
