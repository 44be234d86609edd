// SPDX-License-Identifier: Apache-2.0
// A folder in the Open Trace Format 2 for Vampir, Scalasca and other tools of high-performance computing.
// Each rank is a process. Its locations are the steps and the collectives on the device, its streams, and the
// host's threads with their nested ranges. Times are on the run's clock. Collectives are written as those of
// MPI, because the format has none of NCCL: a rank's part lasts as long as its kernels. Collectives of one
// rank that overlap are cut at the end of the one before, because events of a location must nest.
#include "export/exporter.h"
#include "export/otf2_archive.h"
#include "export/stream_work.h"
#include "report/communicators.h"
#include "trace/read/unfinished.h"

#include <ringside/error.h>
#include <ringside/trace/ring.h>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace ringside::exporting::exporter_otf2 {
namespace {

using model::CollectiveKind;

/// Returns null for what is no collective of the format.
std::optional<OTF2_CollectiveOp> operationOf(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::AllReduce:
        return OTF2_COLLECTIVE_OP_ALLREDUCE;
    case CollectiveKind::AllGather:
        return OTF2_COLLECTIVE_OP_ALLGATHER;
    case CollectiveKind::ReduceScatter:
        return OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK;
    case CollectiveKind::Broadcast:
        return OTF2_COLLECTIVE_OP_BCAST;
    case CollectiveKind::Reduce:
        return OTF2_COLLECTIVE_OP_REDUCE;
    case CollectiveKind::AllToAll:
        return OTF2_COLLECTIVE_OP_ALLTOALL;
    case CollectiveKind::Gather:
        return OTF2_COLLECTIVE_OP_GATHER;
    case CollectiveKind::Scatter:
        return OTF2_COLLECTIVE_OP_SCATTER;
    default:
        return std::nullopt;
    }
}

OTF2_RegionRole roleOf(CollectiveKind kind)
{
    switch (kind) {
    case CollectiveKind::Broadcast:
    case CollectiveKind::Scatter:
        return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case CollectiveKind::Reduce:
    case CollectiveKind::Gather:
        return OTF2_REGION_ROLE_COLL_ALL2ONE;
    default:
        return OTF2_REGION_ROLE_COLL_ALL2ALL;
    }
}

struct Sizes {
    std::uint64_t sent = OTF2_UNDEFINED_UINT64;
    std::uint64_t received = OTF2_UNDEFINED_UINT64;
};

/// Returns the bytes of a rank's buffers. `bytes` are those of Operation: of all-gather and reduce-scatter
/// the part of one rank. Undefined if they are not known. `isRoot` is null if there is no root or it is not
/// known.
Sizes sizesOf(const model::Operation& operation, std::optional<bool> isRoot)
{
    const std::uint64_t bytes = operation.bytes.value_or(0);
    std::uint64_t all = 0;
    const bool rooted = roleOf(operation.kind) != OTF2_REGION_ROLE_COLL_ALL2ALL;
    if (!operation.bytes || operation.size <= 0 || rooted != isRoot.has_value() ||
        __builtin_mul_overflow(bytes, static_cast<std::uint64_t>(operation.size), &all)) {
        return {};
    }
    switch (operation.kind) {
    case CollectiveKind::AllReduce:
        return {bytes, bytes};
    case CollectiveKind::AllGather:
        return {bytes, all};
    case CollectiveKind::ReduceScatter:
        return {all, bytes};
    case CollectiveKind::Broadcast:
        return {*isRoot ? bytes : 0, *isRoot ? 0 : bytes};
    case CollectiveKind::Reduce:
        return {bytes, *isRoot ? bytes : 0};
    default:
        return {};
    }
}

/// A rank's part of a collective.
struct OwnPart {
    const model::Operation* operation = nullptr;
    const model::Participant* participant = nullptr;
};

class Otf2Writer final {
public:
    Otf2Writer(const model::Model& model, const std::filesystem::path& output)
        : m_model(model), m_archive(output), m_parts(model.ranks.size()), m_collectives(model.ranks.size())
    {}

    void write()
    {
        findParts();
        defineRanks();
        defineCommunicators();
        for (std::size_t rank = 0; rank < m_model.ranks.size(); ++rank) {
            steps(rank);
            collectives(rank);
            deviceWork(rank);
            ranges(rank);
        }
        m_archive.close(
            static_cast<std::uint64_t>(std::max<std::int64_t>(0, m_model.startedRealtimeNs.value_or(0))));
    }

private:
    void findParts()
    {
        for (const model::Operation& operation : m_model.operations) {
            for (const model::Participant& part : operation.participants) {
                if (part.device) {
                    m_parts[part.rank].push_back({&operation, &part});
                }
            }
        }
        for (std::vector<OwnPart>& parts : m_parts) {
            std::ranges::stable_sort(parts, {},
                                     [](const OwnPart& each) { return each.participant->device->start; });
        }
    }

