// SPDX-License-Identifier: Apache-2.0
// `ringside rules`: the catalogue of diagnoses with their options, as text or Markdown.
#include "cli/command.h"
#include "cli/terminal.h"
#include "document/table.h"
#include "rules/rule.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_rules {
namespace {

void printText()
{
    for (const rules::Rule* rule : rules::all()) {
        fmt::print("{}: {} (needs {})\n", rule->id, rule->title, rule->needs);
        fmt::print("{}", document::wrap(rule->help, proseWidth(), "    "));
        for (const rules::Option& option : rule->options) {
            fmt::print("    --set {}.{}={}   {}\n", rule->id, option.name, option.value, option.help);
        }
    }
}

void printMarkdown()
{
    fmt::print("# Rules\n\nThresholds are set with `ringside report --set RULE.OPTION=NUMBER`.\n");
    for (const rules::Rule* rule : rules::all()) {
        fmt::print("\n## {}\n\n{}. Needs: {}.\n\n{}\n", rule->id, rule->title, rule->needs, rule->help);
        document::Table table{{"option", "default", "meaning"}, {}};
        for (const rules::Option& option : rule->options) {
            table.rows.push_back({fmt::format("`{}`", option.name), fmt::format("{}", option.value),
                                  std::string(option.help)});
        }
        if (!table.rows.empty()) {
            fmt::print("\n{}", document::markdownTable(table));
        }
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
