// SPDX-License-Identifier: Apache-2.0
#include "model/switches.h"

#include "values/parse_number.h"

#include <ringside/error.h>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

namespace ringside::model {
namespace {

constexpr std::size_t kMostHosts = 1'000'000;
constexpr const char* kShape =
    "Give the file that Slurm reads, topology.conf, or what `scontrol show topology` "
    "prints: SwitchName=leaf1 Nodes=node[01-16].";

[[noreturn]] void refuse(const std::string& what)
{
    throw Error(ErrorCode::Usage, what, kShape);
}

/// Splits at commas that are not within brackets.
std::vector<std::string_view> itemsOf(std::string_view list)
{
    std::vector<std::string_view> items;
    std::size_t begin = 0;
    bool within = false;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        const char c = i < list.size() ? list[i] : ',';
        within = c == '[' || (within && c != ']');
        if (c == ',' && (!within || i == list.size())) {
            items.push_back(list.substr(begin, i - begin));
            begin = i + 1;
        }
    }
    return items;
}

/// Appends the numbers of "001-003" to a name, with as many digits as the first one has.
void addRange(const std::string& prefix, std::string_view range, std::vector<std::string>& names)
{
    const std::size_t dash = range.find('-');
    const std::string_view from = range.substr(0, dash);
    const std::string_view to = dash == std::string_view::npos ? from : range.substr(dash + 1);
    const auto first = values::parseNumber<std::uint64_t>(from);
    const auto last = values::parseNumber<std::uint64_t>(to);
    if (!first || !last || *last < *first || *last - *first >= kMostHosts - names.size()) {
        refuse(fmt::format("'{}' is no range of host numbers", range));
    }
    for (std::uint64_t number = *first; number <= *last; ++number) {
        names.push_back(fmt::format("{}{:0{}}", prefix, number, from.size()));
    }
}

/// Expands the first brackets of each name until there are none.
std::vector<std::string> expandItem(std::string_view item)
{
    std::vector<std::string> done{std::string()};
    while (!item.empty()) {
        const std::size_t open = item.find('[');
        const std::size_t close = item.find(']', open == std::string_view::npos ? 0 : open);
        if ((open == std::string_view::npos) != (close == std::string_view::npos)) {
            refuse(fmt::format("the brackets of '{}' do not match", item));
        }
        for (std::string& name : done) {
            name.append(item.substr(0, open));
        }
        if (open == std::string_view::npos) {
            break;
        }
        std::vector<std::string> longer;
        for (const std::string& name : done) {
            for (const std::string_view range : itemsOf(item.substr(open + 1, close - open - 1))) {
                addRange(name, range, longer);
            }
        }
        done = std::move(longer);
        item.remove_prefix(close + 1);
    }
    return done;
}

/// Returns the value of "Key=value" in a line; the case of the key does not matter.
std::optional<std::string_view> valueOf(std::string_view line, std::string_view key)
{
    for (std::size_t begin = 0; begin < line.size();) {
        const std::size_t end = std::min(line.find_first_of(" \t", begin), line.size());
        const std::string_view word = line.substr(begin, end - begin);
        const auto equal = [](unsigned char a, unsigned char b) {
            return std::tolower(a) == std::tolower(b);
        };
        if (word.size() > key.size() && word[key.size()] == '=' &&
            std::equal(key.begin(), key.end(), word.begin(), equal)) {
            return word.substr(key.size() + 1);
        }
        begin = end + 1;
    }
    return std::nullopt;
}

struct Described {
    std::vector<std::string> hosts;
    std::vector<std::string> below; ///< names of switches
};
using DescribedByName = std::map<std::string, Described>;

void describe(std::string_view line, DescribedByName& switches)
{
    const auto name = valueOf(line, "SwitchName") ? valueOf(line, "SwitchName") : valueOf(line, "BlockName");
    if (!name) {
        if (valueOf(line, "BlockSizes")) {
            return;
        }
        refuse("it names no switch");
    }
    Described& described = switches[std::string(*name)];
    for (const std::string& host : expandHosts(valueOf(line, "Nodes").value_or(""))) {
        described.hosts.emplace_back(shortHostName(host));
    }
    const auto below = expandHosts(valueOf(line, "Switches").value_or(""));
    described.below.insert(described.below.end(), below.begin(), below.end());
}

/// Collects the hosts of a switch and of those below it.
class HostsBelow final {
public:
    explicit HostsBelow(const DescribedByName& switches) : m_switches(switches) {}

    const std::set<std::string>& of(const std::string& name)
    {
        if (const auto known = m_known.find(name); known != m_known.end()) {
            return known->second;
        }
        const auto found = m_switches.find(name);
        if (found == m_switches.end()) {
            refuse(fmt::format("the topology names switch '{}' but does not describe it", name));
        }
        constexpr std::size_t kMostLevels = 64; // real trees have four; a file must not exhaust the stack
        if (!m_open.insert(name).second || m_open.size() > kMostLevels) {
            refuse(fmt::format("the topology has switch '{}' below itself, or too deep", name));
        }
        std::set<std::string> hosts(found->second.hosts.begin(), found->second.hosts.end());
        for (const std::string& each : found->second.below) {
            const std::set<std::string>& more = of(each);
            hosts.insert(more.begin(), more.end());
        }
        m_open.erase(name);
        return m_known.emplace(name, std::move(hosts)).first->second;
    }

private:
    const DescribedByName& m_switches;
    std::map<std::string, std::set<std::string>> m_known;
    std::set<std::string> m_open; ///< whose hosts are being collected
};

} // namespace

std::vector<std::string> expandHosts(std::string_view list)
{
    std::vector<std::string> hosts;
    for (const std::string_view item : itemsOf(list)) {
        if (item.empty()) {
            continue;
        }
        const std::vector<std::string> more = expandItem(item);
        hosts.insert(hosts.end(), more.begin(), more.end());
        if (hosts.size() > kMostHosts) {
            refuse(fmt::format("the list has more than {} hosts", kMostHosts));
        }
    }
    return hosts;
}

std::vector<Switch> parseSwitches(std::string_view text)
{
    DescribedByName switches;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = values::trimmed(text.substr(0, std::min(end, text.find('#'))));
        text.remove_prefix(std::min(end + 1, text.size()));
        try {
            if (!line.empty()) {
                describe(line, switches);
            }
        } catch (const Error& error) {
            refuse(fmt::format("line {} of the topology: {}", number, error.what()));
        }
    }
    HostsBelow below(switches);
    std::vector<Switch> result;
    for (const auto& [name, described] : switches) {
        const std::set<std::string>& hosts = below.of(name);
        result.push_back({name, {hosts.begin(), hosts.end()}});
    }
    if (result.empty()) {
        refuse("the topology describes no switch");
    }
    return result;
}

std::string_view shortHostName(std::string_view name)
{
    return name.substr(0, name.find('.'));
}

} // namespace ringside::model
