// SPDX-License-Identifier: Apache-2.0
// What the kernels that select the largest values share with their launcher.
#pragma once

/// A value and where it was.
struct TopkEntry {
    unsigned index;
    float value;
};

/// Where the search for the k-th largest magnitude stands. Magnitudes are ordered as their bits are.
struct TopkSearch {
    unsigned threshold; ///< the k-th largest's upper bits, as far as they are known; the others 0
    unsigned wanted;    ///< so many of those that have these upper bits are among the k
};

/// One thread's part of the values.
struct TopkLane {
    unsigned above; ///< larger than the threshold
    unsigned equal; ///< to it; later, of these so many as are taken
    unsigned first; ///< place in the result where this lane's begin
};

/// Magnitudes are searched in digits of 8 bits, from the upper ones down.
constexpr unsigned kTopkDigits = 4;
constexpr unsigned kTopkDigitValues = 256;
