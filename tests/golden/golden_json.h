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
#include <string>

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

/// A value that fits into a line stands in one, so that a file shows a fact a line.
inline std::string inLines(const Json& value, std::size_t indent = 0)
{
    constexpr std::size_t kColumns = 140;
    std::string line = value.dump();
    if (!value.is_structured() || indent + line.size() <= kColumns) {
        return line;
    }
    const std::string margin(indent + 1, ' ');
    std::string lines;
    for (const auto& [key, each] : value.items()) {
        lines += (lines.empty() ? "\n" : ",\n") + margin;
        lines += (value.is_object() ? Json(key).dump() + ": " : "") + inLines(each, indent + 1);
    }
    return (value.is_object() ? "{" : "[") + lines + "\n" + std::string(indent, ' ') +
           (value.is_object() ? "}" : "]");
}

inline void expectGolden(const Json& found, const std::filesystem::path& file)
{
    if (std::getenv("RINGSIDE_UPDATE_GOLDEN") != nullptr) {
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file) << inLines(rounded(found)) << "\n";
    }
    std::ifstream stream(file);
    ASSERT_TRUE(stream) << file << " is missing; RINGSIDE_UPDATE_GOLDEN=1 writes it";
    EXPECT_EQ(inLines(rounded(found)), inLines(Json::parse(stream))) << file;
}

} // namespace ringside::test
