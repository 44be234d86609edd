// SPDX-License-Identifier: Apache-2.0
// Holds every number of a document against the JSON of the same thing: one figure for one thing.
#pragma once
#include "document/document.h"
#include "golden_json.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

namespace ringside::test {

/// All numbers and texts of a JSON output.
struct Facts {
    std::vector<double> numbers;
    std::string texts;
    void add(const Json& value)
    {
        if (value.is_structured()) {
            for (const Json& each : value) {
                add(each);
            }
        } else if (value.is_number()) {
            numbers.push_back(value.get<double>());
        } else if (value.is_string()) {
            texts += value.get<std::string>() + "\n";
        }
    }
    [[nodiscard]] bool has(double value, double within) const
    {
        return std::ranges::any_of(numbers, [&](double each) { return std::abs(each - value) <= within; });
    }
};

inline Facts factsOf(const Json& json)
{
    Facts facts;
    facts.add(json);
    return facts;
}

/// By how much a number of the JSON output is multiplied to be shown with this unit.
inline double scaleOf(const std::string& unit)
{
    const std::map<std::string, double> scales{{"ms", 1e-6},
                                               {"us", 1e-3},
                                               {"s", 1e-9},
                                               {"%", 100},
                                               {"points", 100},
                                               {"KiB", 1.0 / 1024},
                                               {"MiB", 1.0 / (1 << 20)},
                                               {"GiB", 1.0 / (1 << 30)}};
    const auto found = scales.find(unit);
    return found == scales.end() ? 1 : found->second;
}

/// Whether a number, as it is shown, is a number of the JSON output rounded, or stands in one of its texts.
inline void expectKnown(const std::string& text, const Facts& facts)
{
    const std::set<std::string> ofTheProgram{"99", "95"}; // percentiles, not figures of the run
    static const std::regex number(
        R"((^|[^\w.:/-])(-?\d+(?:\.(\d+))?)(?: (ms|us|s|%|points|KiB|MiB|GiB)\b| (%))?)");
    for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
        const std::string shown = (*at)[2];
        const std::string unit = (*at)[4].matched ? (*at)[4] : (*at)[5];
        const double step = std::pow(10.0, -static_cast<double>((*at)[3].length()));
        const double scale = scaleOf(unit);
        EXPECT_TRUE(ofTheProgram.contains(shown) || facts.texts.find(shown) != std::string::npos ||
                    facts.has(std::stod(shown) / scale, 0.5001 * step / scale))
            << shown << " " << unit << " in: " << text;
    }
}

inline void expectKnown(const document::Table& table, const Facts& facts)
{
    for (const auto& row : table.rows) {
        for (const document::Cell& cell : row) {
            if (const auto* const value = std::get_if<double>(&cell.value())) {
                // Means are whole ns; a time since the beginning is a difference.
                const double within = cell.unit() == values::Unit::Ns ? 1.0 : 1e-9 * std::abs(*value);
                EXPECT_TRUE(facts.has(*value, within)) << document::cellText(cell) << " " << *value;
            } else if (const auto* const count = std::get_if<std::int64_t>(&cell.value())) {
                EXPECT_TRUE(facts.has(static_cast<double>(*count), 0)) << *count;
            }
        }
    }
}

inline void expectKnown(const document::Document& document, const Facts& facts)
{
    for (const document::Section& section : document.sections) {
        SCOPED_TRACE(section.title);
        for (const document::Block& block : section.blocks) {
            if (const auto* const items = std::get_if<document::Items>(&block)) {
                for (const std::string& each : items->texts) {
                    expectKnown(each, facts);
                }
            } else if (const auto* const table = std::get_if<document::Table>(&block)) {
                expectKnown(*table, facts);
            } else if (const auto* const finding = std::get_if<document::Finding>(&block)) {
                for (const document::Figure& figure : finding->figures) {
                    EXPECT_TRUE(facts.has(figure.value, 1e-9 * std::abs(figure.value))) << figure.text;
                }
                expectKnown(finding->cost, facts);
            }
        }
    }
    for (const document::KeyFigure& figure : document.figures) {
        expectKnown(figure.value, facts);
    }
}

} // namespace ringside::test
