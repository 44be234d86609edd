// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/assemble.h"

#include "import/nest_ranges.h"
#include "import/note.h"
#include "import/nsys/global_id.h"
#include "import/nsys/nccl_calls.h"
#include "import/nsys/recording.h"
#include "import/nsys/scan.h"
#include "import/text.h"
#include "model/collective_match.h"
#include "trace/read/plausible.h"
#include "trace/read/sort_columns.h"

#include <ringside/trace/reader.h>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <vector>

namespace ringside::importers::nsys {
namespace {

/// What is known of the rank of one device of a process.
struct RankClue {
    std::int64_t device = 0;
    std::optional<std::int64_t> rank, worldSize; ///< in the largest communicator created on the device
};
struct RankClues {
    std::optional<std::int64_t> mpiRank;
    std::vector<RankClue> devices;
};

/// Fills in the rank in the largest communicator that was created on the device. It stays null if two
/// communicators of that size disagree, because either could be the one of the whole job.
void readCreations(const std::vector<NcclRange>& ranges, RankClue& clue)
{
    bool ambiguous = false;
    for (const NcclRange& range : ranges) {
        const Payload& made = range.payload;
        if (!made.size || !made.rank || *made.rank >= *made.size ||
            made.device.value_or(clue.device) != clue.device) {
            continue;
        }
        if (made.size > clue.worldSize) {
            clue.worldSize = made.size;
            clue.rank = made.rank;
            ambiguous = false;
        } else if (made.size == clue.worldSize) {
            ambiguous |= made.rank != clue.rank;
        }
    }
    if (ambiguous) {
        clue.rank.reset();
        clue.worldSize.reset();
    }
}

trace::RankRow rowOf(std::int64_t rank, const char* source)
{
    trace::RankRow row;
    row.rank = rank;
    row.source = source;
    return row;
}

/// Whether communicators give each device of each process a rank of its own.
bool areRanksKnown(const std::vector<RankClues>& clues)
{
    std::set<std::int64_t> ranks;
    return std::ranges::all_of(clues, [&](const RankClues& process) {
        return !process.devices.empty() && std::ranges::all_of(process.devices, [&](const RankClue& clue) {
            return clue.rank && ranks.insert(*clue.rank).second;
        });
    });
}

/// Collects what is known of the ranks of the devices that NCCL uses.
RankClues cluesOf(const ProcessRows& process)
{
    std::set<std::int64_t> used;
    for (const trace::CommunicatorRow& row : process.trace.communicators) {
        if (row.device >= 0) {
            used.insert(row.device);
        }
    }
    RankClues clues;
    clues.mpiRank = process.mpiRank;
    for (const std::int64_t device : used) {
        clues.devices.push_back({device, std::nullopt, std::nullopt});
        readCreations(process.nccl, clues.devices.back());
    }
    return clues;
}

/// Fills table rank. If the creation of communicators gives each device of each process a rank of its own,
/// those are used; a process may then have several. Otherwise a process with at most one device gets its MPI
/// rank, or if it is the only process the rank in the launcher's variables. Other processes stay without
/// rank; the caller may find it in the file's name.
void findRanks(std::vector<trace::ProcessTrace>& processes, const std::vector<RankClues>& clues,
               const Metadata& metadata)
{
    const bool known = areRanksKnown(clues);
    for (std::size_t i = 0; i < processes.size(); ++i) {
        std::vector<trace::RankRow>& rows = processes[i].ranks;
        if (known) {
            for (const RankClue& clue : clues[i].devices) {
                rows.push_back(rowOf(*clue.rank, "NCCL communicator"));
                rows.back().worldSize = clue.worldSize;
                rows.back().device = clue.device;
            }
        } else if (clues[i].mpiRank && clues[i].devices.size() < 2) {
            rows.push_back(rowOf(*clues[i].mpiRank, "MPI"));
        } else if (processes.size() == 1 && metadata.launchedRank && clues[i].devices.size() < 2) {
            rows.push_back(rowOf(*metadata.launchedRank, metadata.rankVariable.c_str()));
            rows.back().worldSize = metadata.launchedWorldSize;
        }
        const auto& devices = processes[i].devices;
        if (rows.size() == 1 && devices.size() == 1) {
            rows.front().device = devices.front().ordinal;
        }
    }
}

bool isWork(const ProcessRows& process)
{
    return process.trace.kernels.size() + process.trace.copies.size() > 0 || !process.nccl.empty();
}

/// Adds the names that the process uses, including domains, to its strings.
void addStrings(trace::ProcessTrace& process, const std::vector<NcclRange>& nccl, const NameTable& names)
{
    const auto use = [&](trace::StringId id) {
        if (id != 0) {
            process.strings.try_emplace(id, names.text(id));
        }
    };
    std::ranges::for_each(process.kernels.name, use);
    std::ranges::for_each(process.apiCalls.api, use);
    std::ranges::for_each(process.launches.api, use);
    for (const trace::RangeRow& row : process.ranges) {
        use(row.name);
        use(row.domain);
    }
    for (const trace::CategoryRow& row : process.categories) {
        use(row.name);
        use(row.domain);
    }
    for (const NcclRange& range : nccl) {
        use(range.name);
    }
}

/// Assigns ids to the kernel's thread ids, and fills table thread.
class Threads final {
public:
    Threads(trace::ProcessTrace& process, const std::map<std::uint32_t, std::string>& names)
        : m_process(process), m_names(names)
    {}

