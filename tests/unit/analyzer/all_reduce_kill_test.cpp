// SPDX-License-Identifier: Apache-2.0
// The all-reduce curve of a GPU with a stuck driver: the measuring process is ended after its time limit, and
// leaves nothing behind. A separate program, because its libraries have the real libraries' names.
#include "probe/all_reduce.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

namespace ringside::probe {
namespace {

TEST(AllReduce, thatDoesNotEndIsKilledAndSaidNotToBeMeasured)
{
    ASSERT_NE(dlopen(RINGSIDE_STUCK_CUDART, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    ASSERT_NE(dlopen(RINGSIDE_STUCK_NCCL, RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
    const AllReduceCurve curve =
        measureAllReduce({1024, std::chrono::milliseconds(1), std::chrono::milliseconds(200)});
    EXPECT_EQ(curve.missing, "the process that measured it ended or took too long");
    EXPECT_TRUE(curve.points.empty());
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
    EXPECT_NE(textOf(curve).find("not measured: the process that measured it"), std::string::npos);
}

} // namespace
} // namespace ringside::probe
