// SPDX-License-Identifier: Apache-2.0
#include "settings/variables.h"

#include "settings/known.h"
#include "settings/versions.h"
#include "values/nearest_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <vector>

namespace ringside::settings {
namespace {

using trace::Severity;

/// A number as NCCL parses it: by strtoll, ignoring what follows.
struct Number {
    std::int64_t value = 0;
    bool any = false;  ///< there was a digit
    bool rest = false; ///< other characters follow the number
};
Number numberOf(const std::string& text)
{
    char* end = nullptr;
    const long long value = std::strtoll(text.c_str(), &end, 0);
    return {value, end != text.c_str(), *end != '\0'};
}

std::string upper(std::string_view text)
{
    std::string result(text);
    std::ranges::transform(result, result.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return result;
}

/// Returns the known name that is meant; empty if none is near.
std::string_view meantName(std::string_view name)
{
    constexpr std::size_t kMostLetters = 3;
    constexpr std::size_t kLongest = 128; // a longer one is no slip
    std::string_view best;
    std::size_t least = kMostLetters + 1;
    for (const std::string_view known : kNames) {
        const std::size_t letters = name.size() > kLongest ? least : values::editDistance(name, known);
        if (letters < least) {
            least = letters;
            best = known;
        }
    }
    return best;
}

/// Returns the first of the words of `text`, apart by commas, that is none of `known`; empty if all are.
std::string wordNotIn(std::string_view text, const Words& known)
{
    const std::string padded = fmt::format(" {} ", known.words);
    if (known.list && text.starts_with('^')) {
        text.remove_prefix(1);
    }
    while (!text.empty()) {
        const std::size_t end = known.list ? std::min(text.find(','), text.size()) : text.size();
        const std::string word = upper(text.substr(0, end));
        const bool number = known.level && word.find_first_not_of("0123456789") == std::string::npos;
        if (!number && padded.find(" " + word + " ") == std::string::npos) {
            return word;
        }
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return {};
}

class VariableCheck {
public:
    VariableCheck(const Variables& variables, const LoadedLibrary& library)
        : m_variables(variables), m_library(library)
    {}

    std::vector<Remark> run()
    {
        checkUnknownNames();
        checkOldNames();
        checkNumbers();
        checkWords();
        checkSockets();
        checkCtas();
        checkAlgorithmAndProtocol();
        checkFastPaths();
        checkFiles();
        checkDebugging();
        std::ranges::stable_sort(m_remarks, {}, &Remark::variable);
        return std::move(m_remarks);
    }

private:
    [[nodiscard]] const std::string* find(std::string_view name) const
    {
        const auto found = m_variables.find(name);
        return found == m_variables.end() ? nullptr : &found->second;
    }
    [[nodiscard]] bool since(std::int64_t version) const
    {
        return !m_library.ncclVersion || *m_library.ncclVersion >= version;
    }
    void add(Trouble trouble, Severity severity, std::string_view variable, std::string what,
             std::string advice)
    {
        m_remarks.push_back({trouble, severity, std::string(variable), std::move(what), std::move(advice)});
    }
    [[nodiscard]] std::string nccl() const
    {
        return m_library.ncclVersion ? "NCCL " + ncclText(*m_library.ncclVersion)
                                     : std::string("the NCCL of this run");
    }

    void checkUnknownNames()
    {
        constexpr const char* kNever = "NCCL_NCHANNELS"; // no NCCL has it, although some guides name it
        std::set<std::string> names = m_library.unknown;
        if (find(kNever) != nullptr) {
            names.insert(kNever);
        }
        for (const auto& [name, value] : m_variables) {
            const bool known = std::ranges::find(kNames, name) != std::end(kNames);
            if (name.starts_with("TORCH_NCCL_") && !known && !meantName(name).empty()) {
                names.insert(name);
            }
        }
        for (const std::string& name : names) {
            std::string advice = "Remove it or correct its name: it has no effect.";
            if (const std::string_view meant = meantName(name); !meant.empty() && meant != name) {
                advice = fmt::format("Did you mean {}? As it is, it has no effect.", meant);
            }
            if (name == kNever) {
                advice = "No version of NCCL has it. NCCL_MIN_CTAS and NCCL_MAX_CTAS limit the number of "
                         "channels. NCCL chooses well by itself, so compare before and after.";
            }
            add(Trouble::Unknown, Severity::Warning, name,
                fmt::format("{} is set, and {} does not know it", name,
                            name.starts_with("TORCH_") ? "PyTorch" : nccl()),
                std::move(advice));
        }
    }

    /// torchrun sets this variable for its workers up to PyTorch 2.1, so the user cannot correct it.
    bool isSetByTorchrun(std::string_view name)
    {
        const std::string* const value = find(name);
        return name == "NCCL_ASYNC_ERROR_HANDLING" && value != nullptr && *value == "1" &&
               find("TORCHELASTIC_RESTART_COUNT") != nullptr;
    }

    void checkOldNames()
    {
        for (const OldName& old : kOldNames) {
            if (find(old.name) != nullptr && since(old.since) && !isSetByTorchrun(old.name)) {
                add(Trouble::Deprecated, Severity::Info, old.name,
                    fmt::format("{} is the old name of {}", old.name, old.instead),
                    fmt::format("Set {} instead, or neither.", old.instead));
            }
        }
        if (const std::string* index = find("NCCL_IB_GID_INDEX");
            index != nullptr && *index != "-1" && since(22100)) {
            add(Trouble::Deprecated, Severity::Warning, "NCCL_IB_GID_INDEX",
                fmt::format("NCCL_IB_GID_INDEX={}: since NCCL 2.21, NCCL detects the index for each port",
                            *index),
                "Remove it: an index that fits one port or host is wrong on another, and then connections "
                "fail or use RoCE v1.");
        }
    }

    void checkNumbers()
    {
        for (const Range& range : kRanges) {
            const std::string* text = find(range.name);
            if (text == nullptr) {
                continue;
            }
            const Number number = numberOf(*text);
            if (!number.any || number.rest) {
                addNotANumber(range.name, *text, number);
            } else if (number.value < range.least || number.value > range.most) {
                add(Trouble::Range, Severity::Warning, range.name,
                    fmt::format("{}={} is outside {} to {}", range.name, *text, range.least, range.most),
                    "Depending on the version, NCCL ignores, clamps or rejects it. Remove it, or use a value "
                    "within the range and compare.");
            } else if (range.name.ends_with("BUFFSIZE") &&
                       !std::has_single_bit(static_cast<std::uint64_t>(number.value))) {
                add(Trouble::Range, Severity::Info, range.name,
                    fmt::format("{}={} is not a power of two", range.name, *text),
                    "NCCL's guide recommends powers of two.");
            }
        }
        if (const std::string* threads = find("NCCL_NTHREADS")) {
            const Number number = numberOf(*threads);
            if (number.value < 64 || number.value > 512 ||
                !std::has_single_bit(static_cast<std::uint64_t>(number.value))) {
                add(Trouble::Range, Severity::Warning, "NCCL_NTHREADS",
                    fmt::format("NCCL_NTHREADS={} is none of 64, 128, 256, 512", *threads),
                    "Remove it: NCCL chooses a value that fits the GPU.");
            }
        }
    }

    void checkWords()
    {
        for (const Words& known : kWords) {
            const std::string* const text = find(known.name);
            const std::string word = text != nullptr ? wordNotIn(*text, known) : std::string();
            if (!word.empty()) {
                add(Trouble::Value, Severity::Warning, known.name,
                    fmt::format("{}={}: {} is none of its words", known.name, *text, word),
                    fmt::format("It knows {}{}.", known.words, known.level ? " and numbers" : ""));
            }
        }
    }

    void addNotANumber(std::string_view name, const std::string& text, const Number& number)
    {
        add(Trouble::Value, Severity::Warning, name,
            number.any
                ? fmt::format("{}={} is read as {}: NCCL does not accept units", name, text, number.value)
                : fmt::format("{}={} is not a number", name, text),
            name.ends_with("BUFFSIZE") ? "Write plain bytes: 4 MiB is 4194304." : "Write a plain number.");
    }

    void checkSockets()
    {
        constexpr std::int64_t kMost = 64;
        const std::string* threads = find("NCCL_SOCKET_NTHREADS");
        const std::string* each = find("NCCL_NSOCKS_PERTHREAD");
        if (threads == nullptr || each == nullptr) {
            return;
        }
        const Number t = numberOf(*threads);
        const Number s = numberOf(*each);
        if (t.value > 0 && s.value > 0 && t.value <= kMost && s.value <= kMost && t.value * s.value > kMost) {
            add(Trouble::Range, Severity::Warning, "NCCL_SOCKET_NTHREADS",
                fmt::format("NCCL_SOCKET_NTHREADS={} times NCCL_NSOCKS_PERTHREAD={} is {}: NCCL accepts at "
                            "most {} sockets",
                            t.value, s.value, t.value * s.value, kMost),
                "Lower one of them.");
        }
    }

    void checkCtas()
    {
        constexpr std::int64_t kMore = 22500; // the version that raised the limit from 32 to 64
        const std::int64_t most = since(kMore) ? 64 : 32;
        std::optional<std::int64_t> least;
        for (const std::string_view name : {"NCCL_MIN_CTAS", "NCCL_MAX_CTAS"}) {
            const std::string* text = find(name);
            if (text == nullptr) {
                continue;
            }
            const Number number = numberOf(*text);
            if (!number.any || number.rest) {
                addNotANumber(name, *text, number);
            } else if (number.value < 1 || number.value > most) {
                add(Trouble::Range, Severity::Warning, name,
                    fmt::format("{}={} is outside 1 to {}", name, *text, most),
                    "Remove it: NCCL chooses the number of channels by itself.");
            } else if (name == "NCCL_MIN_CTAS") {
                least = number.value;
            } else if (least && *least > number.value) {
                add(Trouble::Range, Severity::Warning, name,
                    fmt::format("NCCL_MIN_CTAS={} is more than NCCL_MAX_CTAS={}", *least, number.value),
                    "Remove one of them.");
            }
        }
    }

    void checkAlgorithmAndProtocol()
    {
        constexpr std::int64_t kNoFallback = 22400;
        if (const std::string* protocol = find("NCCL_PROTO");
            protocol != nullptr && !protocol->starts_with('^') &&
            upper(*protocol).find("LL128") != std::string::npos) {
            add(Trouble::Dangerous, Severity::Problem, "NCCL_PROTO",
                fmt::format("NCCL_PROTO={} forces LL128, which can corrupt data where the hardware does not "
                            "support it",
                            *protocol),
                "Remove it. NCCL uses LL128 by itself if it is safe and faster.");
        }
        const std::string* algorithm = find("NCCL_ALGO");
        if (algorithm == nullptr) {
            return;
        }
        const std::string text = upper(*algorithm);
        const bool forAllFunctions = !text.starts_with('^') && text.find(':') == std::string::npos;
        if (forAllFunctions && text.find("RING") == std::string::npos && since(kNoFallback)) {
            add(Trouble::Dangerous, Severity::Problem, "NCCL_ALGO",
                fmt::format("NCCL_ALGO={} leaves no algorithm for collectives that only Ring implements "
                            "(all-gather, reduce-scatter): they fail since NCCL 2.24",
                            *algorithm),
                "Name the function (`NCCL_ALGO=allreduce:tree`) or exclude algorithms with `^`. It is better "
                "to remove it and compare.");
        }
    }

    void checkFastPaths()
    {
        for (const FastPath& path : kFastPaths) {
            const std::string* text = find(path.name);
            if (text != nullptr && numberOf(*text).value == 1) {
                add(Trouble::Dangerous, Severity::Warning, path.name,
                    fmt::format("{}=1 disables {}", path.name, path.what),
                    "It is often left over from debugging. Remove it and compare.");
            }
        }
    }

    void checkFiles()
    {
        if (!m_library.exists) {
            return;
        }
        for (const std::string_view name : {"NCCL_TOPO_FILE", "NCCL_GRAPH_FILE", "NCCL_CONF_FILE"}) {
            const std::string* path = find(name);
            if (path != nullptr && !path->empty() && !m_library.exists(*path)) {
                add(Trouble::Value, Severity::Warning, name,
                    fmt::format("{}={}: this file does not exist", name, *path),
                    "NCCL continues without it. Correct the path on every host, or remove the variable.");
            }
        }
    }

    void checkDebugging()
    {
        const std::string* level = find("NCCL_DEBUG");
        const std::string text = level != nullptr ? upper(*level) : std::string();
        if (text == "INFO" || text == "TRACE") {
            add(Trouble::Debug, text == "TRACE" ? Severity::Warning : Severity::Info, "NCCL_DEBUG",
                fmt::format("NCCL_DEBUG={} is on: every rank logs each communicator, and with "
                            "NCCL_DEBUG_SUBSYS=COLL each call",
                            *level),
                "Use NCCL_DEBUG=WARN in production. To keep the log, write one file per rank "
                "(NCCL_DEBUG_FILE=nccl.%h.%p).");
        } else if (level != nullptr && text != "WARN" && text != "VERSION" && text != "NONE" &&
                   text != "ATTN" && text != "ABORT") {
            add(Trouble::Value, Severity::Info, "NCCL_DEBUG",
                fmt::format("NCCL_DEBUG={} is not a level", *level),
                "Levels are VERSION, WARN, ATTN (NCCL 2.32 and later), INFO and TRACE.");
        }
        for (const std::string_view name : {"TORCH_NCCL_BLOCKING_WAIT", "NCCL_BLOCKING_WAIT"}) {
            const std::string* value = find(name);
            if (value != nullptr && numberOf(*value).value == 1) {
                add(Trouble::BlockingWait, Severity::Warning, name,
                    fmt::format("{}=1: the host waits in every collective's wait()", name),
                    "Remove it for training, so that the host launches kernels ahead again. "
                    "TORCH_NCCL_ASYNC_ERROR_HANDLING (on by default) also ends a hanging job.");
            }
        }
    }

    const Variables& m_variables;
    const LoadedLibrary& m_library;
    std::vector<Remark> m_remarks;
};

} // namespace

std::vector<Remark> checkVariables(const Variables& variables, const LoadedLibrary& library)
{
    return VariableCheck(variables, library).run();
}

} // namespace ringside::settings
