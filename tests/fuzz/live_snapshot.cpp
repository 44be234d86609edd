// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as the snapshots of a running job, two looks parted by a byte of 0. Whatever is read
// can be shown in every form and watched for alarms, and the alarms can be written and read again.
#include "live/alarm_log.h"
#include "live/alarm_watch.h"
#include "live/metrics.h"
#include "live/show.h"
#include "live/snapshot.h"
#include "live/view.h"
#include "output/json_value.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

using namespace ringside;

constexpr std::int64_t kLookMs = 2'000;

void require(bool good)
{
    if (!good) {
        std::abort();
    }
}

void show(const live::RunNow& run)
{
    const live::JobView view = live::viewOf(run);
    require(!live::formatText(view).empty());
    require(Json::accept(live::formatJson(view)));
    require(live::formatPrometheus(view).ends_with('\n'));
    require(!view.utilizationSpread || *view.utilizationSpread >= 0);
    require(!view.stepsPerSecond || *view.stepsPerSecond > 0);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::size_t parting = std::min(text.find('\0'), size);
    live::AlarmWatch watch;
    std::string log(text); // whatever stands in it already
    live::RunNow run;
    run.path = "job.ringside";
    run.readMs = 1'800'000'000'000;
    for (const std::string_view look : {text.substr(0, parting), text.substr(std::min(parting + 1, size))}) {
        if (auto snapshot = live::parseSnapshot(look)) {
            run.hosts.assign(2, *snapshot); // two hosts of one name are one that was renamed
        }
        run.readMs += kLookMs;
        show(run);
        for (const live::AlarmChange& change : watch.look(run)) {
            log += "\n" + live::alarmJson(change, run);
        }
        require(Json::accept(live::alarmsJson(watch.inForce())));
    }
    for (const live::AlarmSpan& span : live::parseAlarmLog(log)) {
        require(span.beganMs >= 0 && (!span.endedMs || *span.endedMs >= span.beganMs));
    }
    return 0;
}
