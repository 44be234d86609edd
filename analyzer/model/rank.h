// SPDX-License-Identifier: Apache-2.0
// A rank of a run and its host: on which clock its times are, and its steps.
#pragma once
#include "model/steps.h"
#include "model/time.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ringside::model {

struct Host {
    std::string name; ///< empty if the trace does not name it; then this is the host of one rank only
    std::string bootId;
    std::int64_t offsetNs = 0; ///< its clock minus the reference host's, at the first match
    double drift = 0.0;        ///< of its clock against the reference host's, as a ratio
    /// 95th percentile of the distance between matched ends after alignment.
    std::optional<std::int64_t> residualNs;
    /// Upper limit of the alignment error. Null if no collective or message ties this host to an aligned one.
    std::optional<std::int64_t> boundNs;
};

/// One rank. Its times are CLOCK_MONOTONIC ns of its host; `clock` converts them to run time.
struct Rank {
    std::int64_t rank = 0;
    std::size_t process = 0; ///< index into trace.processes
    /// Set if the process holds several ranks: then only work on this device belongs to the rank.
    std::optional<std::uint32_t> device;
    std::size_t host = 0; ///< index into Model::hosts
    ClockMap clock;
    bool clockAligned = true; ///< false if its times are only comparable with those of its own host
    bool deviceTier = false;  ///< device work was recorded
    bool eventTimes = false;  ///< no device work was recorded, but CUDA events timed NCCL's calls
    StepSource stepSource = StepSource::None;
    std::vector<Step> steps;

    [[nodiscard]] bool owns(std::uint32_t deviceOrdinal) const { return !device || *device == deviceOrdinal; }
};

} // namespace ringside::model
