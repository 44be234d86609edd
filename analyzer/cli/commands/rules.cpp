// SPDX-License-Identifier: Apache-2.0
// `ringside rules`: the catalogue of diagnoses with their options, as text or Markdown.
#include "cli/command.h"
#include "cli/terminal.h"
#include "conditions/condition.h"
#include "document/table.h"
#include "rules/rule.h"

#include <fmt/format.h>

#include <array>
#include <memory>

namespace ringside::cli::command_rules {
namespace {

std::string needsText(const rules::Needs& needs)
{
    std::vector<std::string_view> tiers;
    for (const trace::TierName& tier : needs.tiers) {
        tiers.push_back(tier.text());
    }
    return fmt::format("{}{}", fmt::join(tiers, " and "), needs.more);
}

void printText()
{
    for (const rules::Rule* rule : rules::all()) {
        fmt::print("{}: {} (needs {})\n", rule->id, rule->title, needsText(rule->needs));
        fmt::print("{}", document::wrap(rule->help, proseWidth(), "    "));
        for (const rules::Option& option : rule->options) {
            fmt::print("    --set {}.{}={}   {}\n", rule->id, option.name, option.value, option.help);
        }
    }
}

std::string limitText(const conditions::Condition& row, const conditions::Rung& rung)
{
    if (row.more.ownLimits.front().empty() && row.more.ownLimit == nullptr) {
        return rung.option.empty() ? fmt::format("{}", rung.factor)
               : rung.factor == 1  ? fmt::format("`{}`", rung.option)
                                   : fmt::format("{} x `{}`", rung.factor, rung.option);
    }
    return rung.option.empty() ? "its own limit" : fmt::format("its own limit, else `{}`", rung.option);
}

/// The rows of the table of conditions that are the rule's.
void printRows(std::string_view rule)
{
    constexpr std::array kHow{"the last value",     "the largest value", "it is known",
                              "increase",           "increase an hour",  "increase a minute",
                              "increase a second",  "bit error rate",    "increase, if the rate is not known",
                              "total, if read once"};
    constexpr std::array kCompare{"at least", "above", "at most", "below", "equal to"};
    document::Table table{{"reads", "is judged by", "limit", "severity"}, {}};
    for (const conditions::Condition& row : conditions::conditionsOf(rule)) {
        const std::string_view read = !row.more.fact.empty()       ? row.more.fact
                                      : !row.metric.text().empty() ? row.metric.text()
                                      : !row.more.figure.empty()   ? row.more.figure
                                                                   : row.what->id;
        for (const conditions::Rung& rung : row.rungs) {
            table.rows.push_back({fmt::format("`{}`", read), kHow.at(static_cast<std::size_t>(rung.how)),
                                  fmt::format("{} {}", kCompare.at(static_cast<std::size_t>(rung.compare)),
                                              limitText(row, rung)),
                                  std::string(trace::severityName(rung.severity))});
        }
    }
    if (!table.rows.empty()) {
        fmt::print("\n{}", document::markdownTable(table));
    }
}

void printMarkdown()
{
    fmt::print("# Rules\n\nThresholds are set with `ringside report --set RULE.OPTION=NUMBER`.\n");
    for (const rules::Rule* rule : rules::all()) {
        fmt::print("\n## {}\n\n{}. Needs: {}.\n\n{}\n", rule->id, rule->title, needsText(rule->needs),
                   rule->help);
        document::Table table{{"option", "default", "meaning"}, {}};
        for (const rules::Option& option : rule->options) {
            table.rows.push_back({fmt::format("`{}`", option.name), fmt::format("{}", option.value),
                                  std::string(option.help)});
        }
        if (!table.rows.empty()) {
            fmt::print("\n{}", document::markdownTable(table));
        }
        printRows(rule->id);
    }
}

Action declare(CLI::App& app)
{
    const auto format = std::make_shared<std::string>("text");
    app.add_option("--format", *format, "Output format")
        ->check(CLI::IsMember({"text", "markdown"}))
        ->capture_default_str();
    return [format] {
        *format == "markdown" ? printMarkdown() : printText();
        return static_cast<int>(kPass);
    };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside rules", "Lists all rules, the data they need, and their thresholds."},
}};

} // namespace

RINGSIDE_COMMAND(rules, .summary = "List all rules with their thresholds", .group = Group::Understand,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_rules
