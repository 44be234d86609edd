# SPDX-License-Identifier: Apache-2.0
"""How well `ringside whatif` replays the runs as they were: nothing that it predicts of a change is better than that."""

import statistics

MOST_MEAN_ERROR = 0.033  # the best that was published of replays of training steps (Lumos)


def errors(replays):
    """(scenario, error) of the runs that were replayed; `replays`: (scenario, what whatif said, or None)."""
    return [(name, abs(replay["replay_error"])) for name, replay in replays if replay]


def mean_error(replays):
    return statistics.mean(error for _, error in errors(replays)) if errors(replays) else None


def summary(replays):
    if not errors(replays):
        return "Replay of the unchanged step: no run was replayed."
    name, largest = max(errors(replays), key=lambda each: each[1])
    halves = [abs(replay["half_error"]) for _, replay in replays if replay and replay["half_error"] is not None]
    of_halves = f" One half of the steps predicts the other within {statistics.mean(halves):.1%} in the mean of {len(halves)}." if halves else ""
    refused = [name for name, replay in replays if not replay]
    return (f"Replay of the unchanged step: off by {mean_error(replays):.1%} in the mean of {len(errors(replays))} runs, at most {largest:.1%} ({name})."
            f"{of_halves} Refused: {len(refused)}{': ' if refused else ''}{', '.join(refused)}.")


def missed(replays):
    mean = mean_error(replays)
    return [f"replay of the unchanged step: off by {mean:.1%} in the mean, wanted {MOST_MEAN_ERROR:.1%}"] if mean and mean > MOST_MEAN_ERROR else []
