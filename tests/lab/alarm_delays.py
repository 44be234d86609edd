# SPDX-License-Identifier: Apache-2.0
"""How long an alarm takes: alarm_delays.py [--ranks N...] [--faults NAME...] [--healthy MINUTES] [--table FILE].

Plants each fault into a job of the reference trainer on the CPU platform (emulated) that has run without one for a while, under
`ringside record`. Prints the seconds and steps from then until an alarm of the right kind names the right rank or part, the alarms that
name something else, and what the observer (the process `ringside record`) took of a processor and of memory. Then a job without a fault
runs for some minutes: every alarm on it is a false one. tests/bench/alarm_rate.cpp measures the same on simulated jobs of up to 64 ranks
and a day. RINGSIDE_BUILD_DIR names the build."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
import lab

FOLDER = lab.BUILD / "alarm_delays"
QUIET_STEPS = 60  # before the fault: what is normal for the job is learned from them
PATIENCE_S = 150
HEAT_AFTER_S = 60
SCRIPT = FOLDER / "nvml.txt"
PORT = FOLDER / "sys" / "class" / "infiniband" / "mlx5_0" / "ports" / "1"
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Job:
    """A recorded job that trains for ever; ended with all its processes when it is left."""

    def __init__(self, name, ranks, environment=()):
        self.ranks = ranks
        self.run = FOLDER / f"{name}_{ranks}.ringside"
        shutil.rmtree(self.run, ignore_errors=True)
        command = [lab.RINGSIDE, "record", "-o", self.run, "--profile", "standard", "--",
                   *lab.trainer_command(1000000, ranks=ranks, extra=("--timeout", 36000))]
        with lab.ahead_of_others():
            environment = {**lab.emulated_gpu(), "RINGSIDE_PLATFORM_DEVICES": str(ranks), **dict(environment)}
            self.process = subprocess.Popen([str(word) for word in command], env=environment,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        self.began_s = time.time()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def view(self):
        done = subprocess.run([lab.RINGSIDE, "top", self.run, "--json"], capture_output=True, text=True, check=False)
        return json.loads(done.stdout) if done.returncode == 0 else {}

    def step(self):
        return self.view().get("step") or 0

    def step_s(self):
        return 1 / (self.view().get("steps_per_s") or 1)

    def pids(self):
        return lab.rank_processes(self.process)

    def alarms(self):
        file = self.run / "alarms.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [alarm for alarm in map(json.loads, lines) if alarm["state"] == "began"]

    def wait_until_learned(self):
        until = time.time() + PATIENCE_S
        while self.step() < QUIET_STEPS:
            if time.time() > until or self.process.poll() is not None:
                raise RuntimeError(f"the job of {self.ranks} ranks did not come to step {QUIET_STEPS} in {PATIENCE_S} s")
            time.sleep(0.5)

    def observer(self):
        """Share of a processor, and MiB of memory, since the job began."""
        proc = pathlib.Path(f"/proc/{self.process.pid}")
        fields = (proc / "stat").read_text().rsplit(")", 1)[1].split()
        peak_kib = next(int(line.split()[1]) for line in (proc / "status").read_text().splitlines() if line.startswith("VmHWM"))
        return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND / (time.time() - self.began_s), peak_kib / 1024


class Pauses:
    """Stops ranks again and again for a share of a step, as a host that is busy with something else would."""

    def __init__(self, job, share, chosen):
        self.pids, self.step_s, self.share, self.chosen = job.pids(), job.step_s(), share, chosen
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        try:
            while True:
                ranks = self.chosen()
                for rank in ranks:
                    os.kill(self.pids[rank], signal.SIGSTOP)
                time.sleep(self.share * self.step_s)
                for rank in ranks:
                    os.kill(self.pids[rank], signal.SIGCONT)
                time.sleep(self.step_s)
        except ProcessLookupError:
            pass  # the job was ended


def straggler(job):
    Pauses(job, 0.25, lambda: [1])
    return lambda alarm: alarm["kind"] == "straggler" and alarm["rank"] == 1


def rotating(job):
    draw = random.Random(job.ranks)
    Pauses(job, 0.3, lambda: [draw.randrange(job.ranks)])
    return lambda alarm: alarm["kind"] in ("rotating_straggler", "slower") and alarm["rank"] is None


def slower(job):
    Pauses(job, 0.3, lambda: list(range(job.ranks)))
    return lambda alarm: alarm["kind"] == "slower"


def hang(job):
    os.kill(job.pids()[1], signal.SIGSTOP)
    return lambda alarm: alarm["kind"] == "hang"


def throttling(job):
    """Heat, as NVML tells it; the device itself does not become slower. The script's time counts from a rank's first call of NVML, which
    is a little after the job's start, so that the delay is rather overstated."""
    time.sleep(max(0, job.began_s + HEAT_AFTER_S - time.time()))
    return lambda alarm: alarm["kind"] == "throttling" and "gpu1" in alarm["message"]


