// SPDX-License-Identifier: Apache-2.0
// The order that a reader promises of its columns, for few keys and for as many as rows.
#include "trace/read/sort_columns.h"

#include <gtest/gtest.h>

namespace ringside::test {
namespace {

using namespace ringside::trace;

/// A round of calls, one a thread, then another one.
ProcessTrace twoRounds(std::uint32_t threads)
{
    ProcessTrace process;
    for (std::uint32_t row = 0; row < 2 * threads; ++row) {
        process.apiCalls.startNs.push_back(row);
        process.apiCalls.thread.push_back(row % threads);
    }
    return process;
}

bool isSorted(const ProcessTrace& process)
{
    return isSortedWithinKeys(process.apiCalls.startNs,
                              [&](std::size_t row) { return process.apiCalls.thread[row]; });
}

TEST(SortColumns, keysAreKeptApartHoweverManyThereAre)
{
    for (const std::uint32_t threads : {1U, 3U, 64U, 65U, 1000U, 300'000U}) {
        ProcessTrace process = twoRounds(threads);
        EXPECT_TRUE(isSorted(process)) << threads;
        process.apiCalls.startNs.set(2 * threads - 1,
                                     std::int64_t{threads} - 2); // before the first call of its thread
        EXPECT_FALSE(isSorted(process)) << threads;
        process.apiCalls.startNs.set(2 * threads - 1, std::int64_t{threads} - 1); // with it
        EXPECT_TRUE(isSorted(process)) << threads;
    }
}

} // namespace
} // namespace ringside::test
