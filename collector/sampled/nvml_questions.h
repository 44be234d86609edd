// SPDX-License-Identifier: Apache-2.0
// The values of a GPU that NVML has a function each for. A new one is a row of the table in
// nvml_questions.cpp.
#pragma once
#include "host/nvml/library.h"
#include "sampled/source.h"

#include <array>
#include <cstdint>
#include <optional>

namespace ringside::collector::sampled {

namespace nvml = host::nvml;

enum class Often : std::uint8_t { EveryTick, OnceASecond, Once };

/// What gives one or two values.
struct NvmlQuestion {
    nvml::Result (*ask)(const nvml::Library& library, nvml::Device device,
                        std::array<std::uint64_t, 2>& values) = nullptr;
    std::array<std::optional<trace::SeriesName>, 2> names{}; ///< the second may be null
    Often often = Often::EveryTick;
};

extern const std::array<NvmlQuestion, 15> kNvmlQuestions;

} // namespace ringside::collector::sampled
