// SPDX-License-Identifier: Apache-2.0
// API calls and device work as the sink (our CUPTI) sees them, and the correlation ids that tie them
// together.
#pragma once
#include "stream.h"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace ringside::platform {

/// One API call from its beginning to its end: gives it a correlation id, tells the sink, keeps the
/// thread's last error. Calls made inside another (a library's own) belong to the outer one.
class ApiCall final {
public:
    explicit ApiCall(ApiFunction function);
    ~ApiCall();
    ApiCall(const ApiCall&) = delete;
    ApiCall& operator=(const ApiCall&) = delete;
    /// Notes the result and hands it back.
    cudaError_t finish(cudaError_t result);
    /// Correlation id of the call this thread is in.
    [[nodiscard]] static std::uint32_t correlation();

private:
    ApiFunction m_function; ///< number 0 inside another call
    std::int64_t m_startNs = 0;
    cudaError_t m_result = cudaSuccess;
};

/// The calling thread's last error.
[[nodiscard]] cudaError_t lastError();
void setLastError(cudaError_t error);

void setSink(const ActivitySink* sink);
void reportWork(const QueueItem& item, const StreamOptions& stream, std::int64_t startNs, std::int64_t endNs);

} // namespace ringside::platform
