// SPDX-License-Identifier: Apache-2.0
// The device model: the declared capabilities of the emulated GPU, read once from the file that
// RINGSIDE_DEVICE_MODEL names (keys: device_model.md). Without a file, work takes its real time. It never
// guesses: a bad file is an error.
#pragma once
#include "platform.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::platform {

class DeviceModel final {
public:
    /// Returns the process's model. Reads files and environment on first use.
    static const DeviceModel& get();
    /// Parses `text` as a model file; error() gives the place and reason of a mistake. `slowdown` multiplies
    /// the time of arithmetic and copies (RINGSIDE_DEVICE_SLOWDOWN), 1 for a healthy device.
    DeviceModel(const std::string& text, const std::string& path, double slowdown);

    [[nodiscard]] bool active() const { return m_active; }
    [[nodiscard]] bool skipsArithmetic() const { return m_skipArithmetic; }
    /// Returns an empty text if the file was valid.
    [[nodiscard]] const std::string& error() const { return m_error; }
    [[nodiscard]] double number(const std::string& key, double fallback) const;
    /// Returns how long this work takes on the modelled device; without a model, the time that it took here,
    /// or longer on a slow device.
    [[nodiscard]] std::int64_t durationNs(const Work& work, std::int64_t tookNs) const;
    /// Returns the time from the call to the earliest start of its work.
    [[nodiscard]] std::int64_t launchLatencyNs() const { return m_launchLatencyNs; }
    /// Returns the factor by which the device's clock is throttled at this time after the model was read; 1
    /// if it is not.
    [[nodiscard]] double throttleFactor(double seconds) const;
    /// Returns how long arithmetic takes that needs `seconds` at full clock and begins `beginS` seconds after
    /// the model was read.
    [[nodiscard]] double throttled(double beginS, double seconds) const;
    /// Returns the seconds since the model was read.
    [[nodiscard]] double age() const;

private:
    void parse(const std::string& text, const std::string& path);
    void parseLine(const std::string& line, const std::string& where);
    void parseThrottle(const std::string& value, const std::string& where);
    [[nodiscard]] double arithmeticNs(const Work& work, std::int64_t tookNs) const;

    /// A clock that is slower by `factor` from `startS` to `endS` seconds after the model was read.
    struct Throttle {
        double startS;
        double endS;
        double factor;
    };

    std::vector<Throttle> m_throttles; ///< sorted, without overlap
    std::int64_t m_readNs = 0;
    std::map<std::string, double> m_numbers;
    std::string m_error;
    double m_slowdown = 1;
    std::int64_t m_launchLatencyNs = 0;
    bool m_active = false;
    bool m_skipArithmetic = false;
};

} // namespace ringside::platform
