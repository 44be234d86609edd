// SPDX-License-Identifier: Apache-2.0
// Turns the records of rocprofv3 into rows. Names, agents and kernels come before the records that refer to
// them. Source: ROCprofiler-SDK, source/docs/rocprofv3-schema.json and source/lib/output/generateJSON.cpp
#pragma once
#include "import/kineto/document.h"
#include "import/kineto/rows.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::importers::rocprof {

/// What a process of the file is, as far as it was read.
class Records final {
public:
    /// Reads `metadata`: process and host.
    void metadata(std::string_view json);
    /// Reads `strings`: names of functions and of markers.
    void strings(std::string_view json);
    /// Reads one of `agents`. GPUs are numbered in their order, as HIP numbers them.
    void agent(std::string_view json);
    /// Reads one of `kernel_symbols`.
    void kernel(std::string_view json);
    /// Reads one record of a table in `buffer_records`.
    void record(std::string_view table, std::string_view json);

    kineto::Rows rows;
    kineto::Document document;
    std::string host;
    std::int64_t nameless = 0; ///< records whose names, agents or kernels the file does not contain
    std::int64_t damaged = 0;  ///< records that cannot be read

private:
    struct Names {
        std::string kind;
        std::vector<trace::StringId> operations;
    };
    struct Record;
    void dispatch(const Record& record);
    void copy(const Record& record);
    void call(const Record& record);
    void communication(const Record& record);
    void marker(const Record& record);
    [[nodiscard]] trace::StringId nameOf(const Record& record);

    std::vector<Names> m_names;                                   ///< by kind
    std::unordered_map<std::uint64_t, trace::StringId> m_markers; ///< by correlation
    std::unordered_map<std::uint64_t, std::uint32_t> m_gpus;      ///< ordinals by handle
    std::unordered_map<std::uint64_t, trace::StringId> m_kernels; ///< names by id
};

} // namespace ringside::importers::rocprof
