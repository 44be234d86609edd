// SPDX-License-Identifier: Apache-2.0
// `ringside scaling RUN...`: reports speed-up and efficiency over the number of ranks, and the causes of the
// loss.
#include "compare/scaling.h"

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/run_report.h"
#include "cli/standard_streams.h"
#include "cli/terminal.h"

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_scaling {
namespace {

/// Practitioners' guides give a speed-up of 5 to 7 on 8 GPUs as usual.
constexpr double kFewest = 0.7;

struct Options {
    RunPaths runs;
    std::string format = "text";
    bool shared = false;
    double gate = 0;
    std::uint64_t rowBytes = stretches::kDefaultRowBytes;
    ModelArguments modelArguments;
};

int scaling(const Options& options)
{
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    std::vector<report::Report> runs;
    for (const std::filesystem::path& run : options.runs) {
        if (auto report = reportOn({{run}, {}, modelOptions, options.rowBytes})) {
            runs.push_back(std::move(*report));
        }
    }
    if (runs.size() < options.runs.size()) { // another process of a team has all of them
        return kPass;
    }
    const compare::Scaling result =
        compare::scalingOf(runs, options.shared ? compare::Work::Shared : compare::Work::PerRank);
    const double fewest = options.gate > 0 ? options.gate : kFewest;
    printResult(options.format == "json"
                    ? compare::jsonOf(result)
                    : compare::textOf(result, fewest, options.format == "markdown", proseWidth()));
    return options.gate > 0 && result.low(options.gate) ? kFindings : kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    app.add_option("RUN", options->runs, "Runs of one job on different numbers of ranks")->required();
    addModelOptions(app, options->modelArguments);
    addMemoryOption(app, options->rowBytes);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "markdown", "json"}))
        ->capture_default_str();
    app.add_flag(
        "--shared-work", options->shared,
        "The global batch is fixed, so that ranks share the work; default: each rank has the same batch");
    app.add_option("--gate", options->gate, "Exit with 1 if the efficiency is below this share")
        ->type_name("EFFICIENCY")
        ->transform(share(0.01, 1));
    return [options] { return scaling(*options); };
}

constexpr std::array<Example, 1> kExamples{{
    {"ringside scaling 1gpu.ringside 2gpu.ringside 4gpu.ringside",
     "Reports speed-up, efficiency and the causes of the loss."},
}};

} // namespace

RINGSIDE_COMMAND(scaling, .summary = "Report speed-up and efficiency over the number of ranks",
                 .group = Group::Understand, .examples = kExamples, .gate = {.option = "--gate"},
                 .declare = declare);

} // namespace ringside::cli::command_scaling