    std::int64_t idOf(std::int64_t tid)
    {
        const auto [entry, fresh] = m_ids.try_emplace(tid, static_cast<std::int64_t>(m_ids.size()) + 1);
        if (fresh) {
            const auto name = m_names.find(static_cast<std::uint32_t>(tid));
            m_process.threads.push_back({entry->second, tid, name != m_names.end() ? name->second : ""});
        }
        return entry->second;
    }

private:
    trace::ProcessTrace& m_process;
    const std::map<std::uint32_t, std::string>& m_names;
    std::unordered_map<std::int64_t, std::int64_t> m_ids;
};

void addDevices(trace::ProcessTrace& process, const Devices& devices)
{
    std::set<std::uint32_t> used(process.kernels.device.begin(), process.kernels.device.end());
    used.insert(process.copies.device.begin(), process.copies.device.end());
    for (const std::uint32_t ordinal : used) {
        process.devices.push_back(devices.of(process.process.pid, ordinal));
    }
}

void setSpan(trace::ProcessTrace& process)
{
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    const auto grow = [&](const auto& columns) {
        if (columns.size() > 0) {
            first = std::min(first, *std::ranges::min_element(columns.startNs));
            last = std::max(last, *std::ranges::max_element(columns.endNs));
        }
    };
    grow(process.kernels);
    grow(process.copies);
    grow(process.apiCalls);
    for (const trace::RangeRow& row : process.ranges) {
        first = std::min(first, row.startNs);
        last = std::max(last, row.endNs);
    }
    for (const trace::CollectiveCallRow& row : process.collectiveCalls) {
        first = std::min(first, row.startNs);
        last = std::max(last, row.endNs);
    }
    process.process.startNs = std::min(first, last);
    process.process.endNs = last;
}

void addTiers(trace::ProcessTrace& process, bool ncclRanges)
{
    const auto add = [&](trace::TierName tier, bool active, const char* reason) {
        process.tiers.push_back({std::move(tier), active, reason, std::nullopt, std::nullopt});
    };
    const bool calls = process.apiCalls.size() > 0;
    const bool work = process.kernels.size() + process.copies.size() > 0;
    add("device", work,
        work ? "as Nsight Systems recorded it" : "Nsight Systems recorded none: --trace=cuda was not given");
    add("host", calls || ncclRanges,
        ncclRanges ? "CUDA calls as Nsight Systems recorded them, those of NCCL by its NVTX ranges"
                   : "CUDA calls as Nsight Systems recorded them; of NCCL only calls that launched a kernel");
    add("nvtx", !process.ranges.empty() || ncclRanges, "as Nsight Systems recorded it");
    add("nccl", false, "Nsight Systems does not record NCCL's algorithms, protocols and channels");
    add("sampled", false, "the samples of Nsight Systems are not read");
}

bool isDataCall(const trace::ProcessTrace& process, const NcclRange& range)
{
    return model::collectiveKind(process.text(range.name)) != model::CollectiveKind::Other;
}

/// Reports why message sizes are missing and how to get them.
void notePayloads(trace::ProcessTrace& process, const std::vector<NcclRange>& ranges,
                  const Metadata& metadata)
{
    const auto bare = std::ranges::count_if(
        ranges, [&](const NcclRange& range) { return !range.payload.bytes && isDataCall(process, range); });
    const bool off = !metadata.blobs.value_or(true) && !metadata.json.value_or(true);
    note(process, trace::Issue::MessageSizesMissing, bare,
         fmt::format(
             "NCCL calls without message size, communicator and peer: {}. Sizes and bandwidths are not "
             "measured. Export the report again: nsys export --type sqlite --include-blobs=true "
             "--include-json=true REPORT.nsys-rep",
             off ? "the export left out the payloads of NVTX events (its options INCLUDE_BLOBS and "
                   "INCLUDE_JSON are false, as by default)"
                 : "the file contains no payloads of NVTX events"));
    if (ranges.empty() && !process.collectiveCalls.empty()) {
        note(process, trace::Issue::MessageSizesMissing,
             static_cast<std::int64_t>(process.collectiveCalls.size()),
             "collectives without message size: the recording lacks NCCL's NVTX ranges, which contain it. "
             "Sizes and bandwidths are not measured. Record with nsys profile --trace=cuda,nvtx and without "
             "NCCL_NVTX_DISABLE");
    }
}

void finish(ProcessRows& rows, std::int64_t key, const Recording& recording, const Devices& devices)
{
    trace::ProcessTrace& process = rows.trace;
    process.process.pid = pidOf(key);
    const auto host = recording.metadata.hosts.find(machineOf(key));
    process.process.host = host != recording.metadata.hosts.end() ? host->second : "";
    addStrings(process, rows.nccl, recording.names);
    addDevices(process, devices);
    trace::sortAsRead(process);
    Threads threads(process, rows.threadNames);
    for (const std::uint32_t tid : process.apiCalls.thread) {
        static_cast<void>(threads.idOf(tid));
    }
    for (const trace::RangeRow& row : process.ranges) {
        static_cast<void>(threads.idOf(row.thread));
    }
    for (const NcclRange& range : rows.nccl) {
        static_cast<void>(threads.idOf(range.tid));
    }
    addCollectives(process, rows.nccl);
    process.apiCalls.thread.transform(
        [&](std::uint32_t tid) { return static_cast<std::uint32_t>(threads.idOf(tid)); });
    for (trace::RangeRow& row : process.ranges) {
        row.thread = threads.idOf(row.thread);
    }
    nestRanges(process.ranges);
    setSpan(process);
    addTiers(process, !rows.nccl.empty());
    notePayloads(process, rows.nccl, recording.metadata);
    note(process, trace::Issue::ConfigurationsLeftOut, rows.configurations.refused(),
         "launch configurations beyond the first 65535 are not stored");
    if (recording.metadata.startedRealtimeNs) {
        process.clockSamples.push_back(
            {0, *recording.metadata.startedRealtimeNs, std::nullopt, std::nullopt});
    }
}

void noteCounts(trace::ProcessTrace& process, const Counts& counts)
{
    note(process, trace::Issue::ImplausibleTime, counts.implausible,
         "rows have impossible times, durations or sizes and were left out");
    note(process, trace::Issue::IncompleteEvent, counts.incomplete,
         "rows do not name their device, stream or thread and were left out");
    note(process, trace::Issue::NamesMissing, counts.nameless,
         "rows refer to names that are not in the file; they are shown without a name");
    note(process, trace::Issue::OpenRange, counts.openRanges, "NVTX ranges do not end and were left out");
    note(process, trace::Issue::PayloadUnreadable, counts.badPayloads,
         "payloads of NCCL's NVTX ranges do not match their schemas and were not read");
    note(process, trace::Issue::GraphsWhole, counts.wholeGraphs,
         "launches of CUDA graphs were recorded without their kernels, so they count as compute. Record with "
         "nsys profile --cuda-graph-trace=node to see their communication");
    note(process, trace::Issue::TooManyProcesses, counts.tooMany,
         "rows belong to more processes than a session can have and were left out");
    note(process, trace::Issue::EventsLeftOut, counts.leftOut,
         fmt::format("rows for which the trace has no table: {}", fmt::join(counts.leftOutKinds, ", ")));
}

} // namespace

Devices::Devices(ExportFile& file)
{
    for (Scan scan(
             file, "TARGET_INFO_GPU",
             {"id", "name", "uuid", "busLocation", "totalMemory", "computeMajor", "computeMinor", "smCount"});
         scan.next();) {
        trace::DeviceRow row;
        row.name = cleanText(scan.text(1));
        row.uuid = cleanText(scan.text(2));
        row.pciBusId = cleanText(scan.text(3));
        const auto memory = scan.integer(4);
        row.memoryBytes = memory && *memory > 0 ? memory : std::nullopt;
        row.computeMajor = scan.integer(5);
        row.computeMinor = scan.integer(6);
        row.multiprocessors = scan.integer(7);
        m_gpus.emplace(scan.integer(0).value_or(-1), std::move(row));
    }
    for (Scan scan(file, "TARGET_INFO_CUDA_DEVICE", {"pid", "cudaId", "gpuId"}); scan.next();) {
        const auto ordinal = scan.integer(1);
        const auto gpu = scan.integer(2);
        if (ordinal && gpu) {
            m_ofProcess.emplace(std::pair(scan.integer(0).value_or(0), *ordinal), *gpu);
        }
    }
}

trace::DeviceRow Devices::of(std::int64_t pid, std::uint32_t ordinal) const
{
    trace::DeviceRow row;
    const auto own = m_ofProcess.find({pid, ordinal});
    const auto gpu = own != m_ofProcess.end() ? m_gpus.find(own->second) : m_gpus.end();
    if (gpu != m_gpus.end()) {
        row = gpu->second;
    } else if (!m_gpus.empty() && std::ranges::all_of(m_gpus, [&](const auto& entry) {
                   return entry.second.name == m_gpus.begin()->second.name;
               })) {
        const trace::DeviceRow& first = m_gpus.begin()->second; // all GPUs have its name, so are of its kind
        row.name = first.name;
        row.computeMajor = first.computeMajor;
        row.computeMinor = first.computeMinor;
        row.multiprocessors = first.multiprocessors;
    }
    row.ordinal = ordinal;
    return row;
}

std::vector<trace::ProcessTrace> assemble(Recording&& recording, const Devices& devices)
{
    std::vector<trace::ProcessTrace> processes;
    std::vector<RankClues> clues;
    std::int64_t idle = 0;
    for (auto& [key, rows] : recording.processes) {
        if (!isWork(rows)) {
            ++idle;
            continue;
        }
        finish(rows, key, recording, devices);
        clues.push_back(cluesOf(rows));
        processes.push_back(std::move(rows.trace));
    }
    if (processes.empty()) {
        return processes;
    }
    findRanks(processes, clues, recording.metadata);
    noteCounts(processes.front(), recording.counts);
    note(processes.front(), trace::Issue::ProcessesLeftOut, idle,
         "processes of the session neither use a device nor call NCCL; their CUDA calls and NVTX ranges were "
         "left out");
    return processes;
}

} // namespace ringside::importers::nsys
