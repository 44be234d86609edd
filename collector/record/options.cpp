// SPDX-License-Identifier: Apache-2.0
#include "record/options.h"

#include "record/message.h"
#include "values/parse_number.h"

#include <ringside/trace/quantity.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

namespace ringside::collector {
namespace {

std::string_view variable(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

Profile profileOf(std::string_view text)
{
    if (text == "light") {
        return Profile::Light;
    }
    if (text == "standard") {
        return Profile::Standard;
    }
    if (text == "deep") {
        return Profile::Deep;
    }
    if (text == "off") {
        return Profile::Off;
    }
    if (!text.empty() && text != "auto") {
        say(Talk::Always, "RINGSIDE_PROFILE is none of auto, light, standard, deep, off: using auto");
    }
    return Profile::Auto;
}

trace::RecordingWindows windows()
{
    const trace::ParsedWindows parsed = trace::parseWindows(
        {variable("RINGSIDE_START_STEP"), variable("RINGSIDE_STEPS"), variable("RINGSIDE_WINDOW")});
    if (!parsed.error.empty()) {
        say(Talk::Always,
            "RINGSIDE_START_STEP, RINGSIDE_STEPS, RINGSIDE_WINDOW: %s; recording without windows",
            parsed.error.c_str());
    }
    return parsed.windows;
}

std::int64_t hangTimeoutOf(std::string_view text, std::int64_t fallback)
{
    if (text.empty()) {
        return fallback;
    }
    const std::optional<std::int64_t> timeout = text == "0" ? 0 : trace::parseDuration(text);
    if (!timeout) {
        say(Talk::Always,
            "RINGSIDE_HANG_TIMEOUT is neither 0 nor a length of time such as 30s or 5m: using 300s");
    }
    return timeout.value_or(fallback);
}

std::size_t ringBytesOf(std::string_view text, std::size_t fallback)
{
    if (text.empty()) {
        return fallback;
    }
    constexpr std::int64_t kSmallest = 64 << 10;
    constexpr std::int64_t kLargest = 1 << 30;
    const std::optional<std::int64_t> bytes = trace::parseSize(text);
    if (!bytes) {
        say(Talk::Always, "RINGSIDE_RING_BYTES is not a size such as 4194304 or 4M: using %zu bytes",
            fallback);
    }
    return bytes ? std::bit_ceil(static_cast<std::size_t>(std::clamp(*bytes, kSmallest, kLargest)))
                 : fallback;
}

std::int64_t sampleMsOf(std::string_view text, std::int64_t byDefault)
{
    if (text.empty()) {
        return byDefault;
    }
    constexpr std::int64_t kFastest = 10;
    constexpr std::int64_t kSlowest = 60000;
    const auto ms = values::parseNumber<std::int64_t>(text);
    if (!ms || (*ms != 0 && (*ms < kFastest || *ms > kSlowest))) {
        say(Talk::Always, "RINGSIDE_SAMPLE_MS is neither 0 nor between 10 and 60000: using %d",
            static_cast<int>(byDefault));
        return byDefault;
    }
    return *ms;
}

trace::SizeLimit sizeLimit()
{
    trace::SizeLimit limit;
    const std::string_view size = variable("RINGSIDE_MAX_SIZE");
    const std::string_view whenFull = variable("RINGSIDE_WHEN_FULL");
    const auto bytes = trace::parseSize(size);
    limit.bytes = std::max(bytes.value_or(0), bytes ? trace::kSmallestTraceBytes : 0);
    limit.whenFull = whenFull == "oldest" ? trace::WhenFull::Oldest : trace::WhenFull::Stop;
    if (!size.empty() && !bytes) {
        say(Talk::Always, "RINGSIDE_MAX_SIZE is not a size such as 2G: recording without a limit");
    }
    if (!whenFull.empty() && whenFull != "oldest" && whenFull != "stop") {
        say(Talk::Always, "RINGSIDE_WHEN_FULL is neither stop nor oldest: using stop");
    }
    return limit;
}

std::int64_t keepLast()
{
    const std::string_view text = variable("RINGSIDE_KEEP_LAST");
    const auto ns = trace::parseDuration(text);
    if (!text.empty() && !ns) {
        say(Talk::Always, "RINGSIDE_KEEP_LAST is not a duration such as 60s: recording everything");
    }
    return ns.value_or(0);
}

} // namespace

Options readOptions()
{
    Options options;
    options.directory = variable("RINGSIDE_DIR");
    options.plan = {profileOf(variable("RINGSIDE_PROFILE")), windows()};
    options.sizeLimit = sizeLimit();
    options.keepLastNs = keepLast();
    options.ringBytes = ringBytesOf(variable("RINGSIDE_RING_BYTES"), options.ringBytes);
    const std::string_view events = variable("RINGSIDE_CUDA_EVENTS");
    options.cudaEvents = !events.empty() && events != "0";
    options.oneConnection = values::parseNumber<int>(variable("CUDA_DEVICE_MAX_CONNECTIONS")) == 1;
    const std::string_view daemon = variable("KINETO_USE_DAEMON");
    options.kinetoDaemon = !daemon.empty() && daemon != "0";
    options.hangTimeoutNs = hangTimeoutOf(variable("RINGSIDE_HANG_TIMEOUT"), options.hangTimeoutNs);
    options.sampleMs = sampleMsOf(variable("RINGSIDE_SAMPLE_MS"), options.sampleMs);
    if (const std::string_view root = variable("RINGSIDE_SYSFS_ROOT"); !root.empty()) {
        options.sysfsRoot = root;
    }
    return options;
}

} // namespace ringside::collector
