// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include "cli/text_file.h"
#include "report/report.h"
#include "values/parse_share.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace ringside::cli {
namespace {

constexpr const char* kShape =
    "Write a table for each rule, such as [late_rank], and in it numbers, such as "
    "lost_share = 0.05; `ringside rules` "
    "lists all options. communication_kernels = [\"NAME\"] stands before the tables.";
constexpr std::string_view kKernels = "communication_kernels";

/// The message is as "ringside.toml:3: 'x' is not a number".
[[noreturn]] void refuse(const std::filesystem::path& path, const toml::source_region& where,
                         std::string_view what, const std::string& hint = kShape)
{
    throw Error(ErrorCode::Usage, fmt::format("{}:{}: {}", path.string(), where.begin.line, what), hint);
}

/// A share may be written as a text, "30%"; other texts are no numbers.
double numberOf(const std::filesystem::path& path, std::string_view name, const toml::node& value)
{
    const auto number = !value.is_string() ? value.value<double>()
                        : value.value<std::string_view>()->ends_with('%')
                            ? values::parseShare(*value.value<std::string_view>())
                            : std::nullopt;
    if (!number || value.is_boolean()) {
        refuse(path, value.source(), fmt::format("'{}' is not a number", name),
               "Write a number, such as 12 or 0.3; a share also as \"30%\".");
    }
    return *number;
}

const toml::table& tableOf(const std::filesystem::path& path, const toml::key& rule, const toml::node& node)
{
    if (!node.is_table()) {
        refuse(path, rule.source(), fmt::format("no rule has the option '{}'", rule.str()));
    }
    return *node.as_table();
}

std::vector<std::string> namesOf(const std::filesystem::path& path, const toml::node& node)
{
    const std::string shape = fmt::format("Write {} = [\"NAME\", \"SPACE::\"].", kKernels);
    if (!node.is_array()) {
        refuse(path, node.source(), fmt::format("{} is not a list of names", kKernels), shape);
    }
    std::vector<std::string> names;
    for (const toml::node& each : *node.as_array()) {
        const std::string name = each.value_or(std::string());
        if (name.empty()) {
            refuse(path, each.source(), fmt::format("{} holds a value that is not a name", kKernels), shape);
        }
        names.push_back(name);
    }
    return names;
}

/// An unreadable file that the user named is a usage error.
std::string textOf(const std::filesystem::path& path)
{
    try {
        return readText(path);
    } catch (const Error& error) {
        throw Error(ErrorCode::Usage, error.what(), "Give --config a readable file.");
    }
}

toml::table parse(const std::filesystem::path& path)
{
    try {
        return toml::parse(textOf(path), path.string());
    } catch (const toml::parse_error& error) {
        refuse(path, error.source(), error.description());
    }
}

constexpr std::string_view kParallel = "parallel";

model::ParallelSizes parallelOf(const std::filesystem::path& path, const toml::table& table)
{
    std::string text;
    for (const auto& [dimension, size] : table) {
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", dimension.str(),
                            numberOf(path, dimension.str(), size));
    }
    return text.empty() ? model::ParallelSizes{} : model::parseParallel(text);
}

} // namespace

Config readConfig(const std::filesystem::path& path)
{
    Config config;
    const toml::table file = parse(path);
    for (const auto& [rule, node] : file) {
        if (rule.str() == kParallel) {
            config.parallel = parallelOf(path, tableOf(path, rule, node));
            continue;
        }
        if (rule.str() == kKernels) {
            config.communicationKernels = namesOf(path, node);
            continue;
        }
        for (const auto& [option, value] : tableOf(path, rule, node)) {
            const std::string name = fmt::format("{}.{}", rule.str(), option.str());
            const double number = numberOf(path, name, value);
            try {
                report::setOption(config.thresholds, fmt::format("{}={}", name, number));
            } catch (const Error& error) {
                refuse(path, option.source(), error.what(), fmt::format("{}\n  {}", error.hint, kShape));
            }
        }
    }
    return config;
}

} // namespace ringside::cli
