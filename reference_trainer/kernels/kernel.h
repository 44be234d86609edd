// SPDX-License-Identifier: Apache-2.0
// One source for a kernel and its host version: an element's body in one macro, for nvcc and for the host
// compiler. The host version is found by the CPU platform through the exported names ringside_cpu_*_<kernel>;
// on a GPU nobody calls it. Bodies see their element as `i` and the number of elements as `n`; no shared
// memory, no __syncthreads and no warp intrinsics, since host elements run one after the other.
#pragma once
#include <cuda_runtime.h>

#include <utility>

namespace ringside::trainer {

constexpr unsigned kThreadsPerBlock = 256;

constexpr unsigned blocksFor(unsigned elements)
{
    return (elements + kThreadsPerBlock - 1) / kThreadsPerBlock;
}

template <class Signature>
struct KernelTraits;

/// What follows from a kernel's parameter list. The number of elements is always the last argument of a
/// launch.
template <class... Parameters>
struct KernelTraits<void(Parameters...)> {
    using Launch = cudaError_t (*)(cudaStream_t, unsigned elements, Parameters...);

    /// Read by the CPU platform as an array of unsigned: how many arguments, then the size of each in bytes.
    struct ArgumentSizes {
        unsigned count = sizeof...(Parameters) + 1;
        unsigned sizes[sizeof...(Parameters) + 1] = {static_cast<unsigned>(sizeof(Parameters))...,
                                                     sizeof(unsigned)};
    };

    template <class Element, std::size_t... Index>
    static void runElements(Element element, void** args, unsigned begin, unsigned end,
                            std::index_sequence<Index...>)
    {
        const unsigned n = *static_cast<unsigned*>(args[sizeof...(Parameters)]);
        const auto run = [=](Parameters... parameters) {
            for (unsigned i = begin; i < (end < n ? end : n); ++i)
                element(i, parameters..., n);
        };
        run(*static_cast<Parameters*>(args[Index])...);
    }

    template <class Element>
    static void runElements(Element element, void** args, unsigned begin, unsigned end)
    {
        runElements(element, args, begin, end, std::index_sequence_for<Parameters...>());
    }
};

#ifndef __CUDACC__
/// Registers a host version under its kernel's name, as nvcc's generated code does, and launches by that
/// handle.
void registerKernel(const void* handle, const char* name);

template <class... Arguments>
cudaError_t launchRegistered(const void* handle, cudaStream_t stream, unsigned n, Arguments... arguments)
{
    void* pointers[] = {&arguments..., &n};
    return cudaLaunchKernel(handle, dim3(blocksFor(n)), dim3(kThreadsPerBlock), pointers, 0, stream);
}
#endif

} // namespace ringside::trainer

#define RS_UNPACK(...) __VA_ARGS__
#define RS_EXPORT __attribute__((visibility("default")))

// Types, names and bodies cannot stand in parentheses. NOLINTBEGIN(bugprone-macro-parentheses)
/// In a header: `launch_NAME(stream, elements, arguments...)`, asynchronous, returns the launch's
/// cudaError_t.
#define RS_DECLARE_KERNEL(name, params)                                                                      \
    extern const ::ringside::trainer::KernelTraits<void params>::Launch launch_##name;

// The body is pasted twice, because a __global__ function cannot name the parameters of a macro's list to
// pass them on.
#ifdef __CUDACC__
#define RS_DEVICE_SIDE(name, params, ...)                                                                    \
    extern "C" __global__ void name(RS_UNPACK params, unsigned n)                                            \
    {                                                                                                        \
        const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                            \
        if (i < n)                                                                                           \
            __VA_ARGS__                                                                                      \
    }                                                                                                        \
    const ::ringside::trainer::KernelTraits<void params>::Launch launch_##name =                             \
        [](cudaStream_t stream, unsigned n, auto... arguments) {                                             \
            name<<<::ringside::trainer::blocksFor(n), ::ringside::trainer::kThreadsPerBlock, 0, stream>>>(   \
                arguments..., n);                                                                            \
            return cudaGetLastError();                                                                       \
        };
#else
#define RS_DEVICE_SIDE(name, params, ...)                                                                    \
    static const char name##_handle = [] {                                                                   \
        ::ringside::trainer::registerKernel(&name##_handle, #name);                                          \
        return '\0';                                                                                         \
    }();                                                                                                     \
    const ::ringside::trainer::KernelTraits<void params>::Launch launch_##name =                             \
        [](cudaStream_t stream, unsigned n, auto... arguments) {                                             \
            return ::ringside::trainer::launchRegistered(&name##_handle, stream, n, arguments...);           \
        };
#endif

/// Defines a kernel: RS_KERNEL(name, (float* w, float lr), { w[i] *= lr; })
#define RS_KERNEL(name, params, ...)                                                                         \
    RS_DEVICE_SIDE(name, params, __VA_ARGS__)                                                                \
    static inline void name##_element([[maybe_unused]] unsigned i, RS_UNPACK params,                         \
                                      [[maybe_unused]] unsigned n)                                           \
        __VA_ARGS__ extern "C" RS_EXPORT void ringside_cpu_kernel_##name(void** args, unsigned begin,        \
                                                                         unsigned end)                       \
    {                                                                                                        \
        ::ringside::trainer::KernelTraits<void params>::runElements(                                         \
            [](auto... values) { name##_element(values...); }, args, begin, end);                            \
    }                                                                                                        \
    extern "C" {                                                                                             \
    RS_EXPORT extern const ::ringside::trainer::KernelTraits<void params>::ArgumentSizes                     \
        ringside_cpu_args_##name;                                                                            \
    const ::ringside::trainer::KernelTraits<void params>::ArgumentSizes ringside_cpu_args_##name{};          \
    }

/// In a cost expression: argument number `index` of the launch.
#define RS_ARG(type, index) (*static_cast<type*>(args[index]))

/// What an element costs in the device model: floating point operations and bytes of device memory traffic.
#define RS_KERNEL_COST(name, flopsPerElement, bytesPerElement)                                               \
    extern "C" RS_EXPORT void ringside_cpu_cost_##name([[maybe_unused]] void** args, unsigned threads,       \
                                                       double* flops, double* bytes)                         \
    {                                                                                                        \
        *flops = static_cast<double>(threads) * (flopsPerElement);                                           \
        *bytes = static_cast<double>(threads) * (bytesPerElement);                                           \
    }
// NOLINTEND(bugprone-macro-parentheses)
