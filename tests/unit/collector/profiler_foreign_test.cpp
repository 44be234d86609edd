// SPDX-License-Identifier: Apache-2.0
// Calls that no wrapper sees, as of a statically linked NCCL or one opened by dlopen: the profiler plugin
// makes the same rows of them. On the CPU platform's NCCL.
#include "recorded_run.h"

#include <ringside/trace/reader.h>

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

using namespace ringside;
using ringside::test::RecordedRun;

namespace {

RecordedRun play(std::vector<std::string> scenes, const std::string& profile = "light")
{
    scenes.insert(scenes.begin(), "recorded_nccl_ranks");
    return RecordedRun(scenes, RecordedRun::Collector::Preloaded,
                       {"LD_LIBRARY_PATH=" RINGSIDE_PLATFORM, "RINGSIDE_PROFILE=" + profile});
}

// What is the same whoever saw the calls. Peers of sends and receives only the wrappers see.
std::string callsOf(const RecordedRun& run)
{
    return run.text("SELECT group_concat(line, char(10)) FROM (SELECT m.rank || ': ' || sequence || ' ' ||"
                    " a.text || ' ' || count || ' of ' || datatype || ', ' || bytes || ' bytes, root ' ||"
                    " CASE WHEN a.text IN ('ncclSend', 'ncclRecv') THEN '-' ELSE ifnull(peer, '-') END ||"
                    " CASE WHEN group_id THEN ' in a group' ELSE '' END ||"
                    " CASE WHEN graph_id THEN ' in a graph' ELSE '' END AS line"
                    " FROM collective_call c JOIN string a ON a.id = api_id"
                    " JOIN communicator m ON m.id = communicator_id ORDER BY m.rank, sequence)");
}

const std::vector<std::string> kScenes{"open",     "single",  "several", "group",
                                       "exchange", "capture", "single",  "close"};

TEST(ProfilerForeign, givesTheRowsThatWrappersGive)
{
    std::vector<std::string> past = kScenes;
    past.insert(past.begin(), "dlsym");
    const RecordedRun wrapped = play(kScenes);
    const RecordedRun foreign = play(past);
    ASSERT_EQ(wrapped.waitStatus, 0) << wrapped.output;
    ASSERT_EQ(foreign.waitStatus, 0) << foreign.output;
    EXPECT_EQ(foreign.number("SELECT count(*) FROM string WHERE text = 'ncclCommInitAll' AND id IN"
                             " (SELECT api_id FROM collective_call)"),
              0);
    EXPECT_EQ(callsOf(foreign), callsOf(wrapped));
    EXPECT_EQ(foreign.number("SELECT count(*) FROM collective_call WHERE reduction IS NOT NULL"), 0)
        << "NCCL does not tell it";
    EXPECT_EQ(foreign.number("SELECT count(*) FROM collective_group WHERE calls = 6"), 1);
    EXPECT_EQ(foreign.number("SELECT count(*) FROM collective_group"),
              wrapped.number("SELECT count(*) FROM collective_group"))
        << "a call by itself is in none";
    EXPECT_EQ(foreign.number("SELECT count(*) FROM collective_call WHERE end_ns < start_ns"), 0);
    EXPECT_EQ(foreign.number("SELECT count(DISTINCT call_id) FROM nccl_operation"),
              foreign.number("SELECT count(*) FROM collective_call WHERE graph_id IS NULL"))
        << "the graph was not launched";
    EXPECT_EQ(foreign.number("SELECT count(*) FROM in_flight"), 0);
}

TEST(ProfilerForeign, identifiesCommunicatorsByNcclsOwnHash)
{
    const RecordedRun run = play({"dlsym", "open", "single", "close", "open", "single", "close"});
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator WHERE nccl_hash <> 0 AND hash <> 0"), 4);
    EXPECT_EQ(run.number("SELECT count(DISTINCT hash) FROM communicator"), 2) << "the same on both ranks";
    EXPECT_EQ(run.text("SELECT group_concat(size || '/' || rank || '/' || device) FROM"
                       " (SELECT * FROM communicator ORDER BY created_ns LIMIT 2)")
                  .size(),
              11U);
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator WHERE rank <> device OR size <> 2"), 0);
    EXPECT_EQ(run.number("SELECT count(*) FROM rank"), 2);
}

TEST(ProfilerForeign, leavesCallsThatWrappersSeeToThem)
{
    const RecordedRun run = play({"open", "single", "group", "close"});
    EXPECT_EQ(run.number("SELECT count(*) FROM collective_call"), 8);
    EXPECT_EQ(run.number("SELECT count(*) FROM communicator"), 2);
}

TEST(ProfilerForeign, tiesKernelsToTheCalls)
{
    const RecordedRun run = play({"watch", "dlsym", "open", "single", "group", "close"}, "standard");
    ASSERT_EQ(run.waitStatus, 0) << run.output;
    const trace::ProcessTrace trace = trace::openRun(run.directory()).processes.at(0);
    std::set<std::int64_t> calls;
    for (const trace::CollectiveCallRow& call : trace.collectiveCalls) {
        calls.insert(call.groupId != 0 ? call.groupId : call.id);
    }
    std::set<std::int64_t> tied;
    for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
        const auto& correlations = trace.callCorrelations;
        const auto found = std::find(correlations.correlation.begin(), correlations.correlation.end(),
                                     trace.kernels.correlation[i]);
        ASSERT_NE(found, correlations.correlation.end()) << trace.text(trace.kernels.name[i]);
        tied.insert(static_cast<std::int64_t>(
            correlations.call[static_cast<std::size_t>(found - correlations.correlation.begin())]));
    }
    EXPECT_EQ(trace.kernels.size(), 4U) << "two calls, and one group of both ranks";
    EXPECT_EQ(tied, calls);
}

} // namespace
