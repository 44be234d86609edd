// SPDX-License-Identifier: Apache-2.0
// A run whose timeline tests read, and what they look up in it.
#pragma once
#include "model/build_model.h"
#include "support/durations.h"
#include "support/trace_builder.h"
#include "timeline/timeline.h"

#include <gtest/gtest.h>

namespace ringside::timeline {

using namespace std::chrono_literals;
using test::operator""_MiB;
using test::StepBuilder;
using test::TraceBuilder;

using ringside::test::kMillisecond;

/// Four ranks; rank 2 computes 5 ms longer in every step.
inline model::Model lateRankModel()
{
    TraceBuilder builder(4);
    builder.steps(8, [](StepBuilder& step) {
        step.everyRank().host(200us, "data").compute(3ms, {.launches = 3});
        step.rank(2).compute(5ms);
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    return model::buildModel(builder.run());
}

inline std::int64_t timeIn(const Timeline& timeline, std::size_t rank, SpanKind kind)
{
    std::int64_t sum = 0;
    for (const Track& track : timeline.tracks) {
        for (const Lane& lane : track.lanes) {
            for (std::size_t i = 0; i < lane.size() && track.rank == rank; ++i) {
                sum += lane.span(i).kind == kind ? lane.span(i).time.length() : 0;
            }
        }
    }
    return sum;
}

inline std::optional<SpanId> firstOf(const Timeline& timeline, std::size_t rank, SpanKind kind)
{
    for (std::size_t t = 0; t < timeline.tracks.size(); ++t) {
        for (std::size_t l = 0; l < timeline.tracks[t].lanes.size(); ++l) {
            const Lane& lane = timeline.tracks[t].lanes[l];
            for (std::size_t i = 0; i < lane.size() && timeline.tracks[t].rank == rank; ++i) {
                if (lane.span(i).kind == kind) {
                    return SpanId{t, l, i};
                }
            }
        }
    }
    return std::nullopt;
}

} // namespace ringside::timeline
