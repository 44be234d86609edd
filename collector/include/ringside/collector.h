/* SPDX-License-Identifier: Apache-2.0
 * Step marks for the program that is recorded. Nothing to link: the functions are looked up in the preloaded
 * collector, and without it a mark costs a test of a pointer. C and C++. */
#ifndef RINGSIDE_COLLECTOR_H
#define RINGSIDE_COLLECTOR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Begins step `number` on the calling thread; ends the thread's step before it, if that one is still open.
 */
__attribute__((weak)) void ringside_step_begin(int64_t number);
/** Ends the calling thread's step. */
__attribute__((weak)) void ringside_step_end(void);

#ifdef __cplusplus
}
#endif

/** Both as macros that do nothing when no collector is there. */
#define RINGSIDE_STEP_BEGIN(number) (ringside_step_begin != 0 ? ringside_step_begin(number) : (void)0)
#define RINGSIDE_STEP_END() (ringside_step_end != 0 ? ringside_step_end() : (void)0)

#endif
