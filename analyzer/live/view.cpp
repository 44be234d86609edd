// SPDX-License-Identifier: Apache-2.0
#include "live/view.h"

#include "live/complaints.h"
#include "live/lateness.h"
#include "live/shared_steps.h"
#include "live/waits.h"
#include "values/quantile.h"
#include "values/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

namespace ringside::live {
namespace {

constexpr std::size_t kMostShared = 32; ///< steps of which medians are taken

using Values = std::vector<std::int64_t>;

std::optional<std::int64_t> medianOf(Values values)
{
    return values.empty() ? std::nullopt : std::optional(values::median(std::move(values)));
}

/// Of the steps in which it was measured.
std::optional<std::int64_t> medianOf(const std::vector<const Step*>& steps,
                                     std::optional<std::int64_t> Step::*member)
{
    Values values;
    for (const Step* step : steps) {
        if (step->*member) {
            values.push_back(*(step->*member));
        }
    }
    return medianOf(std::move(values));
}

std::optional<std::int64_t> medianOf(const std::vector<const Step*>& steps, std::int64_t Step::*member)
{
    Values values;
    for (const Step* step : steps) {
        values.push_back(step->*member);
    }
    return medianOf(std::move(values));
}

RankView rankView(const RankSteps& rank, std::int64_t readMs)
{
    const Process& process = *rank.process;
    std::vector<const Step*> latest(rank.steps.end() -
                                        static_cast<std::ptrdiff_t>(std::min(rank.steps.size(), kMostShared)),
                                    rank.steps.end());
    RankView view;
    view.rank = rank.rank.rank;
    view.host = rank.host->host;
    view.pid = process.pid;
    view.device = rank.rank.device;
    view.silentMs = std::max<std::int64_t>(readMs - process.atMs, 0);
    view.state = view.silentMs >= kSilentMs ? RankState::Silent
                 : process.hang             ? RankState::Hanging
                                            : RankState::Running;
    view.level = process.level;
    if (!latest.empty()) {
        view.step = sharedNumber(*latest.back());
        view.stepNs = medianOf(latest, &Step::stepNs);
        view.blockingNs = medianOf(latest, &Step::blockingNs);
        view.loadingNs = medianOf(latest, &Step::loadingNs);
    }
    view.computeNs = medianOf(latest, &Step::computeNs);
    const auto communication = medianOf(latest, &Step::communicationNs);
    view.communicationNs = communication ? communication : medianOf(latest, &Step::ncclNs);
    view.exposedCommunicationNs = medianOf(latest, &Step::exposedCommunicationNs);
    view.idleNs = medianOf(latest, &Step::idleNs);
    for (const Step* step : latest) {
        view.recentStepNs.push_back(step->stepNs);
    }
    return view;
}

/// Medians over steps, one a rank, by the device where all steps have it, else by the host.
LatenessBy measureLateness(const std::vector<std::vector<const Step*>>& shared, std::vector<RankView>& ranks)
{
    using Measure = std::optional<Values> (*)(const std::vector<const Step*>&);
    constexpr std::array<std::pair<LatenessBy, Measure>, 2> kWays{
        {{LatenessBy::Device, lateByDevice}, {LatenessBy::Host, lateByHost}}};
    constexpr std::size_t kFewest = 4;
    for (const auto& [by, measure] : kWays) {
        std::vector<Values> late(ranks.size());
        for (const auto& step : shared) {
            if (const auto values = measure(step)) {
                for (std::size_t i = 0; i < values->size(); ++i) {
                    late[i].push_back((*values)[i]);
                }
            }
        }
        if (!late.empty() && late.front().size() >= kFewest) {
            for (std::size_t i = 0; i < ranks.size(); ++i) {
                ranks[i].lateNs = medianOf(late[i]);
            }
            return by;
        }
    }
    return LatenessBy::Nothing;
}

void measureSpeed(const RankSteps& slowest, JobView& view)
{
    const std::vector<const Step*>& steps = slowest.steps;
    constexpr std::size_t kFewest = 3;
    if (!view.stepsAreMarked || steps.size() < kFewest) {
        return;
    }
    constexpr double kMsASecond = 1000.0;
    const auto ms = static_cast<double>(steps.back()->endMs - steps.front()->endMs);
    const auto count = static_cast<double>(steps.size() - 1);
    view.stepsPerSecond = ms > 0 ? std::optional(count / ms * kMsASecond) : std::nullopt;
    constexpr std::size_t kFewestForTrend = 16;
    if (steps.size() >= kFewestForTrend) {
        const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
        const auto before = medianOf(std::vector(steps.begin(), middle), &Step::stepNs);
        const auto after = medianOf(std::vector(middle, steps.end()), &Step::stepNs);
        view.trend = *before > 0
                         ? std::optional(static_cast<double>(*after) / static_cast<double>(*before) - 1)
                         : std::nullopt;
    }
}

void measureUse(const std::map<std::int64_t, RankSteps>& ranks, JobView& view)
{
    std::vector<double> used;
    double communication = 0;
    double compute = 0;
    for (const auto& [number, rank] : ranks) {
        const auto step = medianOf(rank.steps, &Step::deviceStepNs);
        const auto idle = medianOf(rank.steps, &Step::idleNs);
        if (step && idle && *step > 0) {
            used.push_back(1 - static_cast<double>(*idle) / static_cast<double>(*step));
        }
        communication += static_cast<double>(medianOf(rank.steps, &Step::communicationNs).value_or(0));
        compute += static_cast<double>(medianOf(rank.steps, &Step::computeNs).value_or(0));
    }
    if (used.empty()) {
        return;
    }
    const auto [least, most] = std::minmax_element(used.begin(), used.end());
    view.utilization = std::accumulate(used.begin(), used.end(), 0.0) / static_cast<double>(used.size());
    view.utilizationSpread = *most - *least;
    view.commComputeRatio = compute > 0 ? std::optional(communication / compute) : std::nullopt;
}

std::string namesOf(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kMost = 8;
    std::string text = ranks.size() == 1 ? "rank " : "ranks ";
    for (std::size_t i = 0; i < std::min(ranks.size(), kMost); ++i) {
        text += (i == 0 ? "" : ", ") + std::to_string(ranks[i]);
    }
    return ranks.size() > kMost ? text + fmt::format(" and {} more", ranks.size() - kMost) : text;
}

/// Whether the host loads data for at least half of the time in which the GPU of the median rank is idle. A
/// host that loads while its GPU works costs nothing.
bool loadsWhileIdle(const JobView& view)
{
    Values idle;
    Values loading;
    for (const RankView& rank : view.ranks) {
        if (rank.idleNs && rank.loadingNs) {
            idle.push_back(*rank.idleNs);
            loading.push_back(*rank.loadingNs);
        }
    }
    return !idle.empty() && values::median(loading) >= values::median(idle) / 2;
}

/// The biggest part of the step of the median rank that could be less.
std::string bottleneck(const JobView& view)
{
    struct Part {
        const char* text;
        std::optional<std::int64_t> RankView::*member;
    };
    const std::array<Part, 3> parts{
        {{"exposed communication", &RankView::exposedCommunicationNs},
         {loadsWhileIdle(view) ? "an idle GPU, while the host loads data" : "an idle GPU", &RankView::idleNs},
         {"computation", &RankView::computeNs}}};
    std::string text;
    std::int64_t most = 0;
    for (const Part& part : parts) {
        Values values;
        for (const RankView& rank : view.ranks) {
            if (rank.*(part.member)) {
                values.push_back(*(rank.*(part.member)));
            }
        }
        if (const std::int64_t median = values::median(values); median > most) {
            most = median;
            text = fmt::format("Most of a step is {} ({}).", part.text,
                               values::milliseconds(static_cast<double>(median)));
        }
    }
    return text.empty() ? "What the time goes into is not measured at this level of recording." : text;
}

std::string verdictOf(const JobView& view)
{
    constexpr double kLateShare = 0.02;
    if (view.ranks.empty()) {
        return "No rank has said anything yet.";
    }
    Values hanging;
    for (const RankView& rank : view.ranks) {
        if (rank.state == RankState::Hanging) {
            hanging.push_back(rank.rank);
        }
    }
    if (!view.waits.empty()) {
        const Wait& wait = view.waits.front();
        return fmt::format("{} of {} ranks wait for {}.", wait.waiting.size(),
                           wait.waiting.size() + wait.missing.size(), namesOf(wait.missing));
    }
    if (!hanging.empty()) {
        std::sort(hanging.begin(), hanging.end());
        return fmt::format("No progress: {} report a hang.", namesOf(hanging));
    }
    const RankView& latest = view.ranks.front();
    if (latest.lateNs && latest.stepNs &&
        static_cast<double>(*latest.lateNs) > kLateShare * static_cast<double>(*latest.stepNs)) {
        return fmt::format("The others wait {} of each step for rank {}{}.",
                           values::milliseconds(static_cast<double>(*latest.lateNs)), latest.rank,
                           view.latenessBy == LatenessBy::Host ? ", as their hosts see it" : "");
    }
    return bottleneck(view);
}

void addNotes(const RunNow& run, JobView& view)
{
    for (const std::string& file : run.unreadable) {
        view.notes.push_back(file + " cannot be read: it is of another version, or damaged");
    }
    for (const Snapshot& host : run.hosts) {
        if (run.readMs - host.writtenMs >= kSilentMs) {
            view.notes.push_back(
                fmt::format("{} has not written for {} s: is it alive, and is its clock right?", host.host,
                            (run.readMs - host.writtenMs) / 1000));
        }
    }
    const auto known = static_cast<std::int64_t>(view.ranks.size());
    if (view.worldSize && *view.worldSize > known) {
        view.notes.push_back(fmt::format("{} of {} ranks say something", known, *view.worldSize));
    }
    if (!view.ranks.empty() && view.latenessBy != LatenessBy::Device && known > 1) {
        view.notes.push_back(
            "lateness of GPUs is not measured at this level: ringside record --attach-control " +
            run.path.string() + " level standard");
    }
}

} // namespace

std::string_view stateName(RankState state)
{
    constexpr std::array<std::string_view, 3> kNames{"running", "hanging", "silent"};
    return kNames[static_cast<std::size_t>(state)];
}

std::string_view latenessName(LatenessBy by)
{
    constexpr std::array<std::string_view, 3> kNames{"not measured", "device", "host"};
    return kNames[static_cast<std::size_t>(by)];
}

JobView viewOf(const RunNow& run)
{
    JobView view;
    view.run = run.path.filename().empty() ? run.path.parent_path().filename().string()
                                           : run.path.filename().string();
    view.readMs = run.readMs;
    const std::map<std::int64_t, RankSteps> ranks = stepsOfRanks(run);
    const RankSteps* slowest = nullptr;
    for (const auto& [number, rank] : ranks) {
        view.ranks.push_back(rankView(rank, run.readMs));
        view.emulated = view.emulated || rank.process->emulated;
        view.worldSize = std::max(view.worldSize, rank.rank.worldSize);
        view.stepsAreMarked = view.stepsAreMarked || (!rank.steps.empty() && rank.steps.back()->isMarked);
        const auto step = view.ranks.back().step;
        if (step && (slowest == nullptr || *step < *view.step)) {
            view.step = step;
            slowest = &rank;
        }
    }
    view.latenessBy = measureLateness(sharedSteps(ranks, kMostShared), view.ranks);
    if (slowest != nullptr) {
        measureSpeed(*slowest, view);
    }
    measureUse(ranks, view);
    std::stable_sort(view.ranks.begin(), view.ranks.end(), [](const RankView& a, const RankView& b) {
        return a.lateNs.value_or(-1) > b.lateNs.value_or(-1);
    });
    view.waits = findWaits(run);
    view.complaints = findComplaints(run);
    for (const Snapshot& host : run.hosts) {
        view.alarms.insert(view.alarms.end(), host.alarms.begin(), host.alarms.end());
    }
    addNotes(run, view);
    view.verdict = verdictOf(view);
    return view;
}

} // namespace ringside::live
