// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include "errors.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <type_traits>

namespace ringside::nccl {
namespace {

/// Integers wrap around as on the device: computed unsigned, where that is defined.
template <class T>
using Arithmetic =
    typename std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>::type;

struct Sum {
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(static_cast<Arithmetic<T>>(a) + static_cast<Arithmetic<T>>(b));
    }
};

struct Product {
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(static_cast<Arithmetic<T>>(a) * static_cast<Arithmetic<T>>(b));
    }
};

struct Minimum {
    template <class T>
    static T apply(T a, T b)
    {
        return std::min(a, b);
    }
};

struct Maximum {
    template <class T>
    static T apply(T a, T b)
    {
        return std::max(a, b);
    }
};

template <class T, class Operator>
void combine(void* accumulator, const void* input, std::size_t count)
{
    T* const left = static_cast<T*>(accumulator);
    const T* const right = static_cast<const T*>(input);
    for (std::size_t i = 0; i < count; ++i)
        left[i] = Operator::template apply<T>(left[i], right[i]);
}

template <class T>
void divide(void* values, std::size_t count, int ranks)
{
    T* const data = static_cast<T*>(values);
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<T>(data[i] / static_cast<T>(ranks));
}

template <class T>
Reduction reductionFor(ncclRedOp_t op)
{
    switch (op) {
    case ncclSum:
        return {&combine<T, Sum>, nullptr};
    case ncclProd:
        return {&combine<T, Product>, nullptr};
    case ncclMax:
        return {&combine<T, Maximum>, nullptr};
    case ncclMin:
        return {&combine<T, Minimum>, nullptr};
    case ncclAvg:
        return {&combine<T, Sum>, &divide<T>};
    default:
        throw Failure(ncclInvalidArgument,
                      "unknown reduction operator: ncclRedOpCreatePreMulSum's are not emulated");
    }
}

} // namespace

std::size_t elementSize(ncclDataType_t type)
{
    constexpr std::array<std::size_t, 12> kSizes = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    require(type >= 0 && static_cast<std::size_t>(type) < kSizes.size(), "unknown data type");
    return kSizes[static_cast<std::size_t>(type)];
}

Reduction findReduction(ncclDataType_t type, ncclRedOp_t op)
{
    switch (type) {
    case ncclInt8:
        return reductionFor<std::int8_t>(op);
    case ncclUint8:
        return reductionFor<std::uint8_t>(op);
    case ncclInt32:
        return reductionFor<std::int32_t>(op);
    case ncclUint32:
        return reductionFor<std::uint32_t>(op);
    case ncclInt64:
        return reductionFor<std::int64_t>(op);
    case ncclUint64:
        return reductionFor<std::uint64_t>(op);
    case ncclFloat32:
        return reductionFor<float>(op);
    case ncclFloat64:
        return reductionFor<double>(op);
    default:
        throw Failure(ncclInvalidUsage,
                      "the emulated NCCL does not reduce 8 and 16 bit floating point types");
    }
}

} // namespace ringside::nccl
