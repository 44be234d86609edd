// SPDX-License-Identifier: Apache-2.0
// The all-reduce curve of the NCCL that a program started from here would load, over all GPUs of this host:
// time and bus bandwidth by size. The libraries are opened in a process of its own, because code of others
// may crash or hang. Bounded in bytes and time.
#pragma once
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace ringside::probe {

struct CurvePoint {
    std::uint64_t bytes = 0;
    std::int64_t ns = 0; ///< median of an all-reduce, the last GPU's end
    int repeats = 0;
};

struct AllReduceCurve {
    std::string missing; ///< why there is none; empty: it was measured
    bool emulated = false;
    int gpus = 0;
    int ncclVersion = 0; ///< as ncclGetVersion tells it
    std::vector<CurvePoint> points;
    std::string stopped; ///< why it ends before the largest size; empty: it does not

    /// Bus bandwidth as nccl-tests defines it, GB/s.
    [[nodiscard]] double busGBs(const CurvePoint& point) const;
};

struct CurveBounds {
    std::uint64_t mostBytes = std::uint64_t{256} << 20U;
    std::chrono::milliseconds each{200};   ///< of a size
    std::chrono::milliseconds all{60'000}; ///< then the process is killed
};

[[nodiscard]] AllReduceCurve measureAllReduce(const CurveBounds& bounds);

[[nodiscard]] std::string textOf(const AllReduceCurve& curve);
/// "ringside-probe-all-reduce/1".
[[nodiscard]] std::string jsonOf(const AllReduceCurve& curve);

} // namespace ringside::probe
