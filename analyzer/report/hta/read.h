// SPDX-License-Identifier: Apache-2.0
// The two sources of a frame. Neither links, aligns nor filters: that is loadFrames'.
#pragma once
#include "report/hta/frame.h"

#include <filesystem>

namespace ringside::report::hta {

/// Whether the file is one of the PyTorch profiler.
[[nodiscard]] bool isKineto(const std::filesystem::path& path);
/// Events of such a file with a duration and a category, by index.
[[nodiscard]] Frame readKineto(const std::filesystem::path& path);
/// Kernels, copies, launches and steps of a rank of another run, with times cut as HTA cuts those of finer
/// than us. Indexes begin at 1: there is no event #0 that a missing launch could be taken for.
[[nodiscard]] Frame readRows(const model::Model& model, const model::Rank& rank);

} // namespace ringside::report::hta
