// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/collectives.h"

#include "import/nccl_names.h"
#include "import/surrounding.h"
#include "import/text.h"
#include "model/launch_index.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace ringside::importers::kineto {
namespace {

/// Returns the number of elements as the NCCL function counts them. Null if it is not known, or for an
/// all-to-all with different sizes for each peer.
std::optional<std::uint64_t> countOf(std::string_view function, std::string_view name,
                                     const Collective& described)
{
    if (function == "ncclReduceScatter" || function == "ncclScatter" || function == "ncclRecv") {
        return described.outElements;
    }
    if (function == "ncclAlltoAll") {
        const bool even =
            wordOf(name) != "alltoallv" && described.groupSize.value_or(0) > 0 && described.inElements;
        return even ? std::optional(*described.inElements / static_cast<std::uint64_t>(*described.groupSize))
                    : std::nullopt;
    }
    return described.inElements;
}

constexpr std::size_t kNoKernel = std::numeric_limits<std::size_t>::max();

/// What a device does for a collective: a communication kernel or, where copy engines do it, copies.
struct Work {
    std::size_t kernel = kNoKernel; ///< row
    std::vector<std::uint32_t> correlations;
    std::int64_t startNs = 0;
    std::uint32_t device = 0, stream = 0;
    std::optional<std::uint32_t> launch;   ///< row, of the first
    const Collective* described = nullptr; ///< the profiler's description; null if there is none
    std::string name;                      ///< PyTorch's name of the collective
    std::string_view function;             ///< NCCL's function; empty if it is not known
};

/// NCCL's copies for a collective are between devices, or within the one of a communicator with one rank.
bool isBetweenDevices(std::uint32_t copyKind)
{
    constexpr std::uint32_t kDeviceToDevice = 8; // of CUpti_ActivityMemcpyKind, as the next
    constexpr std::uint32_t kPeerToPeer = 10;
    return copyKind == kDeviceToDevice || copyKind == kPeerToPeer;
}

using GroupKey = std::tuple<std::string, std::uint32_t>; ///< identity of the group, device

class Builder final {
public:
    Builder(trace::ProcessTrace& process, const Rows& rows, const Document& document)
        : m_process(process)
        , m_rows(rows)
        , m_document(document)
        , m_launches(process.launches)
        , m_names(process)
        , m_strings(process)
    {}

    void build()
    {
        collectTexts();
        std::map<GroupKey, std::vector<Work>> groups;
        std::vector<Work> works = findWork();
        for (Work& work : works) {
            groups[groupOf(work)].push_back(std::move(work));
        }
        std::vector<std::pair<const GroupKey, std::vector<Work>>*> byFirst;
        for (auto& group : groups) {
            byFirst.push_back(&group);
        }
        std::ranges::sort(byFirst, {}, [](const auto* group) { return group->second.front().startNs; });
        for (auto* const group : byFirst) {
            addGroup(group->first, group->second);
        }
        std::ranges::sort(m_process.collectiveCalls, {}, &trace::CollectiveCallRow::id);
        report();
    }

private:
    void collectTexts()
    {
        for (const Collective& each : m_rows.collectives) {
            if (each.tid < 0) {
                m_ofKernel.try_emplace(each.correlation, &each);
                continue;
            }
            m_ofOperator.add(each.tid, each);
            if (isMessage(each)) {
                m_messages[each.tid].push_back(&each);
            }
        }
        for (auto& [tid, messages] : m_messages) {
            std::ranges::stable_sort(messages, {}, &Collective::startNs);
        }
        for (const trace::RangeRow& range : m_rows.ranges) {
            if (m_names.isAnnotation(range.name)) {
                m_annotations.add(m_process.threads[static_cast<std::size_t>(range.thread) - 1].tid, range);
            }
        }
        m_ofOperator.finish();
        m_annotations.finish();
    }

