// SPDX-License-Identifier: Apache-2.0
#include "options.h"

#include "failure.h"
#include "gradient_format.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <string_view>

namespace ringside::trainer {
namespace {

void addModel(CLI::App& app, Options& options)
{
    app.add_option(
           "--model", options.model,
           "mlp: fully connected layers of one width; widemlp: two very wide ones; convnet: two convolutions "
           "with pooling, two fully connected layers; transformer: an encoder over the lines of an image")
        ->capture_default_str()
        ->check(CLI::IsMember({"mlp", "widemlp", "convnet", "transformer"}));
    app.add_option("--hidden", options.hidden, "mlp: width of a hidden layer")
        ->capture_default_str()
        ->check(CLI::Range(1, 65536));
    app.add_option("--layers", options.layers, "mlp: hidden layers")
        ->capture_default_str()
        ->check(CLI::Range(1, 1000));
}

/// CLI::Range accepts "nan".
CLI::Validator between(double low, double high)
{
    return {[low, high](const std::string& text) -> std::string {
                double value = 0;
                if (CLI::detail::lexical_cast(text, value) && value >= low && value <= high)
                    return {};
                return fmt::format("{} is not a number from {} to {}", text, low, high);
            },
            fmt::format("in [{} - {}]", low, high)};
}

CLI::Validator gradientFormat()
{
    return {[](const std::string& text) -> std::string {
                if (readGradientFormat(text))
                    return {};
                return fmt::format(
                    "{} is not one of fp32, fp16, bf16 and topk:SHARE, with a SHARE above 0 and up "
                    "to 1 such as topk:0.01",
                    text);
            },
            "fp32, fp16, bf16, topk:SHARE"};
}

void addOptimizer(CLI::App& app, Options& options)
{
    app.add_option("--optimizer", options.optimizer,
                   "sgd: with momentum; adam: betas 0.9 and 0.999, epsilon 1e-8")
        ->capture_default_str()
        ->check(CLI::IsMember({"sgd", "adam"}));
    app.add_option("--lr", options.lr, "Learning rate; without it 0.02 for sgd, 0.001 for adam")
        ->check(between(1e-12, 1000));
    app.add_flag("--scale-lr", options.scaleLr,
                 "sgd: the learning rate is for a batch of 256 and grows with it, over the first 5 epochs");
    app.add_option("--momentum", options.momentum, "sgd: momentum")
        ->capture_default_str()
        ->check(between(0, 1));
}

/// Rejects an option that would have no effect: it is probably a mistake.
void refuseOthers(const CLI::App& app, const Options& options)
{
    for (const char* name : {"--hidden", "--layers"}) {
        if (options.model != "mlp" && app.count(name) > 0)
            throw CLI::ValidationError(name,
                                       "belongs to --model mlp; the shape of " + options.model + " is fixed");
    }
    if (options.optimizer != "sgd" && app.count("--momentum") > 0)
        throw CLI::ValidationError("--momentum", "belongs to --optimizer sgd; adam's betas are fixed");
    if (options.optimizer != "sgd" && options.scaleLr)
        throw CLI::ValidationError("--scale-lr",
                                   "belongs to --optimizer sgd: no such rule is known for adam");
    for (const char* name : {"--nproc", "--bucket-cap-mb", "--find-unused-parameters", "--static-graph",
                             "--gradients", "--algorithm", "--fault"}) {
        if (options.parallel != "ddp" && app.count(name) > 0)
            throw CLI::ValidationError(name, "belongs to --parallel ddp, which has ranks and all-reduces");
    }
    if ((options.parallel == "dp") != (app.count("--devices") > 0))
        throw CLI::ValidationError(
            "--devices", options.parallel == "dp" ? "is missing: give the number of devices for --parallel dp"
                                                  : "belongs to --parallel dp");
    for (const char* name : {"--loss-scale", "--loss-scale-interval"}) {
        if (options.precision != "fp16" && app.count(name) > 0)
            throw CLI::ValidationError(name, "belongs to --precision fp16; " + options.precision +
                                                 " has room for small gradients");
    }
    if (options.precision != "fp32" && options.parallel == "dp")
        throw CLI::ValidationError("--precision", options.precision + " belongs to --parallel ddp or single");
    if (options.precision == "fp16" && options.gradients.starts_with("topk"))
        throw CLI::ValidationError(
            "--gradients", options.gradients + " would keep gradients that overflowed; with --precision "
                                               "fp16 give fp32, fp16 or bf16");
}

void addPrecision(CLI::App& app, Options& options)
{
    app.add_option("--precision", options.precision,
                   "bf16, fp16: matrix products read 16-bit copies of their factors; parameters stay in fp32")
        ->capture_default_str()
        ->check(CLI::IsMember({"fp32", "bf16", "fp16"}));
    app.add_option("--loss-scale", options.lossScale,
                   "fp16: the loss is multiplied by this at first; halved where gradients overflow")
        ->capture_default_str()
        ->check(between(1e-6, 1e12));
    app.add_option("--loss-scale-interval", options.lossScaleInterval,
                   "fp16: so many steps without overflow double the scale")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000'000));
}

void addTraining(CLI::App& app, Options& options)
{
    app.add_option("--steps", options.steps, "Training steps")
        ->capture_default_str()
        ->check(CLI::Range(1, 10'000'000));
    app.add_option("--warmup", options.warmup, "Number of first steps that the figures leave out")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_option("--batch", options.batch, "Samples per step over all ranks; a multiple of their number")
        ->capture_default_str()
        ->check(CLI::Range(1, 1'000'000));
    app.add_option("--accumulate", options.accumulate,
                   "Number of parts in which a rank computes its share of a batch; gradients are reduced "
                   "with the last")
        ->capture_default_str()
        ->check(CLI::Range(1, 1024));
    app.add_option("--checkpoint-activations", options.checkpointActivations,
                   "Keep only each K-th layer's input in forward, and compute the layers between again in "
                   "backward: less memory, more time; default: keep all")
        ->check(CLI::Range(1, 1000));
    app.add_option("--seed", options.seed, "Seed of weights, data and order")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
    app.add_option("--samples", options.samples, "Size of the training set")
        ->capture_default_str()
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1'000'000'000}));
    app.add_option("--eval", options.eval, "Held-out samples to measure the accuracy on; 0: none")
        ->capture_default_str()
        ->check(CLI::NonNegativeNumber);
}

void addLoader(CLI::App& app, Options& options)
{
    app.add_option(
           "--workers", options.workers,
           "Loader threads; each loads every N-th batch, some steps ahead; 0: the training thread loads")
        ->capture_default_str()
        ->check(CLI::Range(0, 256));
    app.add_flag("--pin-memory,!--no-pin-memory", options.pinMemory,
                 "Copy batches from pinned host memory (default)");
    app.add_flag("--ranges,!--no-ranges", options.ranges,
                 "Mark steps and their parts with NVTX ranges (default)");
}

void addDistribution(CLI::App& app, Options& options)
{
    app.add_option("--parallel", options.parallel,
                   "ddp: one process for each device, gradients are all-reduced; dp: one process for "
                   "--devices, as PyTorch's "
                   "DataParallel; single: one device, no communication")
        ->capture_default_str()
        ->check(CLI::IsMember({"ddp", "dp", "single"}));
    app.add_option("--devices", options.devices, "dp: devices of the process, from device 0")
        ->check(CLI::Range(2, 1024));
    app.add_option("--nproc", options.processes,
                   "Start N ranks on this host; default: this process is the rank that RANK and WORLD_SIZE, "
                   "OMPI_COMM_WORLD_* or SLURM_* name")
        ->check(CLI::Range(1, 1024));
    app.add_option("--bucket-cap-mb", options.bucketCapMb,
                   "Limit of a gradient bucket in MiB; the first bucket has at most 1")
        ->capture_default_str()
        ->check(between(1e-6, 1e6));
    app.add_flag("--find-unused-parameters", options.findUnusedParameters,
                 "As in DDP, reduce a map of used parameters with the gradients");
    app.add_flag("--static-graph", options.staticGraph,
                 "As in DDP, do this only in the first step, whose gradients wait for the end of backward");
    app.add_option("--gradients", options.gradients,
                   "Format of gradients; fp16, bf16: half the bytes, each rounded to 11 or 8 bits "
                   "before and "
                   "after; topk:SHARE: only the largest of each bucket, the rest is added to the next step's")
        ->capture_default_str()
        ->check(gradientFormat());
    app.add_option("--algorithm", options.algorithm,
                   "Algorithm of NCCL's all-reduces; default: NCCL, or NCCL_ALGO, chooses")
        ->check(CLI::IsMember({"ring", "tree"}));
    app.add_option("--timeout", options.timeoutSeconds,
                   "Seconds without a missing rank or without progress, after which every rank gives up")
        ->capture_default_str()
        ->check(CLI::Range(1, 86400));
}

void addRest(CLI::App& app, Options& options)
{
    app.add_option("--fault", options.faults, "Inject a fault: NAME[:KEY=VALUE,...]; repeatable")
        ->allow_extra_args(false);
    app.add_flag("--list-faults", options.listFaults, "List the faults and exit");
    app.add_option("--json", options.jsonPath, "File to which rank 0 writes the result");
    app.add_option("--dump-parameters", options.parametersPath,
                   "File to which rank 0 writes the trained parameters, raw float32");
}

/// CLI11 parses digits after a zero as octal: `--steps 010` would train 8 steps.
void readLeadingZeros(CLI::App& app)
{
    for (CLI::Option* option : app.get_options()) {
        const std::string type = option->get_type_name();
        if (!type.starts_with("INT") && !type.starts_with("UINT"))
            continue;
        option->transform(CLI::Validator(
            [](std::string& text) {
                if (text.find_first_not_of("0123456789") == std::string::npos)
                    text.erase(0, std::min(text.find_first_not_of('0'), text.size() - 1));
                return std::string();
            },
            ""));
    }
}

} // namespace

ParsedOptions parseOptions(int argc, const char* const* argv)
{
    ParsedOptions parsed;
    CLI::App app("Trains a small network on drawn digits, data-parallel over ranks, with faults on demand",
                 "ddp_trainer");
    addModel(app, parsed.options);
    addOptimizer(app, parsed.options);
    addPrecision(app, parsed.options);
    addTraining(app, parsed.options);
    addLoader(app, parsed.options);
    addDistribution(app, parsed.options);
    addRest(app, parsed.options);
    readLeadingZeros(app);
    try {
        app.parse(argc, argv);
        refuseOthers(app, parsed.options);
    } catch (const CLI::ParseError& error) {
        parsed.leave = true;
        parsed.exitCode = app.exit(error) == 0 ? 0 : 2;
    }
    return parsed;
}

float learningRate(const Options& options)
{
    return options.lr.value_or(options.optimizer == "adam" ? 0.001F : 0.02F);
}

unsigned devicesInAll(const Options& options, unsigned worldSize)
{
    return worldSize * options.devices;
}

void checkAgainstWorld(const Options& options, unsigned worldSize)
{
    if (options.parallel != "ddp" && worldSize > 1)
        throw Failure(fmt::format("--parallel {} is one process, but the launcher's variables say {} ranks: "
                                  "start it without a launcher",
                                  options.parallel, worldSize));
    const unsigned devices = devicesInAll(options, worldSize);
    const std::uint64_t parts = std::uint64_t{devices} * options.accumulate;
    if (options.batch % parts != 0)
        throw Failure(fmt::format(
            "--batch {} cannot be divided among {} {}{}: give a multiple of {}", options.batch, devices,
            options.parallel == "dp" ? "devices" : "ranks",
            options.accumulate > 1 ? fmt::format(" in {} parts", options.accumulate) : "", parts));
    const auto place = [](const std::string& path) { return std::filesystem::weakly_canonical(path); };
    if (!options.jsonPath.empty() && !options.parametersPath.empty() &&
        place(options.jsonPath) == place(options.parametersPath))
        throw Failure("--json and --dump-parameters name the same file: give two files");
    if (options.samples < options.batch)
        throw Failure(fmt::format("--samples {} is less than one batch of {}: raise it", options.samples,
                                  options.batch));
}

std::vector<std::string> argumentsForRanks(int argc, const char* const* argv)
{
    std::vector<std::string> kept;
    for (int i = 0; i < argc; ++i) {
        const std::string_view argument = argv[i];
        if (argument == "--nproc")
            ++i;
        else if (!argument.starts_with("--nproc="))
            kept.emplace_back(argument);
    }
    return kept;
}

} // namespace ringside::trainer
