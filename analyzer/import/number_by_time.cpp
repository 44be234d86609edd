// SPDX-License-Identifier: Apache-2.0
#include "import/number_by_time.h"

#include "model/communicator_calls.h"
#include "values/quantile.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ringside::importers {
namespace {

using trace::ProcessTrace;

/// A call of a communicator, and when its kernel ended.
struct Ended {
    std::size_t call = 0; ///< index into the process's collectiveCalls
    std::int64_t endNs = 0;
};

/// The calls of a process on one communicator, in their order.
struct Calls {
    ProcessTrace* process = nullptr;
    std::vector<Ended> ended;
    std::int64_t shift = 0;
    [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(ended.size()); }
};

/// Returns the end of the kernel of each call or group of calls, by its id.
std::unordered_map<std::uint64_t, std::int64_t> endsByWork(const ProcessTrace& process)
{
    std::unordered_map<std::uint32_t, std::int64_t> ends;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        ends[process.kernels.correlation[i]] = process.kernels.endNs[i];
    }
    std::unordered_map<std::uint64_t, std::int64_t> byWork;
    for (std::size_t i = 0; i < process.callCorrelations.size(); ++i) {
        if (const auto end = ends.find(process.callCorrelations.correlation[i]); end != ends.end()) {
            byWork[process.callCorrelations.call[i]] = end->second;
        }
    }
    return byWork;
}

/// Returns the calls on a communicator. Empty if any has no kernel, or if the tool numbered them: then the
/// first number is hardly 0.
std::vector<Ended> endedOn(const ProcessTrace& process, std::int64_t communicator,
                           const std::unordered_map<std::uint64_t, std::int64_t>& ends)
{
    std::vector<Ended> calls;
    for (std::size_t i = 0; i < process.collectiveCalls.size(); ++i) {
        const trace::CollectiveCallRow& call = process.collectiveCalls[i];
        if (call.communicator != communicator) {
            continue;
        }
        const auto end = ends.find(static_cast<std::uint64_t>(call.groupId != 0 ? call.groupId : call.id));
        if (end == ends.end() || call.sequence != static_cast<std::int64_t>(calls.size())) {
            return {};
        }
        calls.push_back({i, end->second});
    }
    return calls;
}

bool areAlike(const Calls& a, const Ended& of, const Calls& b, const Ended& with)
{
    const trace::CollectiveCallRow& one = a.process->collectiveCalls[of.call];
    const trace::CollectiveCallRow& other = b.process->collectiveCalls[with.call];
    return a.process->text(one.api) == b.process->text(other.api) &&
           (!one.bytes || !other.bytes || *one.bytes == *other.bytes);
}

/// How well calls fit if `shift` is added to the numbers of the second.
struct Fit {
    std::int64_t shift = 0;
    std::int64_t distanceNs = 0; ///< median of the second's end minus the first's
    std::int64_t spreadNs = 0;   ///< median deviation from that
};

/// Returns null if too few calls overlap, or if they are different ones.
std::optional<Fit> fitOf(const Calls& first, const Calls& second, std::int64_t shift)
{
    constexpr std::int64_t kFewest = 8;
    constexpr std::int64_t kMost = 64; // pairs, evenly spread
    const std::int64_t begin = std::max<std::int64_t>(0, -shift);
    const std::int64_t end = std::min(second.count(), first.count() - shift);
    if (end - begin < kFewest) {
        return std::nullopt;
    }
    const std::int64_t pairs = std::min(kMost, end - begin);
    std::vector<std::int64_t> distances;
    for (std::int64_t i = 0; i < pairs; ++i) {
        const std::int64_t at = begin + i * (end - begin) / pairs;
        const Ended& own = second.ended[static_cast<std::size_t>(at)];
        const Ended& other = first.ended[static_cast<std::size_t>(at + shift)];
        if (!areAlike(first, other, second, own)) {
            return std::nullopt;
        }
        distances.push_back(own.endNs - other.endNs);
    }
    Fit fit{shift, values::median(distances), 0};
    std::ranges::for_each(distances, [&](std::int64_t& each) { each = std::abs(each - fit.distanceNs); });
    fit.spreadNs = values::median(std::move(distances));
    return fit;
}

bool haveTimeOfDay(const Calls& a, const Calls& b)
{
    return !a.process->clockSamples.empty() && !b.process->clockSamples.empty();
}

/// Returns the shift of the second's numbers. Null if no shift fits.
std::optional<std::int64_t> shiftBetween(const Calls& first, const Calls& second)
{
    std::vector<Fit> fits;
    for (std::int64_t shift = -second.count(); shift <= first.count(); ++shift) {
        if (const auto fit = fitOf(first, second, shift)) {
            fits.push_back(*fit);
        }
    }
    if (fits.empty()) {
        return std::nullopt;
    }
    const std::int64_t least = std::ranges::min_element(fits, {}, &Fit::spreadNs)->spreadNs;
    std::erase_if(fits, [least](const Fit& fit) { return fit.spreadNs / 2 > least; });
    const bool timed = haveTimeOfDay(first, second);
    const auto best = std::ranges::min_element(
        fits, {}, [timed](const Fit& fit) { return std::abs(timed ? fit.distanceNs : fit.shift); });
    return best->shift;
}

/// Shifts each file against one that is done. Of files that no other one overlaps, nothing is known.
void align(std::vector<Calls>& files)
{
    std::vector<std::size_t> done{0};
    std::vector<bool> isDone(files.size());
    isDone[0] = true;
    for (std::size_t i = 0; i < done.size(); ++i) {
        for (std::size_t other = 0; other < files.size(); ++other) {
            const auto shift = isDone[other] ? std::nullopt : shiftBetween(files[done[i]], files[other]);
            if (shift) {
                files[other].shift = files[done[i]].shift + *shift;
                isDone[other] = true;
                done.push_back(other);
            }
        }
    }
}

} // namespace

std::int64_t numberByTime(std::span<ProcessTrace> processes)
{
    constexpr std::size_t kMost = 4096; // calls; longer recordings are compared by their order
    std::map<std::uint64_t, std::vector<Calls>> communicators;
    for (ProcessTrace& process : processes) {
        const auto ends = endsByWork(process);
        for (const trace::CommunicatorRow& row : process.communicators) {
            std::vector<Ended> ended = endedOn(process, row.id, ends);
            if (model::sharedHash(row) != 0 && !ended.empty() && ended.size() <= kMost) {
                communicators[model::sharedHash(row)].push_back({&process, std::move(ended)});
            }
        }
    }
    std::map<const ProcessTrace*, bool> shifted;
    for (auto& [hash, files] : communicators) {
        align(files);
        const std::int64_t lowest = std::ranges::min_element(files, {}, &Calls::shift)->shift;
        for (const Calls& file : files) {
            for (const Ended& ended : file.ended) {
                file.process->collectiveCalls[ended.call].sequence += file.shift - lowest;
            }
            shifted[file.process] = shifted[file.process] || file.shift != lowest;
        }
    }
    return std::ranges::count_if(shifted, [](const auto& entry) { return entry.second; });
}

} // namespace ringside::importers
