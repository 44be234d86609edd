// SPDX-License-Identifier: Apache-2.0
#include "model/parallel_layout.h"

#include "values/parse_number.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <array>

namespace ringside::model {
namespace {

struct DimensionWord {
    std::string_view word;
    std::int64_t ParallelSizes::*size;
};
constexpr std::array kDimensionWords = {
    DimensionWord{"tp", &ParallelSizes::tensor}, DimensionWord{"cp", &ParallelSizes::context},
    DimensionWord{"ep", &ParallelSizes::expert}, DimensionWord{"dp", &ParallelSizes::data},
    DimensionWord{"pp", &ParallelSizes::pipeline}};

void readDimension(std::string_view assignment, ParallelSizes& sizes)
{
    constexpr std::int64_t kMost = 1'000'000;
    const std::size_t equals = std::min(assignment.find('='), assignment.size());
    const auto known = std::ranges::find(kDimensionWords, assignment.substr(0, equals), &DimensionWord::word);
    const std::string_view number = assignment.substr(std::min(equals + 1, assignment.size()));
    const std::int64_t size = values::parseNumber<std::int64_t>(number).value_or(0);
    if (known == kDimensionWords.end() || size < 1 || size > kMost) {
        throw Error(ErrorCode::Usage, fmt::format("'{}' is no size of a parallel dimension", assignment),
                    "Write tp=8,pp=4: tensor (tp), context (cp), expert (ep), data (dp) and pipeline (pp) "
                    "parallel.");
    }
    sizes.*known->size = size;
}

/// Fills in the sizes that the user did not give, so that every rank has a place. Throws ringside::Error
/// (Usage) if the sizes do not divide the number of ranks.
ParallelSizes completed(ParallelSizes sizes, std::int64_t world)
{
    for (const auto size : {&ParallelSizes::tensor, &ParallelSizes::context, &ParallelSizes::expert,
                            &ParallelSizes::pipeline}) {
        sizes.*size = std::max<std::int64_t>(1, sizes.*size);
    }
    const std::int64_t model = sizes.tensor * sizes.context * sizes.pipeline;
    const std::int64_t data = sizes.data > 0 ? sizes.data : world / model;
    if (world <= 0 || model * data != world || data % sizes.expert != 0) {
        const std::string replicas = sizes.data > 0 ? fmt::format(" x dp={}", sizes.data) : std::string();
        throw Error(ErrorCode::Usage,
                    fmt::format("{} ranks are no whole number of tp={} x cp={}{} x pp={}, or ep={} does not "
                                "divide the replicas",
                                world, sizes.tensor, sizes.context, replicas, sizes.pipeline, sizes.expert),
                    "tp x cp x dp x pp is the number of ranks of the job, and ep divides dp.");
    }
    sizes.data = data;
    return sizes;
}

std::optional<std::int64_t> numbered(std::int64_t place, std::int64_t size)
{
    return size > 1 ? std::optional(place + 1) : std::nullopt;
}

} // namespace

ParallelSizes parseParallel(std::string_view text)
{
    ParallelSizes sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t comma = std::min(text.find(',', at), text.size());
        readDimension(text.substr(at, comma - at), sizes);
        at = comma + 1;
    }
    return sizes;
}

std::string ParallelLayout::nameOf(std::size_t rank) const
{
    if (!isKnown()) {
        return {};
    }
    std::string name;
    const ParallelPlace& place = places[rank];
    const auto add = [&](std::string_view what, std::optional<std::int64_t> number, std::int64_t size) {
        if (number) {
            name += fmt::format("{}{} {} of {}", name.empty() ? "" : ", ", what, *number, size);
        }
    };
    add("stage", place.stage, sizes.pipeline);
    add("replica", place.replica, sizes.data);
    add("tensor", place.tensor, sizes.tensor);
    add("context", place.context, sizes.context);
    add("expert", place.expert, sizes.expert);
    return name;
}

ParallelLayout givenLayout(const std::vector<Rank>& ranks, std::int64_t worldSize, const ParallelSizes& sizes)
{
    ParallelLayout layout;
    layout.given = true;
    layout.sizes = completed(sizes, worldSize);
    const ParallelSizes& all = layout.sizes;
    for (const Rank& rank : ranks) {
        std::int64_t rest = rank.rank;
        const auto next = [&rest](std::int64_t size) {
            const std::int64_t place = rest % size;
            rest /= size;
            return numbered(place, size);
        };
        ParallelPlace place;
        place.tensor = next(all.tensor);
        place.context = next(all.context);
        place.expert = numbered(rest % all.data % all.expert, all.expert);
        place.replica = next(all.data);
        place.stage = next(all.pipeline);
        layout.places.push_back(place);
    }
    return layout;
}

} // namespace ringside::model
