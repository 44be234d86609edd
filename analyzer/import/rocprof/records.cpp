// SPDX-License-Identifier: Apache-2.0
#include "import/rocprof/records.h"

#include "import/device_words.h"
#include "import/text.h"
#include "trace/read/plausible.h"
#include "trace/vocabulary/api_name.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

namespace ringside::importers::rocprof {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMostNames = 4'000'000; // of markers and kernels

Json parse(std::string_view text)
{
    return Json::parse(text, nullptr, false);
}

/// Returns the member at the end of a chain of keys. Null if there is none.
const Json* memberOf(const Json& json, std::initializer_list<const char*> keys)
{
    const Json* at = &json;
    for (const char* const key : keys) {
        const auto found = at->is_object() ? at->find(key) : at->end();
        if (!at->is_object() || found == at->end()) {
            return nullptr;
        }
        at = &*found;
    }
    return at;
}

std::optional<std::uint64_t> number(const Json& json, std::initializer_list<const char*> keys)
{
    const Json* const found = memberOf(json, keys);
    return found != nullptr && found->is_number_unsigned() ? std::optional(found->get<std::uint64_t>())
                                                           : std::nullopt;
}

std::string text(const Json& json, std::initializer_list<const char*> keys)
{
    const Json* const found = memberOf(json, keys);
    return found != nullptr && found->is_string() ? cleanText(found->get_ref<const std::string&>())
                                                  : std::string();
}

std::uint32_t number32(std::optional<std::uint64_t> value)
{
    return value && *value <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(*value)
                                                                        : 0;
}

} // namespace

struct Records::Record {
    const Json& json;
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::uint32_t thread = 0, correlation = 0;

    [[nodiscard]] std::uint32_t stream() const
    {
        const auto stream = number(json, {"stream_id", "handle"}); // ROCm 6.4 and later
        return number32(stream ? stream : number(json, {"dispatch_info", "queue_id", "handle"}));
    }
};

void Records::metadata(std::string_view json)
{
    const Json parsed = parse(json);
    const auto pid = number(parsed, {"pid"});
    rows.pid = pid ? std::to_string(*pid) : "";
    host = text(parsed, {"node", "hostname"});
    document.damaged += parsed.is_discarded() ? 1 : 0;
}

void Records::strings(std::string_view json)
{
    const Json parsed = parse(json);
    const Json* const kinds = memberOf(parsed, {"buffer_records"});
    if (kinds == nullptr || !kinds->is_array()) {
        ++document.damaged;
        return;
    }
    for (const Json& kind : *kinds) {
        Names& names = m_names.emplace_back();
        names.kind = text(kind, {"kind"});
        const Json* const operations = memberOf(kind, {"operations"});
        for (std::size_t i = 0; operations != nullptr && operations->is_array() && i < operations->size();
             ++i) {
            const Json& name = (*operations)[i];
            names.operations.push_back(
                rows.names.idOf(name.is_string() ? cleanText(name.get_ref<const std::string&>()) : ""));
        }
    }
    const Json* const markers = memberOf(parsed, {"marker_api"});
    for (std::size_t i = 0; markers != nullptr && markers->is_array() && i < markers->size(); ++i) {
        if (const auto key = number((*markers)[i], {"key"}); key && m_markers.size() < kMostNames) {
            m_markers[*key] = rows.names.idOf(text((*markers)[i], {"value"}));
        }
    }
}

void Records::agent(std::string_view json)
{
    constexpr std::uint64_t kGpu = 2; // rocprofiler_agent_type_t
    constexpr std::size_t kMostDevices = 1024;
    const Json parsed = parse(json);
    const auto handle = number(parsed, {"id", "handle"});
    if (!handle || number(parsed, {"type"}) != kGpu || m_gpus.size() >= kMostDevices) {
        return;
    }
    trace::DeviceRow row;
    row.ordinal = static_cast<std::int64_t>(m_gpus.size());
    row.name = text(parsed, {"product_name"});
    row.multiprocessors = number32(number(parsed, {"cu_count"}));
    m_gpus.emplace(*handle, static_cast<std::uint32_t>(row.ordinal));
    document.devices.push_back(std::move(row));
}

void Records::kernel(std::string_view json)
{
    const Json parsed = parse(json);
    const auto id = number(parsed, {"kernel_id"});
    if (!id || m_kernels.size() >= kMostNames) {
        ++document.damaged;
        return;
    }
    const std::string formatted = text(parsed, {"formatted_kernel_name"});
    m_kernels[*id] = rows.names.idOf(formatted.empty() ? text(parsed, {"kernel_name"}) : formatted);
}

