// SPDX-License-Identifier: Apache-2.0
// Options from the environment. They are read once, when recording starts.
#pragma once
#include "record/schedule.h"

#include <ringside/trace/writer.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace ringside::collector {

struct Options {
    std::string directory;       ///< RINGSIDE_DIR; empty: do not record
    Plan plan;                   ///< RINGSIDE_PROFILE, RINGSIDE_START_STEP, RINGSIDE_STEPS, RINGSIDE_WINDOW
    trace::SizeLimit sizeLimit;  ///< RINGSIDE_MAX_SIZE, RINGSIDE_WHEN_FULL
    std::int64_t keepLastNs = 0; ///< RINGSIDE_KEEP_LAST: a flight recorder of so much; 0: none
    /// RINGSIDE_RING_BYTES, rounded up to a power of two. The default holds 0.4 s at 100,000 NCCL calls
    /// a second. A busy machine may keep the drain thread waiting for so long, and starting the
    /// recording takes less.
    std::size_t ringBytes = std::size_t{4} << 20;
    /// RINGSIDE_HANG_TIMEOUT in ns. 0: hangs are not detected. The default is shorter than the time
    /// after which frameworks abort a collective (PyTorch: 600 s).
    std::int64_t hangTimeoutNs = 300'000'000'000;
    bool cudaEvents = false;     ///< RINGSIDE_CUDA_EVENTS: they time NCCL's calls where CUPTI cannot
    bool oneConnection = false;  ///< CUDA_DEVICE_MAX_CONNECTIONS is 1
    bool kinetoDaemon = false;   ///< KINETO_USE_DAEMON: the PyTorch profiler may be asked to start any time
    std::int64_t sampleMs = 100; ///< RINGSIDE_SAMPLE_MS: between two samples, 10 to 60000; 0: none are taken
    std::string sysfsRoot = "/sys"; ///< RINGSIDE_SYSFS_ROOT: where devices are looked for; for tests
};

Options readOptions();

} // namespace ringside::collector
