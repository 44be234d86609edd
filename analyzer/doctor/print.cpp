// SPDX-License-Identifier: Apache-2.0
#include "doctor/print.h"

#include "document/table.h"
#include "output/json_value.h"
#include "settings/versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ringside::doctor {
namespace {

/// A finding and the hosts that share it.
struct SharedFinding {
    Advice advice;
    std::vector<std::string> hosts;
    std::vector<std::string> others = {}; ///< titles of findings of the same kind, which this one stands for
};

std::vector<SharedFinding> together(const Examination& examination)
{
    std::vector<SharedFinding> all;
    for (const ExaminedHost& host : examination.hosts) {
        for (const Advice& each : host.advice) {
            auto same = std::ranges::find_if(all, [&each](const SharedFinding& said) {
                return said.advice.title == each.title && said.advice.check == each.check;
            });
            if (same == all.end()) {
                same = all.insert(all.end(), SharedFinding{each, {}});
            }
            same->hosts.push_back(host.host.name);
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater(),
                             [](const SharedFinding& said) { return said.advice.severity; });
    return all;
}

/// Puts findings of one check with the same severity and advice together: eight ports with one fault are one
/// thing to read.
std::vector<SharedFinding> byKind(std::vector<SharedFinding> all)
{
    std::vector<SharedFinding> kinds;
    for (SharedFinding& each : all) {
        const auto same = std::ranges::find_if(kinds, [&each](const SharedFinding& kind) {
            return kind.advice.check == each.advice.check && kind.advice.severity == each.advice.severity &&
                   kind.advice.advice == each.advice.advice && kind.hosts == each.hosts;
        });
        if (same != kinds.end()) {
            same->others.push_back(std::move(each.advice.title));
        } else {
            kinds.push_back(std::move(each));
        }
    }
    return kinds;
}

std::string othersText(const SharedFinding& said)
{
    constexpr std::size_t kMost = 3;
    std::string text;
    for (std::size_t i = 0; i < std::min(kMost, said.others.size()); ++i) {
        text += "; " + said.others[i];
    }
    return said.others.size() > kMost ? text + fmt::format("; and {} more", said.others.size() - kMost)
                                      : text;
}

std::string hostsText(const std::vector<std::string>& hosts)
{
    constexpr std::size_t kMost = 6;
    const auto shown = std::min(hosts.size(), kMost);
    const std::string text =
        fmt::format("{}", fmt::join(hosts.begin(), hosts.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    return hosts.size() > shown ? text + fmt::format(" and {} more", hosts.size() - shown) : text;
}

/// Returns versions and hardware in a few lines, for the hosts that share them.
std::vector<std::string> overview(const Facts& facts)
{
    const auto known = [&facts](std::string_view fact) {
        const std::string_view value = facts.text(fact);
        return value.empty() ? std::string("not found") : std::string(value);
    };
    const auto version = [&facts](std::string_view fact, std::string (*text)(std::int64_t)) {
        const auto number = facts.number(fact);
        return number ? text(*number) : std::string("not found");
    };
    const std::string container =
        facts.find("host.container") != nullptr ? ", in a container (" + known("host.container") + ")" : "";
    return {fmt::format("{}, Linux {}{}", known("kernel.distribution"), known("kernel.release"), container),
            fmt::format("driver {}, CUDA runtime {}, cuDNN {}, NCCL {}{}", known("library.nvidia_driver"),
                        version("library.cuda_runtime", settings::cudaText),
                        version("library.cudnn", settings::cudnnText),
                        version("library.nccl", settings::ncclText),
                        facts.text("library.nccl.path").empty()
                            ? ""
                            : fmt::format(" ({})", facts.text("library.nccl.path"))),
            facts.find("library.pytorch") == nullptr
                ? "PyTorch not found"
                : fmt::format("PyTorch {} for CUDA {}, with NCCL {}", known("library.pytorch"),
                              known("library.pytorch.cuda"), known("library.pytorch.nccl")),
            fmt::format("{} GPUs, {} network cards on PCIe, {} RDMA ports", facts.namesAfter("gpu.").size(),
                        facts.namesAfter("nic.").size(),
                        std::ranges::count_if(facts.namesAfter("rdma."), [](const std::string& name) {
                            return name.find('/') != std::string::npos;
                        }))};
}

std::string differencesText(const Examination& examination, Style style)
{
    document::Table table{{"fact", "value", "hosts"}, {}};
    for (const Difference& each : examination.differences) {
        for (const auto& [value, hosts] : each.hosts) {
            table.rows.push_back({each.fact, value, hostsText(hosts)});
        }
    }
    return style == Style::Markdown ? document::markdownTable(table) : document::plainTable(table, "  ");
}

std::string adviceText(const SharedFinding& said, std::size_t hosts, Style style, std::size_t width)
{
    const std::string where = hosts > 1 ? fmt::format(" [{}]", hostsText(said.hosts)) : "";
    const std::string head = fmt::format("{}: {}{}{}", rules::severityName(said.advice.severity),
                                         said.advice.title, othersText(said), where);
    const std::string fix = said.advice.fix.empty() ? "" : "  try: " + said.advice.fix;
    if (style == Style::Markdown) {
        return fmt::format("- **{}** {}{}\n", document::markdownText(head),
                           document::markdownText(said.advice.advice),
                           fix.empty() ? "" : "\n  `" + said.advice.fix + "`");
    }
    return document::wrap(head, width, "") + document::wrap(said.advice.advice, width, "    ") +
           (fix.empty() ? "" : "  " + fix + "\n");
}

/// What could not be read, once for all hosts that lack it.
std::string notKnownText(const Examination& examination, Style style, std::size_t width)
{
    constexpr std::size_t kMost = 2;
    std::map<std::string, std::vector<std::string>> hosts; // by line
    std::vector<std::string> lines;
    for (const ExaminedHost& host : examination.hosts) {
        for (const NotKnown& each : host.notKnown) {
            const std::size_t named = std::min(kMost, each.subjects.size());
            const std::string line = fmt::format(
                "{}{}{}{}: {}{}", fmt::join(each.checks, ", "), named > 0 ? " of " : "",
                fmt::join(each.subjects.begin(), each.subjects.begin() + static_cast<std::ptrdiff_t>(named),
                          ", "),
                each.subjects.size() > named ? fmt::format(" and {} more", each.subjects.size() - named) : "",
                each.reason, each.command.empty() ? "" : fmt::format("; try `{}`", each.command));
            if (hosts[line].empty()) {
                lines.push_back(line);
            }
            hosts[line].push_back(host.host.name);
        }
    }
    std::string text = lines.empty()              ? ""
                       : style == Style::Markdown ? "\n## Not known\n\n"
                                                  : "\nNot known\n\n";
    for (const std::string& line : lines) {
        const std::string where =
            examination.hosts.size() > 1 ? fmt::format(" [{}]", hostsText(hosts[line])) : "";
        text += style == Style::Markdown ? fmt::format("- {}\n", document::markdownText(line + where))
                                         : document::wrap(line + where, width, "");
    }
    return text;
}

} // namespace

std::string textOf(const Examination& examination, Style style, std::size_t width)
{
    const bool markdown = style == Style::Markdown;
    std::string text = fmt::format("{}{} host{}\n\n", markdown ? "# Ringside doctor: " : "",
                                   examination.hosts.size(), examination.hosts.size() == 1 ? "" : "s");
    if (examination.hosts.size() > 1) {
        text += fmt::format("{}Differences between hosts{}\n", markdown ? "## " : "", markdown ? "\n" : "");
        text += examination.differences.empty() ? "none in versions, limits, settings, variables and links\n"
                                                : differencesText(examination, style);
        text += "\n";
    }
    const ExaminedHost& first = examination.hosts.front();
    for (const std::string& line : overview(first.host.facts)) {
        text += fmt::format("{}{}\n", markdown ? "- " : "",
                            markdown ? document::markdownText(line)
                                     : document::wrap(line, width, first.host.name + ": "));
        if (!markdown) {
            text.pop_back();
        }
    }
    const std::vector<SharedFinding> all = byKind(together(examination));
    text += fmt::format("\n{}{}\n\n", markdown ? "## " : "", all.empty() ? "No problems found" : "Findings");
    for (const SharedFinding& said : all) {
        text += adviceText(said, examination.hosts.size(), style, width) + (markdown ? "" : "\n");
    }
    return text + notKnownText(examination, style, width);
}

std::string fixesOf(const Examination& examination, std::size_t width)
{
    std::string text =
        "# Printed by ringside doctor --fix, which runs none of them. Read each line before you run it.\n";
    for (const SharedFinding& said : together(examination)) {
        if (!said.advice.fix.empty()) {
            text += document::wrap(fmt::format("{} ({})", said.advice.title, hostsText(said.hosts)), width,
                                   "# ") +
                    said.advice.fix + "\n";
        }
    }
    return text;
}

std::string jsonOf(const Examination& examination)
{
    Json json;
    json["schema"] = "ringside-doctor/1";
    json["differences"] = Json::array();
    for (const Difference& each : examination.differences) {
        Json values = Json::array();
        for (const auto& [value, hosts] : each.hosts) {
            values.push_back(
                {{"value", value == "not known" ? Json(nullptr) : Json(value)}, {"hosts", hosts}});
        }
        json["differences"].push_back({{"fact", each.fact}, {"values", values}});
    }
    json["hosts"] = Json::array();
    for (const ExaminedHost& host : examination.hosts) {
        Json findings = Json::array();
        for (const Advice& each : host.advice) {
            findings.push_back({{"check", each.check},
                                {"severity", rules::severityName(each.severity)},
                                {"title", each.title},
                                {"advice", each.advice},
                                {"fix", each.fix.empty() ? Json(nullptr) : Json(each.fix)}});
        }
        Json unread = Json::array();
        for (const NotKnown& each : host.notKnown) {
            unread.push_back({{"checks", each.checks},
                              {"subjects", each.subjects},
                              {"reason", each.reason},
                              {"command", each.command.empty() ? Json(nullptr) : Json(each.command)}});
        }
        json["hosts"].push_back({{"name", host.host.name},
                                 {"facts", host.host.facts.all()},
                                 {"findings", findings},
                                 {"not_known", unread}});
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::doctor
