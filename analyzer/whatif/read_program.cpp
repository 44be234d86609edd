// SPDX-License-Identifier: Apache-2.0
#include "metrics/idle.h"
#include "whatif/program.h"
#include "whatif/step_work.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <map>
#include <set>

namespace ringside::whatif {
namespace {

constexpr std::size_t kMostSteps = 64;
constexpr std::size_t kMostObservations = 8'000'000; ///< over all ranks and steps: 450 MB
constexpr std::size_t kMostLanes = 1024;

std::uint64_t signatureOf(const StepWork& step)
{
    Hash hash;
    for (const Work& work : step) {
        hash.add(work.signature);
    }
    return hash.value();
}

struct Commonest {
    std::uint64_t signature = 0;
    std::size_t steps = 0;
};

Commonest commonest(const std::vector<StepWork>& steps)
{
    std::map<std::uint64_t, std::size_t> counts;
    for (const StepWork& step : steps) {
        if (!step.empty()) {
            ++counts[signatureOf(step)];
        }
    }
    Commonest best;
    for (const auto& [signature, count] : counts) {
        if (count > best.steps) {
            best = {signature, count};
        }
    }
    return best;
}

/// Returns the thread that launches the least device time, or null if there is only one.
std::optional<std::uint32_t> leastThread(const std::vector<StepWork>& steps)
{
    std::map<std::uint32_t, std::int64_t> busy;
    for (const StepWork& step : steps) {
        for (const Work& work : step) {
            busy[work.tid] = model::addCapped(busy[work.tid], work.times.end - work.times.start);
        }
    }
    const auto least = std::min_element(busy.begin(), busy.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
    return busy.size() > 1 ? std::optional(least->first) : std::nullopt;
}

/// Removes threads that launch at their own pace (a data loader's), because they make every step different.
/// Returns the device work that was removed.
std::size_t leaveOutIrregularThreads(std::vector<StepWork>& steps)
{
    constexpr double kAlike = 0.8;
    std::size_t leftOut = 0;
    while (static_cast<double>(commonest(steps).steps) < kAlike * static_cast<double>(steps.size())) {
        const auto thread = leastThread(steps);
        if (!thread) {
            break;
        }
        for (StepWork& step : steps) {
            leftOut += std::erase_if(step, [&](const Work& work) { return work.tid == *thread; });
        }
    }
    return leftOut;
}

/// Returns the last analyzed steps, up to the limits of memory and run time.
std::vector<std::int64_t> chooseSteps(const model::Model& model)
{
    std::size_t work = 1;
    std::size_t found = 1;
    for (const model::Rank& rank : model.ranks) {
        const trace::ProcessTrace& process = model.processOf(rank);
        work += process.kernels.size() + process.copies.size();
        found = std::max(found, rank.steps.size());
    }
    const std::size_t most = std::clamp<std::size_t>(kMostObservations / (work / found + 1), 1, kMostSteps);
    std::vector<std::int64_t> numbers = model.analyzedSteps;
    if (numbers.size() > most) {
        numbers.erase(numbers.begin(), numbers.end() - static_cast<std::ptrdiff_t>(most));
    }
    return numbers;
}

class ProgramBuilder final {
public:
    explicit ProgramBuilder(const model::Model& model) : m_model(model) {}
    Program build();

private:
    void readRanks();
    void keepRegularSteps();
    void addRank(std::size_t place);
    void addSlots();
    void addTransfers(Slot& slot, std::size_t rank, std::size_t op);
    void noteDataTime(RankProgram& rank) const;

    const model::Model& m_model;
    Program m_program;
    std::vector<std::size_t> m_ranks;           ///< indices into Model::ranks
    std::vector<std::vector<StepWork>> m_works; ///< by index of m_ranks
    std::size_t m_leftOut = 0;
    std::size_t m_withoutLaunch = 0;
};

void ProgramBuilder::readRanks()
{
    for (std::size_t i = 0; i < m_model.ranks.size(); ++i) {
        if (!m_model.ranks[i].deviceTier) {
            continue;
        }
        RankReader reader(m_model, i, m_program.steps);
        std::vector<StepWork> steps = reader.read();
        m_leftOut += leaveOutIrregularThreads(steps);
        m_withoutLaunch += reader.withoutLaunch();
        m_ranks.push_back(i);
        m_works.push_back(std::move(steps));
    }
}

/// Keeps the steps that are like most steps, on every rank.
void ProgramBuilder::keepRegularSteps()
{
    std::vector<bool> kept(m_program.steps.size(), true);
    for (const std::vector<StepWork>& steps : m_works) {
        const Commonest usual = commonest(steps);
        for (std::size_t i = 0; i < steps.size(); ++i) {
            kept[i] = kept[i] && !steps[i].empty() && signatureOf(steps[i]) == usual.signature;
        }
    }
    const auto regular = static_cast<std::size_t>(std::count(kept.begin(), kept.end(), true));
    m_program.irregularSteps = kept.size() - regular;
    if (regular == 0 || regular * 2 < kept.size()) {
        throw Error(
            ErrorCode::Unusable,
            fmt::format("only {} of {} analyzed steps launch the same work on every rank, so that no step "
                        "represents the others",
                        regular, kept.size()),
            "Record steps in which the program does the same work (no evaluation).");
    }
    std::vector<std::int64_t> numbers;
    for (std::vector<StepWork>& steps : m_works) {
        std::vector<StepWork> regularSteps;
        for (std::size_t i = 0; i < steps.size(); ++i) {
            if (kept[i]) {
                regularSteps.push_back(std::move(steps[i]));
            }
        }
        steps = std::move(regularSteps);
    }
    for (std::size_t i = 0; i < kept.size(); ++i) {
        if (kept[i]) {
            numbers.push_back(m_program.steps[i]);
        }
    }
    m_program.steps = std::move(numbers);
}

void ProgramBuilder::addRank(std::size_t place)
{
    RankProgram rank;
    rank.rank = m_ranks[place];
    std::map<std::uint32_t, std::uint32_t> lanes;
    for (const Work& work : m_works[place].front()) {
        const auto lane = lanes.try_emplace(work.stream, static_cast<std::uint32_t>(lanes.size())).first;
        Op op;
        op.lane = lane->second;
        op.tid = work.tid;
        op.communication = work.communication;
        op.copy = work.copy;
        op.blocksHost = work.blocksHost;
        rank.ops.push_back(std::move(op));
    }
    if (lanes.size() > kMostLanes) {
        throw Error(ErrorCode::Unusable,
                    fmt::format("rank {} uses {} streams in a step; a replay supports at most {}",
                                m_model.ranks[rank.rank].rank, lanes.size(), kMostLanes));
    }
    rank.lanes = static_cast<std::uint32_t>(lanes.size());
    for (const StepWork& step : m_works[place]) {
        std::vector<Observed>& times = rank.steps.emplace_back();
        for (const Work& work : step) {
            times.push_back(work.times);
        }
    }
    noteDataTime(rank);
    findDependencies(m_model, m_program, rank);
    m_program.ranks.push_back(std::move(rank));
}

/// Computes the part of the host's time before each launch that lies in data loading ranges.
void ProgramBuilder::noteDataTime(RankProgram& rank) const
{
    const model::Rank& of = m_model.ranks[rank.rank];
    const trace::ProcessTrace& process = m_model.processOf(of);
    std::vector<model::Interval> data;
    for (const trace::RangeRow& range : process.ranges) {
        if (range.endNs > range.startNs && metrics::isDataLoadingRange(process.text(range.name))) {
            const model::Interval time{of.clock.toRun(range.startNs), of.clock.toRun(range.endNs)};
            if (data.empty() || time.start >= data.back().end) { // nested ranges count once
                data.push_back(time);
            }
        }
    }
    for (std::size_t step = 0; step < rank.steps.size(); ++step) {
        for (std::size_t op = 0; op < rank.ops.size(); ++op) {
            Observed& seen = rank.steps[step][op];
            const bool first = op == 0;
            if (first && !m_program.follows(step)) {
                continue;
            }
            const std::int64_t before =
                first ? rank.steps[step - 1].back().launchEnd : rank.steps[step][op - 1].launchEnd;
            const model::Interval gap{before, seen.launchStart};
            seen.dataNs += values::coveredWithin(data, gap);
        }
    }
}

void ProgramBuilder::addTransfers(Slot& slot, std::size_t rank, std::size_t op)
{
    for (const StepWork& step : m_works[rank]) {
        const auto operation = step[op].operation;
        const auto times = operation ? model::arrivals(m_model.operations[*operation], m_model.ranks)
                                     : std::optional<model::Arrivals>();
        slot.transferNs.push_back(times ? std::optional(times->transferNs()) : std::nullopt);
    }
}

/// Ranks meet in a collective if the first step's operation is in the program of each of its participants.
void ProgramBuilder::addSlots()
{
    std::map<std::size_t, std::vector<std::pair<std::size_t, std::size_t>>> places; ///< rank, operation
    for (std::size_t rank = 0; rank < m_works.size(); ++rank) {
        std::set<std::size_t> seen;
        for (std::size_t op = 0; op < m_works[rank].front().size(); ++op) {
            const auto operation = m_works[rank].front()[op].operation;
            if (operation && seen.insert(*operation).second) {
                places[*operation].emplace_back(rank, op);
            }
        }
    }
    for (const auto& [index, members] : places) {
        const model::Operation& operation = m_model.operations[index];
        const auto times = model::arrivals(operation, m_model.ranks);
        if (!times || members.size() != operation.participants.size()) {
            continue;
        }
        Slot slot;
        slot.communicator = operation.communicator;
        slot.kind = operation.kind;
        slot.bytes = operation.bytes;
        slot.size = operation.size;
        slot.datatype = operation.datatype;
        slot.gradient = model::isGradient(operation, m_model.worldSize);
        slot.usedMap = model::isUsedMap(operation, m_model.worldSize);
        for (const auto& [rank, op] : members) {
            slot.withinHost = slot.withinHost && m_model.ranks[m_ranks[rank]].host ==
                                                     m_model.ranks[m_ranks[members.front().first]].host;
            m_program.ranks[rank].ops[op].slot = static_cast<std::uint32_t>(m_program.slotTable.size());
        }
        addTransfers(slot, members.front().first, members.front().second);
        m_program.slotTable.push_back(std::move(slot));
    }
}

Program ProgramBuilder::build()
{
    m_program.steps = chooseSteps(m_model);
    if (m_program.steps.empty()) {
        throw Error(ErrorCode::Unusable, "no step was recorded with its device work: nothing to replay",
                    "Record with `--profile standard` and step marks (ringside_step or an NVTX range).");
    }
    readRanks();
    if (m_ranks.empty()) {
        throw Error(ErrorCode::Unusable, "no rank recorded device work: nothing to replay",
                    "Record with `--profile standard`.");
    }
    keepRegularSteps();
    for (std::size_t place = 0; place < m_ranks.size(); ++place) {
        addRank(place);
    }
    addSlots();
    if (m_program.unresolvedWaits > 0) {
        m_program.notKnown.push_back(fmt::format("{} waits on streams without recorded launches are left out",
                                                 m_program.unresolvedWaits));
    }
    if (m_leftOut > 0) {
        m_program.notKnown.push_back(fmt::format(
            "{} device operations of threads that launch at a pace of their own (data loaders) are left out",
            m_leftOut));
    }
    if (m_withoutLaunch > 0) {
        m_program.notKnown.push_back(
            fmt::format("{} device operations have no launch record and are left out", m_withoutLaunch));
    }
    return std::move(m_program);
}

} // namespace

Program readProgram(const model::Model& model)
{
    return ProgramBuilder(model).build();
}

} // namespace ringside::whatif
