// SPDX-License-Identifier: Apache-2.0
// What the device computes in single precision, held against loops in double precision.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ringside::test {

/// Whether each value is within 1e-5 of the expected one, relative to it where that is larger than 1.
inline testing::AssertionResult areNear(const std::vector<double>& expected, const std::vector<float>& actual)
{
    if (expected.size() != actual.size())
        return testing::AssertionFailure() << actual.size() << " values, not " << expected.size();
    for (std::size_t i = 0; i < expected.size(); ++i)
        if (const auto value = static_cast<double>(actual[i]);
            !(std::abs(expected[i] - value) <= 1e-5 * (1 + std::abs(expected[i]))))
            return testing::AssertionFailure() << "value " << i << " is " << value << ", not " << expected[i];
    return testing::AssertionSuccess();
}

} // namespace ringside::test
