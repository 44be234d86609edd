// SPDX-License-Identifier: Apache-2.0
// What was predicted, held against the run that came.
#include "compare/comparison.h"
#include "support/temporary_directory.h"
#include "unit/analyzer/json_schema.h"
#include "whatif_fixture.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

namespace ringside::compare {
namespace {

using namespace whatif::fixture;

class Predictions : public testing::Test {
protected:
    /// The file of a prediction that rank 2 of a run is no longer late.
    std::filesystem::path predicted(const trace::RunTrace& run, bool changed = true)
    {
        whatif::Changes changes;
        changes.noLateRanks = changed;
        const std::filesystem::path path = m_folder / "whatif.json";
        std::ofstream(path) << whatif::renderJson(ask(run, changes));
        return path;
    }
    const model::Model m_late = model::buildModel(lateRun(3ms));
    test::TemporaryDirectory m_folder;
};

TEST_F(Predictions, AreHeldAgainstTheNextRun)
{
    const HeldPrediction held =
        holdPrediction(predicted(lateRun(3ms)), m_late, model::buildModel(lateRun(0ms)));
    EXPECT_NEAR(held.realNs, 11 * kMs, 0.1 * kMs);
    EXPECT_NEAR(held.error(), 0, 0.01);
    EXPECT_NEAR(held.measuredNs, 14 * kMs, 0.1 * kMs);
}

TEST_F(Predictions, AreWrongIfTheChangeGaveLess)
{
    const HeldPrediction held =
        holdPrediction(predicted(lateRun(3ms)), m_late, model::buildModel(lateRun(1ms)));
    EXPECT_NEAR(held.error(), 11.0 / 12 - 1, 0.01);
    EXPECT_FALSE(held.isWithinBounds()) << held.sentence();
    EXPECT_NE(held.sentence().find("outside of the bounds"), std::string::npos) << held.sentence();
}

TEST_F(Predictions, StandInTextAndJson)
{
    const report::Report base = report::buildReport(lateRun(3ms), {});
    const report::Report now = report::buildReport(lateRun(0ms), {});
    Comparison comparison = compareRuns(base, now, kUsualTolerance);
    EXPECT_EQ(textOf(comparison, false, 100).find("Predictions"), std::string::npos);
    comparison.predictions.push_back(holdPrediction(predicted(lateRun(3ms)), base.model, now.model));
    EXPECT_NE(textOf(comparison, false, 1000).find(comparison.predictions.front().sentence()),
              std::string::npos);
    EXPECT_TRUE(test::keepsSchema(jsonOf(comparison), "compare/ringside-diff-1.schema.json", true));
}

TEST_F(Predictions, OfAnotherRunOrOfNothingAreRefused)
{
    const auto codeOf = [&](const std::filesystem::path& file) {
        try {
            static_cast<void>(holdPrediction(file, m_late, m_late));
        } catch (const Error& error) {
            return std::optional(error.code);
        }
        return std::optional<ErrorCode>();
    };
    EXPECT_EQ(codeOf(predicted(lateRun(5ms))), ErrorCode::Usage) << "of another run";
    EXPECT_EQ(codeOf(predicted(lateRun(3ms), false)), ErrorCode::Usage) << "no change";
    EXPECT_EQ(codeOf(m_folder / "absent.json"), ErrorCode::Unusable);
    for (const char* const text : {"{", "[]", "{}", "{\"schema\": \"ringside-whatif/1\"}",
                                   "{\"schema\": \"ringside-report/1\", \"predicted_ns\": 1}"}) {
        std::ofstream(m_folder / "bad.json") << text;
        EXPECT_EQ(codeOf(m_folder / "bad.json"), ErrorCode::Unusable) << text;
    }
}

} // namespace
} // namespace ringside::compare
