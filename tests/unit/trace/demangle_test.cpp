// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/demangle.h"

#include <gtest/gtest.h>

namespace {

using ringside::trace::demangled;

TEST(Demangle, givesKernelsTheNamesThatPeopleWrote)
{
    EXPECT_EQ(demangled("_Z39ncclDevKernel_AllReduce_Sum_f32_RING_LL24ncclDevKernelArgsStorageILm4096EE"),
              "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)");
    EXPECT_EQ(
        demangled("_ZN2at6native29vectorized_elementwise_kernelILi4ENS0_11FillFunctorIfEESt5arrayIPcLm1E"
                  "EEEviT0_T1_"),
        "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, "
        "std::array<char*, 1ul> >(int, at::native::FillFunctor<float>, std::array<char*, 1ul>)");
}

TEST(Demangle, leavesOtherNamesAlone)
{
    for (const std::string name : {"", "_Z", "_Zx", "ampere_sgemm_128x64_nn", "step 7", "i", "_ZN",
                                   "_Z45ncclDevKernel_AllReduce", "_Z1fv\xff"}) {
        EXPECT_EQ(demangled(name), name);
    }
    const std::string veryLong = "_Z1100" + std::string(1100, 'a') + "v";
    EXPECT_EQ(demangled(veryLong), veryLong);
    const std::string deep = "_Z1f" + std::string(100'000, 'P') + "i";
    EXPECT_EQ(demangled(deep), deep);
}

/// A name whose every part is the one before, so many times.
std::string doubling(int parts, int times)
{
    constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string name = "_Z1f1pIiiE";
    for (int part = 0; part < parts; ++part) {
        name += "S_I";
        for (int time = 0; time < times; ++time) {
            name.append("S").append(1, kDigits.at(static_cast<std::size_t>(part))).append("_");
        }
        name += "E";
    }
    return name;
}

// Without a bound the first of these takes 0.1 s and 35 MB, and each further part twice that.
TEST(Demangle, rejectsNamesThatExpandTooFar)
{
    for (const int times : {2, 3, 8}) {
        EXPECT_EQ(demangled(doubling(20, times)), doubling(20, times));
        EXPECT_EQ(demangled(doubling(36, times)), doubling(36, times));
    }
    EXPECT_NE(demangled(doubling(3, 2)), doubling(3, 2));
    const std::string packs = "_Z1fIJiiiiiiiiiiiiiiiiEEvDpDpDpDpDpDpDpDpT_";
    EXPECT_EQ(demangled(packs), packs);
}

} // namespace
