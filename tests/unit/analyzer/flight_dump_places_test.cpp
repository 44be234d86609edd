// SPDX-License-Identifier: Apache-2.0
// Where PyTorch writes the dumps of its flight recorder, by its environment variables.
#include "flight_dumps/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace ringside::test {
namespace {

using testing::Contains;
using testing::ElementsAre;

std::vector<std::string> prefixes(const std::map<std::string, std::string, std::less<>>& environment)
{
    const auto variable = [&](std::string_view name) {
        const auto found = environment.find(name);
        return found != environment.end() ? std::optional(found->second) : std::nullopt;
    };
    return flight_dumps::dumpPrefixes(variable, "/srv/job");
}

TEST(FlightDumpPlaces, theOldNameIsReadByAllVersions)
{
    EXPECT_THAT(prefixes({{"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "/data/dump_"}, {"HOME", "/home/ann"}}),
                ElementsAre("/data/dump_"));
}

TEST(FlightDumpPlaces, theNewNameIsIgnoredByOlderVersions)
{
    EXPECT_THAT(
        prefixes({{"TORCH_FR_DUMP_TEMP_FILE", "/data/dump_"}, {"HOME", "/home/ann"}}),
        ElementsAre("/data/dump_", "/tmp/nccl_trace_rank_", "/home/ann/.cache/torch/nccl_trace_rank_"));
}

TEST(FlightDumpPlaces, withoutBothTheDefaultsOfAllVersionsCount)
{
    EXPECT_THAT(prefixes({{"HOME", "/home/ann"}, {"XDG_CACHE_HOME", "/scratch"}}),
                ElementsAre("/tmp/nccl_trace_rank_", "/home/ann/.cache/torch/nccl_trace_rank_",
                            "/home/ann/.cache/torch/comm_lib_trace_rank_",
                            "/scratch/torch/comm_lib_trace_rank_"));
    EXPECT_THAT(prefixes({}), Contains("/tmp/.cache/torch/comm_lib_trace_rank_"));
}

TEST(FlightDumpPlaces, aRelativePathIsOneOfTheProcess)
{
    EXPECT_THAT(prefixes({{"TORCH_NCCL_DEBUG_INFO_TEMP_FILE", "dumps/rank_"}}),
                ElementsAre("/srv/job/dumps/rank_"));
}

} // namespace
} // namespace ringside::test
