// SPDX-License-Identifier: Apache-2.0
// The health of ports and GPUs as a table: a row says what is read, from which value on it is a warning or a
// problem, and in which words. Reports, `links`, doctor, `top` and alarms read the same rows.
#pragma once
#include "conditions/option.h"
#include "conditions/subject.h"
#include "trace/vocabulary/severity.h"
#include "values/unit.h"
#include "words/text.h"

#include <array>
#include <functional>
#include <span>

namespace ringside::conditions {

using trace::Severity;

enum class Scope : std::uint8_t { Port, Gpu, Host };

/// The number that is made of a metric's readings.
enum class How : std::uint8_t {
    Last,
    Largest,
    Told, ///< 1 if the fact is known
    Gain,
    GainAnHour,    ///< a shorter time counts as an hour: a few errors are no rate
    GainAMinute,   ///< likewise
    GainASecond,   ///< likewise
    BitErrorRate,  ///< over the bits that the link could carry; a shorter time counts as 125 minutes
    UnratedErrors, ///< the gain, where the port's rate is not known, so that there is no bit error rate
    Total          ///< of a counter that another tool read once, of an unknown period
};
enum class Compare : std::uint8_t { AtLeast, Above, AtMost, Below, Equal };

/// A row's step to a severity.
struct Rung {
    Severity severity{};
    How how{};
    Compare compare{};
    std::string_view option = {}; ///< of the rule: the limit; empty: `factor` itself is the limit
    double factor = 1;            ///< what the option is multiplied with
};

/// What only some rows have.
struct Details {
    std::string_view figure = {}; ///< name of the value in findings; empty: not shown
    values::Unit unit = values::Unit::Count;
    bool (*applies)(const Subject&) = nullptr; ///< null: to all
    /// Reads something else than the metric's samples. Of rows that read the same, the first that holds
    /// counts.
    std::optional<double> (*read)(const Subject&) = nullptr;
    std::string_view fact = {}; ///< likewise: the number in a fact
    double scale = 1;           ///< what a reading is multiplied with
    /// The limit of this very subject, by that of the rung.
    double (*ownLimit)(const Subject&, double limit) = nullptr;
    std::array<std::string_view, 2> ownLimits = {};      ///< facts that hold it, the first known counts
    std::string_view (*quote)(const Subject&) = nullptr; ///< for the slot quote; null: the fact
    std::vector<words::Slot> (*slots)(const Subject&) = nullptr; ///< more slots of `what`
    bool sums = false;   ///< the values of several subjects are added up; else the worst is shown
    bool breaks = false; ///< a problem of this kind makes the run wrong or ends it
    /// Title of a finding; null: that of its rule.
    const words::Template* title = nullptr;
    const words::Template* remedy = nullptr; ///< null: that of its rule
};

struct Condition {
    std::string_view rule; ///< rules::Rule::id
    Scope scope{};
    trace::SeriesMetric metric;
    std::vector<Rung> rungs; ///< the first that holds counts, so the worst comes first
    /// What is wrong with the subject, without its name; slots: count or value, limit, quote.
    const words::Template* what = nullptr;
    Details more = {};
};

/// Returns the rows of a rule, in the order in which they count.
[[nodiscard]] std::span<const Condition> conditionsOf(std::string_view rule);
/// Returns all rows of the table.
[[nodiscard]] std::span<const Condition> allConditions();
/// Returns what to do about the findings of a rule that has rows; of some of its findings there is better
/// advice.
[[nodiscard]] const words::Template& remedyOf(std::string_view rule);
[[nodiscard]] const words::Template& remedyOf(const Condition& row);
/// Returns a command that mends it or shows more, for a person to run; empty: none.
[[nodiscard]] std::string_view fixOf(std::string_view rule);
/// Returns the thresholds of a rule that has rows.
[[nodiscard]] std::span<const Option> optionsOf(std::string_view rule);

/// Returns the value of a threshold of a rule.
using Limits = std::function<double(std::string_view rule, std::string_view option)>;
/// Returns the default of a threshold.
[[nodiscard]] double defaultLimit(std::string_view rule, std::string_view option);

/// A row that holds for a subject.
struct Judged {
    const Condition* condition = nullptr;
    Severity severity{};
    double value = 0; ///< of readingOf()
    double limit = 0; ///< of the step that holds
    words::Text what;
};

/// Returns the rows that hold, in their order.
[[nodiscard]] std::vector<Judged> judge(const Subject& subject, std::span<const Condition> rows,
                                        const Limits& limits = defaultLimit);
struct Read {
    double value = 0;
    double limit = 0;
};
/// Returns the value and the limit of the row's mildest step that was read, whether it holds or not. Null if
/// none was read.
[[nodiscard]] std::optional<Read> readingOf(const Subject& subject, const Condition& row,
                                            const Limits& limits = defaultLimit);

} // namespace ringside::conditions
