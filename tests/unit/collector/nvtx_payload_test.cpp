// SPDX-License-Identifier: Apache-2.0
// Schemas and payloads as programs pass them: NCCL's own, and invalid ones.
#include "nvtx/open_ranges.h"
#include "nvtx/payload.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <thread>
#include <vector>

namespace ringside::collector::nvtx {
namespace {

constexpr std::uint64_t kInt = 5;
constexpr std::uint64_t kUint64 = 18;
constexpr std::uint64_t kSize = 22;
constexpr std::uint64_t kId = (1 << 24) + 5;
constexpr std::uint64_t kOperators = (1 << 24) + 20;

SchemaEntry entry(std::uint64_t type, const char* name, std::uint64_t offset = 0)
{
    return {0, type, name, nullptr, 0, offset, nullptr, nullptr};
}

SchemaAttributes schemaOf(const std::vector<SchemaEntry>& entries, std::size_t bytes)
{
    SchemaAttributes schema{};
    schema.fieldMask = kSchemaHasType | kSchemaHasEntries | kSchemaHasCount | kSchemaHasSize | kSchemaHasId;
    schema.type = kSchemaStatic;
    schema.entries = entries.data();
    schema.entryCount = entries.size();
    schema.payloadBytes = bytes;
    schema.schemaId = kId;
    return schema;
}

struct Reduction { // as NCCL's
    std::uint64_t communicator = 0xFEDCBA9876543210;
    std::size_t bytes = 4096;
    std::int32_t op = 2;
};
const std::vector<SchemaEntry> kReduction = {
    entry(kUint64, "NCCL communicator ID"), entry(kSize, "Message size [bytes]", offsetof(Reduction, bytes)),
    entry(kOperators, "Reduction operation", offsetof(Reduction, op))};

struct SchemasTest : testing::Test {
    std::unique_ptr<Schemas> schemas = std::make_unique<Schemas>();
    Reduction payload;

