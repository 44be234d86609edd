// SPDX-License-Identifier: Apache-2.0
#include "model/optimizer_work.h"

#include <ringside/trace/step_name.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ringside::model {
namespace {

/// Parts of the names of optimizer kernels, in lower case: PyTorch's foreach, fused, compiled and plain
/// optimizers, Apex, DeepSpeed and bitsandbytes.
constexpr std::array<std::string_view, 12> kKernels{"multi_tensor_apply",
                                                    "multitensorapply",
                                                    "fusedoptimizer",
                                                    "fusedadam",
                                                    "adamw",
                                                    "adam_",
                                                    "adamkernel",
                                                    "lamb_",
                                                    "sgd",
                                                    "adagrad",
                                                    "addcdiv",
                                                    "triton_for_fused"};

std::string lowerCase(std::string_view text)
{
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    return lower;
}

/// Tells whether a name matches. Each name is examined once, however many rows have it.
class NamesOf final {
public:
    NamesOf(const trace::ProcessTrace& process, bool (*matches)(std::string_view lowerCase))
        : m_process(process), m_matches(matches)
    {}
    bool operator()(trace::StringId name)
    {
        const auto [entry, fresh] = m_known.try_emplace(name);
        if (fresh) {
            entry->second = m_matches(lowerCase(m_process.text(name)));
        }
        return entry->second;
    }

private:
    const trace::ProcessTrace& m_process;
    bool (*m_matches)(std::string_view);
    std::unordered_map<trace::StringId, bool> m_known;
};

void addKernels(const trace::ProcessTrace& process, std::vector<std::int64_t>& times)
{
    NamesOf isOptimizer(process, [](std::string_view name) {
        return std::ranges::any_of(
            kKernels, [&](std::string_view part) { return name.find(part) != std::string_view::npos; });
    });
    std::unordered_set<std::uint32_t> correlations;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        if (isOptimizer(process.kernels.name[i])) {
            correlations.insert(process.kernels.correlation[i]);
        }
    }
    for (std::size_t i = 0; i < process.launches.size() && !correlations.empty(); ++i) {
        if (correlations.contains(process.launches.correlation[i])) {
            times.push_back(process.launches.startNs[i]);
        }
    }
}

void addOptimizerRanges(const trace::ProcessTrace& process, std::vector<std::int64_t>& times)
{
    NamesOf isOptimizer(process, isOptimizerRange);
    for (const trace::RangeRow& range : process.ranges) {
        if (isOptimizer(range.name)) {
            times.push_back(range.startNs);
        }
    }
}

} // namespace

bool isOptimizerRange(std::string_view name)
{
    constexpr std::array<std::string_view, 4> kBegins{"optimizer.step", "deepspeedengine.step",
                                                      "deepspeedengine._take_model_step",
                                                      "deepspeedzerooptimizer_stage3.step"};
    return std::ranges::any_of(kBegins,
                               [&](std::string_view begin) { return trace::beginsWith(name, begin); });
}

std::vector<std::int64_t> optimizerTimes(const trace::ProcessTrace& process)
{
    std::vector<std::int64_t> times;
    addKernels(process, times);
    addOptimizerRanges(process, times);
    std::ranges::sort(times);
    return times;
}

} // namespace ringside::model
