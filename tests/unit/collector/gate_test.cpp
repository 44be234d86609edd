// SPDX-License-Identifier: Apache-2.0
#include "record/level.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

using namespace ringside::collector;

namespace {

TEST(Gate, aFirstCallMayBeginARecording)
{
    Gate gate;
    EXPECT_TRUE(gate.isOpen());
    EXPECT_FALSE(gate.isRecording());
    gate.begin();
    EXPECT_TRUE(gate.isOpen());
    EXPECT_TRUE(gate.isRecording());
}

TEST(Gate, aPauseClosesItForCallsThatDefineNothing)
{
    Gate gate;
    gate.begin();
    for (const Level level : {Level::Light, Level::Standard, Level::Deep, Level::Paused}) {
        gate.setLevel(level);
        EXPECT_EQ(gate.level(), level);
        EXPECT_EQ(gate.isPaused(), level == Level::Paused);
        EXPECT_EQ(gate.isOpen(), level != Level::Paused);
        EXPECT_TRUE(gate.isRecording());
    }
    gate.setLevel(Level::Light);
    EXPECT_TRUE(gate.isOpen());
}

TEST(Gate, nothingOpensItAgainAfterTheEnd)
{
    Gate gate;
    gate.begin();
    EXPECT_TRUE(gate.end());
    EXPECT_FALSE(gate.end()) << "somebody ended it already";
    gate.setLevel(Level::Deep);
    gate.begin();
    EXPECT_FALSE(gate.isOpen());
    EXPECT_FALSE(gate.isRecording());
    EXPECT_TRUE(gate.isOver());
}

TEST(Gate, whereNothingBeganThereIsNothingToEnd)
{
    Gate gate;
    EXPECT_FALSE(gate.end());
    EXPECT_TRUE(gate.isOver());
}

TEST(Gate, aLevelThatIsBeingSetDoesNotUndoTheEnd)
{
    Gate gate;
    gate.begin();
    std::array<std::thread, 3> setters;
    for (std::thread& setter : setters) {
        setter = std::thread([&gate] {
            while (!gate.isOver()) {
                gate.setLevel(Level::Paused);
                gate.setLevel(Level::Standard);
            }
        });
    }
    EXPECT_TRUE(gate.end());
    for (std::thread& setter : setters) {
        setter.join();
    }
    EXPECT_TRUE(gate.isOver());
}

} // namespace
