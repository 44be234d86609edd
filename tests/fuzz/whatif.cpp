// SPDX-License-Identifier: Apache-2.0
// Fuzz target: a training run with arbitrarily edited rows is replayed with any changes, or refused. The
// input is a list of edits, not a file, because edited files seldom pass the checks and the decompression.
// Two bytes select the change; each further twelve bytes change one number of one row.
#include "whatif/whatif.h"

#include "golden/training_run.h"
#include "model/build_model.h"
#include "trace/read/plausible.h"

#include <ringside/error.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <type_traits>

namespace {

using namespace ringside;

const trace::RunTrace& baseRun()
{
    static const trace::RunTrace kRun = [] {
        test::TrainingRun run;
        run.ranks = 3;
        run.steps = 6;
        run.computeNs = test::kMillisecond;
        run.dataNs = test::kMillisecond / 4;
        run.buckets = {64U << 10U, 128U << 10U, 1U << 20U};
        run.copyBytes = 1U << 16U;
        run.lateRank = 1;
        run.lateNs = test::kMillisecond / 2;
        run.synchronize = true;
        return test::simulate(run);
    }();
    return kRun;
}

struct Edit {
    std::uint8_t rank = 0;
    std::uint8_t column = 0;
    std::uint16_t row = 0;
    std::int64_t value = 0;
    /// No other passes the reader.
    [[nodiscard]] std::int64_t time() const { return value % trace::kFarthestTimeNs; }
};

/// Numbers in which a reader checks no more than that they are there; strings keep their ids.
template <typename Values>
void set(Values& values, const Edit& edit)
{
    if (values.size() > 0) {
        const bool isTime = std::is_same_v<typename Values::value_type, std::int64_t>;
        values.set(edit.row % values.size(),
                   static_cast<typename Values::value_type>(isTime ? edit.time() : edit.value));
    }
}

template <typename Rows, typename Change>
void change(Rows& rows, const Edit& edit, const Change& how)
{
    if (!rows.empty()) {
        how(rows[edit.row % rows.size()]);
    }
}

void editColumns(trace::ProcessTrace& process, const Edit& edit)
{
    switch (edit.column % 14) {
    case 0:
        return set(process.kernels.startNs, edit);
    case 1:
        return set(process.kernels.endNs, edit);
    case 2:
        return set(process.kernels.correlation, edit);
    case 3:
        return set(process.kernels.stream, edit);
    case 4:
        return set(process.kernels.device, edit);
    case 5:
        return set(process.copies.startNs, edit);
    case 6:
        return set(process.copies.endNs, edit);
    case 7:
        return set(process.launches.startNs, edit);
    case 8:
        return set(process.launches.endNs, edit);
    case 9:
        return set(process.launches.tid, edit);
    case 10:
        return set(process.launches.correlation, edit);
    case 11:
        return set(process.apiCalls.startNs, edit);
    case 12:
        return set(process.apiCalls.endNs, edit);
    default:
        return set(process.apiCalls.stream, edit);
    }
}

void editRows(trace::ProcessTrace& process, const Edit& edit)
{
    const std::int64_t value = edit.value;
    switch (edit.column % 10) {
    case 0:
        return change(process.collectiveCalls, edit,
                      [&](auto& row) { row.bytes = static_cast<std::uint64_t>(value); });
    case 1:
        return change(process.collectiveCalls, edit, [&](auto& row) { row.sequence = value; });
    case 2:
        return change(process.collectiveCalls, edit, [&](auto& row) { row.communicator = value; });
    case 3:
        return change(process.collectiveCalls, edit, [&](auto& row) { row.datatype = value; });
    case 4:
        return change(process.collectiveCalls, edit, [&](auto& row) { row.startNs = edit.time(); });
    case 5:
        return change(process.ranges, edit, [&](auto& row) { row.startNs = edit.time(); });
    case 6:
        return change(process.ranges, edit, [&](auto& row) { row.endNs = edit.time(); });
    case 7:
        return change(process.steps, edit, [&](auto& row) { row.startNs = edit.time(); });
    case 8:
        return change(process.steps, edit, [&](auto& row) { row.endNs = edit.time(); });
    default:
        return change(process.steps, edit, [&](auto& row) { row.number = value; });
    }
}

/// Near what is there half of the time: most damage is small.
Edit readEdit(const std::uint8_t* data)
{
    Edit edit{data[0], data[1], 0, 0};
    std::memcpy(&edit.row, data + 2, sizeof edit.row);
    std::memcpy(&edit.value, data + 4, sizeof edit.value);
    constexpr std::int64_t kNear = 20'000'000;
    edit.value = (edit.rank & 0x40U) != 0 ? edit.value : edit.value % kNear;
    return edit;
}

/// Of sizes that a replay is soon done with: a thousand messages or ranks take the same ways.
whatif::Changes readChanges(std::uint8_t first, std::uint8_t second)
{
    whatif::Changes changes;
    changes.noLateRanks = (first & 1U) != 0;
    changes.fullOverlap = (first & 2U) != 0;
    changes.noDataStalls = (first & 4U) != 0;
    changes.gradients = (first & 8U) != 0 ? "fp16" : "";
    changes.accumulate = (first & 16U) != 0 ? 2 + second % 3 : 1;
    if ((first & 32U) != 0) {
        changes.bucketBytes = std::uint64_t{1} << (15 + second % 11);
    }
    if ((first & 64U) != 0) {
        changes.ranks = 2 + second % 5;
    }
    if ((first & 128U) != 0) {
        changes.medianRanks = {second % 4};
        changes.bandwidth = {{"", 2}};
        changes.latency = {{"intra-host", 0.5}};
    }
    return changes;
}

void check(const whatif::Prediction& prediction)
{
    const bool sound = prediction.measuredNs > 0 && std::isfinite(prediction.replayedNs) &&
                       std::isfinite(prediction.predictedNs.value_or(0)) &&
                       std::isfinite(prediction.halfError.value_or(0));
    if (!sound || renderText(prediction).empty() || renderJson(prediction).empty()) {
        std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t kHead = 2;
    constexpr std::size_t kEdit = 12;
    constexpr std::size_t kMostEdits = 64;
    if (size < kHead) {
        return 0;
    }
    trace::RunTrace run = baseRun();
    for (std::size_t at = kHead; at + kEdit <= size && at < kHead + kMostEdits * kEdit; at += kEdit) {
        const Edit edit = readEdit(data + at);
        trace::ProcessTrace& process = run.processes[(edit.rank & 0x3FU) % run.processes.size()];
        (edit.rank & 0x80U) != 0 ? editRows(process, edit) : editColumns(process, edit);
    }
    try {
        const model::Model model = model::buildModel(std::move(run));
        const whatif::WhatIf replay(model);
        check(replay.predict({}));
        check(replay.predict(readChanges(data[0], data[1])));
    } catch (const Error&) { // refusing is right for most inputs
        return 0;
    }
    return 0;
}
