// SPDX-License-Identifier: Apache-2.0
// Files and links that another user has put into the run directory under names that the collector uses are
// not followed, written or deleted.
#include "record/identity.h"
#include "record/ring_store.h"
#include "record/trace_file.h"
#include "support/temporary_directory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

using namespace ringside;
using namespace ringside::collector;

namespace {

namespace fs = std::filesystem;

struct PlantedFiles : testing::Test {
    PlantedFiles() { std::ofstream(victim()) << "mine"; }
    [[nodiscard]] fs::path victim() const { return run / "victim"; }
    void expectVictimUnharmed() const
    {
        const std::string content = ringside::test::contentOf(victim());
        EXPECT_TRUE(content == "mine") << content.size() << " bytes"; // which may be a database
    }

    ringside::test::TemporaryDirectory temporary;
    fs::path run = temporary.path();
};

TEST_F(PlantedFiles, aLinkInPlaceOfTheListOfRingsIsNotFollowed)
{
    for (const fs::path& target : {victim(), run / "nowhere"}) {
        fs::create_symlink(target, run / "host-1.rings");
        RingStore store({"host", "host-1", run});
        EXPECT_EQ(store.create(trace::RingRole::Definitions, 1 << 16), nullptr);
        store.removeFiles();
        expectVictimUnharmed();
        EXPECT_FALSE(fs::exists(run / "nowhere"));
        EXPECT_TRUE(fs::remove(run / "host-1.rings")) << "it was not ours to delete";
    }
}

TEST_F(PlantedFiles, anEmptyLinkTakesAName)
{
    const std::string base = nameProcess(run).base;
    for (const char* suffix : {".db", ".rings", ".db.tmp"}) {
        const fs::path planted = run / (base + suffix);
        fs::create_symlink(run / "nowhere", planted);
        EXPECT_EQ(nameProcess(run).base, base + "-2") << suffix;
        fs::remove(planted);
    }
}

bool always(const std::string& directory)
{
    return directory.find("ringside-test") != std::string::npos;
}

TEST_F(PlantedFiles, aLinkWhereTheTraceIsMovedThroughIsNotFollowed)
{
    const ProcessNames names{"host", "host-1", run};
    RingStore store(names, &always);
    TraceFile file(names, {}, store);
    file.open();
    fs::create_symlink(victim(), run / "host-1.db.tmp");
    EXPECT_THROW(file.close(0), std::exception);
    expectVictimUnharmed();
    EXPECT_TRUE(fs::exists(file.path())) << "what recovery takes";
    EXPECT_TRUE(fs::is_symlink(run / "host-1.db.tmp"));
    fs::remove(file.path());
    store.removeFiles();
}

} // namespace
