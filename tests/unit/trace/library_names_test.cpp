// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/environment.h>
#include <ringside/trace/library_names.h>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace ringside::trace {
namespace {

/// This program is a library like any: it reads a variable that nobody sets.
const char* const kRead = std::getenv("NCCL_ONLY_IN_THIS_TEST");

std::string ownFile()
{
    return std::filesystem::read_symlink("/proc/self/exe");
}

TEST(LibraryNames, WhatAProgramReadsStandsInIt)
{
    ASSERT_EQ(kRead, nullptr);
    // Joined when the program runs, so that it does not stand in the file.
    const std::string unknown = std::string("NCCL_NOT_IN_") + "THIS_TEST";
    const auto missing = namesMissingIn(ownFile(), {"NCCL_ONLY_IN_THIS_TEST", unknown});
    ASSERT_TRUE(missing.has_value());
    EXPECT_EQ(*missing, std::set<std::string>{unknown});
}

TEST(LibraryNames, TheBeginOfANameIsNotTheName)
{
    const std::string begin = std::string("NCCL_ONLY_IN_") + "THIS";
    EXPECT_EQ(namesMissingIn(ownFile(), {begin}), std::set<std::string>{begin});
}

TEST(LibraryNames, WhatIsNoLibraryIsNotJudged)
{
    const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "no_library";
    for (const std::string& text : {std::string(),
                                    std::string("\x7f"
                                                "ELF"),
                                    std::string("\x7f"
                                                "ELF\2\1") +
                                        std::string(80, '\xff')}) {
        std::ofstream(file) << text;
        EXPECT_FALSE(namesMissingIn(file, {"NCCL_DEBUG"}).has_value());
    }
    EXPECT_FALSE(namesMissingIn("/does/not/exist", {"NCCL_DEBUG"}).has_value());
}

TEST(Environment, RecognizesTheOwnerOfAVariable)
{
    EXPECT_TRUE(belongsToNccl("NCCL_ALGO"));
    EXPECT_TRUE(belongsToNccl("NCCL_NCHANNELS"));
    EXPECT_FALSE(belongsToNccl("NCCL_BLOCKING_WAIT"));
    EXPECT_FALSE(belongsToNccl("NCCL_INSPECTOR_DUMP_DIR"));
    EXPECT_FALSE(belongsToNccl("TORCH_NCCL_TRACE_BUFFER_SIZE"));
}

} // namespace
} // namespace ringside::trace
