// SPDX-License-Identifier: Apache-2.0
#include "doctor/check.h"

#include <algorithm>
#include <array>

namespace ringside::doctor {
bool isCompared(std::string_view fact)
{
    constexpr std::array<std::string_view, 9> kPrefixes{
        "cpu.", "environment.", "interface.", "kernel.", "library.", "limit.", "nccl.", "rdma.", "sysctl."};
    constexpr std::array<std::string_view, 6> kOwn{
        "environment.CUDA_VISIBLE_DEVICES", "environment.NCCL_DEBUG_FILE",
        "environment.NCCL_HOSTID",          "environment.RANK",
        "environment.LOCAL_RANK",           "environment.GROUP_RANK"};
    constexpr std::array<std::string_view, 4> kCounters{".carrier_changes", ".default_route", ".node_guid",
                                                        ".pci"};
    return std::ranges::any_of(kPrefixes,
                               [&](std::string_view prefix) { return fact.starts_with(prefix); }) &&
           !fact.starts_with("environment.SLURM_") && !fact.starts_with("environment.OMPI_") &&
           !fact.starts_with("environment.PMI_") && std::ranges::find(kOwn, fact) == kOwn.end() &&
           std::ranges::none_of(kCounters, [&](std::string_view end) { return fact.ends_with(end); });
}

std::vector<Advice> examine(const Facts& facts, const Need& need)
{
    std::vector<Advice> all;
    for (const Check* check : allChecks()) {
        for (Advice& each : check->run(facts, need)) {
            each.check = each.check.empty() ? check->id : each.check;
            all.push_back(std::move(each));
        }
    }
    std::ranges::stable_sort(all, std::ranges::greater(), &Advice::severity);
    return all;
}

std::vector<Difference> differences(const std::vector<Host>& hosts)
{
    std::map<std::string, std::map<std::string, std::vector<std::string>>> values;
    for (const Host& host : hosts) {
        for (const auto& [fact, value] : host.facts.all()) {
            if (isCompared(fact)) {
                values[fact][value].push_back(host.name);
            }
        }
    }
    std::vector<Difference> result;
    for (auto& [fact, byValue] : values) {
        for (const Host& host : hosts) {
            if (host.facts.find(fact) == nullptr) {
                byValue["not known"].push_back(host.name);
            }
        }
        if (byValue.size() > 1) {
            result.push_back({fact, byValue});
        }
    }
    return result;
}

} // namespace ringside::doctor
