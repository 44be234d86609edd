// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

extern "C" {
// Under the real names, so that the collector's hooks are found first when it is preloaded.
__attribute__((visibility("default"))) int cudaEventRecord(void* event, void* stream);
__attribute__((visibility("default"))) int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes,
                                                           int kind, void* stream);
/// Two readings of the time stamp counter and a 32-byte store into a thread's own ring: no library can record
/// for less.
__attribute__((visibility("default"))) int benchBareRecord(void* argument);
}
