// SPDX-License-Identifier: Apache-2.0
// The 16 and 8 bit floating point types of CUDA as values that convert to and from float: half, bfloat16 and
// the two fp8 types. Conversion to float is exact; conversion from float rounds to nearest, ties to even,
// including subnormals. A NaN becomes the type's canonical one (all ones under the sign), as in the device's
// conversions. There is no arithmetic here: it is done in float, and one conversion rounds its result.
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ringside::platform {

/// The result for values beyond the largest one, including infinity.
enum class Overflow : std::uint8_t {
    Infinity, ///< becomes infinity, as IEEE 754 has it
    Saturate, ///< becomes the largest finite value, as CUDA's and NCCL's conversions to fp8 ("satfinite") do
};
/// The meaning of the highest exponent.
enum class TopExponent : std::uint8_t {
    Special, ///< infinity and NaNs
    Numbers, ///< numbers; only the pattern of all ones is NaN, and there is no infinity (e4m3)
};

template <int kExponentBits, int kMantissaBits, Overflow kOverflow, TopExponent kTopExponent>
struct NarrowFloat {
    static constexpr int kWidth = 1 + kExponentBits + kMantissaBits;
    static_assert(kWidth == 8 || kWidth == 16);
    using Bits = std::conditional_t<kWidth == 8, std::uint8_t, std::uint16_t>;

    Bits bits;

    NarrowFloat() = default;
    constexpr explicit NarrowFloat(float value);
    constexpr explicit operator float() const;
    [[nodiscard]] static constexpr NarrowFloat fromBits(Bits pattern)
    {
        NarrowFloat result{0.0F};
        result.bits = pattern;
        return result;
    }

private:
    static constexpr int kFloatMantissaBits = 23;
    static constexpr int kDropped = kFloatMantissaBits - kMantissaBits;
    /// Difference between the exponents of float and of this type for the same number.
    static constexpr int kRebias = 127 - ((1 << (kExponentBits - 1)) - 1);
    static constexpr std::uint32_t kFloatInfinity = 0x7F800000U;
    static constexpr std::uint32_t kMagnitude = (1U << (kWidth - 1)) - 1;
    static constexpr std::uint32_t kTop = kMagnitude >> kMantissaBits << kMantissaBits;
    static constexpr std::uint32_t kLargest =
        kTopExponent == TopExponent::Special ? kTop - 1 : kMagnitude - 1;
    static constexpr std::uint32_t kBeyond = kOverflow == Overflow::Infinity ? kTop : kLargest;

    /// `magnitude` holds the bits of a float without its sign, not a NaN. Returns the nearest pattern, which
    /// may be beyond kLargest.
    [[nodiscard]] static constexpr std::uint32_t nearest(std::uint32_t magnitude)
    {
        if constexpr (kRebias > 0) { // bfloat16 has float's exponents, including subnormals
            constexpr std::uint32_t kSmallestNormal = static_cast<std::uint32_t>(kRebias + 1)
                                                      << kFloatMantissaBits;
            // The float whose last bit has the value of this type's smallest subnormal: adding it rounds, and
            // leaves the count.
            constexpr std::uint32_t kUnit = static_cast<std::uint32_t>(kRebias + 1 + kDropped)
                                            << kFloatMantissaBits;
            if (magnitude < kSmallestNormal)
                return std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) +
                                                    std::bit_cast<float>(kUnit)) -
                       kUnit;
        }
        const std::uint32_t rebased = magnitude - (static_cast<std::uint32_t>(kRebias) << kFloatMantissaBits);
        const std::uint32_t odd = rebased >> kDropped & 1;
        return (rebased + (1U << (kDropped - 1)) - 1 + odd) >> kDropped;
    }
};

template <int E, int M, Overflow O, TopExponent T>
constexpr NarrowFloat<E, M, O, T>::NarrowFloat(float value)
{
    const auto wide = std::bit_cast<std::uint32_t>(value);
    const std::uint32_t magnitude = wide & 0x7FFFFFFFU;
    const std::uint32_t sign = wide >> 31 << (kWidth - 1);
    if (magnitude > kFloatInfinity) {
        bits = static_cast<Bits>(kMagnitude);
        return;
    }
    const std::uint32_t narrow = nearest(magnitude);
    bits = static_cast<Bits>(sign | (narrow > kLargest ? kBeyond : narrow));
}

template <int E, int M, Overflow O, TopExponent T>
constexpr NarrowFloat<E, M, O, T>::operator float() const
{
    const std::uint32_t magnitude = bits & kMagnitude;
    const std::uint32_t sign = static_cast<std::uint32_t>(bits) >> (kWidth - 1) << 31;
    std::uint32_t wide =
        (magnitude << kDropped) + (static_cast<std::uint32_t>(kRebias) << kFloatMantissaBits);
    if (T == TopExponent::Special ? magnitude >= kTop : magnitude == kMagnitude)
        wide = kFloatInfinity | (T == TopExponent::Special ? magnitude << kDropped & 0x7FFFFFU : 1U << 22);
    else if (kRebias > 0 && magnitude < 1U << M) // a subnormal is a multiple of the smallest one
        wide = std::bit_cast<std::uint32_t>(
            static_cast<float>(magnitude) *
            std::bit_cast<float>(static_cast<std::uint32_t>(kRebias + 1 - M) << kFloatMantissaBits));
    return std::bit_cast<float>(sign | wide);
}

using Half = NarrowFloat<5, 10, Overflow::Infinity, TopExponent::Special>;
using Bfloat16 = NarrowFloat<8, 7, Overflow::Infinity, TopExponent::Special>;
using Float8E4m3 = NarrowFloat<4, 3, Overflow::Saturate, TopExponent::Numbers>;
using Float8E5m2 = NarrowFloat<5, 2, Overflow::Saturate, TopExponent::Special>;

} // namespace ringside::platform
