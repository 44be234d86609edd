// SPDX-License-Identifier: Apache-2.0
// The message if an open trace can no longer be written: one line that names the cause.
#include "support/temporary_directory.h"
#include "trace/write/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace ringside::test {
namespace {

using namespace ringside::trace;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr int kCreate = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

std::string failureOf(Database& database, const std::string& sql)
{
    try {
        database.execute(sql);
    } catch (const Error& error) {
        return error.what();
    }
    return "no failure";
}

TEST(DatabaseFailure, namesTheFolderThatIsGone)
{
    const TemporaryDirectory directory;
    std::filesystem::create_directory(directory / "run");
    Database database(directory / "run" / "a.db", kCreate);
    database.execute("CREATE TABLE kept(value)");
    std::filesystem::rename(directory / "run", directory / "elsewhere");
    const std::string failure = failureOf(database, "PRAGMA page_size = 16384;\nCREATE TABLE more(value)");
    EXPECT_THAT(failure,
                AllOf(HasSubstr("cannot write"), HasSubstr("its folder is out of reach (No such file"),
                      HasSubstr("since it was removed"), Not(HasSubstr("\n"))));
}

TEST(DatabaseFailure, quotesTheBeginningOfAStatementOnOneLine)
{
    const TemporaryDirectory directory;
    Database database(directory / "a.db", kCreate);
    const std::string failure = failureOf(database, "SELECT value FROM\nabsent;\nSELECT 1");
    EXPECT_THAT(failure, AllOf(HasSubstr("no such table: absent"), HasSubstr("(at SELECT value FROM)"),
                               Not(HasSubstr("\n"))));
}

} // namespace
} // namespace ringside::test
