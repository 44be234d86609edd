// SPDX-License-Identifier: Apache-2.0
#include "model/clock_alignment.h"

#include "values/quantile.h"

#include <algorithm>
#include <limits>

namespace ringside::model {
namespace {

struct Point {
    std::int64_t time;       ///< on the reference clock
    std::int64_t difference; ///< end on the other clock minus end on the reference clock
    std::int64_t low;        ///< least offset that causality allows
    std::int64_t high;       ///< largest offset that causality allows
};

std::vector<Point> toPoints(std::vector<ClockMatch> matches)
{
    std::sort(matches.begin(), matches.end(),
              [](const auto& a, const auto& b) { return a.referenceLastEnd < b.referenceLastEnd; });
    std::vector<Point> points;
    for (const ClockMatch& match : matches) {
        points.push_back({match.referenceLastEnd, match.otherLastEnd - match.referenceLastEnd,
                          match.otherLastStart - match.referenceFirstEnd,
                          match.otherFirstEnd - match.referenceLastStart});
    }
    return points;
}

/// Returns the median slope between points that lie half the run apart, which a few outliers do not change.
double fitDrift(const std::vector<Point>& points)
{
    constexpr std::size_t kLeastPoints = 8; // with fewer, jitter over a short time would count as drift
    std::vector<double> slopes;
    const std::size_t half = points.size() / 2;
    for (std::size_t i = 0; points.size() >= kLeastPoints && i + half < points.size(); ++i) {
        const std::int64_t time = points[i + half].time - points[i].time;
        if (time > 0) {
            slopes.push_back(static_cast<double>(points[i + half].difference - points[i].difference) /
                             static_cast<double>(time));
        }
    }
    constexpr double kLargest = 1e-3; // quartz clocks are a hundred times better: a larger slope is no drift
    return std::clamp(median(slopes), -kLargest, kLargest);
}

std::int64_t driftSince(double drift, std::int64_t origin, std::int64_t time)
{
    return std::llround(drift * static_cast<double>(time - origin));
}

/// The range of errors that causality allows. It is taken over a stretch of points that is short enough for
/// the error of the drift not to matter.
struct Slack {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
};

std::vector<Slack> slackOverTime(const std::vector<Point>& points, const ClockFit& fit)
{
    constexpr std::size_t kStretches = 16;
    std::vector<Slack> stretches(std::min(kStretches, points.size()));
    for (std::size_t i = 0; i < points.size(); ++i) {
        Slack& slack = stretches[i * stretches.size() / points.size()];
        const std::int64_t model = fit.offsetNs + driftSince(fit.drift, fit.originNs, points[i].time);
        slack.low = std::max(slack.low, points[i].low - model);
        slack.high = std::min(slack.high, points[i].high - model);
    }
    return stretches;
}

/// Moves the offset into the range that causality allows over the whole run, if that range is not empty.
void holdInsideCausality(ClockFit& fit, const std::vector<Point>& points)
{
    Slack all;
    for (const Slack& slack : slackOverTime(points, fit)) {
        all.low = std::max(all.low, slack.low);
        all.high = std::min(all.high, slack.high);
    }
    if (all.low <= all.high) {
        fit.offsetNs += std::clamp<std::int64_t>(0, all.low, all.high);
    }
}

/// Returns the middle of the range that the messages of each stretch allow; none for a stretch with messages
/// in one direction only.
std::vector<Point> toPoints(std::vector<OneWay> messages)
{
    constexpr std::size_t kOfAStretch = 32;
    constexpr std::size_t kMostStretches = 16;
    std::ranges::sort(messages, {}, &OneWay::referenceNs);
    const std::size_t stretches = std::clamp<std::size_t>(messages.size() / kOfAStretch, 1, kMostStretches);
    static constexpr Point kUnknown{0, 0, std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()};
    std::vector<Point> points(stretches, kUnknown);
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const OneWay& message = messages[i];
        Point& point = points[i * stretches / messages.size()];
        point.time = message.referenceNs;
        const std::int64_t difference = message.otherNs - message.referenceNs;
        point.low = message.toOther ? point.low : std::max(point.low, difference);
        point.high = message.toOther ? std::min(point.high, difference) : point.high;
    }
    std::erase_if(points, [](const Point& point) {
        return point.low == kUnknown.low || point.high == kUnknown.high || point.low > point.high;
    });
    for (Point& point : points) {
        point.difference = point.low + (point.high - point.low) / 2;
    }
    return points;
}

std::optional<ClockFit> fitPoints(const std::vector<Point>& points)
{
    if (points.empty()) {
        return std::nullopt;
    }
    ClockFit fit;
    fit.originNs = points.front().time;
    fit.drift = fitDrift(points);
    std::vector<std::int64_t> offsets;
    for (const Point& point : points) {
        offsets.push_back(point.difference - driftSince(fit.drift, fit.originNs, point.time));
    }
    fit.offsetNs = median(offsets);
    holdInsideCausality(fit, points);
    std::vector<std::int64_t> distances;
    for (const std::int64_t offset : offsets) {
        distances.push_back(std::abs(offset - fit.offsetNs));
    }
    fit.residualNs = values::quantile(distances, 0.95);
    for (const Slack& slack : slackOverTime(points, fit)) {
        fit.boundNs = std::max({fit.boundNs, std::abs(slack.low), std::abs(slack.high)});
    }
    return fit;
}

} // namespace

std::optional<ClockFit> fitClock(std::vector<ClockMatch> matches)
{
    return fitPoints(toPoints(std::move(matches)));
}

std::optional<ClockFit> fitClock(std::vector<OneWay> messages)
{
    auto fit = fitPoints(toPoints(std::move(messages)));
    if (fit) {
        fit->residualNs = fit->boundNs;
    }
    return fit;
}

} // namespace ringside::model
