// SPDX-License-Identifier: Apache-2.0
// The command line.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::trainer {

struct Options {
    std::string parallel = "ddp";       ///< or "dp", "single"
    unsigned processes = 0;             ///< --nproc: start this many local ranks; 0: this process is a rank
    unsigned checkpointActivations = 0; ///< keep each so many-th layer's input only; 0: keep all
    unsigned devices = 1;               ///< of a rank: more than one with dp only
    std::string model = "mlp";          ///< or "widemlp", "convnet", "transformer"
    unsigned steps = 200;
    unsigned warmup = 5;           ///< first steps left out of the figures
    unsigned batch = 256;          ///< over all ranks
    unsigned accumulate = 1;       ///< parts that a rank computes its share of it in
    unsigned hidden = 192;         ///< of the mlp
    unsigned layers = 10;          ///< hidden layers of the mlp
    std::string optimizer = "sgd"; ///< or "adam"
    std::optional<float> lr;       ///< none: learningRate() knows
    bool scaleLr = false;          ///< with the batch, see learning_rate.h
    float momentum = 0.9F;         ///< of sgd
    std::uint64_t seed = 1;
    std::uint64_t samples = 16384; ///< size of the training set
    unsigned eval = 1000;          ///< held-out samples over all ranks; 0: no evaluation
    unsigned workers = 1;          ///< loader threads; 0: training loads by itself
    bool pinMemory = true;         ///< batches are copied from pinned memory
    bool ranges = true;            ///< NVTX ranges are pushed
    double bucketCapMb = 25;
    bool findUnusedParameters = false;
    bool staticGraph = false;
    std::string gradients = "fp32";    ///< how they travel; readGradientFormat() takes it apart
    std::string precision = "fp32";    ///< or "fp16", "bf16": of what matrix products read
    float lossScale = 65536;           ///< of fp16, the first one
    unsigned lossScaleInterval = 2000; ///< good steps after which it doubles
    std::string algorithm;             ///< of NCCL's all-reduces, "ring" or "tree"; empty: NCCL chooses
    unsigned timeoutSeconds = 60;
    std::vector<std::string> faults; ///< NAME[:KEY=VALUE,...]
    bool listFaults = false;
    std::string jsonPath;
    std::string parametersPath;
};

/// What to do after reading the command line: train, or leave with this exit code (--help: 0, misuse: 2).
struct ParsedOptions {
    Options options;
    int exitCode = 0;
    bool leave = false;
};

/// Prints help or the complaint itself.
[[nodiscard]] ParsedOptions parseOptions(int argc, const char* const* argv);

/// The given one or the optimizer's usual one.
[[nodiscard]] float learningRate(const Options& options);

/// Among so many devices a batch is divided, one a rank or, with dp, all of one process.
[[nodiscard]] unsigned devicesInAll(const Options& options, unsigned worldSize);

/// Throws Failure when the options do not fit the number of ranks.
void checkAgainstWorld(const Options& options, unsigned worldSize);

/// The same command line for the ranks that --nproc starts: without --nproc.
[[nodiscard]] std::vector<std::string> argumentsForRanks(int argc, const char* const* argv);

} // namespace ringside::trainer
