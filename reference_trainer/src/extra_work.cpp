// SPDX-License-Identifier: Apache-2.0
#include "extra_work.h"

#include "kernels/kernels.h"

namespace ringside::trainer {
namespace {

constexpr unsigned kThreads = 1024;

} // namespace

std::shared_ptr<ExtraWork> ExtraWork::measuredBeforeTraining(Hooks& hooks)
{
    auto work = std::make_shared<ExtraWork>();
    hooks.beforeTraining.emplace_back([work](cudaStream_t stream) { work->measure(stream); });
    return work;
}

void ExtraWork::measure(cudaStream_t stream)
{
    m_sink = DeviceArray<float>(kThreads);
    m_length = measureBusyLength([&](unsigned iterations) { return elapsedMs(stream, iterations); });
}

void ExtraWork::run(cudaStream_t stream, double ms) const
{
    if (ms <= 0)
        return;
    RS_CHECK(launch_busy(stream, kThreads, m_sink.data(), iterationsLasting(ms, m_length)));
}

double ExtraWork::elapsedMs(cudaStream_t stream, unsigned iterations) const
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

} // namespace ringside::trainer
