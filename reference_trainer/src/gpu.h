// SPDX-License-Identifier: Apache-2.0
// CUDA, cuBLAS and NCCL with errors as exceptions and owners for their handles.
#pragma once
#include "device_memory.h"
#include "failure.h"

#include <cuda_runtime.h>
#include <nccl.h>

#include <cublas_v2.h>

#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

namespace ringside::trainer {

/// Throws Failure with the call's name and the library's error text.
void check(cudaError_t result, const char* call);
void check(cublasStatus_t result, const char* call);
void check(ncclResult_t result, const char* call);

#define RS_CHECK(call) ::ringside::trainer::check((call), #call)

/// Owns a handle and closes it with Close.
template <class Handle, auto Close>
class Owned final {
public:
    Owned() = default;
    explicit Owned(Handle handle) : m_handle(handle) {}
    Owned(Owned&& other) noexcept : m_handle(std::exchange(other.m_handle, nullptr)) {}
    Owned& operator=(Owned&& other) noexcept
    {
        std::swap(m_handle, other.m_handle);
        return *this;
    }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    ~Owned()
    {
        if (m_handle != nullptr)
            Close(m_handle);
    }
    [[nodiscard]] Handle get() const { return m_handle; }

private:
    Handle m_handle = nullptr;
};

using Stream = Owned<cudaStream_t, cudaStreamDestroy>;
using Event = Owned<cudaEvent_t, cudaEventDestroy>;
using Blas = Owned<cublasHandle_t, cublasDestroy>;
using Communicator = Owned<ncclComm_t, ncclCommDestroy>;

[[nodiscard]] Stream makeStream();
/// Returns an event for ordering streams; it is cheaper than one with timing.
[[nodiscard]] Event makeEvent();
[[nodiscard]] Event makeTimingEvent();
/// Makes `to` wait for the work queued on `from` so far; uses the event `before`.
void order(cudaStream_t from, cudaEvent_t before, cudaStream_t to);

/// `count` elements of device memory, zeroed. While a MemoryArena measures, there is no memory.
template <class T>
class DeviceArray final {
public:
    DeviceArray() = default;
    explicit DeviceArray(std::size_t count) : m_memory(allocateDevice(count * sizeof(T))), m_size(count)
    {
        if (!m_memory)
            return; // an arena is measuring
        RS_CHECK(cudaMemset(m_memory.get(), 0, count * sizeof(T)));
        // cudaMemset is asynchronous on the default stream, and the trainer's streams do not wait for that
        // stream.
        RS_CHECK(cudaStreamSynchronize(nullptr));
    }
    [[nodiscard]] T* data() const { return static_cast<T*>(m_memory.get()); }
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    DeviceMemory m_memory;
    std::size_t m_size = 0;
};

/// `count` elements of host memory. If it is pinned, copies from it do not block the host.
template <class T>
class HostArray final {
public:
    HostArray() = default;
    HostArray(std::size_t count, bool pinned) : m_size(count)
    {
        if (!pinned) {
            m_memory = {new T[count], [](T* memory) { delete[] memory; }};
            return;
        }
        void* memory = nullptr;
        RS_CHECK(cudaMallocHost(&memory, count * sizeof(T)));
        m_memory = {static_cast<T*>(memory), [](T* pages) { cudaFreeHost(pages); }};
    }
    [[nodiscard]] T* data() const { return m_memory.get(); }
    [[nodiscard]] std::size_t size() const { return m_size; }

private:
    std::unique_ptr<T, void (*)(T*)> m_memory{nullptr, [](T*) {}};
    std::size_t m_size = 0;
};

} // namespace ringside::trainer