void Records::record(std::string_view table, std::string_view json)
{
    const Json parsed = parse(json);
    Record record{parsed};
    const auto start = number(parsed, {"start_timestamp"});
    const auto end = number(parsed, {"end_timestamp"});
    if (!start || !end) {
        ++damaged;
        return;
    }
    if (*start > *end || *end > static_cast<std::uint64_t>(trace::kFarthestTimeNs)) {
        ++rows.counts.implausible;
        return;
    }
    record.startNs = static_cast<std::int64_t>(*start);
    record.endNs = static_cast<std::int64_t>(*end);
    record.thread = number32(number(parsed, {"thread_id"}));
    record.correlation = number32(number(parsed, {"correlation_id", "internal"}));
    if (table == "kernel_dispatch") {
        dispatch(record);
    } else if (table == "memory_copy") {
        copy(record);
    } else if (table == "hip_api") {
        call(record);
    } else if (table == "rccl_api") {
        communication(record);
    } else if (table == "marker_api") {
        marker(record);
    } else {
        ++rows.counts.others[std::string("records of ").append(table.substr(0, 64))];
    }
}

trace::StringId Records::nameOf(const Record& record)
{
    const auto kind = number(record.json, {"kind"});
    const auto operation = number(record.json, {"operation"});
    const bool known =
        kind && operation && *kind < m_names.size() && *operation < m_names[*kind].operations.size();
    const trace::StringId name = known ? m_names[*kind].operations[*operation] : 0;
    nameless += name != 0 ? 0 : 1;
    return name;
}

void Records::dispatch(const Record& record)
{
    const auto gpu = m_gpus.find(number(record.json, {"dispatch_info", "agent_id", "handle"}).value_or(0));
    const auto name = m_kernels.find(number(record.json, {"dispatch_info", "kernel_id"}).value_or(0));
    if (gpu == m_gpus.end() || name == m_kernels.end()) {
        ++nameless;
        return;
    }
    trace::KernelRow row;
    row.startNs = record.startNs;
    row.endNs = record.endNs;
    row.name = name->second;
    row.device = gpu->second;
    row.stream = record.stream();
    row.correlation = record.correlation;
    kineto::push(rows.kernels, row);
}

void Records::copy(const Record& record)
{
    constexpr std::uint32_t kToDevice = 1; // CUpti_ActivityMemcpyKind
    const trace::StringId name = nameOf(record);
    trace::CopyRow row;
    row.kind = copyKind(rows.names.text(name));
    const char* const end = row.kind == kToDevice ? "dst_agent_id" : "src_agent_id";
    const auto gpu = m_gpus.find(number(record.json, {end, "handle"}).value_or(0));
    if (name == 0 || gpu == m_gpus.end()) {
        nameless += name == 0 ? 0 : 1;
        return;
    }
    row.startNs = record.startNs;
    row.endNs = record.endNs;
    row.bytes = number(record.json, {"bytes"}).value_or(0);
    row.device = gpu->second;
    row.stream = record.stream();
    row.correlation = record.correlation;
    kineto::push(rows.copies, row);
}

void Records::call(const Record& record)
{
    const trace::StringId name = nameOf(record);
    if (name == 0) {
        return;
    }
    trace::ApiCallRow row;
    row.startNs = record.startNs;
    row.endNs = record.endNs;
    row.api = name;
    row.thread = record.thread;
    kineto::push(rows.apiCalls, row);
    if (trace::launchesDeviceWork(rows.names.text(name))) {
        kineto::push(rows.launches,
                     trace::LaunchRow{record.startNs, record.endNs, name, record.thread, record.correlation});
    }
}

/// A call of RCCL describes the kernels that it launches.
void Records::communication(const Record& record)
{
    kineto::Collective call;
    call.startNs = record.startNs;
    call.endNs = record.endNs;
    call.tid = record.thread;
    call.name = nameOf(record);
    if (call.name != 0) {
        rows.collectives.push_back(call);
    }
}

void Records::marker(const Record& record)
{
    const auto name = m_markers.find(record.correlation);
    if (record.startNs == record.endNs) {
        ++rows.counts.instants;
    } else if (name == m_markers.end()) {
        ++nameless;
    } else {
        trace::RangeRow row;
        row.name = name->second;
        row.domain = rows.names.idOf("roctx");
        row.startNs = record.startNs;
        row.endNs = record.endNs;
        row.thread = record.thread;
        rows.ranges.push_back(row);
    }
}

} // namespace ringside::importers::rocprof
