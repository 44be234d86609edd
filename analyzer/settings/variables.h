// SPDX-License-Identifier: Apache-2.0
// Checks the environment variables that NCCL and PyTorch read for names and values that are wrong. The rules
// about settings and `ringside doctor` use it. It reads neither the environment nor files.
#pragma once
#include "trace/vocabulary/severity.h"
#include "words/text.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::settings {

using Variables = std::map<std::string, std::string, std::less<>>;

/// What is wrong with a variable.
enum class Trouble : std::uint8_t {
    Unknown,      ///< the loaded NCCL has no such variable
    Deprecated,   ///< an old name, or a setting that does more harm than good since some version
    Dangerous,    ///< may fail, corrupt data or disable a fast path
    Range,        ///< a number outside the range that NCCL accepts
    Value,        ///< NCCL reads a different value than intended
    Debug,        ///< a switch for debugging left on
    BlockingWait, ///< the host waits in every collective
};

struct Remark {
    Trouble trouble = Trouble::Unknown;
    trace::Severity severity = trace::Severity::Info;
    std::string variable;
    words::Text what; ///< one sentence with the value
    words::Text advice;
};

/// Facts about the library that reads the variables.
struct LoadedLibrary {
    std::optional<std::int64_t> ncclVersion; ///< as in ncclGetVersion (22809: 2.28.9); null if not known
    /// Names of NCCL_ variables that are set and do not occur in the library.
    std::set<std::string> unknown;
    /// Returns true if a file exists. If not set, files are not checked.
    std::function<bool(const std::string& path)> exists = {};
};

/// Returns what is wrong with `variables`, ordered by name.
[[nodiscard]] std::vector<Remark> checkVariables(const Variables& variables, const LoadedLibrary& library);

} // namespace ringside::settings
