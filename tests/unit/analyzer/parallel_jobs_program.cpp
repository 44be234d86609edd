// SPDX-License-Identifier: Apache-2.0
// Jobs of several process groups for manual use and for other tests: `parallel_jobs SEED DIRECTORY [STEPS]`
// writes the run of a seed, with as many steps, and prints the expected result as JSON: the rule of the first
// finding (empty if none of the rules about origins applies) and its ranks (empty for any).
#include "parallel_draw.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    using namespace ringside::test;
    constexpr int kArguments = 3;
    if (argc != kArguments && argc != kArguments + 1) {
        std::fprintf(stderr, "usage: parallel_jobs SEED DIRECTORY [STEPS]\n");
        return 2;
    }
    DrawnParallelJob job = ParallelJobDrawer(std::strtoull(argv[1], nullptr, 10)).draw();
    if (argc > kArguments) {
        job.shape.steps = std::atoi(argv[kArguments]);
    }
    playParallelJob(job.shape, job.fault).write(argv[2]);
    std::string ranks;
    for (const std::int64_t rank : job.ranks) {
        ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
    }
    std::printf("{\"job\": \"%s\", \"rule\": \"%s\", \"ranks\": [%s]}\n", wordsOf(job.shape).c_str(),
                std::string(job.rule).c_str(), ranks.c_str());
    return 0;
}
