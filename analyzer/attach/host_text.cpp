// SPDX-License-Identifier: Apache-2.0
// A host as text and as JSON.
#include "attach/gpu_json.h"
#include "attach/host_view.h"
#include "attach/tables.h"
#include "document/table.h"
#include "report/link_text.h"
#include "values/text.h"

#include <fmt/format.h>

namespace ringside::attach {
namespace {

std::string machineText(const HostView& view)
{
    const auto bytes = [](const std::optional<std::int64_t>& value) {
        return value ? values::byteText(static_cast<double>(*value)) : std::string("-");
    };
    return fmt::format("{}: load {} on {} CPUs, {} of {} memory available\n", view.host,
                       view.load ? fmt::format("{:.1f}", *view.load) : "-", view.cpus,
                       bytes(view.memoryAvailableBytes), bytes(view.memoryTotalBytes));
}

std::string dcgmText(const HostView& view)
{
    if (!view.dcgm) {
        return {};
    }
    if (view.dcgm->empty()) {
        return "DCGM: the text has none of the fields that are read.\n\n";
    }
    const auto gigabytes = [](std::optional<double> bytes) {
        return document::Cell(bytes, values::Unit::Bytes, {.digits = 1, .divisor = 1e9});
    };
    document::Table table;
    table.header = {"GPU",     "SMs active", "tensor cores", "memory active", "NVLink tx GB/s",
                    "rx GB/s", "last Xid"};
    for (const DcgmGpu& gpu : *view.dcgm) {
        table.rows.push_back({gpu.index ? document::Cell(*gpu.index) : document::Cell(gpu.busId),
                              document::shareCell(gpu.smActive), document::shareCell(gpu.tensorActive),
                              document::shareCell(gpu.dramActive), gigabytes(gpu.nvlinkTxBytesPerS),
                              gigabytes(gpu.nvlinkRxBytesPerS),
                              document::Cell(gpu.lastXid, values::Unit::Count, {})});
    }
    return "From DCGM:\n" + document::plainTable(table, "") + "\n";
}

Json toJson(const DcgmGpu& gpu)
{
    return {{"index", orNull(gpu.index)},
            {"bus_id", gpu.busId.empty() ? Json(nullptr) : Json(gpu.busId)},
            {"sm_active", orNull(gpu.smActive)},
            {"tensor_active", orNull(gpu.tensorActive)},
            {"dram_active", orNull(gpu.dramActive)},
            {"nvlink_tx_bytes_per_s", orNull(gpu.nvlinkTxBytesPerS)},
            {"nvlink_rx_bytes_per_s", orNull(gpu.nvlinkRxBytesPerS)},
            {"last_xid", orNull(gpu.lastXid)}};
}

Json dcgmJson(const HostView& view)
{
    if (!view.dcgm) {
        return nullptr;
    }
    Json list = Json::array();
    for (const DcgmGpu& gpu : *view.dcgm) {
        list.push_back(toJson(gpu));
    }
    return list;
}

std::string processText(const HostView& view)
{
    if (view.processes.empty()) {
        return "No process of this machine uses a GPU or has a rank from a launcher.\n";
    }
    document::Table table;
    table.header = {"process", "rank", "program", "state", "GPU"};
    for (const JobProcess& process : view.processes) {
        table.rows.push_back({process.pid, process.rank ? document::Cell(*process.rank) : document::Cell(),
                              process.program, stateText(process), gpusOf(view.gpus, process.pid)});
    }
    return document::plainTable(table, "");
}

Json toJson(const JobProcess& process, const HostView& view)
{
    Json gpus = Json::array();
    for (const Gpu& gpu : view.gpus.gpus) {
        for (const GpuProcess& user : gpu.processes.value_or(std::vector<GpuProcess>())) {
            if (user.pid == process.pid) {
                gpus.push_back(gpu.index);
            }
        }
    }
    return {{"pid", process.pid},
            {"rank", orNull(process.rank)},
            {"program", process.program},
            {"state", stateText(process)},
            {"gpus", std::move(gpus)}};
}

} // namespace

std::string formatText(const HostView& view)
{
    constexpr std::size_t kWidth = 80;
    return machineText(view) + "\n" + gpuText(view.gpus) + "\n" + dcgmText(view) + processText(view) + "\n" +
           (view.ports ? report::linksText(*view.ports, kWidth)
                       : "Links: this machine has no RDMA device.\n");
}

std::string formatJson(const HostView& view)
{
    Json json;
    json["schema"] = "ringside-host/1";
    json["host"] = view.host;
    json["cpus"] = view.cpus;
    json["load"] = orNull(view.load);
    json["memory_available_bytes"] = orNull(view.memoryAvailableBytes);
    json["memory_total_bytes"] = orNull(view.memoryTotalBytes);
    json["processes"] = Json::array();
    for (const JobProcess& process : view.processes) {
        json["processes"].push_back(toJson(process, view));
    }
    json["gpus"] = toJson(view.gpus);
    json["dcgm"] = dcgmJson(view);
    json["ports"] = view.ports ? Json::parse(report::linksJsonText(*view.ports)) : Json(nullptr);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::attach
