// SPDX-License-Identifier: Apache-2.0
#include "model.h"

#include "clock.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>

namespace ringside::platform {
namespace {

// All keys of a model file, so that a misspelt key is an error and not a silent default.
constexpr std::array<std::string_view, 17> kKeys = {"flops",
                                                    "memory_bandwidth",
                                                    "pcie_bandwidth",
                                                    "kernel_launch_latency_ns",
                                                    "kernel_minimum_ns",
                                                    "copy_latency_ns",
                                                    "memory_bytes",
                                                    "link_bandwidth",
                                                    "link_latency_ns",
                                                    "multiprocessors",
                                                    "slow_link_a",
                                                    "slow_link_b",
                                                    "slow_link_bandwidth",
                                                    "slow_link_latency_ns",
                                                    "sm_clock_mhz",
                                                    "half_flops",
                                                    "double_flops"};

std::string trimmed(std::string_view text)
{
    const auto first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos)
        return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r") - first + 1));
}

std::string readFile(const char* path, std::string& error)
{
    std::ifstream file(path);
    std::ostringstream text;
    if (!(text << file.rdbuf()))
        error = std::string(path) +
                " (RINGSIDE_DEVICE_MODEL): cannot be read; name an existing device model file";
    return text.str();
}

double slowdownFromEnvironment(std::string& error)
{
    const char* text = std::getenv("RINGSIDE_DEVICE_SLOWDOWN");
    if (text == nullptr || *text == '\0')
        return 1;
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (*end == '\0' && value >= 1)
        return value;
    error = std::string("RINGSIDE_DEVICE_SLOWDOWN=") + text + ": must be a number, 1 or more";
    return 1;
}

DeviceModel modelFromEnvironment()
{
    std::string error;
    const double slowdown = slowdownFromEnvironment(error);
    const char* path = std::getenv("RINGSIDE_DEVICE_MODEL");
    const bool hasFile = path != nullptr && *path != '\0';
    const std::string text = hasFile ? readFile(path, error) : std::string();
    if (!error.empty())
        return DeviceModel("error = " + error, "", slowdown);
    return DeviceModel(text, hasFile ? path : "", slowdown);
}

} // namespace

const DeviceModel& DeviceModel::get()
{
    // Never destroyed: stream threads use it until the process ends.
    static const auto* model = new DeviceModel(modelFromEnvironment());
    return *model;
}

DeviceModel::DeviceModel(const std::string& text, const std::string& path, double slowdown)
    : m_readNs(monotonicNs()), m_slowdown(slowdown)
{
    parse(text, path);
    m_launchLatencyNs = static_cast<std::int64_t>(number("kernel_launch_latency_ns", 0));
}

void DeviceModel::parse(const std::string& text, const std::string& path)
{
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; m_error.empty() && std::getline(lines, line); ++number) {
        line = trimmed(std::string_view(line).substr(0, line.find('#')));
        if (!line.empty())
            parseLine(line, path + ":" + std::to_string(number));
    }
    m_active = !m_numbers.empty();
}

void DeviceModel::parseLine(const std::string& line, const std::string& where)
{
    const auto equals = line.find('=');
    const std::string key = trimmed(std::string_view(line).substr(0, equals));
    const std::string value =
        equals == std::string::npos ? "" : trimmed(std::string_view(line).substr(equals + 1));
    if (key == "error") { // not a line of the file: an error from before there was a file to read
        m_error = value;
        return;
    }
    if (key == "compute") {
        m_skipArithmetic = value == "skip";
        if (value != "skip" && value != "run")
            m_error = where + ": compute must be run or skip, not '" + value + "'";
        return;
    }
    if (key == "throttle") {
        parseThrottle(value, where);
        return;
    }
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
        m_error = where + ": unknown key '" + key + "'; device_model.md lists the keys";
        return;
    }
    char* end = nullptr;
    const double parsed = std::strtod(value.c_str(), &end);
    if (value.empty() || *end != '\0' || !(parsed >= 0))
        m_error = where + ": " + key + " needs a number, 0 or more, not '" + value + "'";
    m_numbers[key] = parsed;
}

void DeviceModel::parseThrottle(const std::string& value, const std::string& where)
{
    Throttle window{};
    char rest = 0;
    const int read =
        std::sscanf(value.c_str(), "%lf , %lf , %lf %c", &window.startS, &window.endS, &window.factor, &rest);
    const double earliest = m_throttles.empty() ? 0 : m_throttles.back().endS;
    if (read != 3 || !(window.startS >= earliest) || !(window.endS > window.startS) ||
        !(window.factor >= 1)) {
        m_error = where +
                  ": throttle needs 'start, end, factor': seconds, later than the window before, and " +
                  "a factor of 1 or more, not '" + value + "'";
        return;
    }
    m_throttles.push_back(window);
}

double DeviceModel::age() const
{
    return static_cast<double>(monotonicNs() - m_readNs) * 1e-9;
}

double DeviceModel::throttleFactor(double seconds) const
{
    for (const Throttle& window : m_throttles)
        if (seconds >= window.startS && seconds < window.endS)
            return window.factor;
    return 1;
}

// Goes through the windows: full clock before each, then its factor, until the work is done.
double DeviceModel::throttled(double beginS, double seconds) const
{
    double at = beginS;
    for (const Throttle& window : m_throttles) {
        if (at >= window.endS)
            continue;
        const double before = std::max(0.0, window.startS - at);
        if (seconds <= before)
            break;
        seconds -= before;
        at += before;
        const double inside = (window.endS - at) / window.factor;
        if (seconds <= inside)
            return at + seconds * window.factor - beginS;
        seconds -= inside;
        at = window.endS;
    }
    return at + seconds - beginS;
}

double DeviceModel::number(const std::string& key, double fallback) const
{
    const auto found = m_numbers.find(key);
    return found == m_numbers.end() ? fallback : found->second;
}

// Returns the time that depends on the clock: of the operations, or without a model the time that they took
// here.
double DeviceModel::arithmeticNs(const Work& work, std::int64_t tookNs) const
{
    const double rate = number("flops", 0);
    double ns = rate > 0 ? work.cost.flops / rate * 1e9 : 0;
    if (work.arithmetic && !m_active)
        ns = static_cast<double>(tookNs);
    if (m_throttles.empty() || ns <= 0)
        return ns;
    const double beginS = std::max(0.0, age() - static_cast<double>(tookNs) * 1e-9);
    return throttled(beginS, ns * 1e-9) * 1e9;
}

std::int64_t DeviceModel::durationNs(const Work& work, std::int64_t tookNs) const
{
    const auto ns = [this](double amount, const char* key) {
        const double rate = number(key, 0);
        return rate > 0 ? amount / rate * 1e9 : 0;
    };
    double busyNs = std::max(arithmeticNs(work, tookNs), ns(work.cost.memoryBytes, "memory_bandwidth"));
    if (work.kind == WorkKind::Copy)
        busyNs = std::max(busyNs, ns(work.cost.copyBytes, "pcie_bandwidth")) + number("copy_latency_ns", 0);
    else
        busyNs = std::max(busyNs, number("kernel_minimum_ns", 0));
    return std::max(static_cast<std::int64_t>(busyNs * m_slowdown), work.cost.minimumNs);
}

} // namespace ringside::platform
