// SPDX-License-Identifier: Apache-2.0
#include "conditions/readings.h"

#include "trace/vocabulary/clock_reasons.h"
#include "trace/vocabulary/link_generation.h"
#include "values/parse_number.h"
#include "words/nvlink_errors.h"

#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace ringside::conditions {
bool mlxlinkComplains(const Subject& port)
{
    // mlxlink's text for a good link, and for one that nobody asks to be up
    const std::string_view advice = port.fact("recommendation");
    return !advice.starts_with("No issue was observed") && advice != "N/A";
}

std::optional<double> markedShare(const Subject& port)
{
    const auto marked = port.gain("ecn_marked");
    const auto received = port.gain("rx_packets");
    return marked && received && *received > 0
               ? std::optional(static_cast<double>(*marked) / static_cast<double>(*received))
               : std::nullopt;
}

std::optional<double> slowedASecond(const Subject& port)
{
    constexpr double kSeconds = 60;
    const auto handled = port.gain("cnp_handled");
    return handled ? std::optional(static_cast<double>(*handled) /
                                   std::max(1.0, minutesOf(port.sampled()) * kSeconds))
                   : std::nullopt;
}

bool isCorrected(const Subject& port)
{
    return trace::isErrorCorrected(port.fact("generation"));
}

namespace {

/// Returns the clock that the GPU can have: its largest one, or that of readings without trouble, each by the
/// last reading of reasons before it. Null if neither is known: a GPU may be held down all the time.
std::optional<std::int64_t> fullClock(const Subject& gpu)
{
    std::optional<std::int64_t> full = gpu.largest("sm_clock_max_mhz");
    const std::vector<SampleValue>& reasons = gpu.readings("clock_event_reasons");
    auto reason = reasons.begin();
    for (const SampleValue& clock : gpu.readings("sm_clock_mhz")) {
        while (reason != reasons.end() && reason + 1 != reasons.end() &&
               (reason + 1)->timeNs <= clock.timeNs) {
            ++reason;
        }
        if (reason != reasons.end() && (reason->value & trace::clock_reasons::kTrouble) == 0) {
            full = std::max(full, std::optional(clock.value)); // null is less
        }
    }
    return full;
}

/// Whether the clock is at least as high as the rule clock_throttling lets pass.
bool isNearlyFull(const Subject& gpu)
{
    constexpr double kPart = 0.95;
    const auto now = gpu.last("sm_clock_mhz");
    const auto full = fullClock(gpu);
    return now && full && static_cast<double>(*now) >= kPart * static_cast<double>(*full);
}

} // namespace

std::optional<double> clockTrouble(const Subject& gpu)
{
    const auto bits = gpu.last("clock_event_reasons");
    if (!bits) {
        return std::nullopt;
    }
    return isNearlyFull(gpu) ? 0.0 : static_cast<double>(*bits & trace::clock_reasons::kTrouble);
}

std::string_view clockHolder(const Subject& gpu)
{
    return trace::clock_reasons::troubleIn(gpu.last("clock_event_reasons").value_or(0));
}

std::optional<double> rateLost(const Subject& port)
{
    const auto before = port.first("rate_mbps");
    const auto now = port.last("rate_mbps");
    return before && *before > 0 && now
               ? std::optional(1.0 - static_cast<double>(*now) / static_cast<double>(*before))
               : std::nullopt;
}

std::optional<double> portLost(const Subject& port)
{
    constexpr std::int64_t kActive = 4; // IB_PORT_ACTIVE
    const auto now = port.last("state");
    return now ? std::optional(port.first("state") == kActive && *now != kActive ? 1.0 : 0.0) : std::nullopt;
}

namespace {

std::int64_t nvlinksExpected(const Subject& gpu)
{
    return std::max(gpu.first("nvlink_links_up").value_or(0),
                    values::parseNumber<std::int64_t>(gpu.told("nvlinks_of_siblings")).value_or(0));
}

} // namespace

std::optional<double> nvlinksMissing(const Subject& gpu)
{
    const auto now = gpu.last("nvlink_links_up");
    return now ? std::optional(static_cast<double>(nvlinksExpected(gpu) - *now)) : std::nullopt;
}

std::vector<words::Slot> nvlinkSlots(const Subject& gpu)
{
    const std::int64_t now = gpu.last("nvlink_links_up").value_or(0);
    const bool wentDown = now < gpu.first("nvlink_links_up").value_or(0);
    return {{"now", now},
            {"expected", nvlinksExpected(gpu)},
            {"went_down", wentDown ? words::Text(words::nvlink_errors::went_down) : words::Text()}};
}

std::optional<double> clockShare(const Subject& gpu)
{
    const auto clock = values::parseNumber<double>(gpu.told("clock_mhz"));
    const auto siblings = values::parseNumber<double>(gpu.told("clock_of_siblings"));
    return clock && siblings && *siblings > 0 ? std::optional(*clock / *siblings) : std::nullopt;
}

std::vector<words::Slot> clockSlots(const Subject& gpu)
{
    return {{"clock", values::parseNumber<double>(gpu.told("clock_mhz")).value_or(0)},
            {"median", values::parseNumber<double>(gpu.told("clock_of_siblings")).value_or(0)}};
}

