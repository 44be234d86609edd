/* SPDX-License-Identifier: Apache-2.0
 * The program of program_marks_test: every function of ringside/collector.h, as C11 and (marked.cpp) as
 * C++20. */
#include <ringside/collector.h>

#include <stdio.h>

int main(void)
{
    int32_t step;
    RINGSIDE_SET_RANK(5, 8);
    for (step = 1; step <= 3; ++step) {
        RINGSIDE_STEP_BEGIN(step);
        RINGSIDE_RANGE_PUSH("data loading");
        RINGSIDE_RANGE_PUSH("decode");
        RINGSIDE_RANGE_POP();
        RINGSIDE_RANGE_POP();
    }
    RINGSIDE_STEP_END();
    RINGSIDE_ANNOTATE("learning rate halved");
    RINGSIDE_ANNOTATE(NULL);
    RINGSIDE_RANGE_POP();
    puts("trained");
    return 0;
}
