// SPDX-License-Identifier: Apache-2.0
// A host function that keeps a stream busy until the test opens it: order is tested without sleeping.
#pragma once
#include <cuda_runtime.h>

#include <future>

namespace ringside::test {

class Gate final {
public:
    /// Blocks the stream from here on.
    explicit Gate(cudaStream_t stream) : m_future(m_promise.get_future())
    {
        cudaLaunchHostFunc(
            stream, [](void* self) { static_cast<Gate*>(self)->m_future.wait(); }, this);
    }
    ~Gate()
    {
        open();
        cudaDeviceSynchronize();
    }
    Gate(const Gate&) = delete;
    Gate& operator=(const Gate&) = delete;
    void open()
    {
        if (!m_open)
            m_promise.set_value();
        m_open = true;
    }

private:
    std::promise<void> m_promise;
    std::future<void> m_future;
    bool m_open = false;
};

} // namespace ringside::test
