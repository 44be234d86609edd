// SPDX-License-Identifier: Apache-2.0
// A run that stops somewhere, in the words of the domain, and a time of the test's own.
#pragma once
#include "hang/hang.h"
#include "support/durations.h"
#include "support/said.h"
#include "support/trace_builder.h"
#include "trace/tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::test {

using namespace std::chrono_literals;
using hang::Kind;
using hang::Life;
using words::said;

using ringside::test::kSecond;

/// Four ranks that issued ten all-reduces of growing size each; then what the test makes of them.
class Hang : public testing::Test {
protected:
    Hang()
    {
        TraceBuilder builder(4);
        builder.withoutDeviceTier("test").steps(10, [](StepBuilder& step) {
            step.everyRank().compute(1ms);
            step.allReduce(1_KiB * static_cast<std::uint64_t>(step.number()));
        });
        m_run = builder.run();
        for (trace::ProcessTrace& process : m_run.processes) {
            m_endNs = std::max(m_endNs, *process.process.endNs);
            process.process.endNs.reset();
        }
        m_now.assign(4, {Life::Running, m_endNs + 35 * kSecond, true});
    }

    trace::ProcessTrace& process(std::size_t rank) { return m_run.processes[rank]; }
    /// The rank never came to its last `count` collectives, and made no call since.
    void stopsBefore(std::size_t rank, std::size_t count)
    {
        auto& calls = process(rank).collectiveCalls;
        calls.resize(calls.size() - count);
    }
    void isIn(std::size_t rank, const std::string& function, std::int64_t sinceNs, std::int64_t sequence = -1,
              std::optional<std::int64_t> hangId = std::nullopt)
    {
        trace::InFlightRow row;
        row.thread = 1;
        row.api = m_nextText++;
        process(rank).strings[row.api] = function;
        row.communicator = sequence >= 0 ? 1 : 0;
        row.sequence = std::max<std::int64_t>(sequence, 0);
        row.count = static_cast<std::uint64_t>(sequence + 1) * 256;
        row.startNs = sinceNs;
        row.hang = hangId;
        process(rank).inFlight.push_back(row);
    }
    /// It is in a call that makes a communicator: of `members` ranks, or from `parent`.
    void makesCommunicator(std::size_t rank, const std::string& function, std::int64_t parent,
                           std::uint64_t members)
    {
        isIn(rank, function, m_endNs);
        trace::InFlightRow& row = process(rank).inFlight.back();
        row.communicator = parent;
        row.sequence = -1;
        row.count = members;
    }
    /// Another call of its main thread, which returned at that moment.
    void hasCalled(std::size_t rank, std::int64_t endNs)
    {
        process(rank).strings[940] = "cudaEventQuery";
        trace::ApiCallRow row;
        row.startNs = endNs - 1;
        row.endNs = endNs;
        row.api = 940;
        row.thread = static_cast<std::uint32_t>(process(rank).threads.front().id);
        trace::ApiCallColumns& calls = process(rank).apiCalls;
        trace::TableOf<trace::ApiCallRow>::forEachColumn(
            [&](const char*, auto, auto from, auto to) { (calls.*to).push_back(row.*from); });
    }
    /// Ranks 0 and 1 also share a communicator.
    void addPair()
    {
        for (std::size_t rank = 0; rank < 2; ++rank) {
            trace::CommunicatorRow pair = process(rank).communicators.front();
            pair.id = 2;
            pair.hash = 77;
            pair.size = 2;
            pair.rank = static_cast<std::int64_t>(rank);
            process(rank).communicators.push_back(pair);
        }
    }
    /// Its first call there, so long after the last one of the world.
    void issueOnPair(std::size_t rank, std::int64_t laterNs)
    {
        trace::CollectiveCallRow call = process(rank).collectiveCalls.back();
        call.communicator = 2;
        call.sequence = 0;
        call.startNs += laterNs;
        process(rank).collectiveCalls.push_back(call);
    }
    void message(std::size_t rank, const std::string& function, std::int64_t peer, std::int64_t sequence,
                 std::int64_t laterNs)
    {
        const trace::StringId api = function == "ncclSend" ? 930 : 931;
        process(rank).strings[api] = function;
        trace::CollectiveCallRow call = process(rank).collectiveCalls.back();
        call.api = api;
        call.peer = peer;
        call.sequence = sequence;
        call.startNs = m_endNs + laterNs;
        process(rank).collectiveCalls.push_back(call);
    }
    hang::Report analyze(std::int64_t stuckAfterNs = 10 * kSecond)
    {
        return hang::analyze(m_run, m_now, {stuckAfterNs});
    }

    trace::RunTrace m_run;
    std::vector<hang::ProcessNow> m_now;
    std::int64_t m_endNs = 0;
    trace::StringId m_nextText = 950;
};

} // namespace ringside::test
