// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
/// Under the real name, so that the collector's hook is found first when it is preloaded.
__attribute__((visibility("default"))) int cudaEventRecord(void* event, void* stream);
/// Two readings of the time stamp counter and a 32-byte store into a thread's own ring: no library can record
/// for less.
__attribute__((visibility("default"))) int benchBareRecord(void* argument);
}
