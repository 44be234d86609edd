// SPDX-License-Identifier: Apache-2.0
#include "compare/roles.h"

#include "model/build_model.h"
#include "model/two_jobs.h"
#include "values/quantile.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace ringside::compare {
namespace {

using values::Interval;

/// Adds what the devices of a rank did, in epoch ns.
template <typename Columns>
void addWork(const Columns& columns, const model::Rank& rank, std::int64_t epochNs,
             std::vector<Interval>& work)
{
    std::vector<Interval> all;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (rank.owns(columns.device[i])) {
            all.push_back({epochNs + rank.clock.toRun(columns.startNs[i]),
                           epochNs + rank.clock.toRun(columns.endNs[i])});
        }
    }
    const std::vector<Interval> united = values::unite(std::move(all));
    work.insert(work.end(), united.begin(), united.end());
}

std::vector<Interval> busyOf(const model::Model& model)
{
    std::vector<Interval> work;
    for (const model::Rank& rank : model.ranks) {
        if (model.startedRealtimeNs) {
            addWork(model.processOf(rank).kernels, rank, *model.startedRealtimeNs, work);
            addWork(model.processOf(rank).copies, rank, *model.startedRealtimeNs, work);
        }
    }
    return values::unite(std::move(work));
}

void addSteps(const model::Model& model, Role& role)
{
    const auto rank = std::ranges::find_if(model.ranks, [](const model::Rank& each) {
        return each.stepSource != model::StepSource::None &&
               each.stepSource != model::StepSource::Recording && !each.steps.empty();
    });
    if (rank == model.ranks.end()) {
        return;
    }
    std::vector<std::int64_t> lengths;
    for (const model::Step& step : rank->steps) {
        lengths.push_back(step.host.length());
    }
    role.steps = lengths.size();
    role.medianStepNs = values::median(std::move(lengths));
}

Role roleOf(std::string name, trace::RunTrace run, const model::ModelOptions& options,
            std::set<std::string>& hosts)
{
    Role role;
    role.name = std::move(name);
    role.program = run.processes.front().process.command;
    for (const trace::ProcessTrace& process : run.processes) {
        role.files.push_back(process.path);
        hosts.insert(process.process.host);
    }
    const model::Model model = model::buildModel(std::move(run), options);
    for (const model::Rank& rank : model.ranks) {
        role.ranks.push_back(rank.rank);
    }
    role.emulated = model.emulated;
    role.busy = busyOf(model);
    addSteps(model, role);
    return role;
}

std::optional<Interval> commonWindow(const std::vector<Role>& roles)
{
    Interval window{std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()};
    for (const Role& role : roles) {
        if (role.busy.empty()) {
            return std::nullopt;
        }
        window.start = std::max(window.start, role.busy.front().start);
        window.end = std::min(window.end, role.busy.back().end);
    }
    return window.start < window.end ? std::optional(window) : std::nullopt;
}

/// Gives an idle time to the role that worked longest in it.
void addIdle(const Interval& idle, std::size_t self, std::vector<Role>& roles)
{
    std::size_t best = self;
    std::int64_t most = 0;
    for (std::size_t other = 0; other < roles.size(); ++other) {
        const std::int64_t worked = other == self ? 0 : values::coveredWithin(roles[other].busy, idle);
        best = worked > most ? other : best;
        most = std::max(most, worked);
    }
    Role& role = roles[self];
    role.nobodyNs += idle.length() - most;
    if (most == 0) {
        return;
    }
    auto wait = std::ranges::find(role.waits, best, &RoleWait::other);
    wait = wait != role.waits.end() ? wait : role.waits.insert(wait, RoleWait{best, 0, 0, {}});
    wait->ns += most;
    ++wait->times;
    wait->longest = idle.length() > wait->longest.length() ? idle : wait->longest;
}

void splitWindow(const Interval& window, std::size_t self, std::vector<Role>& roles)
{
    Role& role = roles[self];
    std::int64_t freeFrom = window.start;
    const auto addGap = [&](std::int64_t until) {
        const Interval gap{freeFrom, std::min(until, window.end)};
        if (gap.length() >= kWaitNs) {
            addIdle(gap, self, roles);
        } else {
            role.shortGapsNs += gap.length();
        }
    };
    for (const Interval& work : role.busy) {
        if (work.end <= window.start) {
            continue;
        }
        if (work.start >= window.end) {
            break;
        }
        addGap(work.start);
        role.busyNs += values::overlapLength(work, window);
        freeFrom = work.end;
    }
    addGap(window.end);
    std::ranges::sort(role.waits, std::greater{}, &RoleWait::ns);
}

} // namespace

std::int64_t Role::waitNs() const
{
    return std::accumulate(waits.begin(), waits.end(), std::int64_t{0},
                           [](std::int64_t sum, const RoleWait& wait) { return sum + wait.ns; });
}

Roles compareRoles(trace::RunTrace run, const model::ModelOptions& options)
{
    Roles all;
    std::set<std::string> hosts;
    for (const model::Program& program : model::programsOf(run)) {
        trace::RunTrace part;
        part.path = run.path;
        for (const std::size_t process : program.processes) {
            part.processes.push_back(std::move(run.processes[process]));
        }
        all.roles.push_back(roleOf(program.name, std::move(part), options, hosts));
    }
    all.severalHosts = hosts.size() > 1;
    all.window = commonWindow(all.roles);
    for (std::size_t i = 0; all.window && i < all.roles.size(); ++i) {
        splitWindow(*all.window, i, all.roles);
    }
    return all;
}

} // namespace ringside::compare
