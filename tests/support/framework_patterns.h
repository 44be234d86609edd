// SPDX-License-Identifier: Apache-2.0
// The NCCL calls of one step of training frameworks, as one rank issues them: DDP and FSDP of PyTorch,
// tensor, sequence and pipeline parallel as in Megatron, ZeRO as in DeepSpeed, experts, and whole steps in
// CUDA graphs. Contains only the order, sizes and approximate host times of calls; framework_job.h writes
// them into a trace.
#pragma once
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::test {

using std::chrono::nanoseconds;

/// Whom a call is made with.
enum class Group : std::uint8_t { Data, Tensor, Pipeline, Expert, Embedding };

struct ScriptItem {
    enum class What : std::uint8_t { Call, Host, Optimizer, GraphLaunch };
    What what = What::Host;
    std::string_view api = {}; ///< of a call
    Group group = Group::Data;
    std::uint64_t bytes = 0;
    int peer = -1;
    nanoseconds host{}; ///< how long the host takes
};
using Script = std::vector<ScriptItem>;

enum class Extra : std::uint8_t { None, Logging, Evaluation, Checkpoints };

/// What is drawn of a job.
struct JobShape {
    int layers = 24;
    int microBatches = 8;
    int stages = 4;
    int every = 50;      ///< steps between evaluations or checkpoints, or between losses that are logged
    nanoseconds layer{}; ///< host time of a layer forward
    nanoseconds optimizer{};
    nanoseconds data{}; ///< between steps
};

struct FrameworkPattern {
    std::string_view name;
    Script (*step)(const JobShape& shape, int rank);
    Script (*evaluation)(const JobShape& shape, int rank) = nullptr; ///< of one batch
    Extra extra = Extra::None;
    bool graph = false; ///< a step's calls are captured and launched as one
};

[[nodiscard]] std::span<const FrameworkPattern> frameworkPatterns();
/// Of these nothing but the optimizer's kernels says what a step is: their calls are those of another job,
/// too, with other steps.
[[nodiscard]] std::span<const FrameworkPattern> ambiguousPatterns();

} // namespace ringside::test
