// SPDX-License-Identifier: Apache-2.0
// Collectives in graphs: captured once, a new collective at every launch, in order with those that are
// called.
#include "ranks.h"

#include <gtest/gtest.h>

#include <utility>

namespace ringside::test {
namespace {

void expect(cudaError_t error, const std::string& what)
{
    check(error == cudaSuccess, what + ": " + cudaGetErrorString(error));
}

/// What `body` queues on the rank's stream, ready to be launched.
cudaGraphExec_t captured(Rank& self, const std::function<void()>& body)
{
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    expect(cudaStreamBeginCapture(self.stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    body();
    expect(cudaStreamEndCapture(self.stream, &graph), "cudaStreamEndCapture");
    expect(cudaGraphInstantiate(&executable, graph, 0), "cudaGraphInstantiate");
    expect(cudaGraphDestroy(graph), "cudaGraphDestroy");
    return executable;
}

void sum(const Rank& self, int& value)
{
    succeed(ncclAllReduce(&value, &value, 1, ncclInt32, ncclSum, self.comm, self.stream), "ncclAllReduce");
}

TEST(Graphs, reduceAnewAtEveryLaunch)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        int value = 1;
        const cudaGraphExec_t graph = captured(self, [&] { sum(self, value); });
        self.synchronise();
        check(value == 1, "the capture itself reduced");
        for (int launch = 0; launch < 3; ++launch)
            expect(cudaGraphLaunch(graph, self.stream), "cudaGraphLaunch");
        sum(self, value); // between launches, in the order of the calls
        expect(cudaGraphLaunch(graph, self.stream), "cudaGraphLaunch");
        self.synchronise();
        check(value == 32, "the value is " + std::to_string(value) + " after five reductions");
        expect(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    }));
}

TEST(Graphs, holdGroupsOfTransfers)
{
    EXPECT_TRUE(ranksEndWell(3, [](Rank& self) {
        const int next = (self.rank + 1) % self.size;
        const int previous = (self.rank + self.size - 1) % self.size;
        int out = self.rank;
        int in = -1;
        const cudaGraphExec_t graph = captured(self, [&] {
            succeed(ncclGroupStart(), "ncclGroupStart");
            succeed(ncclSend(&out, 1, ncclInt32, next, self.comm, self.stream), "ncclSend");
            succeed(ncclRecv(&in, 1, ncclInt32, previous, self.comm, self.stream), "ncclRecv");
            succeed(ncclGroupEnd(), "ncclGroupEnd");
        });
        for (int launch = 0; launch < 2; ++launch) {
            out = self.rank + 10 * launch;
            expect(cudaGraphLaunch(graph, self.stream), "cudaGraphLaunch");
            self.synchronise();
            check(in == previous + 10 * launch, "wrong data from the previous rank");
        }
        expect(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    }));
}

TEST(Graphs, mayOutliveTheirCommunicator)
{
    EXPECT_TRUE(ranksEndWell(2, [](Rank& self) {
        int value = 1;
        const cudaGraphExec_t graph = captured(self, [&] { sum(self, value); });
        succeed(ncclCommDestroy(std::exchange(self.comm, nullptr)),
                "ncclCommDestroy"); // must not wait for it
        expect(cudaGraphExecDestroy(graph), "cudaGraphExecDestroy");
    }));
}

} // namespace
} // namespace ringside::test
