// SPDX-License-Identifier: Apache-2.0
// Gathers what the lines of a log say about each process that wrote them. A log knows no times: calls are in
// their order, and that is all.
#pragma once
#include "import/bytes.h"
#include "import/nccl_log/log_line.h"

#include <ringside/trace/reader.h>

#include <memory>
#include <vector>

namespace ringside::importers::nccl_log {

class Collector final {
public:
    Collector();
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    void add(const Line& line);
    /// The processes that wrote into the log, in the order of their first lines; empty: NCCL wrote nothing.
    [[nodiscard]] std::vector<trace::ProcessTrace> finish();

private:
    struct Run;
    std::unique_ptr<Run> m_run;
};

} // namespace ringside::importers::nccl_log
