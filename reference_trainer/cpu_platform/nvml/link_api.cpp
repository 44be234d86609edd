// SPDX-License-Identifier: Apache-2.0
#include "links.h"

#include <array>

using namespace ringside::nvml;

namespace ringside::nvml {

std::optional<unsigned> linkCount(nvmlDevice_t device)
{
    const std::optional<double> count = valueNow(device, Reading::NvLinks);
    return count.has_value() ? std::optional(static_cast<unsigned>(*count)) : std::nullopt;
}

std::optional<double> sumOfLinks(nvmlDevice_t device, Reading reading)
{
    const std::optional<unsigned> count = linkCount(device);
    if (!count.has_value())
        return std::nullopt;
    double sum = 0;
    for (unsigned link = 0; link < *count; ++link) {
        const std::optional<double> value = valueNow(device, reading, static_cast<int>(link));
        if (!value.has_value())
            return std::nullopt;
        sum += *value;
    }
    return sum;
}

} // namespace ringside::nvml

namespace {

// Runs `body` if the device has this link.
template <class Body>
nvmlReturn_t onLink(nvmlDevice_t device, unsigned link, const void* place, Body&& body)
{
    return callOn(
        device,
        [&]() -> nvmlReturn_t {
            const std::optional<unsigned> count = linkCount(device);
            if (!count.has_value())
                return NVML_ERROR_NOT_SUPPORTED;
            return link < *count ? body() : NVML_ERROR_INVALID_ARGUMENT;
        },
        place);
}

} // namespace

nvmlReturn_t nvmlDeviceGetNvLinkState(nvmlDevice_t device, unsigned link, nvmlEnableState_t* state)
{
    return onLink(device, link, state, [&] {
        const double up = valueNow(device, Reading::NvLinkUp, static_cast<int>(link)).value_or(1);
        *state = up != 0 ? NVML_FEATURE_ENABLED : NVML_FEATURE_DISABLED;
        return NVML_SUCCESS;
    });
}

nvmlReturn_t nvmlDeviceGetNvLinkErrorCounter(nvmlDevice_t device, unsigned link,
                                             nvmlNvLinkErrorCounter_t counter, unsigned long long* errors)
{
    constexpr std::array kReadings = {Reading::NvLinkReplays, Reading::NvLinkRecoveries,
                                      Reading::NvLinkCrcFlit, Reading::NvLinkCrcData};
    return onLink(device, link, errors, [&] {
        if (static_cast<std::size_t>(counter) >= kReadings.size())
            return NVML_ERROR_INVALID_ARGUMENT;
        return tell(device, kReadings[counter], errors, 1, static_cast<int>(link));
    });
}
