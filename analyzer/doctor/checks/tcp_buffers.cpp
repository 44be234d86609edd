// SPDX-License-Identifier: Apache-2.0
// TCP settings: whether buffers can fill the fastest interface, and the congestion control. settings/tcp.h
// defines what is enough, also for recorded runs.
#include "doctor/check.h"
#include "settings/tcp.h"
#include "words/render.h"
#include "words/tcp_settings.h"

namespace ringside::doctor::check_tcp_buffers {
namespace {

namespace text = words::tcp_settings;

settings::TcpNeed needOf(const Facts& facts, const Need& need)
{
    settings::TcpNeed best{{}, 0, need.roundTripMs};
    for (const std::string& name : facts.namesAfter("interface.")) {
        const auto mbps = facts.number("interface." + name + ".speed_mbps");
        if (mbps && *mbps > best.mbps && facts.text("interface." + name + ".operstate") == "up" &&
            facts.text("interface." + name + ".physical") == "yes") {
            best.interface = name;
            best.mbps = *mbps;
        }
    }
    return best;
}

std::vector<Advice> run(const Facts& facts, const Need& need)
{
    const settings::KernelSetting setting = [&facts](std::string_view name) {
        return facts.text("sysctl." + std::string(name));
    };
    std::vector<Advice> all;
    const auto add = [&all](const std::vector<settings::TcpRemark>& remarks) {
        for (const settings::TcpRemark& remark : remarks) {
            const words::Text more = remark.wanted ? words::Text(text::give_round_trip) : words::Text();
            all.push_back({{},
                           remark.severity,
                           words::render(remark.what, {}),
                           words::render(remark.advice + more, {}),
                           remark.fix});
        }
    };
    add(settings::checkTcpBuffers(setting, needOf(facts, need)));
    add(settings::checkCongestionControl(setting));
    return all;
}

} // namespace

RINGSIDE_CHECK(tcp_buffers, .title = "TCP", .run = run);

} // namespace ringside::doctor::check_tcp_buffers
