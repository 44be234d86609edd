// SPDX-License-Identifier: Apache-2.0
// One spelling of places on the PCIe bus: NVML, DCGM and sysfs write the domain with 8 or 4 digits, in
// capitals or not.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>

namespace ringside::host {

/// "00000000:1A:00.0" and "0000:1a:00.0" become "0000:1a:00.0".
[[nodiscard]] inline std::string pciPlace(std::string_view busId)
{
    constexpr std::size_t kDomainDigits = 4;
    const std::size_t domain =
        std::max(std::min(busId.find(':'), busId.size()), kDomainDigits) - kDomainDigits;
    std::string place(busId.substr(std::min(domain, busId.size())));
    std::ranges::transform(place, place.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return place;
}

} // namespace ringside::host
