// SPDX-License-Identifier: Apache-2.0
// Families of device work: what colours may stand for.
#include "model/build_model.h"
#include "support/trace_builder.h"
#include "timeline/span_groups.h"
#include "timeline/work_family.h"

#include <gtest/gtest.h>

#include <map>

namespace ringside::timeline {
namespace {

using namespace test;

TEST(WorkFamily, ofCommunicationIsItsPattern)
{
    using enum WorkFamily;
    for (const auto& [name, family] :
         {std::pair("ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", Reductions),
          std::pair("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL()", Reductions),
          std::pair("ncclDevKernel_AllGather_RING_LL()", Gathers),
          std::pair("ncclKernel_Broadcast_RING_LL_Sum_int8_t", Gathers),
          std::pair("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", Messages),
          std::pair("deep_ep::intranode::dispatch<8, 768>(int4*)", AllToAll),
          std::pair("all_to_all_kernel", AllToAll), std::pair("one_shot_all_reduce_kernel", Reductions),
          std::pair("ncclDevKernel_Generic()", OtherCommunication), std::pair("", OtherCommunication)}) {
        EXPECT_EQ(communicationFamily(name), family) << name;
    }
}

TEST(WorkFamily, ofSpansLeavesOutWaitingAndWhatIsNoDeviceWork)
{
    TraceBuilder builder(2);
    builder.steps(4, [](StepBuilder& step) {
        step.everyRank().host(100us, "data").copy(1_MiB, 50us).compute(2ms);
        step.rank(1).compute(1ms, {.kernel = "layer_norm_kernel"});
        step.allReduce(4_MiB, {.takes = 1ms});
    });
    const model::Model model = model::buildModel(builder.run());
    const Timeline timeline = buildTimeline(model);
    std::map<WorkFamily, int> counts;
    for (const Track& track : timeline.tracks) {
        for (const Lane& lane : track.lanes) {
            for (std::size_t i = 0; i < lane.size(); ++i) {
                const Span span = lane.span(i);
                const auto family = workFamilyOf(model, track, span);
                const bool work = isOf(SpanTable::Kernels, span.kind) || span.kind == SpanKind::Copy ||
                                  span.kind == SpanKind::Transfer || span.kind == SpanKind::Communication;
                EXPECT_EQ(family.has_value(), work) << nameOf(model, track, span);
                counts[family.value_or(WorkFamily::OtherCompute)] += family ? 1 : 0;
            }
        }
    }
    EXPECT_EQ(counts[WorkFamily::Matmul], 8);
    EXPECT_EQ(counts[WorkFamily::Normalisation], 4);
    EXPECT_EQ(counts[WorkFamily::Copies], 8);
    EXPECT_EQ(counts[WorkFamily::Reductions], 8);
}

} // namespace
} // namespace ringside::timeline
