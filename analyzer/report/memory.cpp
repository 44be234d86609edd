// SPDX-License-Identifier: Apache-2.0
#include "report/memory.h"

#include "output/json_value.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

namespace ringside::report {
namespace {

using document::Cell;
using trace::MemoryHolderRow;
using trace::MemoryStateRow;

/// Places that are listed: the others are summed up.
constexpr std::size_t kMostPlaces = 10;
constexpr std::size_t kMostPlacesInJson = 100;

struct State {
    const model::Rank* rank = nullptr;
    const trace::ProcessTrace* process = nullptr;
    const MemoryStateRow* row = nullptr;

    [[nodiscard]] std::span<const MemoryHolderRow> holders() const
    {
        const auto& all = process->memoryHolders; // clang 14 has no std::ranges::equal_range
        return {std::ranges::lower_bound(all, row->id, {}, &MemoryHolderRow::state),
                std::ranges::upper_bound(all, row->id, {}, &MemoryHolderRow::state)};
    }
};

std::vector<State> statesOf(const Report& report)
{
    std::vector<State> states;
    for (const model::Rank& rank : report.model.ranks) {
        const trace::ProcessTrace& process = report.model.processOf(rank);
        for (const MemoryStateRow& row : process.memoryStates) {
            if (rank.owns(static_cast<std::uint32_t>(row.device))) {
                states.push_back({&rank, &process, &row});
            }
        }
    }
    return states;
}

std::string_view momentText(const MemoryStateRow& row)
{
    return row.moment == "peak"            ? "at the peak"
           : row.moment == "out_of_memory" ? "when an allocation failed"
                                           : "at the snapshot";
}

std::string placeText(const State& state, const MemoryHolderRow& holder)
{
    const std::string_view place = state.process->text(holder.place);
    return place.empty() ? "not known: allocated before the events, or without a stack" : std::string(place);
}

double shareOf(const State& state, const MemoryHolderRow& holder)
{
    return static_cast<double>(holder.bytes) /
           static_cast<double>(std::max<std::int64_t>(1, state.row->requestedBytes));
}

Cell sizeOf(const std::optional<std::int64_t>& bytes, const char* whyNot)
{
    return bytes ? document::sizeCell(static_cast<double>(*bytes)) : Cell::absent(whyNot);
}

/// What the listed holders leave of a state. Unsigned, because a damaged file may hold any numbers.
MemoryHolderRow restOf(const State& state, std::span<const MemoryHolderRow> listed)
{
    auto bytes = static_cast<std::uint64_t>(state.row->requestedBytes);
    for (const MemoryHolderRow& holder : listed) {
        bytes -= static_cast<std::uint64_t>(holder.bytes);
    }
    std::uint64_t blocks = 0;
    for (const MemoryHolderRow& holder : state.holders().subspan(listed.size())) {
        blocks += static_cast<std::uint64_t>(holder.blocks);
    }
    MemoryHolderRow rest;
    rest.bytes = static_cast<std::int64_t>(bytes);
    rest.blocks = static_cast<std::int64_t>(blocks);
    return rest;
}

HeldMemory heldOf(const State& state)
{
    const auto holders = state.holders();
    const auto listed = holders.first(std::min(holders.size(), kMostPlaces));
    const bool categories =
        std::ranges::any_of(listed, [](const MemoryHolderRow& each) { return each.category != 0; });
    HeldMemory held{fmt::format("Rank {}, GPU {}, {}, by the place that allocated it:", state.rank->rank,
                                state.row->device, momentText(*state.row)),
                    {{"place", "size", "share", "blocks"}, {}}};
    if (categories) {
        held.places.header.emplace_back("category");
    }
    const auto add = [&](std::string place, const MemoryHolderRow& holder) {
        held.places.rows.push_back({std::move(place), document::sizeCell(static_cast<double>(holder.bytes)),
                                    document::shareCell(shareOf(state, holder)), holder.blocks});
        if (categories) {
            held.places.rows.back().emplace_back(state.process->text(holder.category));
        }
    };
    for (const MemoryHolderRow& holder : listed) {
        add(placeText(state, holder), holder);
    }
    if (const MemoryHolderRow rest = restOf(state, listed); rest.bytes > 0) {
        add(fmt::format("{} other places", holders.size() - listed.size()), rest);
    }
    return held;
}

/// Orders states by how much they tell.
auto weightOf(const State& state)
{
    return std::tuple(state.row->moment == "out_of_memory", state.row->moment == "peak",
                      state.row->requestedBytes);
}

} // namespace

document::Table memoryTable(const Report& report)
{
    constexpr const char* kSizesOfBlocks =
        "PyTorch keeps the sizes of blocks only as they are at the snapshot";
    constexpr const char* kContradicts = "segments that contradict themselves were left out";
    constexpr const char* kNothingFailed = "no allocation failed then";
    document::Table table{{"rank", "GPU", "when", "requested", "allocated", "reserved", "largest\nfree",
                           "inactive\nsplit", "failed for", "CUDA\nhad left"},
                          {}};
    for (const State& state : statesOf(report)) {
        const MemoryStateRow& row = *state.row;
        table.rows.push_back(
            {state.rank->rank, row.device, momentText(row), sizeOf(row.requestedBytes, ""),
             sizeOf(row.allocatedBytes, kSizesOfBlocks), sizeOf(row.reserved(), kContradicts),
             sizeOf(row.largestFreeBytes, kSizesOfBlocks), sizeOf(row.inactiveSplitBytes, kSizesOfBlocks),
             sizeOf(row.wantedBytes, kNothingFailed), sizeOf(row.deviceFreeBytes, kNothingFailed)});
    }
    return table;
}

std::vector<HeldMemory> heldMemory(const Report& report, bool all)
{
    std::vector<State> states = statesOf(report);
    if (!all && !states.empty()) {
        states = {*std::ranges::max_element(
            states, [](const State& a, const State& b) { return weightOf(a) < weightOf(b); })};
    }
    std::vector<HeldMemory> held;
    std::ranges::transform(states, std::back_inserter(held), heldOf);
    return held;
}

Json memoryJson(const Report& report)
{
    Json result = Json::array();
    for (const State& state : statesOf(report)) {
        const MemoryStateRow& row = *state.row;
        const auto holders = state.holders();
        const auto listed = holders.first(std::min(holders.size(), kMostPlacesInJson));
        Json places = Json::array();
        for (const MemoryHolderRow& holder : listed) {
            const std::string_view place = state.process->text(holder.place);
            const std::string_view category = state.process->text(holder.category);
            places.push_back({{"place", place.empty() ? Json(nullptr) : Json(place)},
                              {"category", category.empty() ? Json(nullptr) : Json(category)},
                              {"bytes", holder.bytes},
                              {"share", shareOf(state, holder)},
                              {"blocks", holder.blocks}});
        }
        result.push_back(
            {{"rank", state.rank->rank},
             {"device", row.device},
             {"moment", row.moment.text()},
             {"time_ns", row.timeNs ? Json(state.rank->clock.toRun(*row.timeNs)) : Json(nullptr)},
             {"events", orNull(row.events)},
             {"requested_bytes", row.requestedBytes},
             {"allocated_bytes", orNull(row.allocatedBytes)},
             {"active_bytes", orNull(row.activeBytes)},
             {"reserved_bytes", orNull(row.reserved())},
             {"largest_free_bytes", orNull(row.largestFreeBytes)},
             {"inactive_split_bytes", orNull(row.inactiveSplitBytes)},
             {"failed_bytes", orNull(row.wantedBytes)},
             {"device_free_bytes", orNull(row.deviceFreeBytes)},
             {"holders", std::move(places)},
             {"other_bytes", restOf(state, listed).bytes}});
    }
    return result.empty() ? Json(nullptr) : result;
}

} // namespace ringside::report
