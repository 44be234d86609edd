// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/environment.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iterator>

namespace ringside::trace {
namespace {

constexpr std::array<std::string_view, 12> kPrefixes{
    "NCCL_", "TORCH_",    "PYTORCH_",         "CUDA_", "OMP_", "SLURM_",
    "FI_",   "RINGSIDE_", "OMPI_COMM_WORLD_", "GLOO_", "UCX_", "OFI_NCCL_"};
constexpr std::array<std::string_view, 13> kNames{"RANK",
                                                  "WORLD_SIZE",
                                                  "LOCAL_RANK",
                                                  "LOCAL_WORLD_SIZE",
                                                  "GROUP_RANK",
                                                  "MASTER_ADDR",
                                                  "MASTER_PORT",
                                                  "TORCHELASTIC_RESTART_COUNT",
                                                  "PMI_RANK",
                                                  "PMI_SIZE",
                                                  "LD_LIBRARY_PATH",
                                                  "NVIDIA_VISIBLE_DEVICES",
                                                  "TP_SOCKET_IFNAME"};

// Read by PyTorch, by plugins of NCCL and by its own profiler examples: not in libnccl.
constexpr std::array<std::string_view, 17> kOthers{"NCCL_ASYNC_ERROR_HANDLING",
                                                   "NCCL_BLOCKING_WAIT",
                                                   "NCCL_DESYNC_DEBUG",
                                                   "NCCL_ENABLE_TIMING",
                                                   "NCCL_FASTRAK_",
                                                   "NCCL_GPUDIRECTTCPX_",
                                                   "NCCL_IBEXT_",
                                                   "NCCL_INSPECTOR_",
                                                   "NCCL_OFI_",
                                                   "NCCL_PROFILE_DUMP_FILE",
                                                   "NCCL_PROFILE_EVENT_MASK",
                                                   "NCCL_SHARP_",
                                                   "NCCL_SHIMNET_",
                                                   "NCCL_TESTS_",
                                                   "NCCL_UCX_",
                                                   "NCCL_TUNER_CONFIG_",
                                                   "NCCL_NETWORK_TOPO_"};

bool isTokenCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// At the start of a value, every prefix of a token counts; further inside, only a word as long as a token.
// "/opt/sk-learn" is no token.
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

// Matches scheme://user@host and user:password@host.
bool hasUserBeforeHost(std::string_view value)
{
    const std::size_t at = value.rfind('@');
    return at != std::string_view::npos && value.substr(0, at).find(':') != std::string_view::npos;
}

/// Part of a name.
constexpr std::array<std::string_view, 9> kSecretParts{"TOKEN",      "SECRET", "PASSW", "PASSPHRASE", "KEY",
                                                       "CREDENTIAL", "JWT",    "AUTH",  "COOKIE"};
/// A word in a name, separated by non-letters. Comments are excluded, because they are written for other
/// people.
constexpr std::array<std::string_view, 3> kSecretWords{"PASS", "PWD", "COMMENT"};

bool isLetter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

bool isDigit(char c)
{
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

std::string uppercase(std::string_view text)
{
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
    return upper;
}

bool hasWord(std::string_view text, std::string_view word)
{
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
        const std::size_t end = at + word.size();
        if ((at == 0 || !isLetter(text[at - 1])) && (end == text.size() || !isLetter(text[end]))) {
            return true;
        }
    }
    return false;
}

bool isSecretName(std::string_view name)
{
    const std::string upper = uppercase(name);
    return std::ranges::any_of(
               kSecretParts, [&](std::string_view part) { return upper.find(part) != std::string::npos; }) ||
           std::ranges::any_of(kSecretWords, [&](std::string_view word) { return hasWord(upper, word); });
}

/// Returns the last word of a text, up to the length of a name.
std::string_view lastName(std::string_view text)
{
    const std::size_t end = text.find_last_not_of(" \"'");
    text = text.substr(0, end == std::string_view::npos ? 0 : end + 1);
    std::size_t begin = text.size();
    while (begin > 0 && isTokenCharacter(text[begin - 1])) {
        --begin;
    }
    return text.substr(begin);
}

// Matches name=... and name: ...; but a colon also separates paths, and precedes a port or a number.
bool assignsSecret(std::string_view value)
{
    for (std::size_t at = value.find_first_of("=:"); at != std::string_view::npos;
         at = value.find_first_of("=:", at + 1)) {
        const std::string_view rest = value.substr(at + 1);
        const bool parts = value[at] == ':' && (rest.empty() || rest.front() == '/' || isDigit(rest.front()));
        if (!parts && isSecretName(lastName(value.substr(0, at)))) {
            return true;
        }
    }
    return false;
}

// Matches --name ...
bool hasSecretOption(std::string_view value)
{
    for (std::size_t at = value.find("--"); at != std::string_view::npos; at = value.find("--", at + 1)) {
        const std::size_t space = value.find(' ', at);
        if (space != std::string_view::npos && isSecretName(value.substr(at, space - at))) {
            return true;
        }
    }
    return false;
}

bool hasAuthorization(std::string_view value)
{
    const std::string upper = uppercase(value);
    return upper.starts_with("BEARER ") || upper.starts_with("BASIC ");
}

// Signed URLs contain their signature there.
bool hasUrlQuery(std::string_view value)
{
    const std::size_t scheme = value.find("://");
    return scheme != std::string_view::npos && value.find_first_of("?#", scheme) != std::string_view::npos;
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
    const bool secret = isSecretName(name) || hasToken(value) || hasUserBeforeHost(value) ||
                        hasUrlQuery(value) || assignsSecret(value) || hasSecretOption(value) ||
                        hasAuthorization(value);
    return secret ? "(redacted)" : std::string(value);
}

} // namespace ringside::trace
