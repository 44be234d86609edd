// SPDX-License-Identifier: Apache-2.0
// What a diagnosis is: one file in this folder, found by its name. A rule reads the model and the metrics and
// returns findings, or says which data it lacks; it must not print, read files or keep state.
#pragma once
#include "metrics/metrics.h"
#include "model/model.h"
#include "trace/vocabulary/severity.h"
#include "values/unit.h"

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

/// What limits the run when this finding is the costliest (verdict.limited_by of the JSON report).
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
    Death
};
[[nodiscard]] std::string_view limitName(Limit limit); ///< "late_rank", for programs
[[nodiscard]] std::string_view limitText(Limit limit); ///< "limited by a late rank", for people

/// A place in the run to look at, in run time.
struct Evidence {
    std::int64_t rank = 0;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::string what;
};

using values::Unit;

/// A measured value; where the rule compares it, `threshold` says with what.
struct Figure {
    std::string name;
    Unit unit = Unit::Count;
    double value = 0;
    std::optional<double> threshold;
};

struct Finding {
    std::string rule; ///< filled in by the caller of the rule
    Severity severity = Severity::Info;
    Limit limit = Limit::Nothing;
    std::string title;                         ///< one sentence with the figures that matter
    std::vector<std::int64_t> ranks;           ///< empty: all
    std::vector<std::string> links;            ///< ports, "host mlx5_0:1"
    std::vector<std::string> settings;         ///< names of the settings that the advice changes
    std::optional<std::int64_t> costNsPerStep; ///< an estimate; null: cannot be estimated
    bool perSecond = false; ///< filled in by the caller: of a recording without steps, cost and figures are
                            ///< those of a second
    std::vector<Figure> figures;
    std::vector<Evidence> evidence;
    std::string advice; ///< a hypothesis to test
    std::string doubt; ///< what else could explain it, or could not be looked at; the verdict's confidence is
                       ///< medium at most. Empty: nothing is known
    bool cause = true; ///< false: a symptom; the verdict prefers causes
    bool broken = false; ///< the run is wrong or does not go on: comes before everything that only costs time
    /// Rules whose cost may hold this one's, the likeliest first; empty: those of the rule. The report keeps
    /// the first that fired and costs at least as much, so that nobody adds the two up.
    std::vector<std::string_view> partOf;
    /// Of a symptom, the rule whose finding is the same loss seen from another side: the biggest cause where
    /// causes explain half of it or more, else what holds it and costs hardly more. Filled in by the report;
    /// empty: it stands for itself.
    std::string restates;
};

struct NotApplicable {
    std::string reason;        ///< "needs the device tier"
    bool inconclusive = false; ///< there is data, but not enough to tell
};
using Outcome = std::variant<std::vector<Finding>, NotApplicable>;

/// A threshold or limit that the user may set.
struct Option {
    std::string_view name;
    double value = 0;      ///< default
    std::string_view help; ///< what it means, its unit, where the default comes from
};

/// Values that the user set, by "rule.option".
using OptionValues = std::map<std::string, double, std::less<>>;

struct Rule;
class Context final {
public:
    Context(const Rule& rule, const model::Model& model, const metrics::RunMetrics& metrics,
            const OptionValues& values)
        : run(model), figures(metrics), m_rule(rule), m_values(values)
    {}
    /// The user's value, else the default. The option must be declared by the rule.
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

struct Rule {
    std::string_view id;
    std::string_view title;
    std::string_view needs; ///< which tier
    std::span<const Option> options;
    Outcome (*run)(const Context&) = nullptr;
    bool needsDevice = false;   ///< it is only asked where device times of any rank were measured
    std::string_view help;      ///< what it means and what to do, for the catalogue
    bool judgesLinks = false;   ///< what it finds counts for the report's link health
    bool comparesRanks = false; ///< its title says so where not all ranks are there to be compared
    bool ofSteps = false;    ///< it compares steps, or places within one: a recording without steps has none
    bool ofTraining = false; ///< it is about gradients and batches, which inference has not
    std::string_view inferenceAdvice = {}; ///< in place of its own, where nothing trains; empty: its own
    std::initializer_list<std::string_view> partOf = {}; ///< Finding::partOf of its findings
    /// Changes of `ringside whatif` of which each would take a finding's cause away: the best replay is its
    /// cost. Null, or none: what was measured stays its cost.
    std::vector<whatif::Changes> (*cures)(const Context&, const Finding&) = nullptr;
    /// Others wait for the ranks it names. Its cost is what a replay saves in which these ranks are as fast
    /// as the median, beyond what costlier findings of late ranks have saved.
    bool namesLateRanks = false;
    /// Ranks that it names get their data late, so that they are not late by themselves.
    bool excusesLateRanks = false;
};

[[nodiscard]] std::span<const Rule* const> all();
[[nodiscard]] const Rule* findRule(std::string_view id); ///< null: there is none

} // namespace ringside::rules

/// Defines the rule of this file; the name must be the file's.
#define RINGSIDE_RULE(name, ...)                                                                             \
    extern const ::ringside::rules::Rule entry;                                                              \
    const ::ringside::rules::Rule entry                                                                      \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