    std::vector<Work> findWork()
    {
        const trace::KernelColumns& kernels = m_process.kernels;
        std::vector<Work> works;
        std::unordered_map<std::uint32_t, int> uses;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (m_names.isKernel(kernels.name[i])) {
                works.push_back(describe(i));
                ++uses[kernels.correlation[i]];
            }
        }
        std::ranges::stable_sort(works, {}, &Work::startNs);
        assignBatches(works);
        std::vector<Work> byCopies = findCopies(works);
        // A launch with several kernels is that of a CUDA graph. The trace does not contain which kernel
        // belongs to which collective.
        std::erase_if(works, [&](const Work& work) {
            const std::uint32_t correlation = kernels.correlation[work.kernel];
            const bool shared = correlation == 0 || uses[correlation] > 1;
            m_shared += shared ? 1 : 0;
            m_nameless += !shared && work.function.empty() ? 1 : 0;
            return shared || work.function.empty();
        });
        std::ranges::move(byCopies, std::back_inserter(works));
        std::ranges::stable_sort(works, {}, &Work::startNs);
        return works;
    }

    /// Returns the collectives that copy engines do (NCCL 2.28 and later): their operators launch copies and
    /// no kernel.
    [[nodiscard]] std::vector<Work> findCopies(const std::vector<Work>& byKernels) const
    {
        std::unordered_set<const Collective*> haveKernels;
        for (const Work& work : byKernels) {
            haveKernels.insert(work.described);
        }
        std::vector<Work> works;
        std::unordered_map<const Collective*, std::size_t> known;
        const trace::CopyColumns& copies = m_process.copies;
        for (std::size_t i = 0; i < copies.size(); ++i) {
            const auto launch = m_launches.find(copies.correlation[i]);
            const Collective* const described =
                launch && isBetweenDevices(copies.kind[i])
                    ? m_ofOperator.at(m_process.launches.tid[*launch], m_process.launches.startNs[*launch])
                    : nullptr;
            if (described == nullptr || haveKernels.contains(described) || isMessage(*described) ||
                ncclFunctionOf(m_process.text(described->name)).empty()) {
                continue;
            }
            const auto [entry, fresh] = known.try_emplace(described, works.size());
            Work& work = fresh ? works.emplace_back() : works[entry->second];
            if (fresh || copies.startNs[i] < work.startNs) {
                work.startNs = copies.startNs[i];
                work.device = copies.device[i];
                work.stream = copies.stream[i];
                work.launch = launch;
                work.described = described;
                work.name = m_process.text(described->name);
                work.function = ncclFunctionOf(work.name);
            }
            work.correlations.push_back(copies.correlation[i]);
        }
        return works;
    }

    [[nodiscard]] bool isMessage(const Collective& each) const
    {
        const std::string_view function = ncclFunctionOf(m_process.text(each.name));
        return function == "ncclSend" || function == "ncclRecv";
    }

    /// Assigns batches of sends and receives to their kernels. PyTorch issues a batch as one kernel, after
    /// the operators of all its sends and receives and inside of none. The launch of the kernel is the first
    /// one after the operators on their thread.
    void assignBatches(std::vector<Work>& works)
    {
        std::vector<std::size_t> byLaunch;
        for (std::size_t i = 0; i < works.size(); ++i) {
            const bool message = works[i].function == "ncclSend" || works[i].function == "ncclRecv";
            if (works[i].launch && (message || works[i].function.empty())) {
                byLaunch.push_back(i);
            }
        }
        std::ranges::stable_sort(byLaunch, {}, [&](std::size_t i) { return launchStartOf(works[i]); });
        std::vector<Work> parts;
        for (const std::size_t i : byLaunch) {
            Work& work = works[i];
            const auto batch = nextBatch(tidOf(work), launchStartOf(work));
            if (!work.function.empty()) {
                continue; // the kernel is described itself, so the operators before it belong to it
            }
            for (std::size_t part = 0; part < batch.size(); ++part) {
                const std::string name(m_process.text(batch[part]->name));
                Work one = work;
                one.described = batch[part];
                one.name = name;
                one.function = ncclFunctionOf(name);
                (part == 0 ? work : parts.emplace_back()) = std::move(one);
            }
        }
        std::ranges::move(parts, std::back_inserter(works));
        std::ranges::stable_sort(works, {}, &Work::startNs);
    }
    [[nodiscard]] std::int64_t launchStartOf(const Work& work) const
    {
        return m_process.launches.startNs[*work.launch];
    }

