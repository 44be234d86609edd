// SPDX-License-Identifier: Apache-2.0
// Kinds of hangs in several layouts, as dumps of PyTorch's flight recorder in all styles: whom `ringside
// hang` blames. Every case is one row: what the ranks call, the kind, and the ranks that the others wait for.
#include "hang/hang.h"
#include "hang/open_end.h"
#include "import/open_run.h"
#include "stuck_job.h"
#include "support/said.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

namespace ringside::test {
namespace {

using hang::Kind;
using Ranks = StuckJob::Ranks;
using Build = std::function<StuckJob()>;

struct Case {
    const char* name;
    Build build;
    Kind kind;
    Ranks origin;        ///< those that the verdict names
    bool circle = false; ///< they wait for each other
};

// Layouts.

constexpr std::int64_t kWarmSteps = 12; ///< so that a small buffer has overwritten calls

/// Data parallel: buckets of different sizes, a scalar at the end.
void ddpStep(StuckJob& job)
{
    job.collective(0, "all_reduce", 4000);
    job.collective(0, "all_reduce", 8000);
    job.collective(0, "all_reduce", 2);
}

StuckJob ddp(std::int64_t ranks, const std::function<void(StuckJob&)>& end)
{
    StuckJob job(ranks);
    for (int step = 0; step < kWarmSteps; ++step) {
        ddpStep(job);
    }
    end(job);
    return job;
}

/// Stages of a pipeline with replicas: rank = replica * stages + stage.
struct Pipeline {
    Pipeline(std::int64_t stageCount, std::int64_t replicaCount)
        : stages(stageCount), replicas(replicaCount), job(stageCount * replicaCount)
    {
        for (std::int64_t replica = 0; replica < replicas; ++replica) {
            Ranks ranks;
            for (std::int64_t stage = 0; stage < stages; ++stage) {
                ranks.push_back(replica * stages + stage);
            }
            pipes.push_back(job.group("pipeline", ranks));
        }
        for (std::int64_t stage = 0; stage < stages; ++stage) {
            Ranks ranks;
            for (std::int64_t replica = 0; replica < replicas; ++replica) {
                ranks.push_back(replica * stages + stage);
            }
            data.push_back(job.group("data_parallel", ranks));
        }
    }
    void forward(std::int64_t replica)
    {
        for (std::int64_t stage = 0; stage + 1 < stages; ++stage) {
            const std::int64_t from = replica * stages + stage;
            job.message(pipes[static_cast<std::size_t>(replica)], from, from + 1);
        }
    }
    void backward(std::int64_t replica)
    {
        for (std::int64_t stage = stages - 1; stage > 0; --stage) {
            const std::int64_t from = replica * stages + stage;
            job.message(pipes[static_cast<std::size_t>(replica)], from, from - 1, 1024);
        }
    }
    void step()
    {
        for (int micro = 0; micro < 2; ++micro) {
            for (std::int64_t replica = 0; replica < replicas; ++replica) {
                forward(replica);
                backward(replica);
            }
        }
        for (const std::size_t group : data) {
            job.collective(group, "all_reduce", 70000);
        }
    }
    void warm()
    {
        for (int i = 0; i < 6; ++i) {
            step();
        }
    }
    std::int64_t stages, replicas;
    StuckJob job;
    std::vector<std::size_t> pipes, data;
};

StuckJob pipeline(std::int64_t stages, std::int64_t replicas, const std::function<void(Pipeline&)>& end)
{
    Pipeline layout(stages, replicas);
    layout.warm();
    end(layout);
    return std::move(layout.job);
}

/// Tensor parallel pairs within data parallel groups: rank = data * 2 + tensor.
struct Nested {
    explicit Nested(std::int64_t ranks) : job(ranks)
    {
        for (std::int64_t first = 0; first < ranks; first += 2) {
            tensor.push_back(job.group("tensor_parallel", {first, first + 1}));
        }
        for (std::int64_t place = 0; place < 2; ++place) {
            Ranks members;
            for (std::int64_t rank = place; rank < ranks; rank += 2) {
                members.push_back(rank);
            }
            data.push_back(job.group("data_parallel", members));
        }
    }
    void layer()
    {
        for (const std::size_t group : tensor) {
            job.collective(group, "all_reduce", 3000);
        }
        for (const std::size_t group : data) {
            job.collective(group, "all_gather", 600);
        }
    }
    void step()
    {
        layer();
        layer();
        for (const std::size_t group : data) {
            job.collective(group, "reduce_scatter", 50000);
        }
        job.collective(0, "all_reduce", 2);
    }
    StuckJob job;
    std::vector<std::size_t> tensor, data;
};

StuckJob nested(std::int64_t ranks, const std::function<void(Nested&)>& end)
{
    Nested layout(ranks);
    for (int i = 0; i < 6; ++i) {
        layout.step();
    }
    end(layout);
    return std::move(layout.job);
}

/// A ring of batched sends and receives, as in context parallelism.
void ringStep(StuckJob& job, std::int64_t ranks, std::int64_t withoutReceive = -1,
              std::int64_t withoutSend = -1)
{
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
        std::vector<std::pair<std::string, std::int64_t>> parts;
        if (rank != withoutSend) {
            parts.emplace_back("send", (rank + 1) % ranks);
        }
        if (rank != withoutReceive) {
            parts.emplace_back("recv", (rank + ranks - 1) % ranks);
        }
        job.batch(0, rank, parts);
    }
}

StuckJob ring(std::int64_t ranks, const std::function<void(StuckJob&)>& end)
{
    StuckJob job(ranks);
    for (int step = 0; step < kWarmSteps; ++step) {
        ringStep(job, ranks);
        job.collective(0, "all_reduce", 1024);
    }
    end(job);
    return job;
}

// The cases.

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

const std::vector<Case>& allCases()
{
    static const std::vector<Case> cases = [] {
        std::vector<Case> list = collectiveCases();
        std::ranges::move(messageCases(), std::back_inserter(list));
        return list;
    }();
    return cases;
}

struct Style {
    const char* name;
    DumpStyle style;
};
const std::vector<Style>& allStyles()
{
    static const std::vector<Style> styles{{"pickle", {}},
                                           {"json", {.json = true}},
                                           {"overwritten", {.buffer = 14}},
                                           {"untimed", {.timing = false}},
                                           {"untimed_overwritten", {.timing = false, .buffer = 14}}};
    return styles;
}

class HangCases : public testing::TestWithParam<std::tuple<std::size_t, std::size_t>> {};

hang::Report judge(const TemporaryDirectory& folder, void (*reduce)(trace::ProcessTrace&) = nullptr)
{
    importers::Progress progress;
    trace::RunTrace run = importers::openRun({folder.path()}, progress, importers::all(), reduce);
    const std::vector<hang::ProcessNow> now(run.processes.size());
    return hang::analyze(std::move(run), now, {});
}

/// More collectives count as recorded by some ranks only.
std::string withoutIssues(const hang::Report& report)
{
    nlohmann::json json = nlohmann::json::parse(hang::formatJson(report));
    json.erase("issues");
    return json.dump(1);
}

TEST_P(HangCases, namesTheOrigin)
{
    const Case& each = allCases()[std::get<0>(GetParam())];
    const Style& style = allStyles()[std::get<1>(GetParam())];
    const bool gpu = std::string_view(each.name).find("gpu") != std::string_view::npos;
    StuckJob job = each.build();
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), style.style);
    ASSERT_FALSE(job.wentThrough());
    const hang::Report report = judge(folder);
    const std::string text = hang::formatText(report);
    if (std::get<1>(GetParam()) == 0) {
        EXPECT_EQ(withoutIssues(judge(folder, &hang::keepOpenEnd)), withoutIssues(report))
            << "by its end alone";
    }
    if (gpu && !style.style.timing) { // nothing in the dumps tells the ranks of its group apart
        EXPECT_EQ(report.kind, Kind::Waiting) << text;
        const Ranks named = report.origins.empty() ? each.origin : report.origins.front().ranks;
        EXPECT_NE(std::ranges::find(named, each.origin.front()), named.end()) << text;
        EXPECT_NE(report.confidence, hang::Confidence::High) << text;
        return;
    }
    EXPECT_EQ(report.kind, each.kind) << text;
    ASSERT_FALSE(report.origins.empty()) << text;
    EXPECT_EQ(report.origins.front().ranks, each.origin) << text;
    EXPECT_EQ(report.origins.front().circle, each.circle) << text;
}

