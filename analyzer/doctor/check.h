// SPDX-License-Identifier: Apache-2.0
// A check of the doctor: one file in checks/, registered under its file name. It judges the facts of one host
// by what training needs, and reports nothing about unknown facts.
#pragma once
#include "doctor/facts.h"
#include "rules/rule.h"

#include <span>

namespace ringside::doctor {

struct Advice {
    std::string check; ///< rule that judged; empty: the caller sets the name of the check
    rules::Severity severity = rules::Severity::Info;
    std::string title;    ///< one sentence with the figures
    std::string advice;   ///< why it matters and what to do
    std::string fix = {}; ///< a command for a person to run that fixes it; empty: none
};

/// What the hosts of this job need.
struct Need {
    double roundTripMs = 0.5; ///< between the hosts; buffers must hold the data of one round trip
};

struct Check {
    std::string_view id;
    std::string_view title;
    std::vector<Advice> (*run)(const Facts& facts, const Need& need) = nullptr;
};

[[nodiscard]] std::span<const Check* const> allChecks();

/// Returns the findings of all checks about a host, the most serious first.
[[nodiscard]] std::vector<Advice> examine(const Facts& facts, const Need& need);

/// What the doctor could not read, so that no finding about it does not mean that it is well.
struct NotKnown {
    std::vector<std::string> checks;   ///< rules that had nothing to judge
    std::vector<std::string> subjects; ///< ports or GPUs; empty: the host
    std::string reason;                ///< a command, a package or a right that is missing
    std::string command;               ///< that reads it, for a person to run; empty: none
};
[[nodiscard]] std::vector<NotKnown> notKnown(const Facts& facts);

/// A fact that hosts of one job should share but do not.
struct Difference {
    std::string fact;
    std::map<std::string, std::vector<std::string>>
        hosts; ///< hosts by value; "not known" if a host lacks the fact
};
/// Compares versions, limits, settings, variables and the speed of links. Facts that identify a host are not
/// compared.
[[nodiscard]] std::vector<Difference> differences(const std::vector<Host>& hosts);
[[nodiscard]] bool isCompared(std::string_view fact);

/// Returns the facts of `expected` that the host lacks or that have other values there.
[[nodiscard]] std::vector<Advice> deviations(const Facts& expected, const Facts& facts);

} // namespace ringside::doctor

/// Defines the check of this file. `name` must be the name of the file.
#define RINGSIDE_CHECK(name, ...)                                                                            \
    extern const ::ringside::doctor::Check entry;                                                            \
    const ::ringside::doctor::Check entry                                                                    \
    {                                                                                                        \
        .id = #name, __VA_ARGS__                                                                             \
    }
