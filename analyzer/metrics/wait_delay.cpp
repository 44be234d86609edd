// SPDX-License-Identifier: Apache-2.0
#include "metrics/wait_delay.h"

#include <algorithm>

namespace ringside::metrics {
namespace {

// A GPU pauses 1 to 10 us between kernels that are queued back to back. The jitter of all ranks adds to the
// pause after a long kernel. A pause that is small compared with the kernel changes the estimate just as
// little.
constexpr std::int64_t kQueuedPauseNs = 10'000;
constexpr std::int64_t kLengthOverPause = 20;

std::int64_t longestPauseAfter(const Interval& kernel)
{
    return std::max(kQueuedPauseNs, kernel.length() / kLengthOverPause);
}

std::vector<Interval> byStart(const std::vector<Lane>& lanes)
{
    std::vector<Interval> result;
    for (const Lane& lane : lanes) {
        for (std::size_t i = 0; i < lane.count; ++i) {
            result.push_back(lane.interval(i));
        }
    }
    std::sort(result.begin(), result.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    return result;
}

} // namespace

std::vector<Interval> communicationChains(const std::vector<Lane>& communication)
{
    std::vector<Interval> chains;
    std::int64_t pauseNs = 0;
    for (const Interval& kernel : byStart(communication)) {
        if (chains.empty() || kernel.start - chains.back().end > pauseNs) {
            chains.push_back(kernel);
        }
        chains.back().end = std::max(chains.back().end, kernel.end);
        pauseNs = longestPauseAfter(kernel);
    }
    return chains;
}

std::vector<std::int64_t> delayByWaiting(std::span<const Interval> chains, std::span<const Coverage> swept,
                                         std::span<const Interval> windows)
{
    std::vector<std::int64_t> delays(windows.size());
    std::size_t window = 0;
    for (std::size_t i = 0; i < chains.size(); ++i) {
        while (window < windows.size() && windows[window].end <= chains[i].start) {
            ++window;
        }
        if (window == windows.size() || chains[i].start < windows[window].start) {
            continue;
        }
        const Coverage& coverage = swept[i];
        delays[window] =
            model::addCapped(delays[window], std::min(coverage.time(bit(kCommunication), bit(kTransfer)),
                                                      coverage.time(bit(kCommunication), bit(kCompute))));
    }
    return delays;
}

} // namespace ringside::metrics
