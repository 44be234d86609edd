// SPDX-License-Identifier: Apache-2.0
// Reads the two sources of a frame. Linking, aligning and filtering are done by loadFrames.
#pragma once
#include "report/hta/frame.h"

#include <filesystem>

namespace ringside::report::hta {

/// Returns true if the file was written by the PyTorch profiler.
[[nodiscard]] bool isKineto(const std::filesystem::path& path);
/// Returns the events of such a file that have a duration and a category, ordered by index.
[[nodiscard]] Frame readKineto(const std::filesystem::path& path);
/// Returns kernels, copies, launches and steps of a rank of another run, with times cut to us as HTA does.
/// Indices begin at 1, so that there is no event #0 that a missing launch would refer to.
[[nodiscard]] Frame readRows(const model::Model& model, const model::Rank& rank);

} // namespace ringside::report::hta