    /// Returns the sends and receives before this time that are not assigned to a kernel yet.
    std::vector<const Collective*> nextBatch(std::int64_t tid, std::int64_t before)
    {
        const auto messages = m_messages.find(tid);
        std::vector<const Collective*> batch;
        if (messages == m_messages.end()) {
            return batch;
        }
        std::size_t& next = m_assigned[tid];
        for (; next < messages->second.size() && messages->second[next]->startNs <= before; ++next) {
            batch.push_back(messages->second[next]);
        }
        return batch;
    }

    Work describe(std::size_t kernel)
    {
        const std::uint32_t correlation = m_process.kernels.correlation[kernel];
        Work work;
        work.kernel = kernel;
        work.correlations = {correlation};
        work.startNs = m_process.kernels.startNs[kernel];
        work.device = m_process.kernels.device[kernel];
        work.stream = m_process.kernels.stream[kernel];
        work.launch = m_launches.find(correlation);
        if (const auto own = m_ofKernel.find(correlation); own != m_ofKernel.end()) {
            work.described = own->second;
        } else if (work.launch) {
            work.described = m_ofOperator.at(tidOf(work), m_process.launches.startNs[*work.launch]);
        }
        const trace::RangeRow* const annotation =
            work.launch ? m_annotations.at(tidOf(work), m_process.launches.startNs[*work.launch]) : nullptr;
        for (const std::string_view name :
             {work.described != nullptr ? m_process.text(work.described->name) : std::string_view(),
              annotation != nullptr ? m_process.text(annotation->name) : std::string_view(),
              m_process.text(m_process.kernels.name[kernel])}) {
            if (work.function.empty()) {
                work.function = ncclFunctionOf(name);
                work.name = name;
            }
        }
        return work;
    }

    [[nodiscard]] std::int64_t tidOf(const Work& work) const { return m_process.launches.tid[*work.launch]; }

    /// Returns the group of a kernel. Without a group name it is the stream, because PyTorch uses each
    /// communication stream for one communicator. Streams are numbered by their first use, because their ids
    /// differ between ranks.
    GroupKey groupOf(const Work& work)
    {
        if (work.described != nullptr && work.described->group != 0) {
            return {std::string(m_process.text(work.described->group)) + " " +
                        std::string(m_process.text(work.described->groupRanks)),
                    work.device};
        }
        ++m_groupless;
        auto& ofDevice = m_streams[work.device];
        const auto entry = ofDevice.try_emplace(work.stream, ofDevice.size()).first;
        return {"communication stream " + std::to_string(entry->second), work.device};
    }

    /// Sorts the works of a group into the order in which the host issued them. Kernels on two streams may
    /// start in another one, which differs between ranks.
    void sortAsIssued(std::vector<Work>& works) const
    {
        if (std::ranges::all_of(works, [](const Work& work) { return work.launch.has_value(); })) {
            std::ranges::stable_sort(
                works, {}, [this](const Work& work) { return m_process.launches.startNs[*work.launch]; });
        }
    }

    void addGroup(const GroupKey& key, std::vector<Work>& works)
    {
        sortAsIssued(works);
        const Work& first = works.front();
        trace::CommunicatorRow row;
        row.id = static_cast<std::int64_t>(m_process.communicators.size()) + 1;
        row.hash = textHash(std::get<0>(key));
        row.rank = -1;
        row.device = std::get<1>(key);
        row.createdNs = first.startNs;
        if (first.described != nullptr && first.described->group != 0) {
            describeGroup(*first.described, row);
        }
        m_process.communicators.push_back(row);
        addCalls(works, row.id);
    }

