// SPDX-License-Identifier: Apache-2.0
#include "hang_layouts.h"

namespace ringside::test {

std::vector<Case> messageCases()
{
    return {
        {"message_never_sent",
         [] { return ddp(4, [](StuckJob& job) { job.receive(0, 1, 0); }); },
         Kind::Missing,
         {0}},
        {"message_never_received",
         [] { return ddp(4, [](StuckJob& job) { job.send(0, 3, 2); }); },
         Kind::Missing,
         {2}},
        {"message_counts_differ",
         [] {
             return ddp(4, [](StuckJob& job) {
                 for (int i = 0; i < 14; ++i) {
                     job.message(0, 0, 1);
                 }
                 job.receive(0, 1, 0);
                 job.receive(0, 1, 0);
             });
         },
         Kind::Missing,
         {0}},
        {"message_sizes_differ",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.message(0, 2, 3);
                 job.send(0, 2, 3, 512);
                 job.receive(0, 3, 2, 1024);
             });
         },
         Kind::Mismatch,
         {2, 3}},
        {"message_to_the_wrong_peer",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.send(0, 0, 2); // for 1
                 job.receive(0, 1, 0);
             });
         },
         Kind::Mismatch,
         {0}},
        {"both_send_first",
         [] {
             return ddp(4, [](StuckJob& job) {
                 job.send(0, 0, 1);
                 job.send(0, 1, 0);
                 job.receive(0, 0, 1);
                 job.receive(0, 1, 0);
             });
         },
         Kind::Waiting,
         {0, 1},
         true},
        {"both_receive_first",
         [] {
             StuckJob job(4, 1);
             for (int i = 0; i < kWarmSteps; ++i) {
                 job.message(0, 0, 1);
                 job.message(0, 1, 0);
                 job.collective(0, "all_reduce", 10);
             }
             job.receive(0, 0, 1);
             job.receive(0, 1, 0);
             return job;
         },
         Kind::Missing,
         {0, 1},
         true},
        {"ring_receive_missing_in_a_batch",
         [] { return ring(4, [](StuckJob& job) { ringStep(job, 4, 2); }); },
         Kind::Missing,
         {2}},
        {"ring_send_missing_in_a_batch",
         [] { return ring(6, [](StuckJob& job) { ringStep(job, 6, -1, 3); }); },
         Kind::Missing,
         {3}},
        {"ring_rank_stops",
         [] {
             return ring(8, [](StuckJob& job) {
                 job.halt(5);
                 ringStep(job, 8);
             });
         },
         Kind::Missing,
         {5}},
        {"pipeline_stage_stops",
         [] {
             return pipeline(4, 2, [](Pipeline& layout) {
                 layout.job.halt(2);
                 layout.step();
             });
         },
         Kind::Missing,
         {2}},
        {"pipeline_last_stage_stops",
         [] {
             return pipeline(4, 1, [](Pipeline& layout) {
                 layout.forward(0);
                 layout.job.halt(3);
                 layout.backward(0);
                 layout.step();
             });
         },
         Kind::Missing,
         {3}},
        {"pipeline_first_stage_stops",
         [] {
             return pipeline(8, 2, [](Pipeline& layout) {
                 layout.job.halt(8);
                 layout.step();
                 layout.step();
             });
         },
         Kind::Missing,
         {8}},
        {"pipeline_replica_skips_its_gradients",
         [] {
             return pipeline(4, 2, [](Pipeline& layout) {
                 layout.forward(0);
                 layout.backward(0);
                 layout.forward(1);
                 layout.backward(1);
                 layout.job.collective(layout.data[1], "all_reduce", 70000, {5});
                 layout.job.halt(5);
                 for (const std::size_t stage : {0U, 2U, 3U}) {
                     layout.job.collective(layout.data[stage], "all_reduce", 70000);
                 }
                 layout.step();
             });
         },
         Kind::Missing,
         {5}},
        {"pipeline_stage_left_no_dump",
         [] {
             return pipeline(4, 2, [](Pipeline& layout) {
                 layout.job.halt(6);
                 layout.step();
                 layout.job.withoutDump(6);
             });
         },
         Kind::Waiting,
         {6}},
        {"pipeline_message_sizes_differ",
         [] {
             return pipeline(4, 1, [](Pipeline& layout) {
                 layout.job.send(layout.pipes[0], 1, 2, 512);
                 layout.job.receive(layout.pipes[0], 2, 1, 256);
                 layout.step();
             });
         },
         Kind::Mismatch,
         {1, 2}},
    };
}

} // namespace ringside::test
