// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as what other tools printed, two readings parted by a byte of 0, give a run of whose
// series every sample has one and whose names a terminal can show, or ringside::Error. Alone, and beside a
// run of one host.
#include "tool_output/make_run.h"

#include <ringside/error.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using ringside::tool_output::File;

void require(bool good)
{
    if (!good) {
        std::abort();
    }
}

bool isPrintable(std::string_view text)
{
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check(const ringside::trace::RunTrace& run)
{
    for (const ringside::trace::ProcessTrace& process : run.processes) {
        require(isPrintable(process.process.host));
        for (const ringside::trace::SeriesRow& series : process.series) {
            require(isPrintable(series.entity));
        }
        for (const ringside::trace::SettingRow& setting : process.settings) {
            require(isPrintable(setting.name) && isPrintable(setting.value));
        }
        for (const auto& [id, text] : process.strings) {
            require(isPrintable(text));
        }
        const auto& ids = process.samples.series;
        require(std::all_of(ids.begin(), ids.end(),
                            [&](std::uint32_t id) { return id >= 1 && id <= process.series.size(); }));
    }
}

ringside::trace::RunTrace runOfOneHost()
{
    ringside::trace::RunTrace run;
    run.processes.emplace_back();
    run.processes.back().process.host = "host0";
    run.processes.back().clockSamples.push_back({1'000, 1'700'000'000'000'000'000, {}, {}});
    return run;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::int64_t kBefore = 1'700'000'000'000'000'000;
    constexpr std::int64_t kAfter = kBefore + 60'000'000'000;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t parting = std::min(text.find('\0'), size);
    const File before{"before", std::string(text.substr(0, parting)), kBefore, "", "mlx5_0"};
    const File after{"after", std::string(text.substr(std::min(parting + 1, size))), kAfter, "", "mlx5_0"};
    for (const auto& files : {std::vector{before}, std::vector{before, after}}) {
        for (const bool beside : {false, true}) {
            try {
                ringside::trace::RunTrace run = beside ? runOfOneHost() : ringside::trace::RunTrace{};
                ringside::tool_output::addFiles(run, files);
                check(run);
            } catch (const ringside::Error&) {
                // Refusing is right for most inputs.
            }
        }
    }
    return 0;
}
