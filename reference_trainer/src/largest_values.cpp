// SPDX-License-Identifier: Apache-2.0
#include "largest_values.h"

#include "kernels/kernels.h"

#include <algorithm>

namespace ringside::trainer {
namespace {

constexpr unsigned kMostLanes = 1024;

/// Limits the lanes so that clearing a lane's histogram costs no more than filling it.
unsigned lanesFor(unsigned count)
{
    return std::clamp(count / kTopkDigitValues, 1U, kMostLanes);
}

} // namespace

LargestValues::LargestValues()
    : m_search(1)
    , m_lanes(kMostLanes)
    , m_histograms(std::size_t{kMostLanes} * kTopkDigitValues)
    , m_sums(kTopkDigitValues)
{}

void LargestValues::extract(cudaStream_t stream, float* values, unsigned count, unsigned wanted,
                            TopkEntry* entries)
{
    const unsigned lanes = lanesFor(count);
    RS_CHECK(launch_topk_begin(stream, 1, m_search.data(), wanted));
    for (unsigned digit = 0; digit < kTopkDigits; ++digit) {
        RS_CHECK(
            launch_topk_histogram(stream, lanes, values, count, m_search.data(), digit, m_histograms.data()));
        RS_CHECK(launch_topk_sum(stream, kTopkDigitValues, m_histograms.data(), lanes, m_sums.data()));
        RS_CHECK(launch_topk_narrow(stream, 1, m_sums.data(), digit, m_search.data()));
    }
    RS_CHECK(launch_topk_count(stream, lanes, values, count, m_search.data(), m_lanes.data()));
    RS_CHECK(launch_topk_place(stream, 1, m_search.data(), m_lanes.data(), lanes));
    RS_CHECK(launch_topk_take(stream, lanes, values, count, m_search.data(), m_lanes.data(), entries));
}

} // namespace ringside::trainer
