// SPDX-License-Identifier: Apache-2.0
// Expectations as JSON files. RINGSIDE_UPDATE_GOLDEN=1 rewrites them; read the difference before committing
// it.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ringside::test {

using Json = nlohmann::ordered_json;

/// Figures are rounded: the last digits of a double are nobody's contract.
inline Json rounded(Json value)
{
    for (Json& each : value) {
        each = each.is_structured()     ? rounded(each)
               : each.is_number_float() ? Json(std::round(each.get<double>() * 1e6) / 1e6)
                                        : each;
    }
    return value;
}

inline void expectGolden(const Json& found, const std::filesystem::path& file)
{
    if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << rounded(found).dump(1) << "\n";
    }
    std::ifstream stream(file);
    ASSERT_TRUE(stream) << file << " is missing; RINGSIDE_UPDATE_GOLDEN=1 writes it";
    EXPECT_EQ(rounded(found).dump(1), Json::parse(stream).dump(1)) << file;
}

} // namespace ringside::test
