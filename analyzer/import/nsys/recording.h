// SPDX-License-Identifier: Apache-2.0
// Holds the rows read from an export, by process, before they are joined. Times are ns since the session's
// start, names are ids in one table, and threads are the kernel's ids.
#pragma once
#include "import/name_table.h"
#include "import/nsys/export_file.h"
#include "trace/write/launch_configurations.h"

#include <ringside/trace/reader.h>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::importers::nsys {

// Reads the payloads of NCCL's NVTX ranges: communicator, message size, peer. An export contains them as
// JSON, as the recorded bytes, or (by default) not at all.

struct Payload {
    std::optional<std::uint64_t> communicator;      ///< NCCL's commHash, the same on all ranks of it
    std::optional<std::uint64_t> bytes;             ///< size of the message as the NCCL call counts it
    std::optional<std::int64_t> peer;               ///< peer of a send or receive, or the root
    std::optional<std::int64_t> reduction;          ///< ncclRedOp_t
    std::optional<std::int64_t> size, rank, device; ///< of a communicator that the call creates

    [[nodiscard]] bool empty() const { return !communicator && !bytes && !size; }
};

/// The layouts of recorded payloads, by schema.
class PayloadSchemas final {
public:
    explicit PayloadSchemas(ExportFile& file);
    /// Decodes a payload. Null if its schema is not known or the bytes are too short.
    [[nodiscard]] std::optional<Payload> decode(std::span<const unsigned char> blob) const;

private:
    struct Field {
        std::uint64_t offset = 0;
        std::uint32_t width = 0;
        std::optional<std::int64_t> Payload::*number = nullptr;
        std::optional<std::uint64_t> Payload::*size = nullptr;
    };
    std::map<std::int64_t, std::vector<Field>> m_fields; ///< by schema id
};

/// Parses a payload such as {"NCCL communicator ID": 1, "Message size [bytes]": 2}. Null if it is invalid or
/// contains neither communicator nor sizes.
[[nodiscard]] std::optional<Payload> payloadOfJson(std::string_view text);

// Reads the metadata of an export: its version and options, and when and on which hosts the session began.
// Of the recorded environment only the launcher's rank variables are read. Other variables and command lines
// are not kept.

struct Metadata {
    std::string product;             ///< such as "2026.2.1.210"; empty if not known
    std::string schema;              ///< such as "3.25.0"; empty if not known
    std::optional<bool> blobs, json; ///< whether NVTX payloads were exported in this form; null if not known
    bool normalized = false; ///< whether times are epoch times instead of times since the session's start
    std::optional<std::int64_t> startedRealtimeNs;
    std::string session;                       ///< unique id of the session
    std::map<std::int64_t, std::string> hosts; ///< by machine (global_id.h)
    std::optional<std::int64_t> launchedRank;  ///< of the launched program, from the launcher's variables
    std::optional<std::int64_t> launchedWorldSize;
    std::string rankVariable; ///< the variable that contained launchedRank
};

/// Reads the metadata tables of an export.
[[nodiscard]] Metadata readMetadata(ExportFile& file);

/// Whether this importer supports exports of that schema version.
[[nodiscard]] bool isKnownSchema(const std::string& schema);

/// An NVTX range of NCCL.
struct NcclRange {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    trace::StringId name = 0; ///< such as "ncclAllReduce"
    std::uint32_t tid = 0;
    Payload payload;
};

/// One process of the session.
struct ProcessRows {
    trace::ProcessTrace trace; ///< columns and ranges; thread: the kernel's id
    std::vector<NcclRange> nccl;
    std::map<std::int64_t, trace::StringId> domains; ///< NVTX domains by id
    std::map<std::uint32_t, std::string> threadNames;
    std::optional<std::int64_t> mpiRank;
    trace::LaunchConfigurations configurations;

    /// Returns the id of a kernel's launch configuration, and stores it if it is the first of its kind.
    std::uint32_t configurationOf(trace::StringId name, trace::LaunchConfigurationRow row);
};

struct Counts {
    std::int64_t implausible = 0; ///< rows with impossible times or sizes
    std::int64_t incomplete = 0;  ///< rows without a process, device, stream or thread
    std::int64_t nameless = 0;    ///< rows whose name is not in table StringIds
    std::int64_t openRanges = 0;  ///< ranges without an end
    std::int64_t badPayloads = 0; ///< NCCL ranges with an unreadable payload
    std::int64_t wholeGraphs = 0; ///< launches of CUDA graphs that were recorded as one row
    std::int64_t tooMany = 0;     ///< rows of processes beyond the limit
    std::int64_t leftOut = 0;     ///< rows for which the trace has no table
    std::vector<std::string> leftOutKinds;
};

struct Recording {
    Metadata metadata;
    std::map<std::int64_t, ProcessRows> processes; ///< by processKey
    NameTable names;
    std::unordered_map<std::int64_t, trace::StringId> strings; ///< id in `names` by id in table StringIds
    Counts counts;

    /// Returns the process of a row. Null if there are too many processes; the row is then counted.
    ProcessRows* processOf(std::int64_t globalId);
    /// Returns the name of a row. 0 if it is not in table StringIds; the row is then counted.
    trace::StringId nameOf(std::optional<std::int64_t> stringId);
    /// Converts times to ns since the session's start. Returns false if they are implausible; the row is then
    /// counted.
    [[nodiscard]] bool readTimes(std::optional<std::int64_t> start, std::optional<std::int64_t> end,
                                 std::int64_t& startNs, std::int64_t& endNs);
};

} // namespace ringside::importers::nsys
