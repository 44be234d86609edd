// SPDX-License-Identifier: Apache-2.0
// Jobs of several process groups for manual use and for other tests: `parallel_jobs SEED DIRECTORY` writes
// the run of a seed, and prints the expected result as JSON: the rule of the first finding (empty if none of
// the rules about origins applies) and its ranks (empty for any).
#include "parallel_draw.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    using namespace ringside::test;
    constexpr int kArguments = 3;
    if (argc != kArguments) {
        std::fprintf(stderr, "usage: parallel_jobs SEED DIRECTORY\n");
        return 2;
    }
    const DrawnParallelJob job = ParallelJobDrawer(std::strtoull(argv[1], nullptr, 10)).draw();
    playParallelJob(job.shape, job.fault).write(argv[2]);
    std::string ranks;
    for (const std::int64_t rank : job.ranks) {
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    }
    std::printf("{\"job\": \"%s\", \"rule\": \"%s\", \"ranks\": [%s]}\n", wordsOf(job.shape).c_str(),
                std::string(job.rule).c_str(), ranks.c_str());
    return 0;
}
