// SPDX-License-Identifier: Apache-2.0
#include "fault.h"

#include "failure.h"
#include "gradient_format.h"
#include "launch_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>

namespace ringside::trainer {
namespace {

const Fault& find(std::string_view name)
{
    const auto all = faults::all();
    const auto found = std::ranges::find(all, name, &Fault::name);
    if (found != all.end())
        return **found;
    std::vector<std::string_view> names;
    for (const Fault* fault : all)
        names.push_back(fault->name);
    throw Failure(fmt::format("--fault {} is unknown; use one of {}", name, fmt::join(names, ", ")));
}

/// `text` is NAME or NAME:KEY=VALUE,...
FaultSettings settingsFor(const Fault& fault, std::string_view text)
{
    std::map<std::string, std::string, std::less<>> values;
    for (const FaultOption& option : fault.options)
        values.emplace(option.key, option.fallback);
    if (text == fault.name)
        return {fault.name, std::move(values)};
    text.remove_prefix(fault.name.size() + 1);
    std::set<std::string_view> given;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::string_view item = text.substr(begin, text.find(',', begin) - begin);
        begin += item.size() + 1;
        const std::size_t equals = item.find('=');
        const auto value = values.find(item.substr(0, equals));
        if (equals == std::string_view::npos || value == values.end())
            throw Failure(
                fmt::format("--fault {}: \"{}\" is not one of its KEY=VALUE settings; see --list-faults",
                            fault.name, item));
        if (!given.insert(item.substr(0, equals)).second)
            throw Failure(fmt::format("--fault {}: {} is given twice", fault.name, value->first));
        value->second = item.substr(equals + 1);
    }
    return {fault.name, std::move(values)};
}

} // namespace

std::string FaultSettings::subject() const
{
    return m_values.contains("rank") ? fmt::format("{} for rank {}", m_fault, count("rank"))
                                     : std::string(m_fault);
}

double FaultSettings::positive(std::string_view key) const
{
    const std::string& text = m_values.find(key)->second;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value > 0) || value > 1e9)
        throw Failure(fmt::format("--fault {}: {}={} is not a positive number", m_fault, key, text));
    return value;
}

unsigned FaultSettings::count(std::string_view key) const
{
    const std::string& text = m_values.find(key)->second;
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size())
        throw Failure(fmt::format("--fault {}: {}={} is not a whole number", m_fault, key, text));
    return value;
}

bool FaultSettings::concerns(const RankIdentity& identity) const
{
    const unsigned rank = count("rank");
    if (rank >= identity.worldSize)
        throw Failure(
            fmt::format("--fault {}: rank={} is outside a world of {}", m_fault, rank, identity.worldSize));
    return rank == identity.rank;
}

const std::string& FaultSettings::oneOf(std::string_view key, std::span<const std::string_view> allowed) const
{
    const std::string& text = m_values.find(key)->second;
    if (std::ranges::find(allowed, text) == allowed.end())
        throw Failure(
            fmt::format("--fault {}: {}={} is not one of {}", m_fault, key, text, fmt::join(allowed, ", ")));
    return text;
}

Hooks hooksFor(const Options& options, const RankIdentity& identity)
{
    Hooks hooks;
    hooks.buckets = limitsForCap(options.bucketCapMb);
    hooks.pinned = options.pinMemory;
    std::set<std::string> given;
    for (const std::string_view specification : options.faults) {
        const Fault& fault = find(specification.substr(0, specification.find(':')));
        const FaultSettings settings = settingsFor(fault, specification);
        if (!given.insert(settings.subject()).second)
            throw Failure(fmt::format("--fault {} is given twice: remove one", settings.subject()));
        fault.apply(settings, identity, hooks);
    }
    if (hooks.reduceEveryPart && options.accumulate == 1)
        throw Failure("--fault sync_every_part: there is only one part; give --accumulate 2 or more");
    if (hooks.insteadOfReduction && readGradientFormat(options.gradients)->kind == GradientFormat::Kind::TopK)
        throw Failure(
            fmt::format("--gradients {} has no all-reduces that a --fault could replace: give fp32, "
                        "fp16 or bf16, or remove the fault",
                        options.gradients));
    return hooks;
}

std::string describeFaults()
{
    std::string text;
    for (const Fault* fault : faults::all()) {
        text += fmt::format("{}: {}\n", fault->name, fault->help);
        for (const FaultOption& option : fault->options)
            text += fmt::format("    {}={}  {}\n", option.key, option.fallback, option.help);
    }
    return text;
}

} // namespace ringside::trainer
