// SPDX-License-Identifier: Apache-2.0
// An export of Nsight Systems with all payloads of NCCL, from the file to the figures of the report
// (imports/nsys.json).
#include "golden_json.h"
#include "import/open_run.h"
#include "report/format.h"
#include "support/nsys_export.h"
#include "support/temporary_directory.h"

#include <algorithm>

namespace ringside::test {
namespace {

constexpr std::int64_t kMs = 1'000'000;

/// Two ranks, of which the second comes 2 ms late to each of two all-reduces of different sizes.
void writeTraining(const std::filesystem::path& file)
{
    NsysExport nsys(file, NsysForm::V325, true);
    nsys.sessionStart(1'779'782'330'000'000'000).host("node1");
    for (const int rank : {0, 1}) {
        const std::int64_t pid = NsysExport::kPid + rank;
        nsys.process(pid).ncclRange("ncclCommInitRank", 10, 20,
                                    {.communicator = 77, .ranks = 2, .rank = rank, .device = rank}, pid);
        for (std::int64_t step = 0; step < 10; ++step) {
            const std::int64_t begin = kMs + step * 12 * kMs;
            const std::int64_t correlation = 10 * step + 1;
            const std::int64_t computed = begin + (rank == 1 ? 6 : 4) * kMs;
            nsys.range("iteration " + std::to_string(step), begin - kMs / 2, begin + 11 * kMs, pid)
                .call("cudaLaunchKernel_v7000", correlation, begin - 10'000, begin - 5'000, pid)
                .kernel("ampere_sgemm_128x64_nn", correlation, begin, computed, pid, rank)
                .collective("ncclAllReduce", NsysExport::kAllReduce, correlation + 1, computed,
                            begin + 7 * kMs, {.communicator = 77, .bytes = 4U << 20U}, pid, rank)
                .collective("ncclAllReduce", NsysExport::kAllReduce, correlation + 2, begin + 8 * kMs,
                            begin + 10 * kMs, {.communicator = 77, .bytes = 16U << 20U}, pid, rank);
        }
    }
}

/// What came from the file: not the words of rules.
Json figuresOf(const std::filesystem::path& file)
{
    importers::Progress progress;
    const report::Report report = report::buildReport(importers::openRun({file}, progress), {});
    Json all = Json::parse(report::formatNamed("json").render(report));
    all["run"].erase("path");
    Json figures;
    for (const char* const part :
         {"run", "coverage", "summary", "steps", "ranks", "communicators", "collectives", "issues"}) {
        figures[part] = all[part];
    }
    for (Json& rank : figures["ranks"]) {
        rank.erase("per_step"); // the totals of eight equal steps
    }
    for (const Json& finding : all["findings"]) {
        figures["findings"].push_back({finding["rule"], finding["ranks"], finding["cost_ns_per_step"]});
    }
    return figures;
}

TEST(Nsys, GivesTheFiguresThatAreWrittenDown)
{
    const TemporaryDirectory folder;
    const std::filesystem::path file = folder / "report.sqlite";
    writeTraining(file);
    const Json found = figuresOf(file);
    ASSERT_EQ(found["ranks"].size(), 2U);
    EXPECT_GT(found["ranks"][1]["last_arrivals"], found["ranks"][0]["last_arrivals"]);
    EXPECT_GT(found["ranks"][0]["wait_ns"], found["ranks"][1]["wait_ns"]);
    expectGolden(found, std::filesystem::path(RINGSIDE_GOLDEN_IMPORTS) / "nsys.json");
}

} // namespace
} // namespace ringside::test
