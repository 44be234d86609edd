// SPDX-License-Identifier: Apache-2.0
// Finds what delays the host without a recorded call. A host that is ahead of its device is held back on
// purpose by work that the device finishes some steps before. If the device is idle, it waits for the host,
// and the best explanation of the host's wait is chosen. A host that waits for an operation continues at
// about the same time after it, except for delays of some steps: the usual shortest times decide, not the
// spread.
#include "values/quantile.h"
#include "whatif/plan.h"

#include <cmath>

namespace ringside::whatif {
namespace {

constexpr std::uint32_t kMostStepsBack = 4;
constexpr std::size_t kMostAnchors = 48; ///< limit of operations that are tried

class GateFitter final {
public:
    GateFitter(const Program& program, const RankProgram& rank, std::span<const std::size_t> steps)
        : m_program(program), m_rank(rank), m_steps(steps)
    {
        trackEnds();
    }
    [[nodiscard]] std::optional<Gate> fit(std::size_t op);

private:
    struct Sample {
        std::size_t step = 0;
        std::int64_t launch = 0;
        std::int64_t base = 0;      ///< when the host had finished its work before
        std::int64_t deviceEnd = 0; ///< latest end of all work launched before
        std::int64_t dataNs = 0;
    };
    struct Candidate {
        Wait wait;
        double loosenessNs = 0;
        double distanceNs = 0; ///< usual time from its end to the launch
    };
    void collect(std::size_t op);
    [[nodiscard]] bool worthwhile() const;
    [[nodiscard]] std::optional<Candidate> bestAnchor(std::size_t op) const;
    [[nodiscard]] std::optional<Candidate> candidate(const Wait& wait) const;
    [[nodiscard]] static bool better(const Candidate& candidate, const std::optional<Candidate>& best);
    [[nodiscard]] std::optional<std::vector<double>> distances(const Wait& wait) const;
    [[nodiscard]] Gate describe(const std::optional<Wait>& anchor) const;
    void trackEnds();

