// SPDX-License-Identifier: Apache-2.0
// False alarms and delays of the alarms from steps (analyzer/live/step_watch.h), on simulated jobs: 24 hours
// of steps of a second for each kind of jitter, without a fault; then a fault after 200 steps, many times.
//
// The jitter is of the kinds that real jobs show: a normal part, outliers with a heavy tail (Pareto, exponent
// 2.5, in one of a hundred steps), noise that lasts (autoregressive), a checkpoint each 500 steps. It is
// simulated, not recorded: a real job may do worse.
//
// alarm_rate [HOURS]
#include "live/step_watch.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace ringside::live;

struct Jitter {
    const char* name;
    double ownSigma;    ///< of each rank's compute time, as a share of a step
    double commonSigma; ///< of all ranks together
    double lasting;     ///< correlation from step to step
    bool outliers;
    bool checkpoints;
};

constexpr Jitter kKinds[] = {
    {"1 %", 0.01, 0.01, 0, false, false},
    {"3 %", 0.03, 0.02, 0, false, false},
    {"3 %, heavy tail", 0.03, 0.02, 0, true, false},
    {"3 %, lasting 0.9", 0.03, 0.02, 0.9, false, false},
    {"5 %, heavy tail, lasting 0.7", 0.05, 0.03, 0.7, true, false},
    {"3 %, heavy tail, checkpoints", 0.03, 0.02, 0.5, true, true},
    {"10 %, heavy tail", 0.10, 0.05, 0, true, false},
};

/// A job of data parallel ranks: each computes, then all wait for the last one in the all-reduce.
class Job {
public:
    Job(const Jitter& jitter, std::size_t ranks, std::uint64_t seed)
        : m_jitter(jitter), m_random(seed), m_own(ranks, 0.0)
    {}

    /// `late`: extra compute of a rank as a share of a step; `rotates`: another rank each step.
    std::vector<RankFigures> step(double late, bool rotates)
    {
        constexpr double kStepNs = 1e9;
        constexpr double kCompute = 0.7;
        constexpr double kTransfer = 0.2;
        m_common = next(m_common, m_jitter.commonSigma);
        std::vector<double> compute;
        for (std::size_t i = 0; i < m_own.size(); ++i) {
            m_own[i] = next(m_own[i], m_jitter.ownSigma);
            const bool isLate = i == (rotates ? m_steps % m_own.size() : 1);
            compute.push_back(
                std::max(0.05, kCompute + m_common + m_own[i] + outlier() + (isLate ? late : 0)));
        }
        ++m_steps;
        const double pause = m_jitter.checkpoints && m_steps % 500 == 0 ? 5.0 : 0.0;
        const double end = *std::max_element(compute.begin(), compute.end()) + kTransfer;
        std::vector<RankFigures> figures;
        for (std::size_t i = 0; i < compute.size(); ++i) {
            RankFigures rank;
            rank.rank = static_cast<std::int64_t>(i);
            rank.stepNs = (end + 0.1 + pause) * kStepNs;
            rank.communicationNs = (end - compute[i]) * kStepNs;
            rank.busyShare = (compute[i] + kTransfer) / (end + 0.1 + pause);
            figures.push_back(rank);
        }
        return figures;
    }

private:
    double next(double before, double sigma)
    {
        const double fresh = sigma * std::sqrt(1 - m_jitter.lasting * m_jitter.lasting);
        return m_jitter.lasting * before + fresh * m_normal(m_random);
    }
    double outlier()
    {
        if (!m_jitter.outliers || m_uniform(m_random) > 0.01) {
            return 0;
        }
        return 0.05 * (std::pow(m_uniform(m_random), -1 / 2.5) - 1);
    }

    Jitter m_jitter;
    std::mt19937_64 m_random;
    std::normal_distribution<double> m_normal;
    std::uniform_real_distribution<double> m_uniform{1e-9, 1.0};
    std::vector<double> m_own;
    double m_common = 0;
    std::size_t m_steps = 0;
};

int falseAlarms(const Jitter& jitter, std::size_t ranks, int steps)
{
    Job job(jitter, ranks, 1000 + ranks);
    StepWatch watch;
    int alarms = 0;
    for (int i = 0; i < steps; ++i) {
        for (const AlarmChange& change : watch.add(job.step(0, false))) {
            alarms += change.began ? 1 : 0;
        }
    }
    return alarms;
}

struct Delays {
    int named = 0;
    int wrong = 0;
    std::vector<int> steps;
};

Delays delays(const Jitter& jitter, std::size_t ranks, const ringside::trace::AlarmKind& kind, double late)
{
    constexpr int kRuns = 40;
    constexpr int kHealthy = 200;
    constexpr int kFaulty = 200;
    Delays result;
    for (int run = 0; run < kRuns; ++run) {
        Job job(jitter, ranks, static_cast<std::uint64_t>(run) + 1);
        StepWatch watch;
        bool named = false;
        for (int i = 0; i < kHealthy + kFaulty && !named; ++i) {
            for (const AlarmChange& change :
                 watch.add(job.step(i < kHealthy ? 0 : late, kind == "rotating_straggler"))) {
                const bool right = change.began && change.kind == kind && change.rank.value_or(1) == 1;
                named = named || (right && i >= kHealthy);
                result.wrong += change.began && change.kind == "straggler" && !right ? 1 : 0;
            }
            if (named) {
                result.steps.push_back(i - kHealthy + 1);
            }
        }
        result.named += named ? 1 : 0;
    }
    std::sort(result.steps.begin(), result.steps.end());
    return result;
}

} // namespace

int main(int argc, char** argv)
{
    const double hours = argc > 1 ? std::atof(argv[1]) : 24;
    const int steps = static_cast<int>(hours * 3600);
    std::printf("False alarms in %.1f h of healthy steps of 1 s (simulated):\n", hours);
    std::printf("%-32s %8s %8s %8s\n", "jitter", "2 ranks", "8 ranks", "64 ranks");
    int total = 0;
    for (const Jitter& jitter : kKinds) {
        std::printf("%-32s", jitter.name);
        for (const std::size_t ranks : {2U, 8U, 64U}) {
            const int alarms = falseAlarms(jitter, ranks, steps);
            total += alarms;
            std::printf(" %8d", alarms);
            std::fflush(stdout);
        }
        std::printf("\n");
    }
    std::printf("\nSteps until a fault of 10 %% of a step is named (8 ranks, 40 jobs; median, 90 %% of jobs, "
                "named):\n");
    std::printf("%-32s %22s %22s %22s\n", "jitter", "straggler", "slower", "rotating");
    for (const Jitter& jitter : kKinds) {
        std::printf("%-32s", jitter.name);
        for (const ringside::trace::AlarmKind& kind :
             std::array<ringside::trace::AlarmKind, 3>{"straggler", "slower", "rotating_straggler"}) {
            const Delays found = delays(jitter, 8, kind, 0.1);
            if (found.steps.empty()) {
                std::printf(" %22s", "not named");
                continue;
            }
            std::printf("      %4d %4d %3d of 40", found.steps[found.steps.size() / 2],
                        found.steps[found.steps.size() * 9 / 10], found.named);
        }
        std::printf("\n");
    }
    std::printf("\n%d false alarms\n", total);
    return 0;
}
