// SPDX-License-Identifier: Apache-2.0
#include "settings/variables.h"

#include "settings/known.h"
#include "settings/versions.h"
#include "values/nearest_name.h"
#include "words/variables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cstdlib>
#include <vector>

namespace ringside::settings {
namespace {

using trace::Severity;
namespace variable_text = words::variables;

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
        std::string word = upper(text.substr(0, end));
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
    /// Both texts may use the name and the value of the variable beside `filled`.
    void add(Trouble trouble, Severity severity, std::string_view name, const words::Template& what,
             const words::Template& advice, std::vector<words::Slot> filled = {})
    {
        filled.emplace_back("name", name);
        filled.emplace_back("value", find(name) != nullptr ? *find(name) : std::string());
        m_remarks.push_back({trouble, severity, std::string(name), say(what, filled), say(advice, filled)});
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
            const std::string_view meant = meantName(name);
            const words::Template& advice = name == kNever                   ? variable_text::never_was
                                            : meant.empty() || meant == name ? variable_text::unknown_advice
                                                                             : variable_text::did_you_mean;
            add(Trouble::Unknown, Severity::Warning, name, variable_text::unknown, advice,
                {{"reader", name.starts_with("TORCH_") ? "PyTorch" : nccl()}, {"meant", meant}});
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
                add(Trouble::Deprecated, Severity::Info, old.name, variable_text::old_name,
                    variable_text::old_name_advice, {{"instead", old.instead}});
            }
        }
        if (const std::string* index = find("NCCL_IB_GID_INDEX");
            index != nullptr && *index != "-1" && since(22100)) {
            add(Trouble::Deprecated, Severity::Warning, "NCCL_IB_GID_INDEX", variable_text::gid_index,
                variable_text::gid_index_advice);
        }
    }

    void checkNumbers()
    {
        for (const Range& range : kRanges) {
            const std::string* value = find(range.name);
            if (value == nullptr) {
                continue;
            }
            const Number number = numberOf(*value);
            if (!number.any || number.rest) {
                addNotANumber(range.name, number);
            } else if (number.value < range.least || number.value > range.most) {
                add(Trouble::Range, Severity::Warning, range.name, variable_text::outside,
                    variable_text::outside_advice, {{"least", range.least}, {"most", range.most}});
            } else if (range.name.ends_with("BUFFSIZE") &&
                       !std::has_single_bit(static_cast<std::uint64_t>(number.value))) {
                add(Trouble::Range, Severity::Info, range.name, variable_text::not_a_power,
                    variable_text::not_a_power_advice);
            }
        }
        if (const std::string* threads = find("NCCL_NTHREADS")) {
            const Number number = numberOf(*threads);
            if (number.value < 64 || number.value > 512 ||
                !std::has_single_bit(static_cast<std::uint64_t>(number.value))) {
                add(Trouble::Range, Severity::Warning, "NCCL_NTHREADS", variable_text::threads,
                    variable_text::threads_advice);
            }
        }
    }

    void checkWords()
    {
        for (const Words& known : kWords) {
            const std::string* const value = find(known.name);
            const std::string word = value != nullptr ? wordNotIn(*value, known) : std::string();
            if (!word.empty()) {
                add(Trouble::Value, Severity::Warning, known.name, variable_text::not_a_word,
                    known.level ? variable_text::words_or_numbers_advice : variable_text::words_advice,
                    {{"word", word}, {"words", known.words}});
            }
        }
    }

    void addNotANumber(std::string_view name, const Number& number)
    {
        add(Trouble::Value, Severity::Warning, name,
            number.any ? variable_text::units : variable_text::not_a_number,
            name.ends_with("BUFFSIZE") ? variable_text::plain_bytes_advice
                                       : variable_text::plain_number_advice,
            {{"number", number.value}});
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
            add(Trouble::Range, Severity::Warning, "NCCL_SOCKET_NTHREADS", variable_text::sockets,
                variable_text::sockets_advice,
                {{"threads", t.value}, {"each", s.value}, {"sockets", t.value * s.value}, {"most", kMost}});
        }
    }

    void checkCtas()
    {
        constexpr std::int64_t kMore = 22500; // the version that raised the limit from 32 to 64
        const std::int64_t most = since(kMore) ? 64 : 32;
        std::optional<std::int64_t> least;
        for (const std::string_view name : {"NCCL_MIN_CTAS", "NCCL_MAX_CTAS"}) {
            const std::string* value = find(name);
            if (value == nullptr) {
                continue;
            }
            const Number number = numberOf(*value);
            if (!number.any || number.rest) {
                addNotANumber(name, number);
            } else if (number.value < 1 || number.value > most) {
                add(Trouble::Range, Severity::Warning, name, variable_text::outside,
                    variable_text::ctas_advice, {{"least", 1}, {"most", most}});
            } else if (name == "NCCL_MIN_CTAS") {
                least = number.value;
            } else if (least && *least > number.value) {
                add(Trouble::Range, Severity::Warning, name, variable_text::ctas_cross,
                    variable_text::ctas_cross_advice, {{"least", *least}, {"most", number.value}});
            }
        }
    }

    void checkAlgorithmAndProtocol()
    {
        constexpr std::int64_t kNoFallback = 22400;
        if (const std::string* protocol = find("NCCL_PROTO");
            protocol != nullptr && !protocol->starts_with('^') &&
            upper(*protocol).find("LL128") != std::string::npos) {
            add(Trouble::Dangerous, Severity::Problem, "NCCL_PROTO", variable_text::ll128,
                variable_text::ll128_advice);
        }
        const std::string* algorithm = find("NCCL_ALGO");
        if (algorithm == nullptr) {
            return;
        }
        const std::string value = upper(*algorithm);
        const bool forAllFunctions = !value.starts_with('^') && value.find(':') == std::string::npos;
        if (forAllFunctions && value.find("RING") == std::string::npos && since(kNoFallback)) {
            add(Trouble::Dangerous, Severity::Problem, "NCCL_ALGO", variable_text::only_ring,
                variable_text::only_ring_advice);
        }
    }

    void checkFastPaths()
    {
        for (const FastPath& path : kFastPaths) {
            const std::string* value = find(path.name);
            if (value != nullptr && numberOf(*value).value == 1) {
                add(Trouble::Dangerous, Severity::Warning, path.name, variable_text::fast_path,
                    variable_text::fast_path_advice, {{"path", path.what}});
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
                add(Trouble::Value, Severity::Warning, name, variable_text::no_file,
                    variable_text::no_file_advice);
            }
        }
    }

    void checkDebugging()
    {
        const std::string* level = find("NCCL_DEBUG");
        const std::string word = level != nullptr ? upper(*level) : std::string();
        constexpr std::array<std::string_view, 5> kQuiet{"WARN", "VERSION", "NONE", "ATTN", "ABORT"};
        if (word == "INFO" || word == "TRACE") {
            add(Trouble::Debug, word == "TRACE" ? Severity::Warning : Severity::Info, "NCCL_DEBUG",
                variable_text::debug_on, variable_text::debug_on_advice);
        } else if (level != nullptr && std::ranges::find(kQuiet, word) == kQuiet.end()) {
            add(Trouble::Value, Severity::Info, "NCCL_DEBUG", variable_text::not_a_level,
                variable_text::levels_advice);
        }
        for (const std::string_view name : {"TORCH_NCCL_BLOCKING_WAIT", "NCCL_BLOCKING_WAIT"}) {
            const std::string* value = find(name);
            if (value != nullptr && numberOf(*value).value == 1) {
                add(Trouble::BlockingWait, Severity::Warning, name, variable_text::waits,
                    variable_text::waits_advice);
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
