// SPDX-License-Identifier: Apache-2.0
// Random bytes where the C library has no call for them, and where the kernel has none either.
#include "older_random.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace ringside::older {
namespace {

constexpr std::size_t kBytes = 1000; // that all are zero has no chance

bool areFilled(std::array<unsigned char, kBytes>& bytes)
{
    return fillWithRandom(bytes.data(), bytes.size()) &&
           std::ranges::any_of(bytes, [](unsigned char byte) { return byte != 0; }) &&
           std::any_of(bytes.end() - 16, bytes.end(), [](unsigned char byte) { return byte != 0; });
}

/// From here on getrandom() fails as it does with a kernel before 3.17.
bool forgetTheCall()
{
    std::array filter = {
        sock_filter BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        sock_filter BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getrandom, 0, 1),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        sock_filter BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{filter.size(), filter.data()};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(OlderRandom, fillsWhatItIsGivenToTheEnd)
{
    std::array<unsigned char, kBytes> bytes{};
    EXPECT_TRUE(areFilled(bytes));
}

[[noreturn]] void fillWithoutTheCall()
{
    std::array<unsigned char, kBytes> bytes{};
    const bool isForgotten = forgetTheCall() && syscall(SYS_getrandom, bytes.data(), 1, 0) < 0;
    std::_Exit(isForgotten && areFilled(bytes) ? 0 : 1);
}

TEST(OlderRandom, readsTheDeviceWhereTheKernelHasNoCall)
{
    EXPECT_EXIT(fillWithoutTheCall(), testing::ExitedWithCode(0), "");
}

TEST(OlderRandom, returnsWhatTheKernelReturns)
{
    EXPECT_FALSE(fillWithRandom(nullptr, 1));
    EXPECT_EQ(errno, EFAULT);
}

} // namespace
} // namespace ringside::older
