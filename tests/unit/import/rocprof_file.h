// SPDX-License-Identifier: Apache-2.0
// Files of rocprofv3 that tests make.
#pragma once
#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ringside::test {

/// A process with one CPU and one GPU.
class RocprofFile {
public:
    explicit RocprofFile(int pid) : m_pid(pid) {}

    RocprofFile& record(const std::string& table, const std::string& json)
    {
        std::string& records = m_records[table];
        records += (records.empty() ? "" : ",\n      ") + json;
        return *this;
    }
    RocprofFile& call(const std::string& api, std::uint64_t correlation, std::uint64_t start,
                      std::uint64_t end)
    {
        return record("hip_api", head(1, placeOf(m_calls, api), correlation, start, end) + "}");
    }
    RocprofFile& communication(const std::string& api, std::uint64_t correlation, std::uint64_t start,
                               std::uint64_t end)
    {
        return record("rccl_api", head(2, placeOf(m_rccl, api), correlation, start, end) + "}");
    }
    RocprofFile& dispatch(const std::string& kernel, std::uint64_t correlation, std::uint64_t start,
                          std::uint64_t end, int stream)
    {
        return record(
            "kernel_dispatch",
            head(3, 1, correlation, start, end) +
                fmt::format(R"(, "dispatch_info": {{"agent_id": {{"handle": 20}}, "queue_id": )"
                            R"({{"handle": 3}}, "kernel_id": {}}}, "stream_id": {{"handle": {}}}}})",
                            placeOf(m_kernels, kernel) + 1, stream));
    }
    RocprofFile& copy(const std::string& direction, std::uint64_t correlation, std::uint64_t start,
                      std::uint64_t end, std::uint64_t bytes)
    {
        return record(
            "memory_copy",
            head(4, placeOf(m_copies, direction), correlation, start, end) +
                fmt::format(R"(, "src_agent_id": {{"handle": 10}}, "dst_agent_id": {{"handle": 20}}, )"
                            R"("bytes": {}}})",
                            bytes));
    }
    RocprofFile& marker(const std::string& name, std::uint64_t correlation, std::uint64_t start,
                        std::uint64_t end)
    {
        m_markers += fmt::format(R"({}{{"key": {}, "value": "{}"}})", m_markers.empty() ? "" : ", ",
                                 correlation, name);
        return record("marker_api", head(0, 0, correlation, start, end) + "}");
    }
    [[nodiscard]] std::string text() const
    {
        std::string symbols;
        for (std::size_t i = 0; i < m_kernels.size(); ++i) {
            symbols +=
                fmt::format(R"({}{{"kernel_id": {}, "kernel_name": "{}.kd", "formatted_kernel_name": "{}"}})",
                            i == 0 ? "" : ", ", i + 1, m_kernels[i], m_kernels[i]);
        }
        std::string records;
        for (const auto& [table, rows] : m_records) {
            records += fmt::format("{}\"{}\": [{}]", records.empty() ? "" : ",\n    ", table, rows);
        }
        return fmt::format(
            R"({{ "rocprofiler-sdk-tool": [ {{
  "metadata": {{"pid": {}, "node": {{"hostname": "node1"}}, "command": ["python"]}},
  "agents": [{{"id": {{"handle": 10}}, "type": 1, "product_name": "a CPU"}},
             {{"id": {{"handle": 20}}, "type": 2, "product_name": "AMD Instinct MI350X", "cu_count": 256}}],
  "strings": {{"callback_records": [], "buffer_records": [{{"kind": "MARKER_CORE_API", "operations": ["roctxRangePushA"]}},
    {{"kind": "HIP_RUNTIME_API", "operations": [{}]}}, {{"kind": "RCCL_API", "operations": [{}]}},
    {{"kind": "KERNEL_DISPATCH", "operations": ["NONE", "ENQUEUE"]}}, {{"kind": "MEMORY_COPY", "operations": [{}]}}],
    "marker_api": [{}]}},
  "kernel_symbols": [{}],
  "callback_records": {{"counter_collection": []}},
  "buffer_records": {{{}}} }} ] }})",
            m_pid, list(m_calls), list(m_rccl), list(m_copies), m_markers, symbols, records);
    }

private:
    static std::size_t placeOf(std::vector<std::string>& names, const std::string& name)
    {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name) {
                return i;
            }
        }
        names.push_back(name);
        return names.size() - 1;
    }
    static std::string list(const std::vector<std::string>& names)
    {
        std::string text;
        for (const std::string& name : names) {
            text += (text.empty() ? "\"" : ", \"") + name + '"';
        }
        return text;
    }
    static std::string head(int kind, std::size_t operation, std::uint64_t correlation, std::uint64_t start,
                            std::uint64_t end)
    {
        return fmt::format(
            R"({{"size": 64, "kind": {}, "operation": {}, "correlation_id": {{"internal": {}, )"
            R"("external": 0}}, "start_timestamp": {}, "end_timestamp": {}, "thread_id": 77)",
            kind, operation, correlation, start, end);
    }

    int m_pid;
    std::vector<std::string> m_calls, m_rccl, m_kernels, m_copies;
    std::string m_markers;
    std::map<std::string, std::string> m_records; ///< by table
};

} // namespace ringside::test
