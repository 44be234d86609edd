// SPDX-License-Identifier: Apache-2.0
// `ringside version`: prints the versions of the program, the trace format and SQLite, and the path of the
// collector.
#include "cli/command.h"
#include "cli/preload.h"
#include "cli/standard_streams.h"

#include <ringside/error.h>
#include <ringside/trace/rows.h>

#include <sqlite3.h>

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside::cli::command_version {
namespace {

struct Options {
    std::string format = "text";
};

/// Returns null if there is no collector.
std::optional<std::string> collectorPath()
{
    try {
        return findCollector().string();
    } catch (const Error&) {
        return std::nullopt;
    }
}

std::string textOf(const std::optional<std::string>& collector)
{
    return fmt::format("ringside {}\ntraces: version {}\nSQLite: {}\ncollector: {}\n", RINGSIDE_VERSION,
                       trace::kSchemaVersion, sqlite3_libversion(),
                       collector.value_or("none: set RINGSIDE_COLLECTOR to its path"));
}

std::string jsonOf(const std::optional<std::string>& collector)
{
    using Json = nlohmann::ordered_json;
    const Json json{{"schema", "ringside-version/1"},
                    {"version", RINGSIDE_VERSION},
                    {"trace_schema", trace::kSchemaVersion},
                    {"sqlite", sqlite3_libversion()},
                    {"collector", collector ? Json(*collector) : Json()}};
    return json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    CLI::Option* const format = app.add_option("--format", options->format, "Output format")
                                    ->check(CLI::IsMember({"text", "json"}))
                                    ->capture_default_str();
    app.add_flag_callback(
           "--json", [options] { options->format = "json"; }, "The same as --format json")
        ->excludes(format);
    return [options] {
        const std::optional<std::string> collector = collectorPath();
        printResult(options->format == "json" ? jsonOf(collector) : textOf(collector));
        return static_cast<int>(kPass);
    };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside version --json", "Prints JSON for scripts."},
}};

} // namespace

RINGSIDE_COMMAND(version, .summary = "Print the version and the path of the collector",
                 .group = Group::Program, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_version
