// SPDX-License-Identifier: Apache-2.0
// CUDA calls that only query. They cause no device work, programs make thousands of them a second, and
// the collector makes some on the program's threads.
#pragma once
#include "device/cupti_library.h"

#include <string_view>

namespace ringside::collector {

/// Decided by the names of CUDA's functions.
[[nodiscard]] bool isQuestion(std::string_view function);

/// Disables CUPTI's records of queries (CUPTI 12.5 and later). Call it after the kinds RUNTIME and
/// DRIVER were enabled, which enables all their functions. Older versions cannot disable them.
void leaveOutQuestions(const CuptiLibrary& cupti);

} // namespace ringside::collector
