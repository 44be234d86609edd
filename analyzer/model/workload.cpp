// SPDX-License-Identifier: Apache-2.0
#include "model/workload.h"

#include "model/optimizer_work.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace ringside::model {
namespace {

/// Parts of names that training shows, in lower case: of kernels (also mangled) and ranges.
constexpr std::array<std::string_view, 13> kTraining{
    "backward", "_bwd", "bwd_",      "wgrad",    "dgrad",     "autograd::engine", "multi_tensor_apply",
    "lamb_",    "_sgd", "fusedadam", "fusedsgd", "zero_grad", "accumulategrad"};
/// Parts of names that serving shows: vLLM, SGLang, TensorRT-LLM, FlashInfer, FlashAttention with a cache.
constexpr std::array<std::string_view, 19> kServing{
    "vllm",        "sglang",           "sgl_kernel",        "tensorrt_llm",
    "trtllm",      "flashinfer",       "paged_attention",   "pagedattention",
    "paged_kv",    "pagedkv",          "reshape_and_cache", "kvcache",
    "kv_cache",    "execute_context_", "execute_new_",      "[executor] _forward_step",
    "step[decode", "step[extend",      "step[prefill"};

template <std::size_t size>
bool holdsAny(std::string_view text, const std::array<std::string_view, size>& parts)
{
    return std::ranges::any_of(
        parts, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

struct Signs {
    bool trains = false;
    bool serves = false;
    std::size_t operators = 0; ///< number of names of PyTorch operators
};

void look(std::string_view name, Signs& signs)
{
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    signs.trains = signs.trains || isOptimizerRange(lower) || holdsAny(lower, kTraining);
    signs.serves = signs.serves || holdsAny(lower, kServing);
    signs.operators += lower.starts_with("aten::") ? 1U : 0U;
}

} // namespace

std::string_view workloadName(Workload workload)
{
    constexpr std::string_view kNames[] = {"", "training", "inference"};
    return kNames[static_cast<std::size_t>(workload)];
}

Workload workloadOf(const trace::RunTrace& run)
{
    constexpr std::size_t kManyOperators = 10; // benchmarks of collectives have only a few
    Signs signs;
    for (const trace::ProcessTrace& process : run.processes) {
        for (const auto& [id, text] : process.strings) {
            look(text, signs);
        }
    }
    return signs.trains                                        ? Workload::Training
           : signs.serves || signs.operators >= kManyOperators ? Workload::Inference
                                                               : Workload::Unknown;
}

} // namespace ringside::model
