// SPDX-License-Identifier: Apache-2.0
// Device arrays as vectors, for tests that compare what is in them.
#pragma once
#include "gpu.h"
#include "layer.h"
#include "random.h"

#include <vector>

namespace ringside::test {

inline std::vector<float> randomValues(std::size_t count, std::uint64_t seed)
{
    trainer::Random random(seed);
    std::vector<float> values(count);
    for (float& value : values)
        value = random.uniform(-1, 1);
    return values;
}

template <class T>
void toDevice(const std::vector<T>& values, T* device)
{
    RS_CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
}

template <class T>
trainer::DeviceArray<T> onDevice(const std::vector<T>& values)
{
    trainer::DeviceArray<T> array(values.size());
    toDevice(values, array.data());
    return array;
}

inline std::vector<float> toHost(const float* device, std::size_t count)
{
    std::vector<float> values(count);
    RS_CHECK(cudaMemcpy(values.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
}

/// A stream with a cuBLAS handle on it.
class Workplace final {
public:
    Workplace()
    {
        cublasHandle_t handle = nullptr;
        RS_CHECK(cublasCreate(&handle));
        m_blas = trainer::Blas(handle);
        RS_CHECK(cublasSetStream(handle, m_stream.get()));
    }
    [[nodiscard]] trainer::Queue queue() const { return {.stream = m_stream.get(), .blas = m_blas.get()}; }
    void wait() const { RS_CHECK(cudaStreamSynchronize(m_stream.get())); }

private:
    trainer::Stream m_stream = trainer::makeStream();
    trainer::Blas m_blas;
};

} // namespace ringside::test
