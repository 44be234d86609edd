// SPDX-License-Identifier: Apache-2.0
// The report as JSON. ringside-attach-1.schema.json describes it. Within a major version, members are only
// added.
#include "attach/gpu_json.h"
#include "attach/stuck.h"
#include "words/render.h"

#include <algorithm>

namespace ringside::attach {
namespace {

Json orNullText(const std::string& text)
{
    return text.empty() ? Json(nullptr) : Json(text);
}

Json toJson(const ProcessReport& report, bool lookFirst)
{
    return {{"pid", report.process.pid},
            {"rank", orNull(report.process.rank)},
            {"program", report.process.program},
            {"state", stateText(report.process)},
            {"place", orNullText(report.standing.place)},
            {"stands", report.standing.stood},
            {"look_first", lookFirst},
            {"nccl_call", orNullText(report.standing.ncclCall)},
            {"stack", report.standing.stack},
            {"stack_notes", report.standing.notes}};
}

Json toJson(const hang::Witness& witness)
{
    return {{"not_available", orNullText(witness.notAvailable)},
            {"summary", orNullText(words::render(witness.summary, {}))},
            {"blamed", witness.blamed},
            {"details", witness.details}};
}

} // namespace

std::string formatJson(const StuckReport& report, const hang::Report& verdict)
{
    Json json;
    json["schema"] = "ringside-attach/1";
    json["host"] = report.host;
    json["samples"] = report.samples;
    json["seconds_watched"] = report.secondsWatched;
    json["summary"] = report.summary;
    json["processes"] = Json::array();
    for (std::size_t i = 0; i < report.processes.size(); ++i) {
        const bool first = std::ranges::find(report.lookFirst, i) != report.lookFirst.end();
        json["processes"].push_back(toJson(report.processes[i], first));
    }
    json["ras"] = report.ras ? toJson(*report.ras) : Json(nullptr);
    json["gpus"] = toJson(report.gpus);
    json["hang"] = Json::parse(hang::formatJson(verdict));
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::attach