    /// Returns the global ranks of a group's members, in the order of their ranks in the group. Empty if the
    /// file does not contain them. The profiler shortens the list in an event for large groups.
    [[nodiscard]] std::vector<std::int64_t> membersOf(const Collective& described) const
    {
        std::vector<std::int64_t> ranks = ranksOfText(m_process.text(described.groupRanks));
        const auto known =
            std::ranges::find(m_document.groups, m_process.text(described.group), &ProcessGroup::name);
        const bool shortened =
            known != m_document.groups.end() && !known->ranks.empty() && ranks.size() != known->ranks.size();
        return shortened ? known->ranks : ranks;
    }

    void describeGroup(const Collective& described, trace::CommunicatorRow& row)
    {
        const std::string_view name = m_process.text(described.group);
        const std::string_view description = m_process.text(described.groupDescription);
        row.name = m_strings.idOf(description.empty() ? name : description);
        const std::vector<std::int64_t> ranks = membersOf(described);
        row.size = described.groupSize.value_or(static_cast<std::int64_t>(ranks.size()));
        const auto own = m_document.rank ? std::ranges::find(ranks, *m_document.rank) : ranks.end();
        row.rank = own != ranks.end() ? own - ranks.begin() : -1;
    }

    /// Adds the calls of a group. If all calls have PyTorch's sequence numbers and these ascend, calls with
    /// the same number were issued together.
    void addCalls(const std::vector<Work>& works, std::int64_t communicator)
    {
        const auto numberOf = [](const Work& work) {
            return work.described != nullptr ? work.described->sequence : std::nullopt;
        };
        bool numbered = numberOf(works.front()).has_value();
        for (std::size_t i = 1; i < works.size() && numbered; ++i) {
            numbered = numberOf(works[i]) && *numberOf(works[i]) >= *numberOf(works[i - 1]);
        }
        for (std::size_t i = 0; i < works.size();) {
            std::size_t end = i + 1;
            while (end < works.size() &&
                   ((works[i].kernel != kNoKernel && works[end].kernel == works[i].kernel) ||
                    (numbered && numberOf(works[end]) == numberOf(works[i])))) {
                ++end;
            }
            const std::int64_t group = end - i > 1 ? m_nextId++ : 0;
            for (std::size_t k = i; k < end; ++k) {
                const std::int64_t sequence = numbered ? *numberOf(works[k]) : static_cast<std::int64_t>(k);
                addCall(works[k], communicator, sequence, group);
            }
            if (group != 0) {
                addGroupRow(group, end - i);
            }
            i = end;
        }
    }

    void addGroupRow(std::int64_t id, std::size_t calls)
    {
        const trace::CollectiveCallRow& last = m_process.collectiveCalls.back();
        const trace::CollectiveCallRow& first =
            *(m_process.collectiveCalls.end() - static_cast<std::ptrdiff_t>(calls));
        trace::GroupRow row;
        row.id = id;
        row.calls = static_cast<std::int64_t>(calls);
        row.startNs = first.startNs;
        row.launchStartNs = first.startNs;
        row.endNs = last.endNs;
        row.thread = first.thread;
        m_process.groups.push_back(row);
    }

