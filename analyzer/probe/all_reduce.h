// SPDX-License-Identifier: Apache-2.0
// The all-reduce curve over all GPUs of this host: time and bus bandwidth by size, with the NCCL that a
// program started from here would load. The libraries run in a child process, because third-party code may
// crash or hang. Bytes and time are limited.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::probe {

struct CurvePoint {
    std::uint64_t bytes = 0;
    std::int64_t ns = 0; ///< median time of an all-reduce until the last GPU ends
    int repeats = 0;
};

struct AllReduceCurve {
    std::string missing; ///< why it was not measured; empty: it was
    bool emulated = false;
    int gpus = 0;
    int ncclVersion = 0; ///< as ncclGetVersion returns it
    std::vector<CurvePoint> points;
    std::string stopped; ///< why it ends before the largest size; empty: it does not

    /// Returns the bus bandwidth in GB/s, as nccl-tests defines it.
    [[nodiscard]] double busGBs(const CurvePoint& point) const;
};

struct CurveBounds {
    std::uint64_t mostBytes = std::uint64_t{256} << 20U;
    std::chrono::milliseconds each{200};   ///< for one size
    std::chrono::milliseconds all{60'000}; ///< then the process is killed
};

[[nodiscard]] AllReduceCurve measureAllReduce(const CurveBounds& bounds);

[[nodiscard]] std::string textOf(const AllReduceCurve& curve);
/// Returns "ringside-probe-all-reduce/1".
[[nodiscard]] std::string jsonOf(const AllReduceCurve& curve);

} // namespace ringside::probe
