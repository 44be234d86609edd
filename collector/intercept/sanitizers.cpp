// SPDX-License-Identifier: Apache-2.0
// What the run times of sanitizers ask every object of the process for, by the documented names of their
// defaults. Programs that define these names themselves are asked first, and get their own answer.
#pragma GCC visibility push(default)
extern "C" {

const char* __asan_default_options(); // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)
const char*
__tsan_default_suppressions(); // NOLINT(bugprone-reserved-identifier,readability-identifier-naming)

/// A preloaded library stands before AddressSanitizer's, which ends the program unless it is told that this
/// is all right. It is: no name of ours is one of those that it replaces.
const char* __asan_default_options()
{
    return "verify_asan_link_order=0";
}

/// The collector synchronizes by atomics that ThreadSanitizer, which instrumented none of them, cannot see.
const char* __tsan_default_suppressions()
{
    return "called_from_lib:libringside_collector.so\n";
}

} // extern "C"
#pragma GCC visibility pop
