// SPDX-License-Identifier: Apache-2.0
// A client of CUPTI that behaves as PyTorch's profiler (Kineto) does, in a library of its own, so that the
// program may load it as Python does.
#pragma once

#pragma GCC visibility push(default)
extern "C" {
/// "older": subscribes once, and measures no GPU for good where that fails. "newer": never subscribes, has a
/// clock of its own, and takes it that callbacks and kinds are its alone. "of_subscriber": as JAX does with
/// CUDA 13.2, by the _v2 functions.
void kinetoStart(const char* kind);
/// Ends what start began and says on stdout what it got.
void kinetoStop(void);
/// Lets go of CUPTI, as at the end of a job.
void kinetoEnd(void);
}
#pragma GCC visibility pop
