// SPDX-License-Identifier: Apache-2.0
#include "hang_layouts.h"

namespace ringside::test {

std::vector<Case> collectiveCases()
{
    return {
        {"ddp_rank_stops",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.halt(2);
                 ddpStep(job);
             });
         },
         Kind::Missing,
         {2}},
        {"ddp_rank_stops_within_the_step",
         [] {
             return ddp(8, [](StuckJob& job) {
                 job.collective(0, "all_reduce", 4000);
                 job.halt(7);
                 job.collective(0, "all_reduce", 8000);
                 ddpStep(job);
             });
         },
         Kind::Missing,
         {7}},
        {"ddp_two_ranks_stop",
         [] {
             return ddp(8, [](StuckJob& job) {
                 job.halt(3);
                 job.halt(5);
                 ddpStep(job);
             });
         },
         Kind::Missing,
         {3, 5}},
        {"ddp_rank_skips_a_call",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.collective(0, "all_reduce", 4000, {1});
                 job.collective(0, "all_reduce", 8000);
                 job.collective(0, "all_reduce", 2);
             });
         },
         Kind::Mismatch,
         {1}},
        {"ddp_rank_makes_an_extra_call",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.call(0, {0, "broadcast", 7, -1, 0});
                 ddpStep(job);
             });
         },
         Kind::Mismatch,
         {0}},
        {"ddp_another_function",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.collective(0, "all_reduce", 4000, {3});
                 job.call(3, {0, "all_gather", 4000, -1, 0});
                 ddpStep(job);
             });
         },
         Kind::Mismatch,
         {3}},
        {"ddp_another_count",
         [] {
             return ddp(6, [](StuckJob& job) {
                 job.collective(0, "all_reduce", 4000, {5});
                 job.call(5, {0, "all_reduce", 4002, -1, 0});
                 ddpStep(job);
             });
         },
         Kind::Mismatch,
         {5}},
        {"ddp_two_calls_in_the_other_order",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.collective(0, "all_reduce", 4000, {2});
                 job.collective(0, "all_reduce", 8000);
                 job.call(2, {0, "all_reduce", 4000, -1, 0});
                 job.collective(0, "all_reduce", 2);
             });
         },
         Kind::Mismatch,
         {2}},
        {"ddp_rank_left_no_dump",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.halt(1);
                 ddpStep(job);
                 job.withoutDump(1);
             });
         },
         Kind::Waiting,
         {1}},
        {"ddp_gpu_of_a_rank_stands",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.blockGpu(3);
                 ddpStep(job);
             });
         },
         Kind::Waiting,
         {3}},
        {"ddp_dump_of_a_rank_is_older",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.halt(2);
                 ddpStep(job);
                 job.dumpedEarlier(1, 5);
             });
         },
         Kind::Missing,
         {2}},
        {"coalesced_member_missing",
         [] {
             return ddp(4, [](StuckJob& job) {
                 for (std::int64_t rank = 0; rank < 4; ++rank) {
                     std::vector<std::pair<std::string, std::int64_t>> parts{{"all_reduce", 100},
                                                                             {"all_reduce", 200}};
                     if (rank != 2) {
                         parts.emplace_back("all_reduce", 300);
                     }
                     job.batch(0, rank, parts);
                 }
                 ddpStep(job);
             });
         },
         Kind::Mismatch,
         {2}},
        {"nested_rank_stops_in_its_tensor_group",
         [] {
             return nested(8, [](Nested& layout) {
                 layout.layer();
                 layout.job.halt(5);
                 layout.step();
             });
         },
         Kind::Missing,
         {5}},
        {"nested_rank_stops_before_the_data_group",
         [] {
             return nested(8, [](Nested& layout) {
                 for (const std::size_t group : layout.tensor) {
                     layout.job.collective(group, "all_reduce", 3000);
                 }
                 layout.job.halt(0);
                 layout.step();
             });
         },
         Kind::Missing,
         {0}},
        {"nested_rank_skips_a_call_of_its_data_group",
         [] {
             return nested(8, [](Nested& layout) {
                 for (const std::size_t group : layout.tensor) {
                     layout.job.collective(group, "all_reduce", 3000);
                 }
                 layout.job.collective(layout.data[0], "all_gather", 600, {4});
                 layout.job.collective(layout.data[1], "all_gather", 600);
                 layout.step();
             });
         },
         Kind::Mismatch,
         {4}},
        {"nested_other_function_in_a_pair",
         [] {
             return nested(8, [](Nested& layout) {
                 for (const std::size_t group : layout.tensor) {
                     layout.job.collective(group, "all_reduce", 3000, {6});
                 }
                 layout.job.call(6, {layout.tensor[3], "broadcast", 3000, -1, 0});
                 layout.step();
             });
         },
         Kind::Mismatch,
         {6}},
        {"nested_rank_left_no_dump",
         [] {
             return nested(8, [](Nested& layout) {
                 layout.job.halt(3);
                 layout.step();
                 layout.job.withoutDump(3);
             });
         },
         Kind::Waiting,
         {3}},
        {"nested_gpu_of_a_rank_stands",
         [] {
             return nested(8, [](Nested& layout) {
                 layout.job.blockGpu(6);
                 layout.step();
             });
         },
         Kind::Waiting,
         {6}},
        {"circle_of_two_groups",
         [] {
             StuckJob job(4, 1);
             const std::size_t tensor = job.group("tensor", {0, 1});
             const std::size_t context = job.group("context", {0, 1});
             for (int step = 0; step < kWarmSteps; ++step) {
                 job.collective(tensor, "all_reduce", 1000);
                 job.collective(context, "all_gather", 1000);
                 job.collective(0, "all_reduce", 10);
             }
             job.call(0, {tensor, "all_reduce", 1000, -1, 0});
             job.call(1, {context, "all_gather", 1000, -1, 0});
             job.collective(0, "all_reduce", 10);
             return job;
         },
         Kind::Missing,
         {0, 1},
         true},
        {"circle_of_three_groups",
         [] {
             StuckJob job(6, 1);
             const std::vector<std::size_t> groups{job.group("first", {0, 1}), job.group("second", {1, 2}),
                                                   job.group("third", {2, 0})};
             for (int step = 0; step < kWarmSteps; ++step) {
                 for (const std::size_t group : groups) {
                     job.collective(group, "all_reduce", 1000);
                 }
                 job.collective(0, "all_reduce", 10);
             }
             for (std::int64_t rank = 0; rank < 3; ++rank) {
                 job.call(rank, {groups[static_cast<std::size_t>(rank)], "all_reduce", 1000, -1, 0});
             }
             job.collective(0, "all_reduce", 10);
             return job;
         },
         Kind::Missing,
         {0, 1, 2},
         true},
    };
}

} // namespace ringside::test
