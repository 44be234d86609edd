// SPDX-License-Identifier: Apache-2.0
// Small snapshots of PyTorch's allocator, made by the test, opened as users open them. What a simulated
// allocator holds is compared in tests/e2e/memory_snapshot_test.py.
#include "import/open_run.h"
#include "issue_of.h"
#include "memory_dump.h"
#include "model/build_model.h"
#include "support/temporary_directory.h"

#include <ringside/error.h>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>

namespace ringside::importers {
namespace {

using test::memoryBlock;
using test::memoryDump;
using test::memoryEvent;
using test::PickleText;
using Json = nlohmann::ordered_json;

constexpr std::int64_t kMi = 1 << 20;

class TorchMemory : public testing::Test {
protected:
    trace::ProcessTrace import(const std::string& text)
    {
        std::ofstream(m_folder / "rank3_memory_snapshot.pickle", std::ios::binary) << text;
        Progress progress;
        return std::move(openRun({m_folder.path()}, progress).processes.at(0));
    }
    trace::ProcessTrace import(const Json& dump) { return import(PickleText::of(dump)); }
    std::string failureOf(const std::string& text)
    {
        try {
            static_cast<void>(import(text));
        } catch (const Error& error) {
            return std::string(error.what()) + " | " + error.hint;
        }
        return "";
    }
    static const trace::MemoryStateRow* stateOf(const trace::ProcessTrace& process, const char* moment)
    {
        for (const trace::MemoryStateRow& row : process.memoryStates) {
            if (row.moment.text() == moment) {
                return &row;
            }
        }
        return nullptr;
    }
    /// "1048576 in 1: model.py:10 forward (category)", by size.
    static std::vector<std::string> holdersOf(const trace::ProcessTrace& process, const char* moment)
    {
        std::vector<std::string> texts;
        for (const trace::MemoryHolderRow& row : process.memoryHolders) {
            if (row.state == stateOf(process, moment)->id) {
                texts.push_back(std::to_string(row.bytes) + " in " + std::to_string(row.blocks) + ": " +
                                std::string(process.text(row.place)) + " (" +
                                std::string(process.text(row.category)) + ")");
            }
        }
        return texts;
    }

private:
    test::TemporaryDirectory m_folder;
};

using Texts = std::vector<std::string>;

TEST_F(TorchMemory, TellsWhatIsHeldAtTheSnapshot)
{
    const trace::ProcessTrace process = import(memoryDump());
    ASSERT_EQ(process.ranks.size(), 1U);
    EXPECT_EQ(process.ranks.front().rank, 3) << "from the name of the file";
    const trace::MemoryStateRow* const now = stateOf(process, "snapshot");
    ASSERT_NE(now, nullptr);
    EXPECT_EQ(now->requestedBytes, 2'000'001);
    EXPECT_EQ(now->allocatedBytes, 2 * kMi);
    EXPECT_EQ(now->reservedBytes, 8 * kMi);
    EXPECT_EQ(now->inactiveSplitBytes, 6 * kMi);
    EXPECT_EQ(now->largestFreeBytes, 4 * kMi);
    EXPECT_EQ(holdersOf(process, "snapshot"), (Texts{"1000001 in 1: job/model.py:20 forward (weights)",
                                                     "1000000 in 1: job/model.py:10 forward ()"}));
    EXPECT_TRUE(process.issues.empty()) << process.issues.front().message;
}

TEST_F(TorchMemory, ReplaysTheEventsToThePeak)
{
    const trace::ProcessTrace process = import(memoryDump());
    const trace::MemoryStateRow* const peak = stateOf(process, "peak");
    ASSERT_NE(peak, nullptr);
    EXPECT_EQ(peak->requestedBytes, 2'000'001 + 5 * kMi);
    EXPECT_EQ(peak->reservedBytes, 8 * kMi);
    EXPECT_EQ(peak->timeNs, 20'000) << "after the first event";
    EXPECT_EQ(peak->events, 6) << "without what is only requested";
    EXPECT_FALSE(peak->largestFreeBytes);
    EXPECT_EQ(holdersOf(process, "peak"),
              (Texts{"3145728 in 1: job/model.py:30 forward ()", "2097152 in 1:  ()",
                     "1000001 in 1: job/model.py:20 forward (weights)",
                     "1000000 in 1: job/model.py:10 forward ()"}));
}

TEST_F(TorchMemory, TellsWhatFailed)
{
    Json dump = memoryDump();
    const trace::ProcessTrace process = import(dump);
    const trace::MemoryStateRow* const failed = stateOf(process, "out_of_memory");
    ASSERT_NE(failed, nullptr);
    EXPECT_EQ(failed->requestedBytes, 2'000'001);
    EXPECT_EQ(failed->wantedBytes, 16 * kMi);
    EXPECT_EQ(failed->deviceFreeBytes, 5 * kMi);
    EXPECT_EQ(failed->largestFreeBytes, 4 * kMi) << "nothing changed since";
    dump["device_traces"][0].push_back(memoryEvent("segment_alloc", 64 * kMi, kMi, 50, 80));
    dump["device_traces"][0].push_back(memoryEvent("segment_free", 64 * kMi, kMi, 50, 90));
    const trace::ProcessTrace later = import(dump);
    EXPECT_EQ(stateOf(later, "out_of_memory")->wantedBytes, 16 * kMi);
    EXPECT_FALSE(stateOf(later, "out_of_memory")->largestFreeBytes);
}

TEST_F(TorchMemory, ReadsOlderLayouts)
{
    Json dump = memoryDump();
    for (Json& block : dump["segments"][0]["blocks"]) { // PyTorch 2.0
        if (block["state"] == "active_allocated") {
            block["history"] = Json::array({{{"addr", block["address"]},
                                             {"real_size", block["requested_size"]},
                                             {"frames", block["frames"]}}});
        }
        block.erase("address");
        block.erase("frames");
        block.erase("requested_size");
    }
    const trace::ProcessTrace process = import(dump);
    EXPECT_EQ(stateOf(process, "snapshot")->requestedBytes, 2'000'001);
    EXPECT_EQ(holdersOf(process, "snapshot").back(), "1000000 in 1: job/model.py:10 forward ()");
    const trace::ProcessTrace alone = import(memoryDump()["segments"]); // torch.cuda.memory_snapshot()
    EXPECT_EQ(stateOf(alone, "snapshot")->requestedBytes, 2'000'001);
    EXPECT_EQ(stateOf(alone, "peak"), nullptr);
    EXPECT_NE(issueOf(alone, "memory_history_missing"), nullptr);
}

TEST_F(TorchMemory, NamesAPlaceByTheFramesOfTheProgram)
{
    const auto placeOf = [&](const Json& frames) {
        Json dump = memoryDump();
        dump["segments"][0]["blocks"][0]["frames"] = frames;
        const std::string text = holdersOf(import(dump), "snapshot").back();
        return text.substr(text.find(": ") + 2);
    };
    const auto frame = [](const char* file, const char* name) {
        return Json{{"filename", file}, {"line", 7}, {"name", name}};
    };
    EXPECT_EQ(placeOf({frame("/x/site-packages/torch/nn/modules/linear.py", "forward"),
                       frame("/x/site-packages/transformers/llama/model.py", "forward"),
                       frame("/x/site-packages/torch/nn/modules/module.py", "_call_impl"),
                       frame("/usr/lib/python3.11/threading.py", "run"), frame("<frozen runpy>", "_run"),
                       frame("<ipython-input-3>", "step")}),
              "modules/linear.py:7 forward < llama/model.py:7 forward < <ipython-input-3>:7 step ()");
    EXPECT_EQ(placeOf({frame("??", "c10::Alloc::malloc(int)"),
                       frame("??", "torch::autograd::generated::MmBackward0::apply(at::Tensor)")}),
              "backward: MmBackward0 ()");
    EXPECT_EQ(placeOf(Json::array({frame("??", "c10::Alloc::malloc(int)")})), "Alloc::malloc ()");
    EXPECT_EQ(placeOf(Json::array({frame("a.py", "\x1b[31m")})), "a.py:7 ?[31m ()");
    EXPECT_EQ(placeOf(Json::array({1, nullptr, "text"})), " ()");
}

/// PyTorch writes the stack of a segment before its blocks. Names of C++ templates are long.
TEST_F(TorchMemory, IsRecognisedWhereStacksAreLong)
{
    Json dump = memoryDump();
    Json segment;
    for (const auto& [key, value] : dump["segments"][0].items()) {
        if (key == "blocks") {
            const Json frame{{"name", std::string(2000, 'T')}, {"filename", "??"}, {"line", 0}};
            segment["frames"] = std::vector<Json>(100, frame);
            for (std::size_t i = 0; i < segment["frames"].size(); ++i) { // a pickle holds equal texts once
                segment["frames"][i]["name"] =
                    segment["frames"][i]["name"].get<std::string>() + std::to_string(i);
            }
        }
        segment[key] = value;
    }
    dump["segments"][0] = segment;
    EXPECT_FALSE(import(dump).memoryStates.empty());
    EXPECT_FALSE(import(Json::array({segment})).memoryStates.empty());
}

TEST_F(TorchMemory, SaysWhatContradictsItself)
{
    const auto issues = [&](const std::function<void(Json&)>& change) {
        Json dump = memoryDump();
        change(dump);
        const trace::ProcessTrace process = import(dump);
        std::string ids;
        for (const trace::IssueRow& issue : process.issues) {
            ids += issue.id + " " + std::to_string(issue.count) + " ";
        }
        return ids;
    };
    // Without the segment, what the events reserve and allocate is not there at the end.
    EXPECT_EQ(issues([](Json& dump) { dump["segments"][0]["total_size"] = 9 * kMi; }),
              "memory_contradicts 1 memory_events_contradict 2 ")
        << "the blocks do not fill it";
    EXPECT_EQ(issues([](Json& dump) { dump["segments"][0]["blocks"][0]["requested_size"] = 2 * kMi; }),
              "memory_contradicts 1 memory_events_contradict 2 ")
        << "more is requested than the block has";
    EXPECT_EQ(issues([](Json& dump) { dump["segments"].push_back(dump["segments"][0]); }),
              "memory_contradicts 1 ")
        << "two at one address";
    EXPECT_EQ(issues([](Json& dump) { dump["segments"][0]["total_size"] = -1; }),
              "damaged_entry 1 memory_events_contradict 2 ");
    EXPECT_EQ(issues([](Json& dump) { dump["segments"][0]["total_size"] = std::int64_t{1} << 62; }),
              "damaged_entry 1 memory_events_contradict 2 ");
    EXPECT_EQ(issues([](Json& dump) { dump["device_traces"][0][2]["size"] = nullptr; }), "damaged_entry 1 ");
    EXPECT_EQ(issues([](Json& dump) { dump["device_traces"][0].push_back(dump["device_traces"][0][1]); }),
              "memory_events_contradict 1 ")
        << "allocated twice";
}

TEST_F(TorchMemory, ACutFileTellsOnlyOfItsEnd)
{
    const std::string whole = PickleText::of(memoryDump());
    std::size_t readable = 0;
    for (std::size_t size = 64; size < whole.size(); ++size) {
        trace::ProcessTrace process;
        try {
            process = import(whole.substr(0, size));
        } catch (const Error& error) {
            EXPECT_EQ(error.code, ErrorCode::Unusable);
            EXPECT_FALSE(error.hint.empty());
            continue;
        }
        ++readable;
        EXPECT_NE(issueOf(process, "truncated_file"), nullptr) << size;
        EXPECT_EQ(stateOf(process, "peak"), nullptr) << "the last events are missing: " << size;
    }
    EXPECT_GT(readable, whole.size() / 3);
}

TEST_F(TorchMemory, OfRanksWithoutCallsSaysNothingOfTheirSteps)
{
    const test::TemporaryDirectory folder;
    for (const char* const name : {"rank0.pickle", "rank1.pickle", "rank2.pickle"}) {
        std::ofstream(folder / name, std::ios::binary) << PickleText::of(memoryDump());
    }
    Progress progress;
    const model::Model model = model::buildModel(openRun({folder.path()}, progress));
    EXPECT_EQ(model.ranks.size(), 3U);
    EXPECT_EQ(issueOf(model, "steps_apart"), nullptr);
}

TEST_F(TorchMemory, NeverRunsCode)
{
    // GLOBAL os system, MARK, "id", TUPLE, REDUCE in place of the segments
    const std::string text = std::string("\x80\x02}(X\x08\0\0\0segments", 17) +
                             std::string("cos\nsystem\n(X\x02\0\0\0idtRX\x0D\0\0\0", 26) + "device_traces]u.";
    EXPECT_NE(failureOf(text).find("would run code"), std::string::npos) << failureOf(text);
    EXPECT_NE(failureOf(PickleText::of({{"device_traces", 1}})).find("_dump_snapshot"), std::string::npos);
}

TEST_F(TorchMemory, AndDumpsOfTheFlightRecorderAreNotTakenForEachOther)
{
    Json flight = test::flightDump(Json::array({test::flightEntry(1, "completed")}));
    EXPECT_TRUE(import(flight).memoryStates.empty());
    EXPECT_EQ(import(flight).collectiveCalls.size(), 1U);
    Json dump = memoryDump();
    dump["segments"][0]["blocks"][0]["frames"][1]["name"] = "pg_config";
    EXPECT_EQ(import(dump).memoryStates.size(), 3U);
}

} // namespace
} // namespace ringside::importers
