// SPDX-License-Identifier: Apache-2.0
// `ringside query RUN SQL`: any question that the report does not answer.
#include "cli/command.h"
#include "cli/sql_query.h"
#include "report/table.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli {
namespace {

struct Options {
    std::string run;
    std::string sql;
    std::string format = "table";
};

std::string plain(const nlohmann::json& value)
{
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

std::string table(const QueryResult& result)
{
    report::Table text{result.columns, {}};
    for (const auto& row : result.rows) {
        std::vector<std::string>& cells = text.rows.emplace_back();
        for (const nlohmann::json& value : row) {
            cells.push_back(plain(value));
        }
    }
    return report::plainTable(text, "");
}

/// RFC 4180: quoted where needed, quotes doubled.
std::string csvCell(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string quoted = "\"";
    for (const char c : text) {
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    }
    return quoted + "\"";
}

std::string csv(const QueryResult& result)
{
    std::vector<std::string> cells;
    for (const std::string& column : result.columns) {
        cells.push_back(csvCell(column));
    }
    std::string text = fmt::format("{}\n", fmt::join(cells, ","));
    for (const auto& row : result.rows) {
        cells.clear();
        for (const nlohmann::json& value : row) {
            cells.push_back(csvCell(plain(value)));
        }
        text += fmt::format("{}\n", fmt::join(cells, ","));
    }
    return text;
}

std::string json(const QueryResult& result)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const auto& row : result.rows) {
        nlohmann::ordered_json object = nlohmann::ordered_json::object();
        for (std::size_t column = 0; column < row.size(); ++column) {
            object[result.columns[column]] = row[column];
        }
        rows.push_back(std::move(object));
    }
    return rows.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->run, "Run directory, process file or merged file")->required();
    app.add_option("SQL", options->sql, "One statement; FORMAT.md lists the tables")->required();
    app.add_option("--format", options->format, "How to print rows")
        ->check(CLI::IsMember({"table", "csv", "json"}))
        ->capture_default_str();
    return [options] {
        const QueryResult result = queryRun(options->run, options->sql);
        fmt::print("{}", options->format == "json"  ? json(result)
                         : options->format == "csv" ? csv(result)
                                                    : table(result));
        return static_cast<int>(kPass);
    };
}

} // namespace
} // namespace ringside::cli

RINGSIDE_COMMAND(query, .summary = "Run SQL over a run", .declare = ringside::cli::declare);
