// SPDX-License-Identifier: Apache-2.0
#include "failure.h"
#include "result_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

using namespace ringside::trainer;
namespace fs = std::filesystem;

namespace {

class ResultFile : public testing::Test {
protected:
    fs::path m_folder = fs::path(testing::TempDir()) / ("result_file." + std::to_string(getpid()));

    void SetUp() override { fs::create_directories(m_folder); }
    void TearDown() override { fs::remove_all(m_folder); }
    [[nodiscard]] std::string path(const char* name) const { return m_folder / name; }
    static std::string contents(const std::string& path)
    {
        std::ifstream file(path);
        return {std::istreambuf_iterator<char>(file), {}};
    }
};

} // namespace

TEST_F(ResultFile, thatCannotBeWrittenIsNamed)
{
    for (const std::string& bad : {path("missing/result.json"), m_folder.string()}) {
        try {
            checkWritable(bad);
            ADD_FAILURE() << bad;
        } catch (const Failure& failure) {
            EXPECT_NE(std::string(failure.what()).find("cannot write " + bad), std::string::npos)
                << failure.what();
        }
    }
}

TEST_F(ResultFile, thatIsCheckedIsLeftAsItWas)
{
    checkWritable(path("new.json"));
    EXPECT_FALSE(fs::exists(path("new.json")));
    writeFile(path("old.json"), "what was there");
    checkWritable(path("old.json"));
    EXPECT_EQ(contents(path("old.json")), "what was there");
}

TEST_F(ResultFile, behindALinkIsCheckedAndTheLinkStays)
{
    fs::create_symlink(path("target.json"), path("link.json"));
    checkWritable(path("link.json"));
    EXPECT_TRUE(fs::is_symlink(path("link.json")));
    EXPECT_FALSE(fs::exists(path("target.json")));
}

TEST_F(ResultFile, mayBeADevice)
{
    EXPECT_NO_THROW(checkWritable("/dev/null"));
    EXPECT_TRUE(fs::exists("/dev/null"));
}

TEST_F(ResultFile, isReplaced)
{
    writeFile(path("result.json"), "a long first result");
    writeFile(path("result.json"), "short");
    EXPECT_EQ(contents(path("result.json")), "short");
}
