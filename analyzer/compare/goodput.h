// SPDX-License-Identifier: Apache-2.0
// Where the time of a job went, over its restarts: productive, or lost to what. A job is a sequence of runs,
// and of attempts within a run. All times are ns.
#pragma once
#include "document/document.h"
#include "model/model_options.h"
#include "model/rank.h"

#include <ringside/trace/reader.h>

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace ringside::compare {

/// What a time of the job was spent on. They are disjoint and sum to the job's time.
enum class Spent : std::uint8_t {
    Productive,  ///< in steps whose work was kept
    DoneTwice,   ///< in steps that a later attempt did again, since it went on from an earlier checkpoint
    Checkpoints, ///< in ranges that write checkpoints, of a thread that marks steps
    Start,       ///< from the start of the first process to the first step
    Stalls,      ///< what a step of more than three median steps took beyond one
    BetweenSteps,
    AfterSteps, ///< from the last step to the end of the last process: a hang, a death, or the end of the job
    Restart,    ///< no process ran
    Count
};
inline constexpr std::size_t kSpent = static_cast<std::size_t>(Spent::Count);
[[nodiscard]] std::string_view spentName(Spent spent); ///< in JSON, "done_twice"

using SpentNs = std::array<std::int64_t, kSpent>;

/// One attempt to run the job.
struct Life {
    std::string name;      ///< of the run, with the attempt if there are several
    values::Interval span; ///< from the start of its first process to the end of its last, epoch ns
    std::optional<std::int64_t> firstStep, lastStep; ///< numbers; null: no step was found
    std::size_t steps = 0;
    std::int64_t medianNs = 0;              ///< of its steps, without checkpoints
    std::vector<std::int64_t> checkpointNs; ///< each checkpoint
    bool emulated = false;
    bool imported = false; ///< recorded by another tool, so probably only a part of it
    SpentNs spent{};       ///< Restart: before it
};

struct Goodput {
    std::vector<Life> lives; ///< in the order of time
    /// False if an attempt did not go on at a later step than the job had begun with: then it is not known
    /// whether step numbers began anew, and no work before it is counted as done twice.
    bool repeatsKnown = true;

    [[nodiscard]] std::int64_t totalNs(Spent spent) const;
    [[nodiscard]] std::int64_t wallNs() const;
    [[nodiscard]] double share(Spent spent) const; ///< of the job's time
    [[nodiscard]] std::size_t checkpoints() const;
    [[nodiscard]] std::optional<double> checkpointNs() const;   ///< mean; null without checkpoints
    [[nodiscard]] std::optional<double> intervalNs() const;     ///< mean time in steps for a checkpoint
    [[nodiscard]] std::optional<double> interruptionNs() const; ///< mean time to one; null without any
    /// The interval of checkpoints that loses least time to them and to work done twice (Daly, 2006). Null if
    /// a checkpoint or an interruption was not recorded.
    [[nodiscard]] std::optional<double> bestIntervalNs() const;
};

/// Collects runs one after the other, so that only one has to be in memory.
class GoodputBuilder final {
public:
    explicit GoodputBuilder(model::ModelOptions options) : m_options(std::move(options)) {}
    /// Throws ringside::Error (Unusable) if the run does not tell when it began.
    void add(trace::RunTrace run);
    /// Throws ringside::Error: Unusable if there is no run, Usage if two ran at the same time.
    [[nodiscard]] Goodput finish();

private:
    /// A step that may turn out to be done twice.
    struct Work {
        std::int64_t number = 0;
        std::int64_t ns = 0;
    };
    struct Attempt {
        Life life;
        std::vector<Work> works;
        bool numbered = false; ///< steps have the numbers that the program gave them
    };
    void addAttempt(trace::RunTrace run, std::string name);
    static void countSteps(Attempt& attempt, const model::Rank& rank, const values::Interval& span,
                           const std::vector<values::Interval>& checkpoints);
    void countRepeats(Goodput& goodput);

    model::ModelOptions m_options;
    std::vector<Attempt> m_attempts;
};

[[nodiscard]] document::Document documentOf(const Goodput& goodput, const std::string& name);
/// Returns ringside-goodput/1 (ringside-goodput-1.schema.json).
[[nodiscard]] std::string jsonOf(const Goodput& goodput);

} // namespace ringside::compare
