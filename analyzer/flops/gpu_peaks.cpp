// SPDX-License-Identifier: Apache-2.0
#include "flops/gpu_peaks.h"

#include <algorithm>
#include <cctype>

namespace ringside::flops {
namespace {

constexpr GpuPeaks kGpus[] = {
#define RINGSIDE_GPU(name, fp64, fp32, tf32, fp16, bf16, fp8, int8, gigabytesPerSecond)                      \
    {name, {fp64, fp32, tf32, fp16, bf16, fp8, int8}, gigabytesPerSecond},
#include "flops/gpu_peaks.def"
#undef RINGSIDE_GPU
};

/// Whether the name holds the part as words of its own: "NVIDIA A100-SXM4-40GB" is an A100, and no A10.
bool holdsWords(std::string_view name, std::string_view part)
{
    const auto isOfAWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t at = name.find(part); at != std::string_view::npos; at = name.find(part, at + 1)) {
        const std::size_t end = at + part.size();
        if ((at == 0 || !isOfAWord(name[at - 1])) && (end == name.size() || !isOfAWord(name[end]))) {
            return true;
        }
    }
    return false;
}

/// Whether the name is of a part of a GPU: "NVIDIA H100 80GB HBM3 MIG 1g.10gb", or a virtual one such as
/// "GRID T4-8C" or "NVIDIA A40-24Q". What it can compute is not in the table.
bool isPart(std::string_view name)
{
    constexpr std::string_view kVirtualKinds = "ABCQ"; // of NVIDIA's vGPU profiles
    const std::size_t dash = name.rfind('-');
    const std::string_view profile =
        dash == std::string_view::npos ? std::string_view() : name.substr(dash + 1);
    const bool isVirtual = profile.size() >= 2 &&
                           kVirtualKinds.find(profile.back()) != std::string_view::npos &&
                           profile.find_first_not_of("0123456789") == profile.size() - 1;
    return isVirtual || holdsWords(name, "MIG") || name.starts_with("GRID ");
}

} // namespace

std::optional<double> GpuPeaks::flopsPerSecond(Precision precision) const
{
    constexpr double kTera = 1e12;
    const double peak = teraflops[static_cast<std::size_t>(precision)];
    return peak > 0 ? std::optional(peak * kTera) : std::nullopt;
}

std::span<const GpuPeaks> allGpus()
{
    return kGpus;
}

const GpuPeaks* peaksOf(std::string_view gpu)
{
    const auto* const found =
        std::ranges::find_if(kGpus, [&](const GpuPeaks& each) { return holdsWords(gpu, each.name); });
    return found == std::end(kGpus) || isPart(gpu) ? nullptr : found;
}

} // namespace ringside::flops
