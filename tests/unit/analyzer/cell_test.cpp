// SPDX-License-Identifier: Apache-2.0
// Cells keep their values; text is what is shown of them.
#include "document/table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace ringside::document {
namespace {

/// The texts of cells in the order of their values.
std::vector<std::string> sorted(std::vector<Cell> cells)
{
    std::ranges::stable_sort(cells, isLess);
    std::vector<std::string> texts;
    std::ranges::transform(cells, std::back_inserter(texts), cellText);
    return texts;
}

using Texts = std::vector<std::string>;

TEST(Cell, sortsByValueWhateverItsText)
{
    EXPECT_EQ(sorted({sizeCell(12 << 20), sizeCell(512 << 10), sizeCell(96)}),
              (Texts{"96 B", "512.0 KiB", "12.00 MiB"}));
    EXPECT_EQ(sorted({durationCell(1'500'000), durationCell(40'000), durationCell(2'000'000'000)}),
              (Texts{"40.00 us", "1.500 ms", "2.0000 s"}));
    EXPECT_EQ(sorted({shareCell(0.5), shareCell(0.09), shareCell(-0.1)}),
              (Texts{"-10.0 %", "9.0 %", "50.0 %"}));
    EXPECT_EQ(sorted({Cell(10).with("/12"), Cell(2).with("/12")}), (Texts{"2/12", "10/12"}));
    EXPECT_EQ(sorted({Cell(3), millisecondsCell(2.5e6)}), (Texts{"3", "2.50"})) << "in ns";
}

TEST(Cell, textsSortByTheNumbersInThem)
{
    EXPECT_EQ(sorted({"node10", "node2", "node1", "node02", "node", "host9"}),
              (Texts{"host9", "node", "node1", "node2", "node02", "node10"}));
    EXPECT_EQ(sorted({"mlx5_10:1", "mlx5_2:1", "mlx5_2:10", "mlx5_2:9"}),
              (Texts{"mlx5_2:1", "mlx5_2:9", "mlx5_2:10", "mlx5_10:1"}));
}

TEST(Cell, nothingComesLast)
{
    EXPECT_EQ(sorted({Cell::absent("not measured"), "text", 7, Cell()}), (Texts{"7", "text", "-", "-"}));
    EXPECT_FALSE(isLess(Cell(), Cell::absent("why")));
    EXPECT_TRUE(millisecondsCell(std::nullopt).isAbsent());
    EXPECT_TRUE(ratioCell(std::numeric_limits<double>::quiet_NaN()).isAbsent()) << "has no order";
}

// Names come from a trace, which anybody may have written.
TEST(Table, namesAreNoFormulasOfASpreadsheet)
{
    Table table;
    table.header = {"name", "change"};
    table.rows = {{"=HYPERLINK(1)", -3}, {"@SUM(1)", 1}, {"+1", 2}, {"-a", 3}, {"plain", 4}};
    EXPECT_EQ(csvTable(table), "name,change\n'=HYPERLINK(1),-3\n'@SUM(1),1\n'+1,2\n'-a,3\nplain,4\n");
}

TEST(Table, namesAreNoMarkupAndTurnNoLineRound)
{
    EXPECT_EQ(markdownText("![x](http://a) @team <i> \\<b>"), "!\\[x\\](http://a) &#64;team \\<i> \\\\\\<b>");
    EXPECT_EQ(markdownText("a\xE2\x80\xAE"
                           "b\xE2\x81\xA6"
                           "c\xD8\x9C"
                           "d\xE2\x80\x93"),
              "a b c d\xE2\x80\x93");
}

TEST(Cell, largeIntegersKeepTheirOrder)
{
    constexpr std::int64_t kLarge = std::int64_t{1} << 60U;
    EXPECT_TRUE(isLess(kLarge, kLarge + 1));
    EXPECT_FALSE(isLess(kLarge + 1, kLarge));
}

TEST(Cell, remarksAreShownBehindTheValue)
{
    const Cell cell = durationCell(2'500'000).with(" (12.5 %)");
    EXPECT_EQ(cellText(cell), "2.500 ms (12.5 %)");
    EXPECT_EQ(exactText(cell), "2500000.0");
    EXPECT_EQ(cell.unit(), values::Unit::Ns);
}

TEST(Table, alignsByTheKindOfValues)
{
    const Table table{{"size", "name", "mixed", "empty"},
                      {{sizeCell(1), "12", 3, ""}, {Cell(), "7", "none", ""}}};
    EXPECT_EQ(rightAligned(table), (std::vector{true, false, false, true}));
    EXPECT_EQ(plainTable({{"size", "name"}, {{sizeCell(2048), "a"}, {sizeCell(3), "b"}}}, ""),
              "   size  name\n2.0 KiB  a\n    3 B  b\n");
}

TEST(Table, csvHoldsBareValues)
{
    const Table table{{"a,b", "c"}, {{sizeCell(2048), "x\"y"}, {Cell::absent("why"), 7}}};
    EXPECT_EQ(csvTable(table), "\"a,b\",c\n2048.0,\"x\"\"y\"\n,7\n");
}

} // namespace
} // namespace ringside::document
