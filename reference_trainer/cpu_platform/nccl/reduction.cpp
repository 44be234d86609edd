// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include "errors.h"
#include "narrow_float.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace ringside::nccl {
namespace {

/// The type in which values are computed. Integers wrap around as on the device: they are computed unsigned,
/// where that is defined, and in a type so wide that the compiler does not promote them to signed ones.
template <class T>
struct ComputedIn {
    using Type = float; // the narrow floating point types
};
template <class T>
requires std::is_integral_v<T>
struct ComputedIn<T> {
    using Type = std::uint64_t;
};
template <class T>
requires std::is_floating_point_v<T>
struct ComputedIn<T> {
    using Type = T;
};
template <class T>
using Computed = typename ComputedIn<T>::Type;

struct Sum {
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(static_cast<Computed<T>>(a) + static_cast<Computed<T>>(b));
    }
};

struct Product {
    template <class T>
    static T apply(T a, T b)
    {
        return static_cast<T>(static_cast<Computed<T>>(a) * static_cast<Computed<T>>(b));
    }
};

/// Of a number and a NaN it returns the number, like the device's fmin and fmax.
struct Minimum {
    template <class T>
    static T apply(T a, T b)
    {
        if constexpr (std::is_integral_v<T>)
            return std::min(a, b);
        else
            return static_cast<T>(std::fmin(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
    }
};

struct Maximum {
    template <class T>
    static T apply(T a, T b)
    {
        if constexpr (std::is_integral_v<T>)
            return std::max(a, b);
        else
            return static_cast<T>(std::fmax(static_cast<Computed<T>>(a), static_cast<Computed<T>>(b)));
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
void multiply(void* values, std::size_t count, const void* factor)
{
    T scalar;
    std::memcpy(&scalar, factor, sizeof scalar);
    T* const data = static_cast<T*>(values);
    for (std::size_t i = 0; i < count; ++i)
        data[i] = Product::apply<T>(data[i], scalar);
}

template <class T>
void divide(void* values, std::size_t count, int ranks)
{
    T* const data = static_cast<T*>(values);
    for (std::size_t i = 0; i < count; ++i)
        data[i] = static_cast<T>(data[i] / static_cast<T>(ranks));
}

template <class T>
Reduction average()
{
    if constexpr (std::is_integral_v<T>)
        return {.combine = &combine<T, Sum>, .finish = &divide<T>};
    else
        return {.prepare = &multiply<T>, .combine = &combine<T, Sum>};
}

template <class T>
Reduction reductionFor(ncclRedOp_t op)
{
    switch (op) {
    case ncclSum:
        return {.combine = &combine<T, Sum>};
    case ncclProd:
        return {.combine = &combine<T, Product>};
    case ncclMax:
        return {.combine = &combine<T, Maximum>};
    case ncclMin:
        return {.combine = &combine<T, Minimum>};
    case ncclAvg:
        return average<T>();
    default:
        return {.prepare = &multiply<T>, .combine = &combine<T, Sum>};
    }
}

/// Calls `use` with a value of the type's C++ counterpart.
template <class Use>
auto withType(ncclDataType_t type, Use&& use)
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
        throw Failure(ncclInvalidArgument, "unknown data type");
    }
}

} // namespace

std::size_t elementSize(ncclDataType_t type)
{
    return withType(type, [](auto value) { return sizeof value; });
}

Reduction findReduction(ncclDataType_t type, ncclRedOp_t op)
{
    return withType(type, [op](auto value) { return reductionFor<decltype(value)>(op); });
}

std::array<std::byte, 8> averageFactor(ncclDataType_t type, int ranks)
{
    std::array<std::byte, 8> bytes{};
    withType(type, [&](auto value) {
        using T = decltype(value);
        if constexpr (!std::is_integral_v<T>) {
            value = static_cast<T>(static_cast<Computed<T>>(1) / static_cast<Computed<T>>(ranks));
            std::memcpy(bytes.data(), &value, sizeof value);
        }
    });
    return bytes;
}

} // namespace ringside::nccl
