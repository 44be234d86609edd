// SPDX-License-Identifier: Apache-2.0
// Which NVTX ranges are training steps. The collector opens its device window by these names, and the
// analyzer divides the run by them, so both use this list. Allocates nothing, because the collector calls it
// inside calls of the program.
#pragma once
#include "values/parse_number.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ringside::trace {

/// Prefixes of step names in lower case, the best first.
inline constexpr std::array<std::string_view, 12> kStepNames{
    "profilerstep",
    "iteration",
    "train_step",
    "training_step",
    "trainstep",
    "iter",
    "step",
    "[pl][profile]run_training_batch", // Lightning
    "execute_context_",                // vLLM: "execute_context_4(1024)_generation_0(0)"
    "execute_new_",                    // vLLM before 0.12: "execute_new_1_cached_7"
    "execute_model",                   // vLLM's workers
    "[executor] _forward_step",        // TensorRT-LLM: "[Executor] _forward_step 12: 0 ctx reqs, 8 gen reqs"
};
/// The names from here on are of inference servers, which append a description of the step.
inline constexpr std::size_t kFirstServerName = 8;

struct StepName {
    int priority = 0; ///< index in kStepNames; lower values are preferred
    std::optional<std::int64_t> number;
};

/// Returns whether `text` begins with `lowerCase`, ignoring the case of ASCII letters.
[[nodiscard]] constexpr bool beginsWith(std::string_view text, std::string_view lowerCase)
{
    for (std::size_t i = 0; i < lowerCase.size(); ++i) {
        const char c = i < text.size() ? text[i] : '\0';
        if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c) != lowerCase[i]) {
            return false;
        }
    }
    return true;
}

/// Parses the text after a step's name: nothing, a number ("#12", " 12"), or a description in brackets as
/// inference servers write it ("[DECODE bs=8]"). Returns null for any other text.
[[nodiscard]] inline std::optional<StepName> numberedName(std::string_view rest)
{
    if (rest.starts_with('[') && rest.ends_with(']')) {
        return StepName{};
    }
    const std::size_t digits = rest.find_first_not_of(" _#:-");
    if (digits == std::string_view::npos) {
        return StepName{};
    }
    const auto number = values::parseNumber<std::int64_t>(rest.substr(digits));
    return number ? std::optional(StepName{0, *number}) : std::nullopt;
}

/// Returns the step that a range's name denotes ("ProfilerStep#12", "iteration 12", "step"), or null.
[[nodiscard]] inline std::optional<StepName> parseStepName(std::string_view name)
{
    for (std::size_t i = 0; i < kStepNames.size(); ++i) {
        if (!beginsWith(name, kStepNames[i])) {
            continue;
        }
        if (i >= kFirstServerName) {
            return StepName{static_cast<int>(i), std::nullopt};
        }
        if (const auto step = numberedName(name.substr(kStepNames[i].size()))) {
            return StepName{static_cast<int>(i), step->number};
        }
    }
    return std::nullopt;
}

} // namespace ringside::trace
