// SPDX-License-Identifier: Apache-2.0
// A trace of PyTorch's profiler with the shapes of operators (record_shapes), of one rank.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

namespace ringside::test {

inline constexpr int kProfiledSteps = 6;
inline constexpr int kProfiledStepUs = 1000;

/// A product that a step of the job calls once, and its kernel. Times are within the step.
struct Product {
    std::string shapes = "[[4096, 2048], [2048, 4096]]"; ///< 68.7 GFLOP: 171.8 TFLOP/s in 400 us
    std::string type = "c10::BFloat16";
    std::string name = "aten::mm";
    std::vector<std::string> around = {}; ///< ranges around it, the outermost first
    int atUs = 100;                       ///< start of the kernel
    int us = 400;
    int stream = 7;
};

/// A job of one rank. Kernels of no operator fill what the products leave of each step.
struct ProfiledJob {
    std::vector<Product> products = {{}};
    std::string gpu = "NVIDIA A100-SXM4-80GB";
    int fillerUs = 600; ///< from 500 us on
};

inline std::string eventText(const std::string& category, const std::string& name, int ts, int us,
                             const std::string& arguments = "", int tid = 7)
{
    return fmt::format(
        R"({{"ph": "X", "cat": "{}", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}, "args": {{{}}}}},)",
        category, name, tid, ts, us, arguments);
}

inline std::string launchText(const std::string& kernel, int launchTs, int ts, int us, int stream,
                              int correlation)
{
    return eventText("cuda_runtime", "cudaLaunchKernel", launchTs, 2,
                     fmt::format(R"("correlation": {})", correlation)) +
           eventText("kernel", kernel, ts, us,
                     fmt::format(R"("device": 0, "stream": {}, "correlation": {})", stream, correlation),
                     stream);
}

inline std::string profiledText(const ProfiledJob& job, int firstUs = 1000)
{
    std::string events;
    int correlation = 1;
    for (int step = 0; step < kProfiledSteps; ++step) {
        const int at = firstUs + step * kProfiledStepUs;
        events += eventText("user_annotation", fmt::format("ProfilerStep#{}", step), at, kProfiledStepUs);
        int host = at + 1;
        for (const Product& product : job.products) {
            int inside = 0;
            for (const std::string& range : product.around) {
                events += eventText("cpu_op", range, host + inside, 28 - 2 * inside);
                ++inside;
            }
            events += eventText("cpu_op", product.name, host + inside, 10,
                                fmt::format(R"("Input Dims": {}, "Input type": ["{}", "{}"])", product.shapes,
                                            product.type, product.type));
            events += launchText("gemm", host + inside + 4, at + product.atUs, product.us, product.stream,
                                 correlation++);
            host += 30;
        }
        events += launchText("elementwise", host, at + 500, job.fillerUs, 7, correlation++);
    }
    events.pop_back();
    return fmt::format(R"({{"deviceProperties": [{{"id": 0, "name": "{}"}}], "traceEvents": [{}]}})", job.gpu,
                       events);
}

} // namespace ringside::test
