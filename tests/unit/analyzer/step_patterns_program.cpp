// SPDX-License-Identifier: Apache-2.0
// Jobs without step marks, for people and other tests: `step_patterns --table` prints what is found of each
// framework's pattern, as tests/README.md shows it; `step_patterns PATTERN DIRECTORY` writes such a run.
#include "model/build_model.h"
#include "step_patterns.h"

#include <cstdio>
#include <string>

namespace ringside::test {
namespace {

/// The same for each pattern, so that rows compare.
DrawnJob usualJob(const FrameworkPattern& pattern, bool kernels)
{
    using namespace std::chrono_literals;
    DrawnJob job;
    job.pattern = &pattern;
    job.shape = {24, 16, 4, pattern.extra == Extra::Logging ? 10 : 50, 1ms, 8ms, 4ms};
    job.trouble.kernels = kernels;
    job.steps = pattern.extra == Extra::None ? 62 : 202;
    job.seed = 7;
    return job;
}

FrameworkJob play(const DrawnJob& job)
{
    return playJob(*job.pattern, job.shape, job.trouble, job.steps, job.seed);
}

std::string foundText(const model::Model& model)
{
    constexpr const char* kConfidence[] = {"low", "medium", "high"};
    return model.stepPeriod ? std::to_string(model.stepPeriod->calls) + " | " +
                                  std::to_string(model.ranks[0].steps.size()) + " | " +
                                  kConfidence[static_cast<std::size_t>(model.stepPeriod->confidence)]
                            : "none | none | -";
}

void printRows(std::span<const FrameworkPattern> patterns)
{
    for (const FrameworkPattern& pattern : patterns) {
        std::string found;
        JobTruth truth;
        for (const bool kernels : {false, true}) {
            const FrameworkJob job = play(usualJob(pattern, kernels));
            found += " | " + foundText(model::buildModel(job.trace.run()));
            truth = job.truth;
        }
        std::printf("| %s | %zu | %zu%s |\n", std::string(pattern.name).c_str(), truth.stepCalls, truth.steps,
                    found.c_str());
    }
}

int printTable()
{
    std::printf("| pattern | calls a step | steps | found: calls | steps | confidence | with the optimizer's "
                "kernels: calls | steps | confidence |\n|---|---|---|---|---|---|---|---|---|\n");
    printRows(frameworkPatterns());
    printRows(ambiguousPatterns());
    return 0;
}

int write(std::string_view name, const char* directory)
{
    for (const auto patterns : {frameworkPatterns(), ambiguousPatterns()}) {
        for (const FrameworkPattern& pattern : patterns) {
            if (pattern.name == name) {
                play(usualJob(pattern, true)).trace.write(directory);
                return 0;
            }
        }
    }
    std::fprintf(stderr, "no pattern has that name; --table lists them\n");
    return 2;
}

} // namespace
} // namespace ringside::test

int main(int argc, char** argv)
{
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (words == std::vector<std::string>{"--table"}) {
        return ringside::test::printTable();
    }
    if (words.size() == 2) {
        return ringside::test::write(words[0], argv[2]);
    }
    std::fprintf(stderr, "usage: step_patterns --table | step_patterns PATTERN DIRECTORY\n");
    return 2;
}