INSTANTIATE_TEST_SUITE_P(All, HangCases,
                         testing::Combine(testing::Range(std::size_t{0}, allCases().size()),
                                          testing::Range(std::size_t{0}, allStyles().size())),
                         [](const auto& drawn) {
                             return std::string(allCases()[std::get<0>(drawn.param)].name) + "_" +
                                    allStyles()[std::get<1>(drawn.param)].name;
                         });

// What the watchdog wrote, alone.
struct LogCase {
    const char* name;
    bool statuses;
    Kind kind;
    Ranks origin;
};

StuckJob named(const std::string& name)
{
    return std::ranges::find_if(allCases(), [&](const Case& each) { return each.name == name; })->build();
}

TEST(WatchdogLogs, nameWhoeverTheyTellOf)
{
    for (const LogCase& each : {LogCase{"ddp_rank_stops", false, Kind::Waiting, {2}},
                                LogCase{"ddp_rank_stops", true, Kind::Missing, {2}},
                                LogCase{"ddp_two_ranks_stop", true, Kind::Missing, {3, 5}},
                                LogCase{"ddp_rank_stops_within_the_step", true, Kind::Missing, {7}},
                                LogCase{"ddp_another_function", true, Kind::Mismatch, {3}},
                                LogCase{"ddp_another_count", false, Kind::Mismatch, {5}},
                                LogCase{"ddp_rank_skips_a_call", true, Kind::Mismatch, {1}},
                                LogCase{"ddp_rank_left_no_dump", true, Kind::Waiting, {1}},
                                LogCase{"nested_other_function_in_a_pair", true, Kind::Mismatch, {6, 7}},
                                LogCase{"circle_of_two_groups", true, Kind::Missing, {0, 1}}}) {
        TemporaryDirectory folder;
        std::ofstream(folder / "job.log") << named(each.name).watchdogLog(each.statuses);
        const hang::Report report = judge(folder);
        const std::string text = each.name + std::string("\n") + hang::formatText(report);
        EXPECT_EQ(report.kind, each.kind) << text;
        EXPECT_EQ(report.origins.empty() ? Ranks{} : report.origins.front().ranks, each.origin) << text;
    }
}

TEST(HangCases, aJobThatWentThroughIsNotStuck)
{
    StuckJob job = ddp(4, ddpStep);
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), {});
    ASSERT_TRUE(job.wentThrough());
    EXPECT_EQ(judge(folder).kind, Kind::Nothing);
}

TEST(HangCases, ofCallsThatAllMadeOnlyTheEndIsKept)
{
    StuckJob job = ddp(4, ddpStep);
    TemporaryDirectory folder;
    job.writeDumps(folder.path(), {});
    importers::Progress progress;
    trace::RunTrace run = importers::openRun({folder.path()}, progress);
    for (trace::ProcessTrace& process : run.processes) {
        const std::size_t before = process.collectiveCalls.size();
        const std::int64_t last = process.collectiveCalls.back().sequence;
        hang::keepOpenEnd(process);
        EXPECT_GT(before, 8U);
        EXPECT_EQ(process.collectiveCalls.size(), 8U) << "those that are shown";
        EXPECT_EQ(process.collectiveCalls.back().sequence, last);
    }
}

} // namespace
} // namespace ringside::test
