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
    unsigned checkpointActivations = 0; ///< keep only every K-th layer's input; 0: keep all
    unsigned devices = 1;               ///< of a rank: more than one only with dp
    std::string model = "mlp";          ///< or "widemlp", "convnet", "transformer"
    unsigned steps = 200;
    unsigned warmup = 5;           ///< number of first steps that the figures leave out
    unsigned batch = 256;          ///< over all ranks
    unsigned accumulate = 1;       ///< number of parts in which a rank computes its share
    unsigned hidden = 192;         ///< of the mlp
    unsigned layers = 10;          ///< hidden layers of the mlp
    std::string optimizer = "sgd"; ///< or "adam"
    std::optional<float> lr;       ///< empty: see learningRate()
    bool scaleLr = false;          ///< scale with the batch, see learning_rate.h
    float momentum = 0.9F;         ///< of sgd
    std::uint64_t seed = 1;
    std::uint64_t samples = 16384; ///< size of the training set
    unsigned eval = 1000;          ///< held-out samples over all ranks; 0: no evaluation
    unsigned workers = 1;          ///< loader threads; 0: the training thread loads
    bool pinMemory = true;         ///< batches are copied from pinned memory
    bool ranges = true;            ///< NVTX ranges are pushed
    double bucketCapMb = 25;
    bool findUnusedParameters = false;
    bool staticGraph = false;
    std::string gradients = "fp32";    ///< format; readGradientFormat() parses it
    std::string precision = "fp32";    ///< or "fp16", "bf16": type of the factors of matrix products
    float lossScale = 65536;           ///< initial scale of fp16
    unsigned lossScaleInterval = 2000; ///< number of good steps after which it doubles
    std::string algorithm;             ///< of NCCL's all-reduces, "ring" or "tree"; empty: NCCL chooses
    unsigned timeoutSeconds = 60;
    std::vector<std::string> faults; ///< NAME[:KEY=VALUE,...]
    bool listFaults = false;
    std::string jsonPath;
    std::string parametersPath;
};

/// What to do after parsing: train, or exit with this code (--help: 0, wrong usage: 2).
struct ParsedOptions {
    Options options;
    int exitCode = 0;
    bool leave = false;
};

/// Prints the help or the error itself.
[[nodiscard]] ParsedOptions parseOptions(int argc, const char* const* argv);

/// Returns the given rate, or the optimizer's default.
[[nodiscard]] float learningRate(const Options& options);

/// Returns the number of devices among which a batch is divided: one for each rank or, with dp, all of one
/// process.
[[nodiscard]] unsigned devicesInAll(const Options& options, unsigned worldSize);

/// Throws Failure if the options do not fit the number of ranks.
void checkAgainstWorld(const Options& options, unsigned worldSize);

/// Returns the command line for the ranks that --nproc starts: without --nproc.
[[nodiscard]] std::vector<std::string> argumentsForRanks(int argc, const char* const* argv);

} // namespace ringside::trainer