    void defineRanks()
    {
        const OTF2_SystemTreeNodeRef job = m_archive.node("job", "machine", OTF2_UNDEFINED_SYSTEM_TREE_NODE);
        std::vector<OTF2_SystemTreeNodeRef> hosts;
        for (const model::Host& host : m_model.hosts) {
            hosts.push_back(m_archive.node(host.name.empty() ? "unknown host" : host.name, "node", job));
        }
        for (std::size_t rank = 0; rank < m_model.ranks.size(); ++rank) {
            const model::Rank& each = m_model.ranks[rank];
            m_processes.push_back(m_archive.process(fmt::format("rank {}", each.rank), hosts[each.host]));
            m_collectives[rank] =
                m_archive.location("collectives", OTF2_LOCATION_TYPE_CPU_THREAD, m_processes[rank]);
        }
    }

    void defineCommunicators()
    {
        std::map<std::int64_t, std::size_t> places;
        for (std::size_t rank = 0; rank < m_model.ranks.size(); ++rank) {
            places.emplace(m_model.ranks[rank].rank, rank);
        }
        for (const auto& [hash, communicator] : report::communicatorsOf(m_model)) {
            std::vector<OTF2_LocationRef> members;
            for (const std::int64_t rank : communicator.ranks) {
                members.push_back(m_collectives[places.at(rank)]);
            }
            m_communicators[hash] = m_archive.communicator(
                communicator.name.empty() ? fmt::format("{:016x}", hash) : communicator.name, members);
        }
    }

    void put(OTF2_LocationRef location, const model::Rank& rank, const model::Interval& time,
             OTF2_RegionRef region)
    {
        m_archive.enter(location, rank.clock.toRun(time.start), region);
        m_archive.leave(location, rank.clock.toRun(time.end), region);
    }

    void steps(std::size_t index)
    {
        const model::Rank& rank = m_model.ranks[index];
        const OTF2_LocationRef location =
            m_archive.location("steps", OTF2_LOCATION_TYPE_CPU_THREAD, m_processes[index]);
        const OTF2_RegionRef region = m_archive.region("step", OTF2_REGION_ROLE_TASK, OTF2_PARADIGM_USER);
        for (const model::Step& step : rank.steps) {
            if (step.device) {
                put(location, rank, *step.device, region);
            }
        }
    }

    /// Returns the root's place in the communicator, or null if the collective has none or it is not known.
    static std::optional<std::uint32_t> rootOf(const trace::CollectiveCallRow& call, CollectiveKind kind)
    {
        const bool rooted = roleOf(kind) != OTF2_REGION_ROLE_COLL_ALL2ALL;
        return rooted && call.peer && *call.peer >= 0 ? std::optional(static_cast<std::uint32_t>(*call.peer))
                                                      : std::nullopt;
    }

    /// Returns whether the part is that of the communicator's member with this place.
    static bool isMember(const trace::ProcessTrace& process, const OwnPart& part, std::uint32_t place)
    {
        const std::int64_t id = process.collectiveCalls[part.participant->call].communicator;
        const auto row = std::ranges::find(process.communicators, id, &trace::CommunicatorRow::id);
        return row != process.communicators.end() && row->rank == place;
    }

    void collectives(std::size_t index)
    {
        const model::ClockMap& clock = m_model.ranks[index].clock;
        const trace::ProcessTrace& process = m_model.processOf(m_model.ranks[index]);
        for (const OwnPart& part : m_parts[index]) {
            const model::Operation& operation = *part.operation;
            const OTF2_LocationRef location = m_collectives[index];
            const OTF2_RegionRef region = m_archive.region(std::string(model::collectiveName(operation.kind)),
                                                           roleOf(operation.kind), OTF2_PARADIGM_MPI);
            const std::int64_t begin = clock.toRun(part.participant->device->start);
            const std::int64_t end = clock.toRun(part.participant->device->end);
            const auto communicator = m_communicators.find(operation.communicator);
            m_archive.enter(location, begin, region);
            const auto kind = operationOf(operation.kind);
            if (kind && communicator != m_communicators.end()) {
                const auto root = rootOf(process.collectiveCalls[part.participant->call], operation.kind);
                const Sizes sizes =
                    sizesOf(operation, root ? std::optional(isMember(process, part, *root)) : std::nullopt);
                m_archive.beginCollective(location, begin);
                m_archive.endCollective(location, end,
                                        {*kind, communicator->second, root.value_or(OTF2_UNDEFINED_UINT32),
                                         sizes.sent, sizes.received});
            }
            m_archive.leave(location, end, region);
        }
    }

