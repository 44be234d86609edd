// SPDX-License-Identifier: Apache-2.0
// The part of the lab's job that the collector records: marks a step each 100 ms until FILE is there.
#include <ringside/collector.h>

#include <chrono>
#include <filesystem>
#include <thread>

int main(int argc, char** argv)
{
    constexpr std::chrono::milliseconds kStep(100);
    if (argc != 2) {
        return 2;
    }
    RINGSIDE_SET_RANK(0, 1);
    for (int step = 1; !std::filesystem::exists(argv[1]); ++step) {
        RINGSIDE_STEP_BEGIN(step);
        std::this_thread::sleep_for(kStep);
    }
    RINGSIDE_STEP_END();
    return 0;
}
