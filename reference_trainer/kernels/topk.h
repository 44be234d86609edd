// SPDX-License-Identifier: Apache-2.0
// Data that the kernels that select the largest values share with their launcher.
#pragma once

/// A value and its index.
struct TopkEntry {
    unsigned index;
    float value;
};

/// State of the search for the k-th largest magnitude. Magnitudes sort like their bits.
struct TopkSearch {
    unsigned threshold; ///< the known upper bits of the k-th largest; the other bits are 0
    unsigned wanted;    ///< how many of the values with these upper bits are among the k
};

/// The values that one thread handles.
struct TopkLane {
    unsigned above; ///< values above the threshold
    unsigned equal; ///< values equal to it; later, how many of these are selected
    unsigned first; ///< index in the result where this lane's values begin
};

/// Magnitudes are searched in digits of 8 bits, from the upper ones down.
constexpr unsigned kTopkDigits = 4;
constexpr unsigned kTopkDigitValues = 256;
