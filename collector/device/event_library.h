// SPDX-License-Identifier: Apache-2.0
// The functions that timing by CUDA events needs, of the CUDA runtime that the process has loaded. No
// library is loaded for it.
#pragma once
#include "abi/cuda.h"

#include <string>

namespace ringside::collector {

#define RINGSIDE_EVENT_FUNCTIONS(X)                                                                          \
    X(setDevice, cudaSetDevice, (int))                                                                       \
    X(getDevice, cudaGetDevice, (int*))                                                                      \
    X(createStream, cudaStreamCreateWithFlags, (cudaStream_t*, unsigned))                                    \
    X(create, cudaEventCreateWithFlags, (cudaEvent_t*, unsigned))                                            \
    X(record, cudaEventRecord, (cudaEvent_t, cudaStream_t))                                                  \
    X(query, cudaEventQuery, (cudaEvent_t))                                                                  \
    X(elapsed, cudaEventElapsedTime, (float*, cudaEvent_t, cudaEvent_t))                                     \
    X(isCapturing, cudaStreamIsCapturing, (cudaStream_t, cudaStreamCaptureStatus*))                          \
    X(exchangeMode, cudaThreadExchangeStreamCaptureMode, (cudaStreamCaptureMode*))                           \
    X(peekLastError, cudaPeekAtLastError, ())                                                                \
    X(takeLastError, cudaGetLastError, ())

struct EventLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define RS_EVENT(member, name, parameters) cudaError_t(*member) parameters = nullptr;
    RINGSIDE_EVENT_FUNCTIONS(RS_EVENT)
#undef RS_EVENT

    /// The name of a function that the runtime lacks. Null: it has all of them.
    const char* find();
};

/// "cudaEventRecord failed: CUDA error 700 (cudaErrorIllegalAddress)"
std::string eventFailure(const char* function, int error);

} // namespace ringside::collector
