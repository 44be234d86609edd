// SPDX-License-Identifier: Apache-2.0
// What the names of functions of CUDA and of AMD's HIP say. HIP has CUDA's functions under names of its own,
// so every question about a function is asked about its name in CUDA's words.
#pragma once
#include <string>
#include <string_view>

namespace ringside::trace {

/// Returns the name of the function of the CUDA runtime that does what a function of HIP does:
/// "cudaStreamSynchronize" for "hipStreamSynchronize", "cudaMemcpy" for "hipMemcpyWithStream". Other names
/// stay.
[[nodiscard]] std::string inCudasWords(std::string_view api);

/// Whether a function of CUDA or HIP launches work of a device: kernels, graphs, copies or sets.
[[nodiscard]] bool launchesDeviceWork(std::string_view api);

} // namespace ringside::trace