    [[nodiscard]] Values values(std::size_t size = sizeof(Reduction)) const
    {
        const PayloadData data{kId, size, &payload};
        return schemas->valuesOf(&data, 1);
    }
    void knowOperators()
    {
        EnumAttributes operators{};
        operators.fieldMask = kEnumHasSize;
        operators.valueBytes = sizeof payload.op;
        schemas->addEnum(operators, kOperators);
    }
};

TEST_F(SchemasTest, readsWhatNcclSendsByTheNamesOfItsEntries)
{
    knowOperators();
    ASSERT_TRUE(schemas->add(schemaOf(kReduction, sizeof payload), kId));
    EXPECT_EQ(values().get(Field::Communicator), payload.communicator);
    EXPECT_EQ(values().get(Field::Bytes), 4096U);
    EXPECT_EQ(values().get(Field::Reduction), 2U);
    EXPECT_EQ(values().get(Field::Rank), std::nullopt);
    EXPECT_EQ(values(SIZE_MAX).get(Field::Reduction), 2U) << "as long as the schema says";
}

TEST_F(SchemasTest, anUnknownEnumerationHidesItsEntryOnly)
{
    ASSERT_TRUE(schemas->add(schemaOf(kReduction, sizeof payload), kId));
    EXPECT_EQ(values().get(Field::Bytes), 4096U);
    EXPECT_EQ(values().get(Field::Reduction), std::nullopt);
}

TEST_F(SchemasTest, readsNothingBehindThePayload)
{
    ASSERT_TRUE(schemas->add(schemaOf(kReduction, sizeof payload), kId));
    EXPECT_EQ(values(15).get(Field::Bytes), std::nullopt);
    EXPECT_EQ(values(15).get(Field::Communicator), payload.communicator);
    EXPECT_EQ(values(0).get(Field::Communicator), std::nullopt);
    const PayloadData absent{kId, sizeof payload, nullptr};
    EXPECT_EQ(schemas->valuesOf(&absent, 1).get(Field::Communicator), std::nullopt);
    const PayloadData other{kId + 1, sizeof payload, &payload};
    EXPECT_EQ(schemas->valuesOf(&other, 1).get(Field::Communicator), std::nullopt);
    EXPECT_EQ(schemas->valuesOf(&other, SIZE_MAX).get(Field::Communicator), std::nullopt);
    EXPECT_EQ(schemas->valuesOf(nullptr, 1).get(Field::Communicator), std::nullopt);
}

TEST_F(SchemasTest, entriesWithoutAnOffsetFollowEachOther)
{
    const std::vector<SchemaEntry> entries = {entry(kInt, "Rank"), entry(kUint64, "NCCL communicator ID")};
    struct {
        std::int32_t rank = 7;
        std::uint64_t communicator = 9;
    } other;
    ASSERT_TRUE(schemas->add(schemaOf(entries, sizeof other), kId));
    const PayloadData data{kId, sizeof other, &other};
    EXPECT_EQ(schemas->valuesOf(&data, 1).get(Field::Rank, -1), 7);
    EXPECT_EQ(schemas->valuesOf(&data, 1).get(Field::Communicator), 9U);
}

TEST_F(SchemasTest, refusesWhatIsNoFixedLayout)
{
    SchemaAttributes schema = schemaOf(kReduction, sizeof payload);
    schema.type = 2; // dynamic
    EXPECT_FALSE(schemas->add(schema, kId));
    schema = schemaOf(kReduction, SIZE_MAX);
    EXPECT_FALSE(schemas->add(schema, kId));
    schema = schemaOf(kReduction, sizeof payload);
    schema.entryCount = SIZE_MAX;
    EXPECT_FALSE(schemas->add(schema, kId));
    schema.entryCount = kReduction.size();
    schema.entries = nullptr;
    EXPECT_FALSE(schemas->add(schema, kId));
    schema.entries = kReduction.data();
    schema.fieldMask = 0;
    EXPECT_FALSE(schemas->add(schema, kId));
}

TEST_F(SchemasTest, leavesOutEntriesThatLieElsewhereOrOutside)
{
    std::vector<SchemaEntry> entries = kReduction;
    entries[0].flags = 2; // a pointer
    entries[1].offset = std::numeric_limits<std::uint64_t>::max() - 3;
    ASSERT_TRUE(schemas->add(schemaOf(entries, sizeof payload), kId));
    EXPECT_EQ(values().get(Field::Communicator), std::nullopt);
    EXPECT_EQ(values().get(Field::Bytes), std::nullopt);
}

TEST_F(SchemasTest, takesNoMoreSchemasThanItHasRoomFor)
{
    std::size_t taken = 0;
    for (std::uint64_t id = 1; id <= 1000; ++id) {
        taken += schemas->add(schemaOf(kReduction, sizeof payload), id) ? 1 : 0;
    }
    EXPECT_EQ(taken, 64U);
}

TEST(Values, aNumberThatDoesNotFitIsNotThere)
{
    Values values;
    values.set(Field::Rank, 0xFFFFFFFFFFFFFFFF);
    values.set(Field::Root, 0x80000000);
    values.set(Field::Peer, 5);
    EXPECT_EQ(values.get(Field::Rank, -1), -1);
    EXPECT_EQ(values.get(Field::Root, -1), -1);
    EXPECT_EQ(values.get(Field::Peer, -1), 5);
}

// Random schemas over random payloads of exactly the size they say: a byte read outside is found by ASan.
TEST(Payloads, noSchemaReadsOutsideItsPayload)
{
    std::mt19937_64 random(20251121);
    const char* const names[] = {"NCCL communicator ID", "Rank", "Root", "Message size [bytes]", "", nullptr};
    std::size_t accepted = 0;
    for (int round = 0; round < 20000; ++round) {
        const auto schemas = std::make_unique<Schemas>();
        std::vector<SchemaEntry> entries(random() % 70);
        for (SchemaEntry& one : entries) {
            const std::uint64_t bits = random();
            one = entry(bits % 40, names[bits / 64 % std::size(names)],
                        random() % 4 == 0 ? random() : bits % 80);
            one.flags = random() % 8 == 0 ? random() : 0;
        }
        SchemaAttributes schema = schemaOf(entries, random() % 16 == 0 ? random() : random() % 100);
        schema.entryCount = random() % 64 == 0 ? SIZE_MAX : entries.size();
        accepted += schemas->add(schema, kId) ? 1 : 0;
        const std::size_t size = random() % 100;
        const std::unique_ptr<unsigned char[]> bytes(new unsigned char[size]());
        for (std::size_t at = 0; at < size; ++at) {
            bytes[at] = static_cast<unsigned char>(random());
        }
        const PayloadData data{kId, size, bytes.get()};
        const Values values = schemas->valuesOf(&data, 1);
        EXPECT_GE(values.get(Field::Rank, -1), -1);
    }
    EXPECT_GT(accepted, 10000U) << "else nothing was tried";
}

TEST(OpenRanges, findsARangeByOurIdOrByAnothers)
{
    const auto ranges = std::make_unique<OpenRanges>();
    const std::uint64_t ours = ranges->start({.startTicks = 1});
    const std::uint64_t address = 0x7FFF12345670;
    EXPECT_EQ(ranges->start({.startTicks = 2}, address), address);
    EXPECT_EQ(ranges->start({.startTicks = 3}, 0), 0U) << "no id";
    ASSERT_TRUE(ranges->end(address).has_value());
    EXPECT_FALSE(ranges->end(address).has_value()) << "ended already";
    EXPECT_EQ(ranges->end(ours)->startTicks, 1U);
    EXPECT_FALSE(ranges->end(0).has_value());
    EXPECT_FALSE(ranges->end(~std::uint64_t{0}).has_value());
}

TEST(OpenRanges, refusesWhenTheTableIsFullAndTakesAgain)
{
    const auto ranges = std::make_unique<OpenRanges>();
    std::vector<std::uint64_t> ids;
    for (std::uint64_t id = ranges->start({}); id != 0; id = ranges->start({})) {
        ids.push_back(id);
    }
    EXPECT_EQ(ids.size(), 4096U);
    EXPECT_TRUE(ranges->end(ids[100]).has_value());
    std::size_t taken = 0;
    for (int attempt = 0; attempt < 4096; ++attempt) {
        taken += ranges->start({}) != 0 ? 1 : 0;
    }
    EXPECT_EQ(taken, 1U);
}

TEST(OpenRanges, threadsDoNotTakeEachOthersSlots)
{
    const auto ranges = std::make_unique<OpenRanges>();
    std::vector<std::size_t> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t thread = 0; thread < wrong.size(); ++thread) {
        threads.emplace_back([&, thread] {
            for (std::uint64_t round = 0; round < 5000; ++round) {
                const std::uint64_t mark = thread << 32 | round;
                const auto ended = ranges->end(ranges->start({.startTicks = mark}));
                wrong[thread] += ended && ended->startTicks == mark ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, std::vector<std::size_t>(4));
}

// Another thread registers what this one reads by.
TEST(Payloads, areReadWhileSchemasAreRegistered)
{
    const auto schemas = std::make_unique<Schemas>();
    const Reduction payload;
    std::thread writer([&] {
        for (std::uint64_t id = 1; id <= 64; ++id) {
            schemas->add(schemaOf(kReduction, sizeof payload), id);
        }
    });
    std::uint64_t seen = 0;
    while (seen == 0) {
        const PayloadData data{64, sizeof payload, &payload};
        seen = schemas->valuesOf(&data, 1).get(Field::Bytes).value_or(0);
    }
    writer.join();
    EXPECT_EQ(seen, payload.bytes);
}

} // namespace
} // namespace ringside::collector::nvtx
