// SPDX-License-Identifier: Apache-2.0
// Collects the lines of a log by the process that wrote them. A log contains no times, only the order of the
// calls.
#pragma once
#include "import/bytes.h"
#include "import/nccl_log/log_line.h"

#include <ringside/trace/reader.h>

#include <memory>
#include <vector>

namespace ringside::importers::nccl_log {

/// All processes of a log.
class Collector final {
public:
    Collector();
    ~Collector();
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;

    /// Adds a line of the log, which may belong to NCCL or to another program.
    void add(const Line& line);
    /// Returns the processes in the order of their first lines. Empty if the log has no line of NCCL.
    [[nodiscard]] std::vector<trace::ProcessTrace> finish();

private:
    struct Run;
    std::unique_ptr<Run> m_run;
};

} // namespace ringside::importers::nccl_log
