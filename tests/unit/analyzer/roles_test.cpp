// SPDX-License-Identifier: Apache-2.0
// How the programs of one job share the time.
#include "compare/roles.h"
#include "document/renderer.h"
#include "support/trace_builder.h"
#include "unit/analyzer/json_schema.h"

#include <gtest/gtest.h>

namespace ringside::compare {
namespace {

using namespace std::chrono_literals;
using namespace test;

constexpr std::int64_t kEpochNs = 1'700'000'000'000'000'000;
constexpr int kRounds = 20;

/// A program of two ranks that computes for a part of each round.
struct Program {
    std::string command;
    std::string role;                         ///< RINGSIDE_ROLE; empty: not set
    std::chrono::nanoseconds idleFirst, work; ///< of each round
    std::chrono::nanoseconds idleThen = 0ns;
    std::string host = "node";
};

void addProgram(trace::RunTrace& run, const Program& program, std::uint64_t hash)
{
    TraceBuilder builder(2);
    builder.steps(kRounds, [&](StepBuilder& step) {
        step.everyRank().hostIdle(program.idleFirst);
        step.everyRank().compute(program.work);
        step.everyRank().synchronize();
        step.everyRank().hostIdle(program.idleThen);
        step.allReduce(64, {.takes = 20us});
    });
    for (trace::ProcessTrace& process : builder.run().processes) {
        process.process.command = program.command;
        process.process.host = program.host;
        process.clockSamples = {{0, kEpochNs, std::nullopt, std::nullopt}};
        for (trace::CommunicatorRow& communicator : process.communicators) {
            communicator.hash = hash;
        }
        if (!program.role.empty()) {
            process.settings.push_back({"environment", "RINGSIDE_ROLE", program.role});
        }
        run.processes.push_back(std::move(process));
    }
}

Roles rolesOf(const std::vector<Program>& programs)
{
    trace::RunTrace run;
    run.path = "job.ringside";
    for (std::size_t i = 0; i < programs.size(); ++i) {
        addProgram(run, programs[i], 1000 + i);
    }
    return compareRoles(std::move(run), {});
}

std::vector<std::string> namesOf(const Roles& roles)
{
    std::vector<std::string> names;
    for (const Role& role : roles.roles) {
        names.push_back(role.name);
    }
    return names;
}

const Program kTrainer{"python3 /job/train.py", "", 6ms, 4ms};
const Program kGenerator{"python3 /job/generate.py", "", 0ms, 6ms, 4ms};

TEST(Roles, AreNamedByTheEnvironmentOrTheProgram)
{
    EXPECT_EQ(namesOf(rolesOf({kTrainer, kGenerator})),
              (std::vector<std::string>{"generate.py", "train.py"}));
    Program reward = kTrainer;
    reward.role = "reward";
    EXPECT_EQ(namesOf(rolesOf({kTrainer, reward})), (std::vector<std::string>{"reward", "train.py"}));
    EXPECT_EQ(namesOf(rolesOf({kTrainer, kTrainer})), (std::vector<std::string>{"train.py", "train.py 2"}));
    EXPECT_EQ(namesOf(rolesOf({kTrainer})), (std::vector<std::string>{"train.py"}));
}

TEST(Roles, ThatTakeTurnsWaitForEachOther)
{
    const Roles roles = rolesOf({kTrainer, kGenerator});
    ASSERT_TRUE(roles.window);
    const Role& generator = roles.roles[0];
    const Role& trainer = roles.roles[1];
    for (const Role* role : {&generator, &trainer}) {
        EXPECT_EQ(role->busyNs + role->shortGapsNs + role->nobodyNs + role->waitNs(), roles.window->length());
        EXPECT_EQ(role->ranks, (std::vector<std::int64_t>{0, 1}));
        EXPECT_EQ(role->steps, static_cast<std::size_t>(kRounds));
    }
    const auto share = [&](const RoleWait& wait) {
        return static_cast<double>(wait.ns) / static_cast<double>(roles.window->length());
    };
    ASSERT_EQ(trainer.waits.size(), 1U);
    EXPECT_EQ(trainer.waits[0].other, 0U);
    EXPECT_NEAR(share(trainer.waits[0]), 0.6, 0.03);
    ASSERT_EQ(generator.waits.size(), 1U);
    EXPECT_NEAR(share(generator.waits[0]), 0.4, 0.03);
    const document::Document page = documentOf(roles, "job");
    EXPECT_NE(page.summary.find("they take turns"), std::string::npos) << page.summary;
}

TEST(Roles, OfWhichOneIsIdleAloneDoNotTakeTurns)
{
    const Program reader{"reader", "", 0ms, 10ms};
    const std::string summary = documentOf(rolesOf({kTrainer, reader}), "job").summary;
    EXPECT_NE(summary.find("Give reader more GPUs, or train.py fewer"), std::string::npos) << summary;
    const std::string busy = documentOf(rolesOf({reader, {"server", "", 0ms, 10ms}}), "job").summary;
    EXPECT_NE(busy.find("No role is idle for long"), std::string::npos) << busy;
}

TEST(Roles, WithoutDeviceWorkAreNotCompared)
{
    trace::RunTrace run;
    addProgram(run, kTrainer, 1);
    addProgram(run, kGenerator, 2);
    for (const std::size_t p : {2U, 3U}) {
        run.processes[p].kernels = {};
        run.processes[p].copies = {};
    }
    const Roles roles = compareRoles(std::move(run), {});
    EXPECT_FALSE(roles.window);
    EXPECT_NE(documentOf(roles, "job").summary.find("not measured"), std::string::npos);
    const std::string json = jsonOf(roles);
    EXPECT_TRUE(keepsSchema(json, "compare/ringside-roles-1.schema.json", true));
    EXPECT_NE(json.find("\"busy_ns\": null"), std::string::npos);
}

TEST(Roles, OfHelpersThatAreNoRankAreShown)
{
    trace::RunTrace run;
    addProgram(run, kTrainer, 1);
    addProgram(run, kGenerator, 2);
    for (const std::size_t p : {2U, 3U}) {
        run.processes[p].ranks.clear();
        run.processes[p].communicators.clear();
        run.processes[p].collectiveCalls.clear();
    }
    const Roles roles = compareRoles(std::move(run), {});
    ASSERT_EQ(namesOf(roles), (std::vector<std::string>{"generate.py", "train.py"}));
    EXPECT_TRUE(keepsSchema(jsonOf(roles), "compare/ringside-roles-1.schema.json", true));
}

TEST(Roles, SayHowToLookAtOne)
{
    Roles roles = rolesOf({kTrainer, kGenerator});
    roles.roles[0].files = {"job.ringside/a b.db", "job.ringside/c.db"};
    const auto renderers = document::renderers();
    const auto text = std::ranges::find(renderers, "text", &document::Renderer::id);
    EXPECT_NE((*text)
                  ->render(documentOf(roles, "job"), {})
                  .find("ringside report 'job.ringside/a b.db' job.ringside/c.db"),
              std::string::npos);
}

TEST(Roles, ArePagesAndKeepTheirSchema)
{
    Program elsewhere = kGenerator;
    elsewhere.host = "other";
    const Roles roles = rolesOf({kTrainer, elsewhere});
    EXPECT_TRUE(keepsSchema(jsonOf(roles), "compare/ringside-roles-1.schema.json", true));
    const auto renderers = document::renderers();
    for (const std::string_view id : {"text", "markdown", "html"}) {
        const auto renderer = std::ranges::find(renderers, id, &document::Renderer::id);
        EXPECT_NE((*renderer)->render(documentOf(roles, "job"), {}).find("wall clocks"), std::string::npos)
            << id;
    }
}

} // namespace
} // namespace ringside::compare
