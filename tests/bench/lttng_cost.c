// SPDX-License-Identifier: Apache-2.0
// ns for a pair of LTTng events; run by lttng_cost.sh inside a recording session. Median of batches.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_provider.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kBatch = 1000, kBatches = 1000 };

static double nowNs(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int compare(const void* left, const void* right)
{
    const double difference = *(const double*)left - *(const double*)right;
    return (difference > 0) - (difference < 0);
}

int main(void)
{
    static double batches[kBatches];
    if (!lttng_ust_tracepoint_enabled(ringside_bench, call_begin)) {
        fprintf(stderr, "lttng_cost: no session records ringside_bench:*\n");
        return 1;
    }
    for (int batch = 0; batch < kBatches; ++batch) {
        const double start = nowNs();
        for (int call = 0; call < kBatch; ++call) {
            lttng_ust_tracepoint(ringside_bench, call_begin, 1U);
            lttng_ust_tracepoint(ringside_bench, call_end, 0);
        }
        batches[batch] = (nowNs() - start) / kBatch;
    }
    qsort(batches, kBatches, sizeof(batches[0]), compare);
    printf("a pair of LTTng-UST events: %.1f ns\n", batches[kBatches / 2]);
    return 0;
}
