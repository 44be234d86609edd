// SPDX-License-Identifier: Apache-2.0
#include "settings_cases.h"

namespace ringside::test {
namespace {

struct Setting {
    trace::SettingSource source;
    const char* name;
    const char* value;
};

/// All ranks were told the same.
TrainingRun told(std::vector<Setting> settings)
{
    TrainingRun run;
    run.edit = [settings = std::move(settings)](TraceBuilder& trace) {
        for (const Setting& each : settings) {
            trace.setting(each.source, each.name, each.value);
        }
    };
    return run;
}

TrainingRun environment(const char* name, const char* value)
{
    return told({{"environment", name, value}, {"library", "nccl", "2.28.9+cuda13.0"}});
}

/// Rank 3 has a variable that the others do not have.
TrainingRun oneAlone()
{
    TrainingRun run = environment("NCCL_DEBUG", "WARN");
    run.edit = [same = run.edit](TraceBuilder& trace) {
        same(trace);
        trace.process(3).settings.push_back({"environment", "NCCL_ALGO", "allreduce:tree"});
        trace.process(3).settings.push_back({"environment", "CUDA_VISIBLE_DEVICES", "3"});
    };
    return run;
}

TrainingRun lockedMemory(const char* bytes)
{
    return told({{"machine", "rdma_devices", "mlx5_0,mlx5_1"}, {"process", "memlock_bytes", bytes}});
}

void untold(TrainingRun& run)
{
    run.edit = {};
}

} // namespace

std::vector<RuleCase> settingsCases()
{
    const TrainingRun usual = environment("NCCL_DEBUG", "WARN");
    return {
        {"blocking_wait",
         environment("TORCH_NCCL_BLOCKING_WAIT", "1"),
         environment("TORCH_NCCL_BLOCKING_WAIT", "0"),
         {},
         {},
         untold},
        {"memlock_low", lockedMemory("8388608"), lockedMemory("unlimited"), {}, {}, untold},
        {"nccl_debug_in_production", environment("NCCL_DEBUG", "INFO"), usual, {}, {}, untold},
        {"nccl_variable_dangerous",
         environment("NCCL_ALGO", "Tree"),
         environment("NCCL_ALGO", "allreduce:tree"),
         {},
         {},
         untold},
        {"nccl_variable_deprecated",
         environment("NCCL_MAX_NCHANNELS", "8"),
         environment("NCCL_MAX_CTAS", "8"),
         {},
         {},
         untold},
        {"nccl_variable_range",
         told({{"environment", "NCCL_SOCKET_NTHREADS", "16"}, {"environment", "NCCL_NSOCKS_PERTHREAD", "8"}}),
         told({{"environment", "NCCL_SOCKET_NTHREADS", "8"}, {"environment", "NCCL_NSOCKS_PERTHREAD", "8"}}),
         {},
         {},
         untold},
        {"nccl_variable_unknown",
         told({{"environment", "NCCL_NCHANNELS", "8"},
               {"library", "nccl_unknown_variables", "NCCL_NCHANNELS,NCCL_SOKET_IFNAME"}}),
         told({{"environment", "NCCL_DEBUG", "WARN"}, {"library", "nccl_unknown_variables", ""}}),
         {},
         {},
         untold},
        {"nccl_variable_value",
         environment("NCCL_BUFFSIZE", "4M"),
         environment("NCCL_BUFFSIZE", "4194304"),
         {},
         {},
         untold},
        {"settings_differ_between_ranks", oneAlone(), usual, {}, {}, untold},
        {"versions_old",
         told({{"library", "nccl", "2.12.12"}, {"library", "cuda runtime", "11.4"}}),
         told({{"library", "nccl", "2.28.9"}, {"library", "cuda runtime", "13.0"}}),
         {"versions_old.nccl=2.1", "versions_old.cuda_runtime=11"},
         {"versions_old.nccl=2.29"},
         untold},
    };
}

} // namespace ringside::test
