// SPDX-License-Identifier: Apache-2.0
// What others say about a job that hangs is compared with the recording, and a contradiction is said.
#include "hang/witness.h"
#include "hang_fixture.h"

namespace ringside::test {
namespace {

using hang::Agreement;
using hang::Witness;
using Ranks = std::vector<std::int64_t>;

class HangWitness : public Hang {
protected:
    static Witness says(Kind kind, Ranks blamed, Ranks heard = {0, 1, 2, 3})
    {
        Witness witness;
        witness.title = "Somebody";
        witness.kind = kind;
        witness.blamed = std::move(blamed);
        witness.heard = std::move(heard);
        return witness;
    }
    /// Returns the comparison with a recording in which rank 2 is missing.
    Witness heard(Witness witness)
    {
        stopsBefore(2, 1);
        hang::Report report = analyze();
        hang::hear(report, std::move(witness));
        m_text = hang::formatText(report);
        return report.witnesses.at(0);
    }
    std::string m_text;
};

TEST_F(HangWitness, theSameRankAgrees)
{
    const Witness witness = heard(says(Kind::Missing, {2}));
    EXPECT_EQ(witness.agreement, Agreement::Agrees);
    EXPECT_EQ(witness.comparison, "It agrees with this recording: rank 2 is missing.");
    EXPECT_TRUE(witness.silent.empty());
}

TEST_F(HangWitness, anotherRankContradicts)
{
    const Witness witness = heard(says(Kind::Missing, {3, 1}));
    EXPECT_EQ(witness.agreement, Agreement::Disagrees);
    EXPECT_EQ(
        witness.comparison,
        "It disagrees with this recording: it says that ranks 1 and 3 are missing; this "
        "recording says that rank 2 is missing. It may be of an earlier moment. Where ranks 1 to 3 "
        "stand at one moment decides it: `ringside hang --stacks RUN` shows it while the job lives, and "
        "dumps that all ranks wrote together show it later.");
    EXPECT_NE(m_text.find(witness.comparison), std::string::npos) << m_text;
}

TEST_F(HangWitness, noRankAtAllContradictsIfItHasTheMissingOne)
{
    EXPECT_EQ(heard(says(Kind::Nothing, {})).agreement, Agreement::Disagrees);
}

TEST_F(HangWitness, whoDoesNotKnowForWhomRanksWaitDoesNotContradict)
{
    Witness unknowing = says(Kind::Waiting, {});
    unknowing.open = true;
    EXPECT_EQ(heard(unknowing).agreement, Agreement::Undecided);
    EXPECT_NE(m_text.find("rank 2, which has not issued it"), std::string::npos) << m_text;
    EXPECT_NE(m_text.find("It does not tell for whom ranks wait."), std::string::npos) << m_text;
}

TEST_F(HangWitness, whatTheRecordingDoesNotKnowIsTold)
{
    hang::Report report = analyze();
    report.open = true;
    hang::hear(report, says(Kind::Missing, {1}));
    EXPECT_EQ(report.witnesses.at(0).agreement, Agreement::Undecided);
    EXPECT_EQ(report.witnesses.at(0).comparison,
              "It tells what this recording does not know: rank 1 is missing.");
}

TEST_F(HangWitness, whatItHasNothingOfIsNoContradiction)
{
    const Witness witness = heard(says(Kind::Waiting, {}, {0, 1, 3}));
    EXPECT_EQ(witness.agreement, Agreement::Undecided);
    EXPECT_EQ(witness.comparison, "It has nothing of rank 2, for which the others wait.");
    EXPECT_EQ(witness.silent, Ranks{2});
    EXPECT_NE(m_text.find("It has nothing of rank 2.\n"), std::string::npos) << m_text;
}

TEST_F(HangWitness, theSameRankWithAnotherReasonIsSaid)
{
    const Witness witness = heard(says(Kind::Mismatch, {2}));
    EXPECT_EQ(witness.agreement, Agreement::Agrees);
    EXPECT_EQ(witness.comparison,
              "It agrees on rank 2: it says that rank 2 calls something else; this recording "
              "says that rank 2 is missing.");
}

TEST_F(HangWitness, aHangThatTheRecordingDoesNotSeeContradicts)
{
    hang::Report report = analyze();
    hang::hear(report, says(Kind::Missing, {1}));
    EXPECT_EQ(report.witnesses.at(0).agreement, Agreement::Disagrees);
    EXPECT_NE(hang::formatText(report).find("this recording says that no rank waits for another"),
              std::string::npos);
}

TEST_F(HangWitness, oneThatSaysNothingIsShownWithTheReason)
{
    Witness witness;
    witness.title = "Somebody";
    witness.notAvailable = "its files cannot be read";
    const Witness after = heard(std::move(witness));
    EXPECT_EQ(after.agreement, Agreement::Undecided);
    EXPECT_TRUE(after.comparison.empty());
    EXPECT_NE(m_text.find("\nSomebody: its files cannot be read\n"), std::string::npos) << m_text;
}

} // namespace
} // namespace ringside::test
