// SPDX-License-Identifier: Apache-2.0
#include "reduce/host_run.h"

#include "trace/read/parallel.h"
#include "trace/read/process_reader.h"

#include <ringside/error.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace ringside::reduce {
namespace {

/// Returns the best definition by which all processes with any steps mark them. Null: there is none.
std::optional<int> sharedDefinition(const std::vector<model::StepsByDefinition>& found)
{
    std::map<int, std::ptrdiff_t> counts;
    for (const model::StepsByDefinition& process : found) {
        for (const auto& [definition, steps] : process) {
            ++counts[definition];
        }
    }
    const auto any = std::ranges::count_if(found, [](const auto& process) { return !process.empty(); });
    const auto all = std::ranges::find_if(counts, [any](const auto& each) { return each.second == any; });
    return all != counts.end() ? std::optional(all->first) : std::nullopt;
}

/// Numbers steps by their place, on all ranks, if their own numbers do not identify them.
void makeNumbersDistinct(std::vector<std::vector<model::Step>>& steps)
{
    const bool distinct = std::ranges::all_of(steps, [](const std::vector<model::Step>& each) {
        return std::ranges::adjacent_find(each, std::greater_equal<>{}, &model::Step::number) == each.end();
    });
    for (std::vector<model::Step>& each : steps) {
        for (std::size_t i = 0; !distinct && i < each.size(); ++i) {
            each[i].number = static_cast<std::int64_t>(i) + 1;
        }
    }
}

void findSteps(HostRun& host)
{
    std::vector<model::StepsByDefinition> found(host.processes.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (host.isOwn(i) && !host.processes[i].marks.ranks.empty()) {
            found[i] = model::markedSteps(host.processes[i].marks);
        }
    }
    host.steps.resize(found.size());
    if (const auto definition = sharedDefinition(found)) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            host.steps[i] = std::move(found[i][*definition]);
        }
        host.definition = *definition;
    }
    makeNumbersDistinct(host.steps);
}

} // namespace

std::vector<HostRun> hostsOf(const std::filesystem::path& run, std::string_view only)
{
    std::map<std::string, std::set<std::filesystem::path>> files;
    const std::vector<trace::ProcessOutline> all = trace::outlineOf(run, only);
    for (const trace::ProcessOutline& process : all) {
        files[process.marks.process.host].insert(process.file);
    }
    std::vector<HostRun> hosts;
    for (const auto& of : files) {
        HostRun& host = hosts.emplace_back(HostRun{of.first, {}, model::kMarkedSteps, {}});
        std::ranges::copy_if(all, std::back_inserter(host.processes), [&](const trace::ProcessOutline& each) {
            return of.second.contains(each.file);
        });
        findSteps(host);
    }
    return hosts;
}

std::vector<std::optional<trace::ProcessTrace>> readHost(const HostRun& host, trace::ReadPart part)
{
    std::map<std::filesystem::path, std::vector<std::size_t>> files;
    for (std::size_t i = 0; i < host.processes.size(); ++i) {
        files[host.processes[i].file].push_back(i);
        if (!host.isOwn(i)) {
            part[{host.processes[i].file, host.processes[i].processId}] = {};
        }
    }
    std::vector<std::optional<trace::ProcessTrace>> result(host.processes.size());
    const std::vector<std::pair<std::filesystem::path, std::vector<std::size_t>>> all(files.begin(),
                                                                                      files.end());
    trace::parallelFor(all.size(), trace::coreCount(), [&](std::size_t file) {
        const auto& [path, indices] = all[file];
        auto processes = trace::readFile(path, 1, {}, part);
        for (std::size_t i = 0; i < indices.size() && processes.size() == indices.size(); ++i) {
            if (host.isOwn(indices[i])) {
                result[indices[i]] = std::move(processes[i]);
            }
        }
    });
    return result;
}

} // namespace ringside::reduce
