// SPDX-License-Identifier: Apache-2.0
// JSON output, a contract like that of the report: within a major version, members are only added.
#include "whatif/whatif.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace ringside::whatif {
namespace {

nlohmann::ordered_json wholeNs(std::optional<double> ns)
{
    return ns ? nlohmann::ordered_json(std::llround(*ns)) : nlohmann::ordered_json();
}

} // namespace

std::string renderJson(const Prediction& prediction)
{
    nlohmann::ordered_json json;
    json["schema"] = "ringside-whatif/1";
    json["emulated"] = prediction.emulated;
    json["changes"] = prediction.changes;
    json["steps"] = prediction.steps;
    json["measured_ns"] = wholeNs(prediction.measuredNs);
    json["replayed_ns"] = wholeNs(prediction.replayedNs);
    json["replay_error"] = prediction.replayError();
    json["half_error"] =
        prediction.halfError ? nlohmann::ordered_json(*prediction.halfError) : nlohmann::ordered_json();
    json["predicted_ns"] = wholeNs(prediction.predictedNs);
    const bool predicted = prediction.predictedNs.has_value();
    json["predicted_least_ns"] = wholeNs(predicted ? std::optional(prediction.bounds.leastNs) : std::nullopt);
    json["predicted_most_ns"] = wholeNs(predicted ? std::optional(prediction.bounds.mostNs) : std::nullopt);
    json["saving_ns"] = wholeNs(prediction.savingNs());
    json["error_ns"] = wholeNs(prediction.errorNs());
    json["beyond_error"] = prediction.predictedNs ? nlohmann::ordered_json(prediction.isBeyondError())
                                                  : nlohmann::ordered_json();
    json["confidence"] = confidenceName(prediction.confidence);
    json["confidence_reasons"] = prediction.reasons;
    json["beyond_the_run"] = prediction.beyond;
    json["assumptions"] = prediction.assumptions;
    json["not_known"] = prediction.notKnown;
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace ringside::whatif