    const Program& m_program;
    const RankProgram& m_rank;
    std::span<const std::size_t> m_steps;
    double m_periodNs = 0; ///< mean length of the rank's steps
    std::vector<Sample> m_samples;
    std::vector<std::vector<std::int64_t>> m_endBefore; ///< by step and operation
};

/// Returns how far the median is above the shortest times: delays of some steps do not count.
double loosenessOf(const std::vector<double>& values)
{
    constexpr double kShortest = 0.1;
    return values.empty() ? 0 : model::median(values) - values::quantile(values, kShortest);
}

/// Computes the latest end of all work launched before, in this step or the one before, and the period.
void GateFitter::trackEnds()
{
    std::size_t periods = 0;
    for (std::size_t step = 0; step < m_rank.steps.size(); ++step) {
        std::int64_t latest = std::numeric_limits<std::int64_t>::min();
        if (m_program.follows(step)) {
            for (const Observed& seen : m_rank.steps[step - 1]) {
                latest = std::max(latest, seen.end);
            }
            m_periodNs +=
                static_cast<double>(m_rank.steps[step].back().end - m_rank.steps[step - 1].back().end);
            ++periods;
        }
        std::vector<std::int64_t>& ends = m_endBefore.emplace_back();
        for (const Observed& seen : m_rank.steps[step]) {
            ends.push_back(latest);
            latest = std::max(latest, seen.end);
        }
    }
    m_periodNs /= static_cast<double>(std::max<std::size_t>(1, periods));
}

void GateFitter::collect(std::size_t op)
{
    m_samples.clear();
    for (const std::size_t step : m_steps) {
        if (op == 0 && !m_program.follows(step)) {
            continue;
        }
        const Observed& seen = m_rank.steps[step][op];
        std::int64_t base =
            op == 0 ? m_rank.steps[step - 1].back().launchEnd : m_rank.steps[step][op - 1].launchEnd;
        if (m_rank.ops[op].blockedBefore && !seen.blocks.empty()) {
            base = seen.blocks.back().end;
        }
        m_samples.push_back({step, seen.launchStart, base, m_endBefore[step][op],
                             std::min(seen.dataNs, std::max<std::int64_t>(0, seen.launchStart - base))});
    }
}

/// Short waits are the host's own work. Long waits, and moderate ones for data, may be waits for something.
bool GateFitter::worthwhile() const
{
    constexpr double kShare = 0.02; // share of the step
    constexpr double kDataShare = 0.005;
    double gap = 0;
    double data = 0;
    for (const Sample& sample : m_samples) {
        gap += static_cast<double>(std::max<std::int64_t>(0, sample.launch - sample.base));
        data += static_cast<double>(sample.dataNs);
    }
    const double steps = m_periodNs * static_cast<double>(m_samples.size());
    return !m_samples.empty() && (data >= kDataShare * steps || gap >= kShare * steps) && gap > 0;
}

/// Returns null if the host continued before it in more than one of twenty steps.
std::optional<std::vector<double>> GateFitter::distances(const Wait& wait) const
{
    constexpr double kMostBefore = 0.05;
    std::vector<double> result;
    std::size_t before = 0;
    std::size_t known = 0;
    for (const Sample& sample : m_samples) {
        if (wait.stepsBack > 0 && !m_program.follows(sample.step, wait.stepsBack)) {
            continue;
        }
        ++known;
        const std::int64_t end = m_rank.steps[sample.step - wait.stepsBack][wait.op].end;
        before += sample.launch < end ? 1U : 0U;
        result.push_back(static_cast<double>(sample.launch - end));
    }
    if (known * 2 < m_samples.size() ||
        static_cast<double>(before) > kMostBefore * static_cast<double>(known)) {
        return std::nullopt;
    }
    return result;
}

std::optional<GateFitter::Candidate> GateFitter::candidate(const Wait& wait) const
{
    const auto found = distances(wait);
    return found ? std::optional(Candidate{wait, loosenessOf(*found), model::median(*found)}) : std::nullopt;
}

/// If one operation follows another at a fixed distance, both explain the wait equally well: the host waits
/// for the last one.
bool GateFitter::better(const Candidate& candidate, const std::optional<Candidate>& best)
{
    constexpr double kAlike = 1.25;
    constexpr double kNoiseNs = 200'000;
    if (!best || kAlike * candidate.loosenessNs + kNoiseNs < best->loosenessNs) {
        return true;
    }
    return candidate.loosenessNs <= kAlike * best->loosenessNs + kNoiseNs &&
           candidate.distanceNs < best->distanceNs;
}

/// Tries some operations of each step, then those beside the best one.
std::optional<GateFitter::Candidate> GateFitter::bestAnchor(std::size_t op) const
{
    const std::size_t stride = m_rank.ops.size() / kMostAnchors + 1;
    std::optional<Candidate> best;
    const auto tryOne = [&](std::size_t other, std::uint32_t back) {
        if (back == 0 && other >= op) {
            return;
        }
        const auto found = candidate({static_cast<std::uint32_t>(other), back});
        if (found && better(*found, best)) {
            best = found;
        }
    };
    for (std::uint32_t back = 0; back <= kMostStepsBack; ++back) {
        for (std::size_t other = m_rank.ops.size(); other-- > 0;) {
            if (other % stride == 0) {
                tryOne(other, back);
            }
        }
    }
    if (best && stride > 1) {
        const Wait around = best->wait;
        const std::size_t last = std::min<std::size_t>(m_rank.ops.size(), around.op + stride);
        for (std::size_t other = around.op < stride ? 0 : around.op - stride + 1; other < last; ++other) {
            tryOne(other, around.stepsBack);
        }
    }
    return best;
}

Gate GateFitter::describe(const std::optional<Wait>& anchor) const
{
    Gate gate;
    gate.anchor = anchor;
    const auto known = anchor ? distances(*anchor) : std::nullopt;
    const double usual = known ? typical(*known) : 0;
    std::size_t next = 0;
    std::int64_t data = 0;
    std::vector<double> own;
    for (const Sample& sample : m_samples) {
        const auto gap = static_cast<double>(std::max<std::int64_t>(0, sample.launch - sample.base));
        own.push_back(std::max(0.0, gap - static_cast<double>(sample.dataNs)));
        data += sample.dataNs;
        gate.starvedNs += static_cast<double>(
            std::max<std::int64_t>(0, sample.launch - std::max(sample.deviceEnd, sample.base)));
        const bool measured =
            !anchor || anchor->stepsBack == 0 || m_program.follows(sample.step, anchor->stepsBack);
        gate.extraNs.push_back(!anchor ? gap : measured ? (*known)[next++] : usual);
    }
    gate.starvedNs /= static_cast<double>(m_samples.size());
    // A first step without a recorded predecessor has no gate of its own.
    while (gate.extraNs.size() < m_steps.size()) {
        gate.extraNs.insert(gate.extraNs.begin(), typical(gate.extraNs));
        own.insert(own.begin(), typical(own));
    }
    if (data > 0) {
        gate.withoutDataNs = std::move(own);
    }
    return gate;
}

std::optional<Gate> GateFitter::fit(std::size_t op)
{
    constexpr double kClearlyBetter = 0.7;
    collect(op);
    if (!worthwhile()) {
        return std::nullopt;
    }
    std::size_t starved = 0;
    std::vector<double> gaps;
    for (const Sample& sample : m_samples) {
        starved += sample.launch > sample.deviceEnd ? 1U : 0U;
        gaps.push_back(static_cast<double>(sample.launch - sample.base));
    }
    const auto anchor = bestAnchor(op);
    const bool ahead = starved * 2 < m_samples.size();
    const bool anchored = anchor && (ahead || anchor->loosenessNs < kClearlyBetter * loosenessOf(gaps));
    return describe(anchored ? std::optional(anchor->wait) : std::nullopt);
}

} // namespace

void fitGates(const Program& program, const RankProgram& rank, std::span<const std::size_t> steps,
              PlannedRank& planned)
{
    GateFitter fitter(program, rank, steps);
    for (std::size_t op = 0; op < rank.ops.size(); ++op) {
        planned.ops[op].gate = fitter.fit(op);
    }
}

} // namespace ringside::whatif