    void addCall(const Work& work, std::int64_t communicator, std::int64_t sequence, std::int64_t group)
    {
        trace::CollectiveCallRow row;
        row.id = m_nextId++;
        row.api = m_strings.idOf(work.function);
        row.communicator = communicator;
        row.sequence = sequence;
        row.groupId = group;
        if (work.described != nullptr) {
            describeSize(work, row);
        }
        row.startNs = work.launch ? m_process.launches.startNs[*work.launch] : work.startNs;
        row.endNs = work.launch ? m_process.launches.endNs[*work.launch] : work.startNs;
        const auto thread = work.launch
                                ? std::ranges::find(m_process.threads, tidOf(work), &trace::ThreadRow::tid)
                                : m_process.threads.end();
        row.thread = thread != m_process.threads.end() ? thread->id : 0;
        m_process.collectiveCalls.push_back(row);
        if (work.kernel != kNoKernel && work.kernel == m_lastKernel) {
            return; // all calls of a batch share one kernel
        }
        m_lastKernel = work.kernel;
        for (const std::uint32_t correlation : work.correlations) {
            m_process.callCorrelations.correlation.push_back(correlation);
            m_process.callCorrelations.call.push_back(
                static_cast<std::uint64_t>(group != 0 ? group : row.id));
        }
    }

    void describeSize(const Work& work, trace::CollectiveCallRow& row)
    {
        const Collective& described = *work.described;
        row.count = countOf(work.function, work.name, described);
        if (const auto type = torchDatatype(m_process.text(described.datatype))) {
            row.datatype = type->nccl;
            std::uint64_t bytes = 0;
            if (row.count && __builtin_mul_overflow(*row.count, type->bytes, &bytes)) {
                row.count.reset();
            } else if (row.count) {
                row.bytes = bytes;
            }
        }
        row.peer = work.function == "ncclRecv"   ? peerOf(described, described.source)
                   : work.function == "ncclSend" ? peerOf(described, described.destination)
                                                 : std::nullopt;
    }

    /// Returns the peer's rank in the group. `recorded` is the peer's global rank: PyTorch writes
    /// groupRanks[peer] (torch/csrc/profiler/util.cpp, saveNcclMeta). In a group of two the peer is the other
    /// rank.
    [[nodiscard]] std::optional<std::int64_t> peerOf(const Collective& described,
                                                     std::optional<std::int64_t> recorded) const
    {
        const std::vector<std::int64_t> ranks = membersOf(described);
        const auto own = m_document.rank ? std::ranges::find(ranks, *m_document.rank) : ranks.end();
        if (ranks.size() == 2 && own != ranks.end()) {
            return 1 - (own - ranks.begin());
        }
        if (ranks.empty() && described.groupSize && described.groupSize == m_document.worldSize) {
            return recorded; // the group of all ranks
        }
        const auto place = recorded ? std::ranges::find(ranks, *recorded) : ranks.end();
        return place != ranks.end() ? std::optional<std::int64_t>(place - ranks.begin()) : std::nullopt;
    }

    void report()
    {
        noteUnattributed(m_process, m_shared, m_nameless);
        note(m_process, trace::Issue::GroupsUnknown, m_groupless,
             "collectives have no process group in the trace; they are matched by their order on each "
             "communication stream, as if every rank took part");
    }

    trace::ProcessTrace& m_process;
    const Rows& m_rows;
    const Document& m_document;
    model::LaunchIndex m_launches;
    NcclNames m_names;
    std::unordered_map<std::uint32_t, const Collective*> m_ofKernel; ///< by correlation
    Surrounding<Collective> m_ofOperator;
    Surrounding<trace::RangeRow> m_annotations;
    std::map<std::uint32_t, std::map<std::uint32_t, std::size_t>> m_streams; ///< number by device, by stream
    StringTable m_strings;
    std::map<std::int64_t, std::vector<const Collective*>> m_messages; ///< sends and receives, by tid
    std::map<std::int64_t, std::size_t> m_assigned; ///< number of m_messages assigned to kernels, by tid
    std::size_t m_lastKernel = std::numeric_limits<std::size_t>::max();
    std::int64_t m_nextId = 1;
    std::int64_t m_shared = 0, m_nameless = 0, m_groupless = 0;
};

} // namespace

void addCollectives(trace::ProcessTrace& process, const Rows& rows, const Document& document)
{
    Builder(process, rows, document).build();
}

} // namespace ringside::importers::kineto
