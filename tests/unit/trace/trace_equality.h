// SPDX-License-Identifier: Apache-2.0
// Whether two processes' traces hold the same rows, column by column, from the table descriptions.
#pragma once
#include "trace/tables.h"

#include <gtest/gtest.h>

namespace ringside::test {

template <class Row>
void expectSameRows(const char* table, const std::vector<Row>& a, const std::vector<Row>& b)
{
    ASSERT_EQ(a.size(), b.size()) << table;
    for (std::size_t i = 0; i < a.size(); ++i) {
        trace::TableOf<Row>::forEachColumn([&](const char* column, auto member) {
            EXPECT_EQ(a[i].*member, b[i].*member) << table << "." << column << " row " << i;
        });
    }
}

inline void expectSameRows(const char* table, const trace::ProcessRow& a, const trace::ProcessRow& b)
{
    expectSameRows(table, std::vector{a}, std::vector{b});
}

inline void expectSameTrace(const trace::ProcessTrace& a, const trace::ProcessTrace& b)
{
    EXPECT_EQ(a.strings, b.strings);
    EXPECT_EQ(a.recoveredRecords, b.recoveredRecords);
#define RINGSIDE_PLAIN_TABLE(RowType, member, sqlName, keyColumns, orderColumns)                             \
    expectSameRows(sqlName, a.member, b.member);
#define RINGSIDE_COLUMN(member, sqlName)
#define RINGSIDE_END_TABLE
#include "trace/plain_tables.def"
#define RINGSIDE_CHUNK_TABLE(RowType, ColumnsType, member, sqlName)                                          \
    trace::TableOf<trace::RowType>::forEachColumn(                                                           \
        [&](const char* column, trace::Encoding, auto, auto values) {                                        \
            EXPECT_EQ(a.member.*values, b.member.*values) << (sqlName) << "." << column;                     \
        });
#define RINGSIDE_COLUMN(member, sqlName, encoding)
#define RINGSIDE_END_TABLE
#include "trace/chunk_tables.def"
}

} // namespace ringside::test