    void deviceWork(std::size_t index)
    {
        const model::Rank& rank = m_model.ranks[index];
        const trace::ProcessTrace& process = m_model.processOf(rank);
        const OTF2_LocationGroupRef gpus = m_archive.accelerators(m_processes[index]);
        std::map<std::tuple<std::uint32_t, std::uint32_t, std::size_t>, OTF2_LocationRef> streams;
        forEachDeviceWork(m_model, rank, [&](const ShownWork& work) {
            const auto [entry, fresh] = streams.try_emplace({work.device, work.stream, work.lane}, 0);
            if (fresh) {
                entry->second = m_archive.location(fmt::format("GPU {} stream {}{}", work.device, work.stream,
                                                               work.lane > 0 ? ", overlapping" : ""),
                                                   OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, gpus);
            }
            const OTF2_RegionRef region =
                work.copy ? m_archive.region("copy", OTF2_REGION_ROLE_DATA_TRANSFER, OTF2_PARADIGM_CUDA)
                          : m_archive.region(std::string(process.text(process.kernels.name[work.row])),
                                             OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_CUDA);
            put(entry->second, rank, work.time, region);
        });
    }

    /// Ranges of a thread nest. One that ends after the range around it is cut there.
    void ranges(std::size_t index)
    {
        const model::Rank& rank = m_model.ranks[index];
        const trace::ProcessTrace& process = m_model.processOf(rank);
        std::map<std::int64_t, std::vector<const trace::RangeRow*>> ofThread;
        for (const trace::RangeRow& range : process.ranges) {
            if (static_cast<trace::RangeFlavour>(range.flavour) == trace::RangeFlavour::PushPop) {
                ofThread[range.thread].push_back(&range);
            }
        }
        for (auto& [thread, ranges] : ofThread) {
            std::ranges::stable_sort(ranges, [](const auto* a, const auto* b) {
                return std::tie(a->startNs, b->endNs) < std::tie(b->startNs, a->endNs);
            });
            nest(m_archive.location(fmt::format("thread {}", thread), OTF2_LOCATION_TYPE_CPU_THREAD,
                                    m_processes[index]),
                 rank, process, ranges);
        }
    }

    void nest(OTF2_LocationRef location, const model::Rank& rank, const trace::ProcessTrace& process,
              const std::vector<const trace::RangeRow*>& ranges)
    {
        struct Open {
            std::int64_t endNs;
            OTF2_RegionRef region;
        };
        std::vector<Open> open;
        const auto leaveUntil = [&](std::int64_t ns) {
            while (!open.empty() && open.back().endNs <= ns) {
                m_archive.leave(location, rank.clock.toRun(open.back().endNs), open.back().region);
                open.pop_back();
            }
        };
        for (const trace::RangeRow* const range : ranges) {
            leaveUntil(range->startNs);
            const OTF2_RegionRef region = m_archive.region(std::string(process.text(range->name)),
                                                           OTF2_REGION_ROLE_CODE, OTF2_PARADIGM_USER);
            m_archive.enter(location, rank.clock.toRun(range->startNs), region);
            open.push_back({open.empty() ? range->endNs : std::min(range->endNs, open.back().endNs), region});
        }
        leaveUntil(std::numeric_limits<std::int64_t>::max());
    }

    const model::Model& m_model;
    Otf2Archive m_archive;
    std::vector<std::vector<OwnPart>> m_parts;   ///< by rank, then by start
    std::vector<OTF2_LocationRef> m_collectives; ///< by rank
    std::vector<OTF2_LocationGroupRef> m_processes;
    std::map<std::uint64_t, OTF2_CommRef> m_communicators; ///< by hash
};

void write(const report::Report& report, const std::filesystem::path& output)
{
    std::error_code error;
    trace::Unfinished unfinished(output, [&] { return std::filesystem::create_directory(output, error); });
    if (error) {
        throw Error(ErrorCode::Io, fmt::format("cannot create {}: {}", output.string(), error.message()),
                    "Name a folder that does not exist yet, in one that does.");
    }
    Otf2Writer(report.model, output).write();
    unfinished.keep();
}

} // namespace

RINGSIDE_EXPORTER(otf2, .title = "OTF2 archive for Vampir and Scalasca", .write = write);

} // namespace ringside::exporting::exporter_otf2
