// SPDX-License-Identifier: Apache-2.0
// `ringside report RUN`: reports what limits a run. With --fail-on, its exit code gates a CI job.
#include "cli/command.h"
#include "cli/config.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/run_report.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "cli/witnesses.h"
#include "output/messages.h"
#include "output/output_file.h"
#include "report/format.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <optional>

namespace ringside::cli::command_report {
namespace {

constexpr double kMostMoney = 1e6;

struct Options {
    RunPaths run;
    std::string format = "text";
    std::string output;
    std::string failOn;
    std::string color = "auto";
    std::vector<std::string> settings;
    bool all = false;
    bool why = false;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
    ModelArguments modelArguments;
    std::optional<double> price;
    std::optional<report::ModelDescription> description;
};

document::Extent extentOf(const Options& options)
{
    return options.why   ? document::Extent::Why
           : options.all ? document::Extent::All
                         : document::Extent::Screen;
}

document::TextStyle styleOfStdout(const Options& options)
{
    return {showsColours(STDOUT_FILENO, options.color) ? document::Colour::Ansi : document::Colour::Never,
            proseWidth(), extentOf(options)};
}

/// Called before the run is read, which may take long.
void checkOutput(const Options& options)
{
    if (report::formatNamed(options.format).writeFolder != nullptr && options.output.empty()) {
        throw Error(ErrorCode::Usage, fmt::format("format {} writes several files", options.format),
                    "Name a folder for them: -o FOLDER.");
    }
}

void write(const Options& options, const report::Report& report)
{
    const report::Format& format = report::formatNamed(options.format);
    if (format.writeFolder != nullptr) {
        format.writeFolder(report, options.output);
        return;
    }
    if (options.output.empty()) {
        printResult(format.render(report, styleOfStdout(options)));
        return;
    }
    output::OutputFile file(options.output, output::Existing::Replace);
    file.write(format.render(report, {.extent = extentOf(options)}));
    file.close();
}

int gate(const std::string& failOn, const report::Report& report)
{
    if (failOn.empty()) {
        return kPass;
    }
    for (const rules::Finding& finding : report.findings) {
        const bool reached = failOn == "info" || failOn == rules::severityName(finding.severity) ||
                             finding.severity == rules::Severity::Problem;
        if (reached) {
            return kFindings;
        }
    }
    return report.verdict.confidence == report::Confidence::Inconclusive ? kInconclusive : kPass;
}

/// A report does not use them, and a reader of one may not know that they are there.
void noteWitnesses(const RunPaths& run)
{
    if (run.size() != 1) {
        return;
    }
    if (const std::string found = witnessesText(run.front()); !found.empty()) {
        output::printNote("ringside: {0} holds {1} about this job: ringside hang {0}\n", run.front().string(),
                          found);
    }
}

int run(const Options& options)
{
    checkOutput(options);
    rules::OptionValues values = options.modelArguments.config.empty()
                                     ? rules::OptionValues()
                                     : readConfig(options.modelArguments.config).thresholds;
    for (const std::string& setting : options.settings) {
        report::setOption(values, setting);
    }
    auto report = reportOn({options.run, values, options.modelArguments.modelOptions(), options.rowBytes});
    if (!report) {
        return kPass;
    }
    report->pricePerGpuHour = options.price;
    report->description = options.description;
    write(options, *report);
    noteWitnesses(options.run);
    return gate(options.failOn, *report);
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    std::vector<std::string> formats;
    std::ranges::transform(report::formats(), std::back_inserter(formats), report::nameOf);
    addRunOption(app, options->run);
    addModelOptions(app, options->modelArguments);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember(formats))
        ->capture_default_str();
    app.add_option("-o,--output", options->output, "File to write instead of stdout; a folder for hta-csv")
        ->type_name("FILE");
    app.add_option("--color", options->color,
                   "When to colour text on stdout; auto: on a terminal, unless NO_COLOR is set")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
    addMemoryOption(app, options->rowBytes);
    app.add_flag("--why", options->why,
                 "Show the verdict as an argument: the parts of a step, what explains them, and what its "
                 "confidence rests on")
        ->excludes("--format")
        ->excludes("--output");
    app.add_flag("--all", options->all,
                 "For text: also print all findings and rows, the causes of idle time, and the rules that "
                 "were not applicable");
    app.add_option("--price", options->price,
                   "Price of a GPU-hour in any currency: what the losses cost in money a day")
        ->type_name("MONEY")
        ->transform(number(0, kMostMoney));
    app.add_option_function<std::string>(
           "--model",
           [options](const std::string& text) { options->description = report::parseModelDescription(text); },
           "The model that is trained, for MFU of runs without shapes: parameters, tokens of a step over all "
           "ranks, and for attention layers, hidden and sequence; type: of the matrix products, bf16 unless "
           "told")
        ->type_name("parameters=N,tokens=N[,layers=N,hidden=N,sequence=N][,type=TYPE]");
    app.add_option(
           "--set", options->settings,
           "Threshold of a rule, as RULE.OPTION=NUMBER; overrides the file of --config. `ringside rules` "
           "lists all")
        ->type_name("RULE.OPTION=NUMBER")
        ->take_all();
    app.add_option("--fail-on", options->failOn,
                   "Exit with 1 if there are findings of this severity or above, with 4 if inconclusive")
        ->check(CLI::IsMember({"info", "warning", "problem"}));
    return [options] { return run(*options); };
}

constexpr std::array<Example, 4> kExamples{{
    {"ringside report run.ringside", "Reports what limits the run."},
    {"ringside report run.ringside --format html -o report.html", "Writes the report as one HTML page."},
    {"ringside report run.ringside --price 2.5", "Also tells what each loss costs in money a day."},
    {"ringside report run.ringside --fail-on warning", "For CI: exit with 1 at warnings and problems."},
}};

} // namespace

RINGSIDE_COMMAND(report, .summary = "Report what limits a run, with evidence", .group = Group::Understand,
                 .examples = kExamples, .gate = {.option = "--fail-on", .canBeInconclusive = true},
                 .declare = declare);

} // namespace ringside::cli::command_report
