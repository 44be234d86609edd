// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/environment.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace ringside::trace {
namespace {

constexpr std::array<std::string_view, 8> kPrefixes{"NCCL_", "TORCH_", "PYTORCH_",  "CUDA_",
                                                    "OMP_",  "SLURM_", "RINGSIDE_", "OMPI_COMM_WORLD_"};
constexpr std::array<std::string_view, 12> kNames{
    "RANK",       "WORLD_SIZE",  "LOCAL_RANK",      "LOCAL_WORLD_SIZE",
    "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT",     "TORCHELASTIC_RESTART_COUNT",
    "PMI_RANK",   "PMI_SIZE",    "LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES"};

// Read by PyTorch, by plugins of NCCL and by its own profiler examples: not in libnccl.
constexpr std::array<std::string_view, 14> kOthers{"NCCL_ASYNC_ERROR_HANDLING",
                                                   "NCCL_BLOCKING_WAIT",
                                                   "NCCL_DESYNC_DEBUG",
                                                   "NCCL_ENABLE_TIMING",
                                                   "NCCL_FASTRAK_",
                                                   "NCCL_GPUDIRECTTCPX_",
                                                   "NCCL_INSPECTOR_",
                                                   "NCCL_PROFILE_DUMP_FILE",
                                                   "NCCL_PROFILE_EVENT_MASK",
                                                   "NCCL_SHARP_",
                                                   "NCCL_TESTS_",
                                                   "NCCL_UCX_",
                                                   "NCCL_TUNER_CONFIG_",
                                                   "NCCL_NETWORK_TOPO_"};

bool containsIgnoringCase(std::string_view text, std::string_view part)
{
    const auto same = [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool isTokenCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// At the value's begin what begins like a token, further inside what also is as long as one: "/opt/sk-learn"
// is none.
bool hasToken(std::string_view value)
{
    constexpr std::array<std::string_view, 6> kBegins{"hf_", "sk-", "ghp_", "eyJ", "AKIA", "-----BEGIN"};
    constexpr std::size_t kShortest = 16;
    for (const std::string_view begin : kBegins) {
        for (std::size_t at = value.find(begin); at != std::string_view::npos;
             at = value.find(begin, at + 1)) {
            const std::string_view rest = value.substr(at);
            const auto end = std::ranges::find_if_not(rest, isTokenCharacter);
            const bool isWord = at == 0 || !isTokenCharacter(value[at - 1]);
            if (at == 0 || (isWord && static_cast<std::size_t>(end - rest.begin()) >= kShortest)) {
                return true;
            }
        }
    }
    return false;
}

// scheme://user@host, user:password@host
bool hasUserBeforeHost(std::string_view value)
{
    const std::size_t at = value.rfind('@');
    return at != std::string_view::npos && value.substr(0, at).find(':') != std::string_view::npos;
}

} // namespace

bool isStoredVariable(std::string_view name)
{
    return std::ranges::find(kNames, name) != kNames.end() ||
           std::ranges::any_of(kPrefixes,
                               [name](std::string_view prefix) { return name.starts_with(prefix); });
}

bool belongsToNccl(std::string_view name)
{
    return name.starts_with("NCCL_") &&
           std::ranges::none_of(kOthers, [name](std::string_view other) { return name.starts_with(other); });
}

std::string redacted(std::string_view name, std::string_view value)
{
    constexpr std::array<std::string_view, 8> kSecretNames{"TOKEN",      "SECRET", "PASSW", "KEY",
                                                           "CREDENTIAL", "JWT",    "AUTH",  "COOKIE"};
    const bool secretName = std::ranges::any_of(
        kSecretNames, [name](std::string_view part) { return containsIgnoringCase(name, part); });
    return secretName || hasToken(value) || hasUserBeforeHost(value) ? "(redacted)" : std::string(value);
}

} // namespace ringside::trace
