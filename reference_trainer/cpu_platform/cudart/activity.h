// SPDX-License-Identifier: Apache-2.0
// API calls and device work as reported to the sink (the emulated CUPTI), and the correlation ids that
// connect them.
#pragma once
#include "stream.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace ringside::platform {

/// One API call from its begin to its end: assigns a correlation id, reports to the sink, and stores the
/// thread's last error. Calls made inside another one (by a library) belong to the outer one.
class ApiCall final {
public:
    explicit ApiCall(ApiFunction function);
    ~ApiCall();
    ApiCall(const ApiCall&) = delete;
    ApiCall& operator=(const ApiCall&) = delete;
    /// Stores the result and returns it.
    cudaError_t finish(cudaError_t result);
    /// Returns the correlation id of this thread's present call.
    [[nodiscard]] static std::uint32_t correlation();

private:
    ApiFunction m_function; ///< number 0 inside another call
    std::int64_t m_startNs = 0;
    cudaError_t m_result = cudaSuccess;
};

/// Returns the calling thread's last error.
[[nodiscard]] cudaError_t lastError();
void setLastError(cudaError_t error);

void setSink(const ActivitySink* sink);
void reportWork(const QueueItem& item, const StreamOptions& stream, std::int64_t startNs, std::int64_t endNs);

} // namespace ringside::platform
