// SPDX-License-Identifier: Apache-2.0
// Series and samples: from ring records to rows, columns and SQL.
#include "ring_builder.h"
#include "support/temporary_directory.h"
#include "trace/write/database.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/ring_decoder.h>
#include <ringside/trace/virtual_tables.h>

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace ringside::test {
namespace {

using namespace ringside::trace;

SeriesRecord series(std::uint32_t id, SeriesKind kind, const char* entity, std::uint32_t reason = 0)
{
    SeriesRecord record{};
    record.id = id;
    record.kind = kind;
    record.reason = reason;
    std::strncpy(record.source, "network", sizeof record.source);
    std::strncpy(record.entity, entity, sizeof record.entity);
    std::strncpy(record.metric, "rx_bytes", sizeof record.metric);
    return record;
}

class Samples : public testing::Test {
protected:
    void decode()
    {
        EXPECT_EQ(m_decoder.decode(m_definitions.bytes(), 0), m_definitions.head());
        EXPECT_EQ(m_decoder.decode(m_thread.bytes(), 0), m_thread.head());
        m_writer.setProcess({});
        m_writer.close();
    }
    [[nodiscard]] std::filesystem::path file() const { return m_directory / "a.db"; }

    TemporaryDirectory m_directory;
    Writer m_writer{m_directory / "a.db", Writer::Mode::Create};
    RingDecoder m_decoder{m_writer};
    RingBuilder m_definitions{RingRole::Definitions, 1, 256};
    RingBuilder m_thread{RingRole::Thread, 2, 64};
};

TEST_F(Samples, AreExactOverTheWholeRange)
{
    m_definitions.add(RecordKind::Series, series(1, SeriesKind::Counter, "eth0"));
    m_definitions.add(RecordKind::Series, series(2, SeriesKind::Gauge, "eth1"));
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    m_thread.add(RecordKind::Sample, SampleRecord{{}, 100, kMax, 1, 0});
    m_thread.add(RecordKind::Sample, SampleRecord{{}, 100, 0, 2, 0});
    m_thread.add(RecordKind::Sample, SampleRecord{{}, 200, kMin, 1, 0});
    m_thread.add(RecordKind::Sample, SampleRecord{{}, 200, -7, 2, 0});
    decode();
    const ProcessTrace trace = readProcess(file());
    EXPECT_TRUE(trace.issues.empty());
    ASSERT_EQ(trace.series.size(), 2U);
    EXPECT_EQ(trace.series[0].source.text(), "network");
    EXPECT_EQ(trace.series[0].entity, "eth0");
    EXPECT_EQ(trace.series[0].metric.text(), "rx_bytes");
    EXPECT_EQ(trace.series[0].kind.text(), "counter");
    EXPECT_EQ(trace.series[1].kind.text(), "gauge");
    EXPECT_EQ(trace.samples.timeNs, (Column<std::int64_t>{100, 100, 200, 200}));
    EXPECT_EQ(trace.samples.series, (Column<std::uint32_t>{1, 2, 1, 2}));
    EXPECT_EQ(trace.samples.value, (Column<std::int64_t>{kMax, 0, kMin, -7}));
}

TEST_F(Samples, ASeriesMayLearnItsReasonLater)
{
    m_definitions.add(RecordKind::Series, series(1, SeriesKind::Gauge, "eth0"));
    m_definitions.text(9, "the device does not support it");
    m_definitions.add(RecordKind::Series, series(1, SeriesKind::Gauge, "eth0", 9));
    decode();
    const ProcessTrace trace = readProcess(file());
    ASSERT_EQ(trace.series.size(), 1U);
    EXPECT_EQ(trace.text(trace.series[0].reason), "the device does not support it");
}

TEST_F(Samples, TextsThatFillTheirFieldAndKindsThatDoNotExistDoNoHarm)
{
    SeriesRecord record = series(1, static_cast<SeriesKind>(200), "");
    std::memset(record.source, 's', sizeof record.source);
    std::memset(record.entity, 'e', sizeof record.entity);
    std::memset(record.metric, 'm', sizeof record.metric);
    m_definitions.add(RecordKind::Series, record);
    decode();
    const ProcessTrace trace = readProcess(file());
    ASSERT_EQ(trace.series.size(), 1U);
    EXPECT_EQ(trace.series[0].source.text(), std::string(sizeof record.source, 's'));
    EXPECT_EQ(trace.series[0].metric.text(), std::string(sizeof record.metric, 'm'));
    EXPECT_EQ(trace.series[0].kind.text(), "gauge");
}

TEST_F(Samples, AreATableWhoseChunksArePrunedByTime)
{
    for (std::uint32_t i = 0; i < 30; ++i) {
        m_thread.add(RecordKind::Sample, SampleRecord{{}, 1000 + i / 3 * 100, i, 1 + i % 3, 0});
    }
    decode();
    Database database(file(), SQLITE_OPEN_READWRITE);
    ASSERT_EQ(registerVirtualTables(database.handle()), SQLITE_OK);
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM sample"), 30);
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM sample WHERE time_ns BETWEEN 1100 AND 1200"), 6);
    EXPECT_EQ(database.queryInteger("SELECT sum(value) FROM sample WHERE series_id = 2 AND time_ns < 1300"),
              1 + 4 + 7);
    EXPECT_EQ(database.queryInteger("SELECT first_ns * 10000 + last_ns FROM sample_chunk"),
              1000 * 10000 + 1900);
    database.execute("UPDATE sample_chunk SET time_ns = x'00'");
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM sample WHERE time_ns > 1900 + 1"), 0)
        << "a chunk that ends before is not decoded";
    EXPECT_EQ(database.queryInteger("SELECT count(*) FROM sample WHERE series_id < 0 AND time_ns < 900"), 0);
    EXPECT_THROW(static_cast<void>(database.queryInteger("SELECT max(time_ns) FROM sample")), Error);
}

TEST_F(Samples, AtTimesThatNoClockShowsAreLeftOut)
{
    m_thread.add(RecordKind::Sample, SampleRecord{{}, std::uint64_t{1} << 62, 1, 1, 0});
    decode();
    const ProcessTrace trace = readProcess(file());
    EXPECT_EQ(trace.samples.size(), 0U);
    ASSERT_EQ(trace.issues.size(), 1U);
    EXPECT_EQ(trace.issues[0].id, "damaged_chunk");
}

} // namespace
} // namespace ringside::test