bool isAtPowerCap(const Subject& gpu)
{
    return !gpu.told("at_power_cap").empty();
}

trace::Severity xidSeverity(std::int64_t xid)
{
    const trace::XidEntry* const entry = trace::findXid(xid);
    return trace::isFatalXid(xid)                                            ? trace::Severity::Problem
           : entry != nullptr && entry->hardware == trace::XidHardware::None ? trace::Severity::Info
                                                                             : trace::Severity::Warning;
}

std::optional<double> xidGrade(const Subject& gpu)
{
    const auto found = gpu.values.find("xid");
    std::optional<double> worst;
    for (std::size_t i = 0; found != gpu.values.end() && i < found->second.size(); ++i) {
        worst = std::max(worst.value_or(0), static_cast<double>(xidSeverity(found->second[i].value)));
    }
    return worst;
}

std::string_view lastXid(const Subject& gpu)
{
    const trace::XidEntry* const entry = trace::findXid(gpu.last("xid").value_or(0));
    return entry != nullptr ? entry->meaning : "not in NVIDIA's catalogue";
}

std::optional<double> cpuQuota(const Subject& host)
{
    std::string_view text = host.told("cpu_quota");
    const auto allowed = values::takeNumber<std::int64_t>(text);
    const auto period = values::parseNumber<std::int64_t>(text.substr(std::min<std::size_t>(1, text.size())));
    return allowed && period && *period > 0
               ? std::optional(static_cast<double>(*allowed) / static_cast<double>(*period))
               : std::nullopt;
}

bool hasDynamicClock(const Subject& host)
{
    const std::string_view governor = host.told("governor");
    return governor == "powersave" || governor == "schedutil" || governor == "ondemand" ||
           governor == "conservative";
}

std::optional<double> heatMargin(const Subject& gpu)
{
    const auto isTemperature = [](std::int64_t celsius) { return celsius > 0 && celsius < 1000; };
    const auto limit = gpu.last("temperature_slowdown_celsius");
    const auto found = gpu.values.find("temperature_celsius");
    std::optional<double> margin;
    for (std::size_t i = 0;
         limit && isTemperature(*limit) && found != gpu.values.end() && i < found->second.size(); ++i) {
        if (const std::int64_t celsius = found->second[i].value; isTemperature(celsius)) {
            const auto here = static_cast<double>(*limit - celsius);
            margin = std::min(margin.value_or(here), here);
        }
    }
    return margin;
}

PcieLink pcieLinkOf(const Subject& gpu)
{
    constexpr std::int64_t kMost = 64; // lanes or generations; more is a damaged value
    constexpr std::size_t kReadings = 3;
    const auto sane = [](std::int64_t value) { return value > 0 && value <= kMost ? value : 0; };
    PcieLink link{sane(gpu.last("pcie_lanes").value_or(0)), sane(gpu.last("pcie_lanes_max").value_or(0))};
    if (link.lanes == 0 || link.mostLanes == 0) {
        link = {};
    }
    const auto found = gpu.values.find("pcie_generation");
    const std::int64_t most = sane(gpu.last("pcie_generation_max").value_or(0));
    if (most > 0 && found != gpu.values.end() && found->second.size() >= kReadings) {
        link.generation = sane(std::ranges::max(found->second, {}, &SampleValue::value).value);
        link.mostGeneration = link.generation > 0 ? most : 0;
    }
    return link;
}

std::optional<double> pcieShare(const Subject& gpu)
{
    const PcieLink link = pcieLinkOf(gpu);
    if (link.mostLanes == 0 && link.mostGeneration == 0) {
        return std::nullopt;
    }
    const double width =
        link.isNarrow() ? static_cast<double>(link.lanes) / static_cast<double>(link.mostLanes) : 1;
    // each generation doubles the rate
    return link.isSlow() ? width * std::exp2(static_cast<double>(link.generation - link.mostGeneration))
                         : width;
}

std::vector<words::Slot> pcieSlots(const Subject& gpu)
{
    const PcieLink link = pcieLinkOf(gpu);
    return {{"lanes", link.lanes},
            {"most_lanes", link.mostLanes},
            {"generation", link.generation},
            {"most_generation", link.mostGeneration}};
}

double replayLimit(const Subject& gpu, double option)
{
    constexpr double kErrors = 0.06;
    constexpr std::array<double, 6> kGigatransfers{2.5, 5, 8, 16, 32, 64};
    constexpr double kUsual = 16;
    const std::int64_t lanes = gpu.last("pcie_lanes_max").value_or(0);
    const std::int64_t generation = gpu.last("pcie_generation_max").value_or(0);
    const bool known =
        lanes > 0 && generation > 0 && generation <= static_cast<std::int64_t>(kGigatransfers.size());
    return option > 0 ? option
           : known    ? std::ceil(kErrors * kGigatransfers[static_cast<std::size_t>(generation) - 1] *
                                  static_cast<double>(lanes))
                      : kUsual;
}

} // namespace ringside::conditions
