// SPDX-License-Identifier: Apache-2.0
// Finds the k largest magnitudes of an array exactly, by a radix select. For each digit from the top, a
// histogram tells which digit the k-th largest value has among those that agree with it so far. Then every
// value above it is selected, and as many of its equals as are missing. Each lane (thread) reads every n-th
// value and has a histogram and a place in the result of its own: there are no atomics, so that the same
// input gives the same bits.
#include "bits.h"
#include "kernels.h"

using ringside::trainer::bitsOf;

// Without the sign bit, bits sort by magnitude. A NaN is larger than all numbers, so that it is sent and
// noticed.
#define RS_MAGNITUDE(value) (bitsOf(value) << 1)
#define RS_SHIFT(digit) (8u * (kTopkDigits - 1u - (digit)))

RS_KERNEL(topk_begin, (TopkSearch * search, unsigned wanted), {
    search[i].threshold = 0;
    search[i].wanted = wanted;
})
RS_KERNEL_COST(topk_begin, 0, 8.0 / threads)

RS_KERNEL(topk_histogram,
          (const float* values, unsigned count, const TopkSearch* search, unsigned digit,
           unsigned* histograms),
          {
              const unsigned shift = RS_SHIFT(digit);
              unsigned* histogram = histograms + i * kTopkDigitValues;
              for (unsigned k = 0; k < kTopkDigitValues; ++k)
                  histogram[k] = 0;
              for (unsigned k = i; k < count; k += n) {
                  const unsigned upper = RS_MAGNITUDE(values[k]) >> shift;
                  if (upper >> 8 == search->threshold >> shift >> 8)
                      ++histogram[upper & 0xFFu];
              }
          })
RS_KERNEL_COST(topk_histogram, 4.0 * RS_ARG(unsigned, 1) / threads,
               4.0 * RS_ARG(unsigned, 1) / threads + 4.0 * kTopkDigitValues)

RS_KERNEL(topk_sum, (const unsigned* histograms, unsigned lanes, unsigned* sums), {
    unsigned sum = 0;
    for (unsigned lane = 0; lane < lanes; ++lane)
        sum += histograms[lane * n + i];
    sums[i] = sum;
})
RS_KERNEL_COST(topk_sum, 1.0 * RS_ARG(unsigned, 1), 4.0 * RS_ARG(unsigned, 1))

RS_KERNEL(topk_narrow, (const unsigned* sums, unsigned digit, TopkSearch* search), {
    unsigned value = kTopkDigitValues - 1;
    unsigned wanted = search[i].wanted;
    for (; sums[value] < wanted; --value)
        wanted -= sums[value];
    search[i].threshold |= value << RS_SHIFT(digit);
    search[i].wanted = wanted;
})
RS_KERNEL_COST(topk_narrow, 1.0 * kTopkDigitValues / threads, 4.0 * kTopkDigitValues / threads)

RS_KERNEL(topk_count, (const float* values, unsigned count, const TopkSearch* search, TopkLane* lanes), {
    unsigned above = 0;
    unsigned equal = 0;
    for (unsigned k = i; k < count; k += n) {
        const unsigned magnitude = RS_MAGNITUDE(values[k]);
        above += magnitude > search->threshold ? 1u : 0u;
        equal += magnitude == search->threshold ? 1u : 0u;
    }
    lanes[i].above = above;
    lanes[i].equal = equal;
})
RS_KERNEL_COST(topk_count, 2.0 * RS_ARG(unsigned, 1) / threads, 4.0 * RS_ARG(unsigned, 1) / threads)

RS_KERNEL(topk_place, (const TopkSearch* search, TopkLane* lanes, unsigned laneCount), {
    unsigned place = 0;
    unsigned wanted = search[i].wanted;
    for (unsigned lane = 0; lane < laneCount; ++lane) {
        lanes[lane].first = place;
        lanes[lane].equal = lanes[lane].equal < wanted ? lanes[lane].equal : wanted;
        wanted -= lanes[lane].equal;
        place += lanes[lane].above + lanes[lane].equal;
    }
})
RS_KERNEL_COST(topk_place, 4.0 * RS_ARG(unsigned, 2) / threads, 20.0 * RS_ARG(unsigned, 2) / threads)

RS_KERNEL(topk_take,
          (float* values, unsigned count, const TopkSearch* search, const TopkLane* lanes,
           TopkEntry* entries),
          {
              unsigned place = lanes[i].first;
              unsigned equal = lanes[i].equal;
              for (unsigned k = i; k < count; k += n) {
                  const unsigned magnitude = RS_MAGNITUDE(values[k]);
                  if (magnitude < search->threshold || (magnitude == search->threshold && equal == 0))
                      continue;
                  equal -= magnitude == search->threshold ? 1u : 0u;
                  entries[place].index = k;
                  entries[place].value = values[k];
                  ++place;
                  values[k] = 0.0f;
              }
          })
RS_KERNEL_COST(topk_take, 2.0 * RS_ARG(unsigned, 1) / threads, 4.0 * RS_ARG(unsigned, 1) / threads)

RS_KERNEL(topk_add, (const TopkEntry* entries, float* sums), { sums[entries[i].index] += entries[i].value; })
RS_KERNEL_COST(topk_add, 1, 16)
