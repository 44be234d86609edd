// SPDX-License-Identifier: Apache-2.0
// The history of GPUs as text and as ringside-history/1.
#include "compare/history.h"
#include "document/table.h"
#include "output/json_value.h"
#include "values/text.h"

#include <fmt/format.h>

namespace ringside::compare {
namespace {

std::string nameOf(const GpuHistory& gpu)
{
    const std::string place =
        fmt::format("GPU {} of host {}", gpu.ordinal, gpu.host.empty() ? "?" : gpu.host);
    return gpu.uuid.empty() ? place : fmt::format("{} ({})", gpu.uuid, place);
}

std::string sentence(const History& history)
{
    const std::vector<const GpuHistory*> slow = history.oftenSlow();
    if (slow.empty()) {
        return fmt::format(
            "No GPU was more than {} slower than its peers in two runs or more, and in half of its runs.",
            values::percent(history.limit));
    }
    std::string text;
    for (const GpuHistory* const gpu : slow) {
        text += fmt::format(
            "{}{} computes longer than its peers in {} of {} runs, by {} in the median of these{}.",
            text.empty() ? "" : " ", nameOf(*gpu), gpu->slowRuns(), gpu->runs.size(),
            values::percent(gpu->slowExcess()),
            gpu->oneRank() ? fmt::format("; it was rank {} each time, so that it may be the work "
                                         "of this rank: give it another rank",
                                         gpu->runs.front().rank)
                           : "; it had different ranks, so that it is the GPU or its host: check "
                             "its clocks and temperature, or leave it out");
    }
    return text;
}

document::Table tableOf(const History& history)
{
    constexpr std::size_t kMost = 20; // JSON has all
    document::Table table{{"GPU", "host", "number", "runs", "slow in", "excess", "ranks"}, {}};
    for (const GpuHistory& gpu : history.gpus) {
        if (table.rows.size() == kMost) {
            break;
        }
        std::string ranks;
        for (const GpuInRun& each : gpu.runs) {
            ranks += fmt::format("{}{}", ranks.empty() ? "" : " ", each.rank);
        }
        table.rows.push_back({gpu.uuid.empty() ? "?" : gpu.uuid, gpu.host, gpu.ordinal,
                              static_cast<std::int64_t>(gpu.runs.size()),
                              static_cast<std::int64_t>(gpu.slowRuns()),
                              document::shareCell(gpu.medianExcess()), ranks});
    }
    return table;
}

} // namespace

std::string textOf(const History& history, bool markdown, std::size_t width)
{
    const document::Table table = tableOf(history);
    const std::string rest = table.rows.size() < history.gpus.size()
                                 ? fmt::format("The first {} of {} GPUs; --format json has all.",
                                               table.rows.size(), history.gpus.size())
                                 : std::string();
    if (markdown) {
        std::string text =
            document::markdownText(sentence(history)) + "\n\n" + document::markdownTable(table);
        text += rest.empty() ? "" : "\n" + rest + "\n";
        for (const std::string& remark : history.remarks) {
            text += "\n- " + document::markdownText(remark);
        }
        return text + "\n";
    }
    std::string text =
        document::wrap(sentence(history), width, "") + "\n" + document::plainTable(table, "  ") + "\n";
    text += rest.empty() ? "" : document::wrap(rest, width, "");
    for (const std::string& remark : history.remarks) {
        text += document::wrap(remark, width, "");
    }
    return text;
}

std::string jsonOf(const History& history)
{
    Json gpus = Json::array();
    for (const GpuHistory& gpu : history.gpus) {
        Json runs = Json::array();
        for (const GpuInRun& each : gpu.runs) {
            runs.push_back(
                {{"run", each.run}, {"rank", each.rank}, {"excess", each.excess}, {"slow", each.slow}});
        }
        gpus.push_back({{"uuid", gpu.uuid.empty() ? Json(nullptr) : Json(gpu.uuid)},
                        {"host", gpu.host.empty() ? Json(nullptr) : Json(gpu.host)},
                        {"ordinal", gpu.ordinal},
                        {"slow_runs", gpu.slowRuns()},
                        {"median_excess", gpu.medianExcess()},
                        {"runs", runs}});
    }
    const Json json = {{"schema", "ringside-history/1"},
                       {"limit", history.limit},
                       {"runs", history.runs},
                       {"gpus", gpus},
                       {"remarks", history.remarks}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::compare
