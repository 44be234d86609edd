// SPDX-License-Identifier: Apache-2.0
// `ringside diff BASE NEW`: compares two runs. With --gate, the exit code tells whether the step got slower.
#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/run_report.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"
#include "compare/comparison.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_diff {
namespace {

constexpr double kDefaultPercent = 100 * compare::kUsualTolerance;

struct Options {
    std::filesystem::path base, now;
    std::string format = "text";
    double percent = kDefaultPercent;
    bool gate = false;
    std::vector<std::filesystem::path> predicted;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
    ModelArguments modelArguments;
};

int diff(const Options& options)
{
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    const auto base = reportOn({{options.base}, {}, modelOptions, options.rowBytes});
    const auto now = reportOn({{options.now}, {}, modelOptions, options.rowBytes});
    if (!base || !now) { // another process of a team compares them
        return kPass;
    }
    compare::Comparison comparison = compare::compareRuns(*base, *now, options.percent / 100);
    for (const std::filesystem::path& file : options.predicted) {
        comparison.predictions.push_back(compare::holdPrediction(file, base->model, now->model));
    }
    printResult(options.format == "json"
                    ? compare::jsonOf(comparison)
                    : compare::textOf(comparison, options.format == "markdown", proseWidth()));
    const bool worse = comparison.verdict() == compare::Verdict::Worse;
    const bool unclear = comparison.verdict() == compare::Verdict::Inconclusive;
    return !options.gate ? kPass : worse ? kFindings : unclear ? kInconclusive : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("BASE", options->base, "Base run")->required();
    app.add_option("NEW", options->now, "New run")->required();
    addModelOptions(app, options->modelArguments);
    addMemoryOption(app, options->rowBytes);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_option("--tolerance", options->percent, "Changes of at most this share of a step count as equal")
        ->type_name("PERCENT")
        ->transform(percent(0, 100))
        ->capture_default_str();
    app.add_option("--predicted", options->predicted,
                   "What `ringside whatif BASE ... --format json` predicted: says how far NEW is from it; "
                   "repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option_function<double>(
           "--gate",
           [options](const double& value) {
               options->gate = true;
               options->percent = value;
           },
           "Exit with 1 if the step got slower by more than PERCENT, with 4 if inconclusive")
        ->type_name("PERCENT")
        ->transform(percent(0, 100))
        ->excludes("--tolerance");
    return [options] { return diff(*options); };
}

constexpr std::array<Example, 3> kExamples{{
    {"ringside diff base.ringside new.ringside", "Step time and every metric side by side."},
    {"ringside diff base.ringside new.ringside --gate 3%",
     "For CI: exit with 1 if the step got slower by more than 3 %."},
    {"ringside diff base.ringside new.ringside --predicted whatif.json",
     "Also tells how good the prediction of `ringside whatif base.ringside` was."},
}};

} // namespace

RINGSIDE_COMMAND(diff, .summary = "Compare two runs of a job", .group = Group::Understand,
                 .examples = kExamples, .gate = {.option = "--gate", .canBeInconclusive = true},
                 .declare = declare);

} // namespace ringside::cli::command_diff