def link_errors(job):
    def rise():
        with open(PORT / "counters" / "symbol_error", "r+", encoding="ascii") as counter:  # never cut off, as in /sys
            for value in range(10, 1000000, 3):
                counter.seek(0)
                counter.write(f"{value}\n")
                counter.flush()
                time.sleep(1)
                if job.process.poll() is not None:
                    return
    threading.Thread(target=rise, daemon=True).start()
    return lambda alarm: alarm["kind"] == "link_errors" and "mlx5_0" in alarm["message"]


FAULTS = {each.__name__: each for each in (straggler, rotating, slower, hang, throttling, link_errors)}


def make_machine(hot):
    """What NVML and /sys show: GPUs that become hot if `hot`, and a healthy port."""
    SCRIPT.write_text("0 * gpu=90 memory=1 reasons=none temperature=60\n" +
                      (f"{HEAT_AFTER_S} 1 reasons=hw_thermal temperature=95\n" if hot else ""))
    (PORT / "counters").mkdir(parents=True, exist_ok=True)
    for name, text in (("state", "4: ACTIVE"), ("phys_state", "5: LinkUp"), ("rate", "400 Gb/sec (4X NDR)"), ("link_layer", "InfiniBand"),
                       ("counters/symbol_error", "0"), ("counters/port_rcv_data", "7"), ("counters/port_xmit_data", "7")):
        (PORT / name).write_text(text + "\n")
    return {"RINGSIDE_NVML_SCRIPT": str(SCRIPT), "RINGSIDE_SYSFS_ROOT": str(FOLDER / "sys")}


def measure(name, ranks):
    with Job(name, ranks, make_machine(name == "throttling")) as job:
        job.wait_until_learned()
        too_early = len(job.alarms())
        planted_s, step = time.time(), job.step()
        is_right = FAULTS[name](job)
        planted_s = job.began_s + HEAT_AFTER_S if name == "throttling" else planted_s
        while time.time() < planted_s + PATIENCE_S:
            right = [alarm for alarm in job.alarms()[too_early:] if is_right(alarm)]
            if right:
                break
            time.sleep(0.2)
        wrong = [alarm["message"] for alarm in job.alarms() if not is_right(alarm)]
        processor, memory_mib = job.observer()
        delay = f"{right[0]['at_ms'] / 1000 - planted_s:.1f} | {max(0, job.step() - step)}" if right else f"not in {PATIENCE_S} | -"
        return f"| {name} | {ranks} | {delay} | {'; '.join(wrong) or 'none'} | {100 * processor:.2f} % | {memory_mib:.1f} |"


def measure_healthy(ranks, minutes):
    with Job("healthy", ranks, make_machine(False)) as job:
        job.wait_until_learned()
        time.sleep(60 * minutes)
        alarms = [alarm["message"] for alarm in job.alarms()]
        processor, memory_mib = job.observer()
        return (f"| nothing | {ranks} | {minutes} minutes | {job.step()} | {'; '.join(alarms) or 'none'} | {100 * processor:.2f} % | "
                f"{memory_mib:.1f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ranks", type=int, nargs="+", default=[2, 4, 16])
    parser.add_argument("--faults", nargs="*", choices=FAULTS, default=list(FAULTS))
    parser.add_argument("--healthy", type=float, default=5, metavar="MINUTES", help="of a job without a fault; 0: none")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    arguments = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    lines = ["| fault | ranks | seconds | steps | other alarms | observer's processor | MiB |", "|---|---|---|---|---|---|---|"]
    print(*lines, sep="\n", flush=True)
    for ranks in arguments.ranks:
        for name in [*arguments.faults, *(["healthy"] if arguments.healthy else [])]:
            try:
                line = measure_healthy(ranks, arguments.healthy) if name == "healthy" else measure(name, ranks)
            except RuntimeError as error:
                line = f"| {name} | {ranks} | {error} | - | - | - | - |"
            print(line, flush=True)
            lines.append(line)
    if arguments.table:
        arguments.table.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
