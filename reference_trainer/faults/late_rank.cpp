// SPDX-License-Identifier: Apache-2.0
// One rank that comes late to every all-reduce: it computes more than the others, or its data come late.
#include "busy_length.h"
#include "failure.h"
#include "fault.h"
#include "gpu.h"
#include "kernels/kernels.h"
#include "launch_environment.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <thread>

namespace ringside::trainer {
namespace {

constexpr FaultOption kOptions[] = {
    {"rank", "0", "the late one"},
    {"ms", "15", "how late, in every step"},
    {"by", "compute", "compute: extra kernel work; data: a slow loader, not prefetching"}};
constexpr std::string_view kCauses[] = {"compute", "data"};

/// Extra kernel work of a given length. How many iterations that takes is measured on the device it runs on.
class ExtraWork final {
public:
    explicit ExtraWork(double ms) : m_ms(ms), m_sink(kThreads) {}

    void calibrate(cudaStream_t stream)
    {
        constexpr double kEnoughMs = 4;
        unsigned iterations = 1;
        double elapsed = measure(stream, iterations);
        while (elapsed < kEnoughMs && iterations < (1U << 28)) {
            iterations *= 2;
            elapsed = measure(stream, iterations);
        }
        // The launch itself costs time too: the slope between two lengths leaves it out.
        const double longer = measure(stream, iterations * 2);
        m_iterations = iterationsLasting(m_ms, iterations, elapsed, longer);
    }
    void run(cudaStream_t stream) const
    {
        RS_CHECK(launch_busy(stream, kThreads, m_sink.data(), m_iterations));
    }

private:
    static constexpr unsigned kThreads = 1024;

    [[nodiscard]] double measure(cudaStream_t stream, unsigned iterations) const
    {
        const Event start = makeTimingEvent();
        const Event end = makeTimingEvent();
        RS_CHECK(cudaEventRecord(start.get(), stream));
        RS_CHECK(launch_busy(stream, kThreads, m_sink.data(), iterations));
        RS_CHECK(cudaEventRecord(end.get(), stream));
        RS_CHECK(cudaEventSynchronize(end.get()));
        float ms = 0;
        RS_CHECK(cudaEventElapsedTime(&ms, start.get(), end.get()));
        return static_cast<double>(ms);
    }

    double m_ms;
    DeviceArray<float> m_sink;
    unsigned m_iterations = 1;
};

void lateByCompute(double ms, Hooks& hooks)
{
    // Device memory can only be had once the device is chosen: not here, but before training.
    auto work = std::make_shared<std::unique_ptr<ExtraWork>>();
    hooks.beforeTraining.emplace_back([work, ms](cudaStream_t stream) {
        *work = std::make_unique<ExtraWork>(ms);
        (*work)->calibrate(stream);
    });
    hooks.afterForward.emplace_back([work](cudaStream_t stream) { (*work)->run(stream); });
}

void lateByData(double ms, Hooks& hooks)
{
    hooks.prefetch = 1;
    hooks.beforeLoad.emplace_back([length = std::chrono::duration<double, std::milli>(ms)](std::uint64_t) {
        std::this_thread::sleep_for(length);
    });
}

void apply(const FaultSettings& settings, const RankIdentity& identity, Hooks& hooks)
{
    const unsigned rank = settings.count("rank");
    const double ms = settings.positive("ms");
    const std::string& by = settings.oneOf("by", kCauses);
    if (rank >= identity.worldSize)
        throw Failure(
            fmt::format("--fault late_rank: rank={} is outside a world of {}", rank, identity.worldSize));
    if (rank != identity.rank)
        return;
    if (by == "compute")
        lateByCompute(ms, hooks);
    else
        lateByData(ms, hooks);
}

} // namespace

} // namespace ringside::trainer

extern const ringside::trainer::Fault fault_late_rank;
const ringside::trainer::Fault fault_late_rank{"late_rank", "one rank comes late to every all-reduce",
                                               ringside::trainer::kOptions, ringside::trainer::apply};
