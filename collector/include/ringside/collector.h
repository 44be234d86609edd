/* SPDX-License-Identifier: Apache-2.0
 * What the program that is recorded can say itself. Nothing to link: the functions are looked up in the
 * preloaded collector, and without it each costs a test of a pointer: use the macros below. C and C++, from
 * any thread. */
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
/** Stops recording in this process, at once and whoever asked for it, until ringside_resume(): an evaluation
 * or a checkpoint that is not to be analyzed. Steps and collectives are still counted. */
__attribute__((weak)) void ringside_pause(void);
/** Back to what profile, windows and live control say. Pauses do not nest. */
__attribute__((weak)) void ringside_resume(void);

/** A moment worth finding again, as an NVTX mark in the domain "ringside". */
__attribute__((weak)) void ringside_annotate(const char* text);
/** What the calling thread is about from here to the matching pop, as an NVTX range in the domain "ringside".
 * "data loading" is time spent waiting for the next batch. */
__attribute__((weak)) void ringside_range_push(const char* text);
__attribute__((weak)) void ringside_range_pop(void);
/** Which rank of how many this process is, where no launcher's variable tells or it tells wrong. The last
 * call counts. A process that is several ranks, one a device, has their numbers from its communicators all
 * the same. */
__attribute__((weak)) void ringside_set_rank(int32_t rank, int32_t world_size);

#ifdef __cplusplus
}
#endif

/** All as macros that do nothing when no collector is there. */
#define RINGSIDE_STEP_BEGIN(number) (ringside_step_begin != 0 ? ringside_step_begin(number) : (void)0)
#define RINGSIDE_STEP_END() (ringside_step_end != 0 ? ringside_step_end() : (void)0)
#define RINGSIDE_PAUSE() (ringside_pause != 0 ? ringside_pause() : (void)0)
#define RINGSIDE_RESUME() (ringside_resume != 0 ? ringside_resume() : (void)0)
#define RINGSIDE_ANNOTATE(text) (ringside_annotate != 0 ? ringside_annotate(text) : (void)0)
#define RINGSIDE_RANGE_PUSH(text) (ringside_range_push != 0 ? ringside_range_push(text) : (void)0)
#define RINGSIDE_RANGE_POP() (ringside_range_pop != 0 ? ringside_range_pop() : (void)0)
#define RINGSIDE_SET_RANK(rank, world_size)                                                                  \
    (ringside_set_rank != 0 ? ringside_set_rank(rank, world_size) : (void)0)

#endif
