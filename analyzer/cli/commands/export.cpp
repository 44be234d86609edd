// SPDX-License-Identifier: Apache-2.0
// `ringside export RUN --format FORMAT -o OUTPUT`: writes a run for other programs.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "export/exporter.h"
#include "output/messages.h"
#include "values/parse_moment.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace ringside::cli::command_export {
namespace {

struct Options {
    RunPaths run;
    std::string format;
    std::string output;
    ModelArguments modelArguments;
    std::string from, to; ///< empty: not given
    std::vector<std::int64_t> ranks;
};

std::int64_t momentOf(const std::string& text, std::string_view option, std::int64_t usual)
{
    const auto moment = text.empty() ? std::optional(usual) : values::parseMoment(text);
    if (!moment) {
        throw Error(ErrorCode::Usage, fmt::format("{} {} is not a time", option, text),
                    "Give a time of the run such as 1.25s or 20ms.");
    }
    return *moment;
}

/// Returns the index of a rank. Throws Error (Usage) if the run does not have it.
std::size_t indexOf(const model::Model& model, std::int64_t number)
{
    const auto rank = std::ranges::find(model.ranks, number, &model::Rank::rank);
    if (rank == model.ranks.end()) {
        throw Error(ErrorCode::Usage, fmt::format("the run has no rank {}", number),
                    "`ringside report` lists the ranks of the run.");
    }
    return static_cast<std::size_t>(rank - model.ranks.begin());
}

exporting::Slice sliceOf(const Options& options, const model::Model& model)
{
    exporting::Slice slice;
    if (!options.from.empty() || !options.to.empty()) {
        using Limits = std::numeric_limits<std::int64_t>;
        slice.time = {momentOf(options.from, "--from", Limits::min()),
                      momentOf(options.to, "--to", Limits::max())};
        if (slice.time->end < slice.time->start) {
            throw Error(ErrorCode::Usage, "--to is before --from", "Exchange the two.");
        }
    }
    for (const std::int64_t rank : options.ranks) {
        slice.ranks.push_back(indexOf(model, rank));
    }
    std::ranges::sort(slice.ranks);
    slice.ranks.erase(std::unique(slice.ranks.begin(), slice.ranks.end()), slice.ranks.end());
    return slice;
}

void writeWith(const exporting::Exporter& exporter, const Options& options)
{
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    trace::RunTrace run = openRun(options.run);
    if (exporter.writeTables != nullptr) {
        exporter.writeTables(run, options.output);
        return;
    }
    const report::Report report = report::buildReport(std::move(run), {}, modelOptions);
    const exporting::Slice slice = sliceOf(options, report.model);
    if (slice.isWhole()) {
        exporter.write(report, options.output);
    } else {
        exporter.writeSlice(report, options.output, slice, [](double /*share*/) {});
    }
}

/// Throws Error (Usage) if a part was asked for in a format that holds whole runs only.
void checkSlice(const exporting::Exporter& exporter, const Options& options)
{
    const bool part = !options.from.empty() || !options.to.empty() || !options.ranks.empty();
    if (part && exporter.writeSlice == nullptr) {
        throw Error(ErrorCode::Usage,
                    fmt::format("--from, --to and --rank do not work with format {}", exporter.id),
                    "Use them with perfetto or chrome, which hold a timeline.");
    }
}

/// Throws Error (Usage) if the name of the output promises another format. Other endings are the user's.
void checkEnding(const exporting::Exporter& exporter, const std::string& output)
{
    constexpr std::array<std::string_view, 6> kKnown{".tar", ".json", ".db", ".csv", ".zip", ".gz"};
    const std::string ending = std::filesystem::path(output).extension().string();
    if (ending == fmt::format(".{}", exporter.ending) || std::ranges::find(kKnown, ending) == kKnown.end()) {
        return;
    }
    throw Error(ErrorCode::Usage,
                fmt::format("{} would be no {} file: format {} writes {}", output, ending, exporter.id,
                            exporter.title),
                exporter.ending.empty() ? "Give the folder another name."
                                        : fmt::format("Give it a name that ends in .{}.", exporter.ending));
}

int write(const Options& options)
{
    std::error_code absent;
    if (std::filesystem::exists(std::filesystem::symlink_status(options.output, absent))) {
        throw Error(ErrorCode::Usage, fmt::format("{} exists already", options.output),
                    "Give another name with -o, or remove it.");
    }
    for (const exporting::Exporter* const exporter : exporting::all()) {
        if (exporter->id == options.format) {
            checkSlice(*exporter, options);
            checkEnding(*exporter, options.output);
            if (!exporter->forOthers) {
                umask(S_IRWXG | S_IRWXO); // readable by the user only, like the run
            }
            writeWith(*exporter, options);
            output::printNote("ringside: {} written to {}\n", exporter->title, options.output);
        }
    }
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    std::vector<std::string> formats;
    std::string help = "Formats:";
    for (const exporting::Exporter* const exporter : exporting::all()) {
        formats.emplace_back(exporter->id);
        help += fmt::format(" {}, {};", exporter->id, exporter->title);
    }
    help.pop_back();
    addRunOption(app, options->run);
    addModelOptions(app, options->modelArguments);
    app.add_option("--format", options->format, help)->check(CLI::IsMember(formats))->required();
    app.add_option("-o,--output", options->output, "File or folder to create; must not exist")
        ->type_name("PATH")
        ->required();
    app.add_option("--from", options->from,
                   "perfetto, chrome: leave out what ended before this time of the run, 1.25s")
        ->type_name("TIME");
    app.add_option("--to", options->to, "perfetto, chrome: leave out what began after this time of the run")
        ->type_name("TIME");
    app.add_option("--rank", options->ranks, "perfetto, chrome: write this rank only; repeatable")
        ->type_name("RANK")
        ->transform(wholeNumber(0));
    return [options] { return write(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside export run.ringside --format perfetto -o trace.tar",
     "For ui.perfetto.dev, all ranks on one clock."},
    {"ringside export run.ringside --format chrome --from 1.2s --to 1.3s --rank 3 -o part.json",
     "A tenth of a second of one rank, for chrome://tracing."},
    {"ringside export run.ringside --format csv -o tables", "A folder with one CSV file for each table."},
}};

} // namespace

RINGSIDE_COMMAND(export, .summary = "Convert a run for Perfetto, SQLite, data frames and others",
                 .group = Group::Convert, .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_export
