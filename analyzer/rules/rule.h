// SPDX-License-Identifier: Apache-2.0
// Defines what a rule (a diagnosis) is. Each rule is one file in this folder and is registered under the name
// of that file. A rule reads the model and the metrics. It returns findings, or says which data it lacks. It
// must not print, read files or keep state.
#pragma once
#include "conditions/option.h"
#include "metrics/metrics.h"
#include "model/model.h"
#include "trace/vocabulary/severity.h"
#include "values/unit.h"
#include "words/text.h"
#include "words/voice.h"

#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ringside::whatif {
struct Changes;
} // namespace ringside::whatif

namespace ringside::rules {

using trace::Severity;
using trace::severityName;
using words::say;

/// What limits the run if this finding is the costliest one (verdict.limited_by of the JSON report).
enum class Limit : std::uint8_t {
    Nothing,
    Compute,
    Communication,
    LateRank,
    Link,
    Host,
    Data,
    Copy,
    Memory,
    Settings,
    Death,
    Hang ///< ranks do not meet in a collective
};
[[nodiscard]] std::string_view limitName(Limit limit); ///< identifier in JSON, "late_rank"
[[nodiscard]] std::string_view limitText(Limit limit); ///< text for people, "limited by a late rank"

/// A rank and a time span that show what a finding describes. Times are run time, the common clock of all
/// ranks.
struct Evidence {
    std::int64_t rank = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    words::Text what;
};

using values::Unit;

/// Whether a figure is of each step, or of each second where no step was found.
enum class PerPeriod : std::uint8_t { No, Yes };

/// A measured value. `threshold` is the value that the rule compares it with; null if there is none.
struct Figure {
    std::string name; ///< with its unit, without the period
    Unit unit = Unit::Count;
    double value = 0;
    std::optional<double> threshold;
    PerPeriod perPeriod = PerPeriod::No;
};
/// Returns the name in JSON: "lost_ns_per_step", "lost_ns_per_second".
[[nodiscard]] std::string keyOf(const Figure& figure, words::Period period);
/// Returns the name for people, whose value has its unit: "lost per step", "lost per second".
[[nodiscard]] std::string labelOf(const Figure& figure, words::Period period);

struct Finding {
    std::string rule; ///< set by the caller of the rule
    Severity severity = Severity::Info;
    Limit limit = Limit::Nothing;
    words::Text title;                 ///< one sentence with the figures that matter
    std::vector<std::int64_t> ranks;   ///< empty for all ranks
    std::vector<std::string> links;    ///< ports ("host mlx5_0:1") or pairs of hosts ("host0 -> host1")
    std::vector<std::string> settings; ///< names of the settings that the advice would change
    std::optional<std::int64_t> costNsPerStep; ///< an estimate; null if there is none
    /// Set by the caller: the recording has no steps, so that cost and figures are per second.
    bool perSecond = false;
    std::vector<Figure> figures;
    std::vector<Evidence> evidence;
    words::Text advice; ///< a hypothesis to test
    /// Another possible explanation, or what was not measured. If not empty, the verdict's confidence is
    /// medium at most.
    words::Text doubt;
    bool cause = true; ///< false for a symptom; the verdict prefers causes
    /// The run is wrong or hangs. Such findings are listed before those that only cost time.
    bool broken = false;
    /// Rules whose cost may include this finding's cost, the most likely first. If empty, those of the rule
    /// apply. The report keeps the first one that fired and costs at least as much, so that readers do not
    /// add up the two costs.
    std::vector<std::string_view> partOf;
    /// For a symptom, the rule whose finding describes the same loss. If causes explain at least half of the
    /// loss, it is the biggest cause; else it is the finding that includes this one, if that costs hardly
    /// more. Set by the report; empty if no finding describes the same loss.
    std::string restates;
};

struct NotApplicable {
    words::Text reason;        ///< "needs the device tier"
    bool inconclusive = false; ///< there is data, but not enough for a conclusion
};
using Outcome = std::variant<std::vector<Finding>, NotApplicable>;

using conditions::Option;

/// Values that the user set, by "rule.option".
using OptionValues = std::map<std::string, double, std::less<>>;

struct Rule;
class Context final {
public:
    Context(const Rule& rule, const model::Model& model, const metrics::RunMetrics& metrics,
            const OptionValues& values)
        : run(model), figures(metrics), m_rule(rule), m_values(values)
    {}
    /// Returns the user's value, else the default. The rule must declare the option.
    [[nodiscard]] double option(std::string_view name) const;
    [[nodiscard]] const model::Rank& rankOf(const metrics::RankMetrics& metrics) const
    {
        return run.ranks[metrics.rank];
    }

    [[nodiscard]] bool inference() const { return run.workload == model::Workload::Inference; }

    const model::Model& run;
    const metrics::RunMetrics& figures;

private:
    const Rule& m_rule;
    const OptionValues& m_values;
};

struct Needs {
    std::initializer_list<trace::TierName> tiers; ///< that must be recorded
    std::string_view more = {};                   ///< follows the tiers in the catalogue: ", on all ranks"
};

struct Rule {
    std::string_view id;
    std::string_view title;
    Needs needs;
    std::span<const Option> options;
    Outcome (*run)(const Context&) = nullptr;
    bool needsDevice = false;   ///< not applicable unless device times of at least one rank were measured
    std::string_view help;      ///< text of the rule catalogue: what is measured, and what the cost means
    bool checksLinks = false;   ///< its findings count for the report's link health
    bool comparesRanks = false; ///< the title says so if some ranks were not recorded
    /// The rule compares steps or positions within a step, so it does not apply to a recording without steps.
    bool ofSteps = false;
    bool ofTraining = false; ///< the rule is about gradients and batches, so it does not apply to inference
    std::string_view inferenceAdvice = {}; ///< replaces the advice for inference; empty keeps the advice
    std::initializer_list<std::string_view> partOf = {}; ///< default of Finding::partOf
    /// Returns changes of `ringside whatif`, each of which would remove the cause of the finding. The best
    /// replay becomes its cost. If this is null or returns nothing, the finding keeps its measured cost.
    std::vector<whatif::Changes> (*cures)(const Context&, const Finding&) = nullptr;
    /// Other ranks wait for the ranks it names. Its cost is what a replay saves if these ranks are as fast as
    /// the median, beyond what costlier findings about late ranks already save.
    bool namesLateRanks = false;
    /// The ranks it names get their data late, so they are not late for reasons of their own.
    bool explainsLateRanks = false;
    /// The processors that launch the GPUs' work are contended: any rank may be late and any launch slow for
    /// that reason alone.
    bool contendsHosts = false;
};

[[nodiscard]] std::span<const Rule* const> all();
[[nodiscard]] const Rule* findRule(std::string_view id); ///< null if there is none

} // namespace ringside::rules

/// Defines the rule of this file. `name` must be the name of the file without its extension.
#define RINGSIDE_RULE(name, ...)                                                                             \
    extern const ::ringside::rules::Rule entry;                                                              \
    const ::ringside::rules::Rule entry                                                                      \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
