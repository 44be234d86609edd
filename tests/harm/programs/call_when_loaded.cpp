// SPDX-License-Identifier: Apache-2.0
// Makes libcalls_cuda.so call CUDA as soon as a program starts.
extern "C" int call_cuda(); // NOLINT(readability-identifier-naming): as ctypes knows it

namespace {

struct AtTheBegin {
    AtTheBegin() { call_cuda(); }
} const g_atTheBegin;

} // namespace
