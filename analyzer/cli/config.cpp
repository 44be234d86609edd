// SPDX-License-Identifier: Apache-2.0
#include "cli/config.h"

#include "report/report.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <toml++/toml.h>

namespace ringside::cli {
namespace {

constexpr const char* kShape = "Write a table a rule, such as [late_rank], and in it numbers, such as "
                               "lost_share = 0.05; `ringside rules` "
                               "lists all options.";

/// "ringside.toml:3: what is wrong"
[[noreturn]] void refuse(const std::filesystem::path& path, const toml::source_region& where,
                         std::string_view what, const std::string& hint = kShape)
{
    throw Error(ErrorCode::Usage, fmt::format("{}:{}: {}", path.string(), where.begin.line, what), hint);
}

double numberOf(const std::filesystem::path& path, std::string_view name, const toml::node& value)
{
    if (!value.is_number()) {
        refuse(path, value.source(), fmt::format("'{}' is not a number", name),
               "Shares are given as 0.3, not as \"30 %\".");
    }
    return *value.value<double>();
}

const toml::table& tableOf(const std::filesystem::path& path, const toml::key& rule, const toml::node& node)
{
    if (!node.is_table()) {
        refuse(path, rule.source(), fmt::format("'{}' is an option of no rule", rule.str()));
    }
    return *node.as_table();
}

toml::table parse(const std::filesystem::path& path)
{
    try {
        return toml::parse_file(path.string());
    } catch (const toml::parse_error& error) {
        if (error.source().begin.line == 0) { // toml++ counts from 1: it was not read at all
            throw Error(ErrorCode::Usage, fmt::format("cannot read {}", path.string()),
                        "Is it there and readable?");
        }
        refuse(path, error.source(), error.description());
    }
}

} // namespace

rules::OptionValues readConfig(const std::filesystem::path& path)
{
    rules::OptionValues values;
    const toml::table file = parse(path);
    for (const auto& [rule, node] : file) {
        for (const auto& [option, value] : tableOf(path, rule, node)) {
            const std::string name = fmt::format("{}.{}", rule.str(), option.str());
            const double number = numberOf(path, name, value);
            try {
                report::setOption(values, fmt::format("{}={}", name, number));
            } catch (const Error& error) {
                refuse(path, option.source(), error.what(), kShape);
            }
        }
    }
    return values;
}

} // namespace ringside::cli
