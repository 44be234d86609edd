// SPDX-License-Identifier: Apache-2.0
// The data check of NVIDIA's nccl-tests for machines without a GPU, as their libverifiable.so.0: their own
// one makes and checks data in device kernels, which the CPU platform does not execute. Written from their
// header's contract alone: inputs are drawn here, and results compared with an expectation computed here.
//
// Sums and products of up to eight ranks are exact in every type, whatever the order, and must be right to
// the bit. Averages, and sums beyond a type's exact integers, may be off by the rounding of each step.
#include "narrow_float.h"

#include <cuda_runtime_api.h>
#include <nccl.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <type_traits>

using namespace ringside;

namespace {

/// nccl-tests' number for a sum of inputs that each rank multiplies by its own scalar.
constexpr int kPreMulSum = ncclNumOps;

std::uint64_t mixed(std::uint64_t seed, int rank, std::intptr_t index)
{
    std::uint64_t x = seed * 0x9e3779b97f4a7c15U + static_cast<std::uint64_t>(rank) * 0xd1b54a32d192ed03U +
                      static_cast<std::uint64_t>(index);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U; // the finalizer of SplitMix64
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

template <class T>
constexpr bool kIsNarrow = !std::is_arithmetic_v<T>;

/// Integers are computed modulo 2^64, which wraps around like their own arithmetic.
template <class T>
using Exact = std::conditional_t<std::is_integral_v<T>, std::uint64_t, double>;

template <class T>
Exact<T> exact(T value)
{
    if constexpr (kIsNarrow<T>)
        return static_cast<float>(value);
    else
        return static_cast<Exact<T>>(value);
}

template <class T>
T rounded(Exact<T> value)
{
    if constexpr (kIsNarrow<T>)
        return T(static_cast<float>(value));
    else
        return static_cast<T>(value);
}

/// The largest power of two up to which all integers are exact in a floating point type: the inverse of the
/// relative rounding error of one operation.
template <class T>
double largestExact()
{
    double n = 1;
    while (n < 0x1p53 && exact<T>(rounded<T>(n + 1)) == n + 1)
        n *= 2;
    return n;
}

struct Request {
    void* elements;
    std::intptr_t count;
    int op;
    int ranks;
    int rank;
    std::uint64_t seed;
    std::intptr_t first;
};

template <class T>
T input(const Request& request, int rank, std::intptr_t index)
{
    const std::uint64_t bits = mixed(request.seed, rank, index);
    const auto number = [](std::uint64_t value) { return rounded<T>(static_cast<Exact<T>>(value)); };
    if (request.op == ncclProd)
        return number(1 + bits % 2);
    if (request.op == ncclAvg || (request.ranks > 1 && request.op != ncclMin && request.op != ncclMax))
        return number(kIsNarrow<T> ? bits % 2 : bits % 4);
    return number(std::is_integral_v<T> ? bits : bits % (kIsNarrow<T> ? 16 : 100'000));
}

template <class T>
bool isLess(T left, T right)
{
    if constexpr (kIsNarrow<T>)
        return exact(left) < exact(right);
    else
        return left < right;
}

template <class T>
Exact<T> combine(const Request& request, Exact<T> sum, Exact<T> next)
{
    switch (request.op) {
    case ncclProd:
        return sum * next;
    case ncclMax:
        return isLess(rounded<T>(sum), rounded<T>(next)) ? next : sum;
    case ncclMin:
        return isLess(rounded<T>(sum), rounded<T>(next)) ? sum : next;
    default:
        return sum + next;
    }
}

template <class T>
T expected(const Request& request, std::intptr_t index)
{
    const auto contribution = [&](int rank) {
        const Exact<T> value = exact(input<T>(request, rank, index));
        return request.op == kPreMulSum ? value * static_cast<Exact<T>>(1 + rank % 2) : value;
    };
    Exact<T> result = contribution(0);
    for (int rank = 1; rank < request.ranks; ++rank)
        result = combine<T>(request, result, contribution(rank));
    if (request.op == ncclAvg)
        result /= static_cast<Exact<T>>(request.ranks);
    return rounded<T>(result);
}

template <class T>
bool isRight(T got, T wanted, const Request& request)
{
    if (std::memcmp(&got, &wanted, sizeof got) == 0)
        return true;
    if constexpr (std::is_integral_v<T>) {
        return false;
    } else {
        const double magnitude = std::fabs(exact(wanted));
        if (request.op != ncclAvg && magnitude <= largestExact<T>())
            return false;
        return std::fabs(exact(got) - exact(wanted)) <= (request.ranks + 2) / largestExact<T>() * magnitude;
    }
}

/// Calls `use` with a value of the type's C++ counterpart.
template <class Use>
void withType(int type, Use&& use)
{
    switch (type) {
    case ncclInt8:
        return use(std::int8_t());
    case ncclUint8:
        return use(std::uint8_t());
    case ncclInt32:
        return use(std::int32_t());
    case ncclUint32:
        return use(std::uint32_t());
    case ncclInt64:
        return use(std::int64_t());
    case ncclUint64:
        return use(std::uint64_t());
    case ncclFloat16:
        return use(platform::Half());
    case ncclFloat32:
        return use(float());
    case ncclFloat64:
        return use(double());
    case ncclBfloat16:
        return use(platform::Bfloat16());
    case ncclFloat8e4m3:
        return use(platform::Float8E4m3());
    case ncclFloat8e5m2:
        return use(platform::Float8E5m2());
    default:
        return;
    }
}

/// Runs a task when the stream reaches it.
cudaError_t enqueue(cudaStream_t stream, std::function<void()> task)
{
    auto* const queued = new std::function<void()>(std::move(task));
    const cudaError_t error = cudaLaunchHostFunc(
        stream,
        [](void* argument) {
            auto* const function = static_cast<std::function<void()>*>(argument);
            (*function)();
            delete function;
        },
        queued);
    if (error != cudaSuccess)
        delete queued;
    return error;
}

template <class Value>
cudaError_t fill(cudaStream_t stream, int type, const Request& request, Value&& value)
{
    return enqueue(stream, [request, type, value] {
        withType(type, [&](auto kind) {
            auto* const elements = static_cast<decltype(kind)*>(request.elements);
            for (std::intptr_t i = 0; i < request.count; ++i)
                elements[i] = value(kind, request, request.first + i);
        });
    });
}

} // namespace

#define RINGSIDE_EXPORT __attribute__((visibility("default")))

// Declared as in nccl-tests' verifiable.h, the interface that their programs are linked against.
RINGSIDE_EXPORT cudaError_t ncclVerifiablePrepareInput(void* elements, std::intptr_t count, int type, int op,
                                                       int ranks, int rank, std::uint64_t seed,
                                                       std::intptr_t first, cudaStream_t stream)
{
    return fill(stream, type, {elements, count, op, ranks, rank, seed, first},
                [](auto kind, const Request& request, std::intptr_t index) {
                    return input<decltype(kind)>(request, request.rank, index);
                });
}

RINGSIDE_EXPORT cudaError_t ncclVerifiablePrepareExpected(void* elements, std::intptr_t count, int type,
                                                          int op, int ranks, std::uint64_t seed,
                                                          std::intptr_t first, cudaStream_t stream)
{
    return fill(stream, type, {elements, count, op, ranks, 0, seed, first},
                [](auto kind, const Request& request, std::intptr_t index) {
                    return expected<decltype(kind)>(request, index);
                });
}

RINGSIDE_EXPORT cudaError_t ncclVerifiableVerify(const void* results, const void* wanted, std::intptr_t count,
                                                 int type, int op, int ranks, std::uint64_t, std::intptr_t,
                                                 std::int64_t* wrong, cudaStream_t stream)
{
    if (wanted == nullptr)
        return cudaErrorNotSupported; // nccl-tests always computes it beforehand
    return enqueue(stream, [=] {
        *wrong = 0;
        withType(type, [&](auto kind) {
            using T = decltype(kind);
            const Request request{nullptr, count, op, ranks, 0, 0, 0};
            for (std::intptr_t i = 0; i < count; ++i)
                if (!isRight(static_cast<const T*>(results)[i], static_cast<const T*>(wanted)[i], request))
                    ++*wrong;
        });
    });
}
