// SPDX-License-Identifier: Apache-2.0
#include "conditions/unread.h"
#include "doctor/check.h"
#include "doctor/recorded.h"
#include "report/links.h"
#include "words/render.h"

#include <algorithm>

namespace ringside::doctor {
namespace {

/// Puts subjects that lack the same for the same reason together: eight ports are one line to read.
void add(const conditions::Subject& subject, conditions::Scope scope, std::vector<NotKnown>& all)
{
    for (const conditions::Unread& each : conditions::unreadOf(subject, scope)) {
        const NotKnown one{{each.rules.begin(), each.rules.end()},
                           {},
                           words::render(each.why, {}),
                           std::string(each.command)};
        auto same = std::ranges::find_if(all, [&](const NotKnown& said) {
            return said.checks == one.checks && said.reason == one.reason;
        });
        if (same == all.end()) {
            same = all.insert(all.end(), one);
        }
        if (!subject.name.empty()) {
            same->subjects.push_back(subject.name);
        }
    }
}

} // namespace

std::vector<NotKnown> notKnown(const Facts& facts)
{
    const report::Report report = report::buildReport(recordedOf(facts), {});
    std::vector<NotKnown> all;
    for (const conditions::Subject& port : report.metrics.ports) {
        add(port, conditions::Scope::Port, all);
    }
    for (const std::string& name : facts.namesAfter("gpu.")) {
        const auto read = std::ranges::find(report.metrics.gpus, name, &conditions::Subject::name);
        conditions::Subject silent;
        silent.name = name;
        add(read == report.metrics.gpus.end() ? silent : *read, conditions::Scope::Gpu, all);
    }
    add(hostOf(facts), conditions::Scope::Host, all);
    return all;
}

} // namespace ringside::doctor
