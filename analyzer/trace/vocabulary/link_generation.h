// SPDX-License-Identifier: Apache-2.0
// Generations of InfiniBand links, by the speed of a lane (InfiniBand Architecture Specification, volume 2).
#pragma once
#include <algorithm>
#include <array>
#include <string_view>

namespace ringside::trace {

struct LinkGeneration {
    std::string_view name;
    double signalledGbps; ///< of a lane, with line coding
    double gbps;          ///< of a lane, as its name promises
    double dataShare;     ///< of `gbps` that carries data: SDR to QDR use the line code 8b/10b, FDR 64b/66b
    bool corrected;       ///< errors of single bits are corrected on the link
};

inline constexpr std::array<LinkGeneration, 9> kLinkGenerations{{{"SDR", 2.5, 2.5, 0.8, false},
                                                                 {"DDR", 5.0, 5, 0.8, false},
                                                                 {"QDR", 10.0, 10, 0.8, false},
                                                                 {"FDR10", 10.3125, 10, 0.97, false},
                                                                 {"FDR", 14.0625, 14, 0.97, false},
                                                                 {"EDR", 25.78125, 25, 1, false},
                                                                 {"HDR", 53.125, 50, 1, true},
                                                                 {"NDR", 106.25, 100, 1, true},
                                                                 {"XDR", 212.5, 200, 1, true}}};

/// What a kernel says of a port whose speed it does not know.
inline constexpr std::string_view kSpeedNotKnown = "SDR";

/// Returns null for another name, as of a port of Ethernet.
[[nodiscard]] constexpr const LinkGeneration* findLinkGeneration(std::string_view name)
{
    const auto* const found = std::ranges::find(kLinkGenerations, name, &LinkGeneration::name);
    return found != kLinkGenerations.end() ? found : nullptr;
}

/// Whether links of that generation correct errors of single bits; false for another name.
[[nodiscard]] constexpr bool isErrorCorrected(std::string_view generation)
{
    const LinkGeneration* const found = findLinkGeneration(generation);
    return found != nullptr && found->corrected;
}

} // namespace ringside::trace
