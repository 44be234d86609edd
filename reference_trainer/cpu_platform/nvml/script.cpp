// SPDX-License-Identifier: Apache-2.0
#include "script.h"

#include "platform.h"
#include "script_text.h"

#include <nvml.h>

#include <unistd.h>

#include <array>
#include <map>
#include <numeric>
#include <sstream>
#include <string_view>

namespace ringside::nvml {
namespace {

const std::map<std::string, Reading, std::less<>>& keys()
{
    static const auto* all = new std::map<std::string, Reading, std::less<>>{
#define X(name, key) {key, Reading::name},
#include "readings.def"
#undef X
    };
    return *all;
}

struct ReasonName {
    std::string_view name;
    unsigned long long bit;
};
constexpr std::array<ReasonName, 10> kReasons = {
    {{"none", nvmlClocksEventReasonNone},
     {"idle", nvmlClocksEventReasonGpuIdle},
     {"application_clocks", nvmlClocksEventReasonApplicationsClocksSetting},
     {"power_cap", nvmlClocksEventReasonSwPowerCap},
     {"hw_slowdown", nvmlClocksThrottleReasonHwSlowdown},
     {"sync_boost", nvmlClocksEventReasonSyncBoost},
     {"thermal", nvmlClocksEventReasonSwThermalSlowdown},
     {"hw_thermal", nvmlClocksThrottleReasonHwThermalSlowdown},
     {"power_brake", nvmlClocksThrottleReasonHwPowerBrakeSlowdown},
     {"display", nvmlClocksEventReasonDisplayClockSetting}}};

std::optional<int> wholeNumber(const std::string& text)
{
    constexpr unsigned kLargest = 1'000'000'000;
    const std::optional<unsigned> value = platform::wholeScriptNumber(text, kLargest);
    return value.has_value() ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

// Parses names joined by '+'.
std::optional<double> reasons(const std::string& text)
{
    unsigned long long bits = 0;
    std::istringstream names(text);
    for (std::string name; std::getline(names, name, '+');) {
        const auto* found = kReasons.begin();
        while (found != kReasons.end() && found->name != name)
            ++found;
        if (found == kReasons.end())
            return std::nullopt;
        bits |= found->bit;
    }
    return text.empty() ? std::nullopt : std::optional(static_cast<double>(bits));
}

std::vector<int> devicesNamed(const std::string& text)
{
    const int count = ringside_platform_device_count();
    if (text == "*") {
        std::vector<int> all(static_cast<std::size_t>(count));
        std::iota(all.begin(), all.end(), 0);
        return all;
    }
    const std::optional<int> index = wholeNumber(text);
    return index.has_value() && *index < count ? std::vector<int>{*index} : std::vector<int>{};
}

} // namespace

const Script& Script::get()
{
    static const auto* script = platform::readNamedScript<Script>("RINGSIDE_NVML_SCRIPT", &Script::m_error);
    return *script;
}

Script::Script(const std::string& text, const std::string& path)
{
    m_error = platform::readScriptLines(text, path, [this](double seconds, std::istringstream& words) {
        return parseLine(seconds, words) ? std::string() : m_error;
    });
}

bool Script::parseLine(double seconds, std::istringstream& words)
{
    std::string device;
    words >> device;
    const Line line = {seconds, devicesNamed(device)};
    if (line.devices.empty()) {
        m_error = "'" + device + "' is no device here: needs * or a number below " +
                  std::to_string(ringside_platform_device_count()) + " (RINGSIDE_PLATFORM_DEVICES)";
        return false;
    }
    for (std::string word; words >> word;)
        if (!parseWord(word, line))
            return false;
    return true;
}

bool Script::parseWord(const std::string& word, const Line& line)
{
    const auto equals = word.find('=');
    const std::string key = word.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
    if (key == "process")
        return parseProcess(value, line);
    if (key != "xid")
        return parseReading(key, value, line);
    const std::optional<int> xid = wholeNumber(value);
    if (!xid.has_value()) {
        m_error = "xid needs a whole number, not '" + value + "'";
        return false;
    }
    for (const int device : line.devices)
        m_xids.push_back({line.seconds, device, static_cast<std::uint64_t>(*xid)});
    return true;
}

// Parses PID:BYTES, where PID may be self.
bool Script::parseProcess(const std::string& text, const Line& line)
{
    const auto colon = text.find(':');
    const std::string who = text.substr(0, colon);
    const std::optional<int> pid = who == "self" ? std::optional<int>(getpid()) : wholeNumber(who);
    const std::optional<double> bytes =
        colon == std::string::npos ? std::nullopt : platform::scriptNumber(text.substr(colon + 1));
    if (!pid.has_value() || !bytes.has_value()) {
        m_error = "process needs PID:BYTES or self:BYTES, not '" + text + "'";
        return false;
    }
    for (const int device : line.devices)
        m_processes.push_back(
            {line.seconds, device, {static_cast<unsigned>(*pid), static_cast<std::uint64_t>(*bytes)}});
    return true;
}

bool Script::parseReading(const std::string& key, const std::string& text, const Line& line)
{
    const auto dot = key.find('.');
    const auto reading = keys().find(std::string_view(key).substr(0, dot));
    const bool ofOneLink = dot != std::string::npos;
    const std::optional<int> link = ofOneLink ? wholeNumber(key.substr(dot + 1)) : kEveryLink;
    if (reading == keys().end() || !link.has_value() || (ofOneLink && !key.starts_with("nvlink_"))) {
        m_error = "unknown key '" + key + "'; the README beside the emulated NVML lists the keys";
        return false;
    }
    const std::optional<double> value =
        reading->second == Reading::Reasons ? reasons(text) : platform::scriptNumber(text);
    if (!value.has_value()) {
        m_error = key + " cannot be '" + text + "'; see the README beside the emulated NVML";
        return false;
    }
    for (const int device : line.devices)
        m_entries.push_back({line.seconds, device, *link, reading->second, *value});
    return true;
}

std::optional<double> Script::value(int device, Reading reading, double seconds, int link) const
{
    std::optional<double> ofAll;
    std::optional<double> ofLink;
    for (const Entry& entry : m_entries) {
        if (entry.seconds > seconds)
            break;
        if (entry.device != device || entry.reading != reading)
            continue;
        if (entry.link == kEveryLink)
            ofAll = entry.value;
        else if (entry.link == link)
            ofLink = entry.value;
    }
    return ofLink.has_value() ? ofLink : ofAll;
}

std::optional<std::vector<ProcessEntry>> Script::processes(int device, double seconds) const
{
    bool said = false;
    std::map<unsigned, std::uint64_t> bytes;
    for (const ProcessLine& line : m_processes) {
        if (line.seconds > seconds || line.device != device)
            continue;
        said = true;
        bytes[line.process.pid] = line.process.bytes;
    }
    if (!said)
        return std::nullopt;
    std::vector<ProcessEntry> present;
    for (const auto& [pid, held] : bytes)
        if (held > 0)
            present.push_back({pid, held});
    return present;
}

} // namespace ringside::nvml
