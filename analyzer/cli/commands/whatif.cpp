// SPDX-License-Identifier: Apache-2.0
// `ringside whatif RUN`: replays the recorded steps with a change and predicts the step time.
#include "whatif/whatif.h"

#include "cli/command.h"
#include "cli/option_values.h"
#include "cli/run_input.h"
#include "cli/standard_streams.h"
#include "model/build_model.h"
#include "values/parse_number.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <memory>

namespace ringside::cli::command_whatif {
namespace {

struct Options {
    RunPaths run;
    std::string format = "text";
    std::vector<std::string> ranks;
    std::vector<std::string> bandwidth;
    std::vector<std::string> latency;
    std::string bucketBytes;
    std::int64_t worldSize = 0;
    whatif::Changes changes;
    ModelArguments modelArguments;
};

/// Parses "3=median".
std::int64_t parseRank(std::string_view text)
{
    constexpr std::string_view kMedian = "=median";
    const auto rank = text.ends_with(kMedian)
                          ? values::parseNumber<std::int64_t>(text.substr(0, text.size() - kMedian.size()))
                          : std::nullopt;
    if (!rank) {
        throw Error(ErrorCode::Usage, fmt::format("'{}' is not a change of a rank", text),
                    "Write --rank 3=median.");
    }
    return *rank;
}

/// Parses bytes, or a size with a unit: bucket_cap_mb of PyTorch is in MiB.
std::uint64_t parseBytes(std::string_view text)
{
    double unit = 1;
    std::string_view number = text;
    for (const auto& [name, bytes] : {std::pair("KiB", 1024.0), std::pair("MiB", 1048576.0)}) {
        if (number.ends_with(name)) {
            number.remove_suffix(3);
            unit = bytes;
        }
    }
    const double value = values::parseNumber<double>(number).value_or(0);
    constexpr double kMost = 1e12;
    if (value * unit < 1 || value * unit > kMost) {
        throw Error(ErrorCode::Usage, fmt::format("'{}' is not a bucket size", text),
                    "Write bytes, 512KiB or 25MiB (bucket_cap_mb=25).");
    }
    return static_cast<std::uint64_t>(value * unit);
}

int run(Options& options)
{
    for (const std::string& rank : options.ranks) {
        options.changes.medianRanks.push_back(parseRank(rank));
    }
    for (const std::string& change : options.bandwidth) {
        options.changes.bandwidth.push_back(whatif::parseLinkChange(change));
    }
    for (const std::string& change : options.latency) {
        options.changes.latency.push_back(whatif::parseLinkChange(change));
    }
    if (!options.bucketBytes.empty()) {
        options.changes.bucketBytes = parseBytes(options.bucketBytes);
    }
    if (options.worldSize > 0) {
        options.changes.ranks = options.worldSize;
    }
    const model::ModelOptions modelOptions = options.modelArguments.modelOptions();
    const model::Model model = model::buildModel(openRun(options.run), modelOptions);
    const whatif::Prediction prediction = whatif::WhatIf(model).predict(options.changes);
    printResult(options.format == "json" ? whatif::renderJson(prediction) : whatif::renderText(prediction));
    return kPass;
}

Action declare(CLI::App& app)
{
    const auto options = std::make_shared<Options>();
    whatif::Changes& changes = options->changes;
    addRunOption(app, options->run);
    addModelOptions(app, options->modelArguments);
    app.add_option("--format", options->format, "Output format")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    app.add_flag("--no-late-ranks", changes.noLateRanks,
                 "No rank computes longer or gets its data later than the median rank");
    app.add_option("--rank", options->ranks, "R=median: --no-late-ranks for rank R only; repeatable")
        ->type_name("R=median")
        ->allow_extra_args(false);
    app.add_flag("--full-overlap", changes.fullOverlap,
                 "Nothing waits for communication, unless the links are too slow for it");
    app.add_option(
           "--bandwidth", options->bandwidth,
           "xK, or WHERE=xK: K times the bandwidth; WHERE is intra-host, inter-host or the start of a "
           "communicator's hash; "
           "repeatable")
        ->type_name("[WHERE=]xK")
        ->allow_extra_args(false);
    app.add_option("--latency", options->latency, "xK, or WHERE=xK: K times the latency; repeatable")
        ->type_name("[WHERE=]xK")
        ->allow_extra_args(false);
    app.add_option(
           "--bucket-bytes", options->bucketBytes,
           "Gradient buckets of this size, such as 25MiB (PyTorch: bucket_cap_mb=25); the first holds at "
           "most 1 MiB")
        ->type_name("SIZE");
    app.add_option("--gradients", changes.gradients, "Reduce gradients in half precision")
        ->check(CLI::IsMember({"fp16", "bf16"}));
    app.add_option("--accumulate", changes.accumulate, "Reduce and optimize once in N batches")
        ->type_name("N")
        ->transform(wholeNumber(2, 4096));
    app.add_flag("--no-data-stalls", changes.noDataStalls, "The next batch is always ready");
    app.add_flag("--no-blocking-calls", changes.noBlockingCalls,
                 "The host does not wait for its GPU before it launches more work");
    app.add_flag("--equal-batches", changes.equalBatches, "All ranks have batches of equal length");
    app.add_flag("--no-unused-parameter-search", changes.noUsedMaps,
                 "DDP reduces no map of used parameters (find_unused_parameters=False)");
    app.add_option("--last-reduction-of", changes.lastReductionOf,
                   "The run reduces gradients N times in a step; keep only the last one (no_sync)")
        ->type_name("N")
        ->transform(wholeNumber(2, 4096));
    app.add_option("--ranks", options->worldSize, "N ranks, each with its recorded batch")
        ->type_name("N")
        ->transform(wholeNumber(2, 65536));
    return [options] { return run(*options); };
}

constexpr std::array<Example, 2> kExamples{{
    {"ringside whatif run.ringside --no-late-ranks", "Predicts the step time without late ranks."},
    {"ringside whatif run.ringside --bandwidth inter-host=x2 --bucket-bytes 50MiB",
     "Predicts it with twice the bandwidth between hosts and larger buckets."},
}};

} // namespace

RINGSIDE_COMMAND(whatif, .summary = "Predict the step time after a change", .group = Group::Understand,
                 .examples = kExamples, .declare = declare);

} // namespace ringside::cli::command_whatif
