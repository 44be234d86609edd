// SPDX-License-Identifier: Apache-2.0
// What the device computes in single precision, held against loops in double precision.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace ringside::test {

/// Each value within 1e-5 of the expected one, relative to it where that is larger than 1; `what` says whose.
inline void expectNear(const std::vector<double>& expected, const std::vector<float>& actual,
                       const char* what)
{
    ASSERT_EQ(expected.size(), actual.size()) << what;
    for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(expected[i], static_cast<double>(actual[i]), 1e-5 * (1 + std::abs(expected[i])))
            << what << " " << i;
}

} // namespace ringside::test
