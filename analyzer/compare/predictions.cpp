// SPDX-License-Identifier: Apache-2.0
#include "compare/predictions.h"

#include "whatif/whatif.h"

#include <ringside/error.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ringside::compare {
namespace {

constexpr const char* kHowToMake = "Make it with: ringside whatif BASE CHANGES --format json > FILE";
constexpr double kNsPerMs = 1e6;

/// The prediction without what really came.
HeldPrediction readPrediction(const std::filesystem::path& path)
{
    std::ifstream file(path);
    const auto json = nlohmann::json::parse(file, nullptr, false);
    try {
        if (json.at("schema") == "ringside-whatif/1") {
            if (json.at("predicted_ns").is_null()) {
                throw Error(ErrorCode::Usage, path.string() + " predicts no change", kHowToMake);
            }
            return {json.at("changes"),           json.at("measured_ns"),
                    json.at("predicted_ns"),      json.at("predicted_least_ns"),
                    json.at("predicted_most_ns"), 0};
        }
    } catch (const nlohmann::json::exception&) { // said below
    }
    throw Error(ErrorCode::Unusable, path.string() + " is no output of ringside whatif --format json",
                kHowToMake);
}

} // namespace

std::string HeldPrediction::sentence() const
{
    return fmt::format("{}: predicted {:.2f} ms (between {:.2f} and {:.2f} ms) instead of {:.2f} ms, really "
                       "{:.2f} ms. Error {:+.1f} %, {} the bounds.",
                       fmt::join(changes, ", "), predictedNs / kNsPerMs, leastNs / kNsPerMs,
                       mostNs / kNsPerMs, measuredNs / kNsPerMs, realNs / kNsPerMs, 100 * error(),
                       isWithinBounds() ? "within" : "outside of");
}

HeldPrediction holdPrediction(const std::filesystem::path& file, const model::Model& base,
                              const model::Model& now)
{
    constexpr double kSame = 1e-3; // the same run measures the same, but for other options of its reading
    HeldPrediction held = readPrediction(file);
    const double baseNs = whatif::measuredStepNs(base);
    if (std::abs(held.measuredNs / baseNs - 1) > kSame) {
        throw Error(ErrorCode::Usage,
                    fmt::format("{} predicts from another run: its step takes {:.2f} ms, that of BASE {:.2f} "
                                "ms",
                                file.string(), held.measuredNs / kNsPerMs, baseNs / kNsPerMs),
                    kHowToMake);
    }
    held.realNs = whatif::measuredStepNs(now);
    return held;
}

} // namespace ringside::compare
