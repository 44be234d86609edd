// SPDX-License-Identifier: Apache-2.0
// What is known of the environment variables that NCCL and PyTorch read, and what is wrong with the values
// that a job or a host has. Used by the rules of settings and by `ringside doctor`; reads no environment and
// no file.
#pragma once
#include "trace/vocabulary/severity.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::settings {

using Variables = std::map<std::string, std::string, std::less<>>;

enum class Trouble : std::uint8_t {
    Unknown,      ///< no such variable in the NCCL that is loaded
    Deprecated,   ///< an old name, or one that does more harm than good since some version
    Dangerous,    ///< may fail, corrupt data or switch off a fast path
    Range,        ///< a number outside what NCCL takes
    Value,        ///< is read as something else than was meant
    Debug,        ///< a switch for debugging left on
    BlockingWait, ///< PyTorch's host waits in every collective
};

struct Remark {
    Trouble trouble = Trouble::Unknown;
    trace::Severity severity = trace::Severity::Info;
    std::string variable;
    std::string what;   ///< one sentence with the value
    std::string advice; ///< one or two sentences
};

/// What reads the variables.
struct Reader {
    std::optional<std::int64_t> ncclVersion; ///< as ncclGetVersion says it: 22809 is 2.28.9
    std::set<std::string>
        unknown; ///< of the NCCL_ variables that are set, those its library does not contain
    /// Whether a file is there; without it, files are not judged.
    std::function<bool(const std::string& path)> exists = {};
};

/// What is wrong with `variables`, by name.
[[nodiscard]] std::vector<Remark> judge(const Variables& variables, const Reader& reader);

} // namespace ringside::settings
