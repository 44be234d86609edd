// SPDX-License-Identifier: Apache-2.0
// Finds what holds the host up where no call says it. A host that is ahead of its device is held back on
// purpose, by something that the device finishes some steps before; a device that runs dry waits for the
// host, and then what explains the host's waiting with the least spread is taken.
#include "whatif/plan.h"

#include <cmath>

namespace ringside::whatif {
namespace {

constexpr std::uint32_t kMostStepsBack = 4;
constexpr std::size_t kMostAnchors = 48; ///< operations that are tried

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
        std::int64_t base = 0;      ///< when the host was done with what it did before
        std::int64_t deviceEnd = 0; ///< of all that was launched before
        std::int64_t dataNs = 0;
    };
    struct Candidate {
        Wait wait;
        double spread = 0;
    };
    void collect(std::size_t op);
    [[nodiscard]] bool worthwhile() const;
    [[nodiscard]] std::optional<Candidate> bestAnchor(std::size_t op) const;
    [[nodiscard]] std::optional<std::vector<double>> distances(const Wait& wait) const;
    [[nodiscard]] Gate describe(const std::optional<Wait>& anchor) const;
    void trackEnds();

    const Program& m_program;
    const RankProgram& m_rank;
    std::span<const std::size_t> m_steps;
    double m_periodNs = 0; ///< of the rank's steps, mean
    std::vector<Sample> m_samples;
    std::vector<std::vector<std::int64_t>> m_endBefore; ///< by step and operation
};

/// Mean distance from the middle.
double spreadOf(const std::vector<double>& values)
{
    const double middle = model::median(values);
    double sum = 0;
    for (const double value : values) {
        sum += std::abs(value - middle);
    }
    return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// The latest end of all that was launched before, in this step or the one before; and the period.
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
        if (m_rank.ops[op].blockedBefore && seen.blockEnd != 0) {
            base = seen.blockEnd;
        }
        m_samples.push_back({step, seen.launchStart, base, m_endBefore[step][op],
                             std::min(seen.dataNs, std::max<std::int64_t>(0, seen.launchStart - base))});
    }
}

/// Short waits are the host's own work; long ones, and less long ones for data, may be waiting for something.
bool GateFitter::worthwhile() const
{
    constexpr double kShare = 0.02; // of the step
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

/// Null where the host went on before it in more than one step of twenty.
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

std::optional<GateFitter::Candidate> GateFitter::bestAnchor(std::size_t op) const
{
    const std::size_t stride = m_rank.ops.size() / kMostAnchors + 1;
    std::optional<Candidate> best;
    for (std::uint32_t back = 0; back <= kMostStepsBack; ++back) {
        for (std::size_t other = m_rank.ops.size(); other-- > 0;) {
            if ((back == 0 && other >= op) || other % stride != 0) {
                continue;
            }
            const Wait wait{static_cast<std::uint32_t>(other), back};
            const auto found = distances(wait);
            if (!found) {
                continue;
            }
            const double spread = spreadOf(*found);
            if (!best || spread < best->spread) {
                best = Candidate{wait, spread};
            }
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
    // A first step whose predecessor is not there has no gate of its own.
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
    const bool anchored = anchor && (ahead || anchor->spread < kClearlyBetter * spreadOf(gaps));
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
