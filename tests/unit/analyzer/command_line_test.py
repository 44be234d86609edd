# SPDX-License-Identifier: Apache-2.0
"""Exit codes and conduct of the command line, with an empty library in the collector's place: command_line_test.py RINGSIDE."""

import json
import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import time
import unittest

import yaml

import cases

RINGSIDE = os.path.abspath(sys.argv.pop(1))


class CommandLine(cases.FolderCase):
    def setUp(self):
        super().setUp()
        collector = cases.make_collector(self.folder / "collector.so")
        caller = {name: value for name, value in os.environ.items() if not name.startswith("RINGSIDE_")}
        self.environment = {**caller, "RINGSIDE_COLLECTOR": str(collector)}
        self.run_directory = self.folder / "run.ringside"

    def ringside(self, *arguments, expect=0):
        done = subprocess.run([RINGSIDE, *map(str, arguments)], env=self.environment, text=True, capture_output=True, timeout=20)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def record(self, *command, expect=0):
        return self.ringside("record", "-o", self.run_directory, "--", *command, expect=expect)

    def test_record_passes_the_exit_code_on(self):
        self.record("sh", "-c", "exit 7", expect=7)
        self.assertEqual(stat.S_IMODE(self.run_directory.stat().st_mode), 0o700)

    def test_record_dies_of_the_signal_that_killed_the_command(self):
        for number in (signal.SIGSEGV, signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGABRT, signal.SIGUSR1, signal.SIGPIPE):
            done = self.record("sh", "-c", f"kill -{number} $$", expect=-number)
            self.assertIn("nothing recorded", done.stderr, "the summary comes first")

    def test_record_leaves_no_core_file_of_its_own(self):
        with open("/proc/sys/kernel/core_pattern") as pattern:
            if pattern.read().startswith(("|", "/")):
                self.skipTest("core files do not go into the working directory")
        folder = self.folder / "cores"
        folder.mkdir()
        limit = lambda: resource.setrlimit(resource.RLIMIT_CORE, 2 * (resource.getrlimit(resource.RLIMIT_CORE)[1],))
        done = subprocess.run([RINGSIDE, "record", "-o", self.run_directory, "--", "sh", "-c", "ulimit -c 0; kill -SEGV $$"], cwd=folder,
                              env=self.environment, preexec_fn=limit, capture_output=True, timeout=20)
        self.assertEqual((done.returncode, list(folder.iterdir())), (-signal.SIGSEGV, []))

    def test_ctrl_c_ends_a_shells_loop(self):
        """The shell goes on after a command that returned, and ends with one that SIGINT killed."""
        ready, went_on = self.folder / "ready", self.folder / "went_on"
        loop = f"for i in 1 2; do {RINGSIDE} record -o {self.run_directory}$i -- sh -c ': > {ready}; exec sleep 20'; : > {went_on}; done"
        shell = subprocess.Popen(["bash", "-c", loop], env=self.environment, start_new_session=True, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        deadline = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.1)
        os.killpg(shell.pid, signal.SIGINT)  # as the terminal does, to the whole group
        self.assertEqual(shell.wait(timeout=20), -signal.SIGINT)
        self.assertFalse(went_on.exists())

    def test_record_tells_absent_from_not_executable(self):
        self.record(self.folder / "absent", expect=127)
        self.run_directory.rmdir()
        no_program = self.folder / "no_program"
        no_program.touch()
        self.record(no_program, expect=126)

    def test_record_says_what_the_system_does_not(self):
        self.assertIn("cannot start 'echo hi': No such file or directory\n  The command is one word", self.record("echo hi", expect=127).stderr)
        script = self.folder / "script"
        script.write_text("#!/nosuch/python\n")
        script.chmod(0o755)
        shutil.rmtree(self.run_directory)
        self.assertIn("interpreter", self.record(script, expect=127).stderr)
        shutil.rmtree(self.run_directory)
        self.assertIn("cannot start ''", self.record("", expect=127).stderr)

    def test_record_keeps_the_commands_arguments(self):
        done = self.record("sh", "-c", 'printf "%s|" "$@"', "name", "--flag", "-o", "x", "--", "report")
        self.assertEqual(done.stdout, "--flag|-o|x|--|report|")

    def test_record_chains_to_what_was_preloaded(self):
        self.environment.update(LD_PRELOAD="", NVTX_INJECTION64_PATH="/theirs.so")
        done = self.record("sh", "-c", "echo $LD_PRELOAD $NVTX_INJECTION64_PATH $RINGSIDE_CHAINED_NVTX $RINGSIDE_DIR $RINGSIDE_PROFILE")
        collector = self.environment["RINGSIDE_COLLECTOR"]
        self.assertEqual(done.stdout.split(), [collector, collector, "/theirs.so", str(self.run_directory), "auto"])
        self.run_directory.rmdir()
        self.environment["LD_PRELOAD"] = collector + ".theirs"
        done = self.record("sh", "-c", "echo $LD_PRELOAD")
        self.assertEqual(done.stdout.strip(), f"{collector}:{collector}.theirs")

    def test_record_preloads_from_a_path_that_ld_preload_cannot_hold(self):
        collector = self.folder / "my tools: $ORIGIN" / "collector.so"
        collector.parent.mkdir()
        cases.make_collector(collector)
        self.environment["RINGSIDE_COLLECTOR"] = str(collector)
        for self.run_directory in (self.folder / "run.ringside", self.folder / "a run.ringside"):
            done = self.record("sh", "-c", 'echo "$LD_PRELOAD"; echo "$NVTX_INJECTION64_PATH"; readlink "$LD_PRELOAD"; stat -c %a "$(dirname "$LD_PRELOAD")"')
            preload, injection, real, mode = done.stdout.splitlines()
            self.assertNotRegex(preload, "[ :$]")
            self.assertEqual((injection, real, mode), (preload, str(collector), "700"))
            self.assertFalse(os.path.lexists(preload), "the link is left behind")
            self.assertEqual(os.path.lexists(os.path.dirname(preload)), preload.startswith(str(self.run_directory)))
            self.assertEqual(list(self.run_directory.iterdir()), [])

    def test_record_fails_with_its_own_codes(self):
        self.ringside("record", expect=125)
        self.ringside("record", "--profile", "nonsense", "--", "true", expect=125)
        self.run_directory.mkdir()
        (self.run_directory / "something").touch()
        self.assertIn("is not empty", self.record("true", expect=125).stderr)

    def test_record_refuses_windows_that_contradict_each_other_or_mean_nothing(self):
        for options in (("--start-step", 5, "--window", "2s/60s"), ("--steps", "ten"), ("--start-step", 0),
                        ("--window", "2s"), ("--window", "2/60"), ("--window", "2s/60s", "--profile", "off")):
            done = self.ringside("record", "-o", self.run_directory, *options, "--", "true", expect=125)
            self.assertRegex(done.stderr, "--(start-step|steps|window|profile)", options)
            self.assertFalse(self.run_directory.exists(), "a refused recording must not make its directory")

    def test_record_refuses_limits_that_mean_nothing(self):
        for options in (("--max-size", "1M"), ("--max-size", "much"), ("--keep-last", "60"), ("--when-full", "newest"),
                        ("--keep-last", "60s", "--when-full", "stop")):
            self.ringside("record", "-o", self.run_directory, *options, "--", "true", expect=125)
            self.assertFalse(self.run_directory.exists())

    def test_record_hands_the_windows_to_the_collector(self):
        names = ("RINGSIDE_PROFILE", "RINGSIDE_START_STEP", "RINGSIDE_STEPS", "RINGSIDE_WINDOW", "RINGSIDE_MAX_SIZE",
                 "RINGSIDE_WHEN_FULL", "RINGSIDE_KEEP_LAST")
        script = " ".join(f"${{{name}-none}}" for name in names)
        for options, expected in ((("--start-step", 100, "--steps", 20), ["auto", "100", "20"] + 4 * ["none"]),
                                  (("--window", "2s/60s", "--profile", "deep"),
                                   ["deep", "none", "none", "2s/60s"] + 3 * ["none"]),
                                  (("--max-size", "2G", "--when-full", "oldest", "--keep-last", "60s"),
                                   ["auto"] + 3 * ["none"] + ["2G", "oldest", "60s"])):
            done = self.ringside("record", "-o", self.run_directory, *options, "--", "sh", "-c", f"echo {script}")
            self.assertEqual(done.stdout.split(), expected)
            self.run_directory.rmdir()

    def test_env_prints_what_record_sets(self):
        self.environment.update(LD_PRELOAD="", NVTX_INJECTION64_PATH="/theirs.so")
        options = ("-o", self.folder / "it's a run.ringside", "--profile", "deep", "--start-step", 3, "--cuda-events", "-v")
        of_record = self.ringside("record", *options, "--", "env").stdout
        recorded = {line for line in of_record.splitlines() if line.startswith(("LD_PRELOAD=", "NVTX_", "RINGSIDE_"))
                    and not line.startswith(("RINGSIDE_LAUNCH=", "RINGSIDE_COLLECTOR="))}
        self.assertGreater(len(recorded), 6)
        printed = {format: self.ringside("env", *options, "--format", format).stdout for format in ("sh", "json", "docker", "slurm", "kubernetes")}
        shell = subprocess.run(["sh", "-c", 'eval "$1"; exec env', "sh", printed["sh"]], env=self.environment, text=True, capture_output=True, check=True)
        self.assertEqual(recorded - set(shell.stdout.splitlines()), set())
        self.assertEqual({f"{name}={value}" for name, value in json.loads(printed["json"]).items()}, recorded)
        self.assertEqual(set(printed["docker"].splitlines()), recorded)
        self.assertEqual({line.removeprefix("export ") for line in printed["slurm"].splitlines()}, recorded)
        self.assertEqual({f"{each['name']}={each['value']}" for each in yaml.safe_load(printed["kubernetes"])}, recorded)

    def test_env_names_a_run_by_its_full_path_and_refuses_what_preload_cannot_hold(self):
        done = subprocess.run([RINGSIDE, "env"], cwd=self.folder, env=self.environment, text=True, capture_output=True, check=True, timeout=20)
        self.assertRegex(done.stdout, rf"RINGSIDE_DIR={self.folder}/ringside-\d{{8}}-\d{{6}}\.ringside\n")
        spaced = self.folder / "my tools.so"
        cases.make_collector(spaced)
        self.environment["RINGSIDE_COLLECTOR"] = str(spaced)
        self.assertRegex(self.ringside("env", expect=3).stderr, "space.*\n.*RINGSIDE_COLLECTOR to a permanent link")
        self.ringside("env", "--start-step", 0, expect=2)
        spaced.write_text("no library")
        self.environment["RINGSIDE_COLLECTOR"] = str(spaced.rename(self.folder / "broken.so"))
        self.assertIn("cannot be loaded on this machine", self.ringside("env").stderr)

    def test_version_is_said_for_people_and_for_scripts(self):
        version = self.ringside("--version").stdout.split()[1]
        self.assertTrue(self.ringside("version").stdout.startswith(f"ringside {version}\n"))
        told = json.loads(self.ringside("version", "--json").stdout)
        self.assertEqual((told["schema"], told["version"], told["collector"]), ("ringside-version/1", version, self.environment["RINGSIDE_COLLECTOR"]))
        self.assertEqual(told, json.loads(self.ringside("version", "--format", "json").stdout))
        self.environment["RINGSIDE_COLLECTOR"] = str(self.folder / "absent")
        self.assertIsNone(json.loads(self.ringside("version", "--json").stdout)["collector"])

    def test_quiet_leaves_only_what_went_wrong(self):
        self.assertIn("nothing recorded", self.ringside("record", "-q", "-o", self.run_directory, "--", "true").stderr)
        self.assertIn("nothing to recover", self.ringside("recover", self.run_directory).stderr)
        self.assertEqual(self.ringside("recover", self.run_directory, "--quiet").stderr, "")
        self.assertIn("absent", self.ringside("report", "-q", self.folder / "absent", expect=3).stderr)

    def test_record_samples_as_often_as_it_is_told(self):
        for wrong in ("5", "60001", "often", "-1"):
            done = self.ringside("record", "-o", self.run_directory, f"--sample-ms={wrong}", "--", "true", expect=125)
            self.assertIn("--sample-ms", done.stderr, wrong)
        for given, expected in ((("--sample-ms", 0), "0"), (("--sample-ms", 250), "250"), ((), "none")):
            done = self.ringside("record", "-o", self.run_directory, *given, "--", "sh", "-c", "echo ${RINGSIDE_SAMPLE_MS-none}")
            self.assertEqual(done.stdout.strip(), expected)
            self.run_directory.rmdir()

    def test_control_says_what_it_understands_and_who_is_there(self):
        self.run_directory.mkdir()
        for words in (("fly",), ("level",), ("level", "loud"), ("start", "stop"), ("dump", "all")):
            done = self.ringside("record", "--attach-control", self.run_directory, *words, expect=125)
            self.assertIn("start, stop, level", done.stderr)
        for directory, said in ((self.run_directory, "no process"), (self.folder / "absent", "cannot open")):
            self.assertIn(said, self.ringside("record", "--attach-control", directory, "start", expect=125).stderr)
        for option in (("--profile", "deep"), ("-o", "x"), ("--keep-last", "60s"), ("--start-step", "3")):
            done = self.ringside("record", "--attach-control", self.run_directory, *option, "stop", expect=125)
            self.assertIn("excludes", done.stderr, option)

    def test_record_passes_signals_on(self):
        ready = self.folder / "ready"
        script = f"trap 'exit 42' TERM; : > '{ready}'; while :; do sleep 0.05; done"
        recorder = subprocess.Popen([RINGSIDE, "record", "-o", self.run_directory, "--", "sh", "-c", script], env=self.environment,
                                    stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        recorder.send_signal(signal.SIGTERM)
        self.assertEqual(recorder.wait(timeout=20), 42)

    def test_usage_errors_are_2_and_unusable_input_is_3(self):
        self.ringside(expect=2)
        self.ringside("nonsense", expect=2)
        self.ringside("report", self.folder, "--format", "nonsense", expect=2)
        self.ringside("report", self.folder, "--set", "late_rank.nonsense=1", expect=2)
        self.assertIn("absent", self.ringside("report", self.folder / "absent", expect=3).stderr)
        self.ringside("query", self.folder / "absent", "SELECT 1", expect=3)

    def test_names_of_runs_are_taken_as_they_are(self):
        for name in ("[a]", "[a, b]", "{}", "@a", "%a", "-a", "a\nb", "diff"):
            said = subprocess.run([RINGSIDE, "report", "--", name], cwd=self.folder, text=True, capture_output=True, timeout=20).stderr
            self.assertIn(f"{name} does not exist", said)

    def test_slips_are_told_what_was_meant(self):
        for words, said in ((("reprot",), "Did you mean report?"), (("rec",), "Did you mean record?"), (("torchrun", "train.py"), "ringside record -- COMMAND"),
                            (("report", "--fromat", "json", "x"), "Did you mean --format?"), (("report", "--out=x", "y"), "Did you mean --output?"),
                            (("--formt", "report", "x"), "ringside has no option --formt"), (("diff", "a", "b", "c"), "unexpected argument 'c'"),
                            (("report",), "RUN is required"), ((), "ringside --help"), (("--hlep",), "Did you mean --help?"),
                            (("--",), "needs a command"), (("report", "--"), "RUN is required")):
            self.assertIn(said, self.ringside(*words, expect=2).stderr)
        self.assertNotIn("Did you mean", self.ringside("documens", expect=2).stderr, "that command is the build's")

    def test_slips_in_values_are_told_what_was_meant(self):
        for words, said in ((("report", "x", "--format", "jsn"), "report: --format takes no 'jsn'\n  Did you mean json?"),
                            (("report", "x", "--format=htm"), "Did you mean html?"),
                            (("diff", "a", "b", "--format", "yaml"), "--format takes no 'yaml'\n  It takes text, markdown or json."),
                            (("whatif", "x", "--gradients", "fp61"), "Did you mean fp16?"),
                            (("rules", "--format", "markdwon"), "Did you mean markdown?")):
            self.assertIn(said, self.ringside(*words, expect=2).stderr)
        self.assertIn("Did you mean standard?", self.ringside("record", "--profile", "standrad", "--", "true", expect=125).stderr)
        for command in ("start", "stop"):
            said = self.ringside("record", "--attach-control", self.folder, command[:-1] + "x", expect=125).stderr
            self.assertIn("start, stop, level", said)

    def test_values_are_refused_with_what_the_option_takes(self):
        """Every option with an own check, with values that are none of its; a sentence, and what it takes as in --help."""
        values = ("abc", "1e999", "nan", "-1", "0x10", "7 7", "9" * 30)
        refused = 0
        for command in set(re.findall(r"^  ([a-z]+) ", self.ringside("--help").stdout, re.M)) - {"ringside"}:
            code = 125 if command == "record" else 2
            options = self.ringside(command, "--help").stdout.split("Examples:")[0]
            for entry in re.split(r"^  (?=-)", options, flags=re.M)[1:]:
                option = re.search("--[a-z-]+", entry).group()
                takes = re.search(r"\(((?:an? |percent |the number )[^()]*)\)(?:;|$)", " ".join(entry.split()))
                for value in values if takes else ():
                    done = self.ringside(command, f"{option}={value}", expect=code)
                    self.assertEqual(done.stderr.splitlines()[:2], [f"ringside: error: ringside {command}: {option} takes no '{value}'", f"  It takes {takes.group(1)}."])
                    refused += 1
        self.assertGreater(refused, 20 * len(values))

    def test_a_missing_value_is_named(self):
        for words, said in ((("hang", "--pid"), "--pid needs a value\n  It takes the number of a process, such as 4711."), (("env", "--steps="), "--steps needs a value\n  It takes a whole number from 1 on."),
                            (("report", "x", "--format"), "--format needs a value\n  It takes "), (("report", "x", "-o"), "--output needs a value\n  Give it as --output FILE.")):
            self.assertIn(said, self.ringside(*words, expect=2).stderr)

    def test_numbers_are_refused_shortly(self):
        for words, takes in ((("diff", "a", "b", "--gate", "200"), "percent from 0 to 100, such as 3 or 3%"), (("diff", "a", "b", "--tolerance", "3%%"), "percent from 0 to 100, such as 3 or 3%"),
                             (("links", "--live", "--interval", "0"), "a number from 0.1 to 3600"), (("whatif", "x", "--ranks", "1"), "a whole number from 2 to 65536"),
                             (("hang", "--pid", "abc"), "the number of a process, such as 4711"), (("hang", "--pid", "1", "--pid", "5000000000"), "the number of a process, such as 4711"),
                             (("scaling", "x", "--gate", "70"), "a share from 0.01 to 1, such as 0.7 or 70%")):
            self.assertIn(f"takes no '{words[-1]}'\n  It takes {takes}.", self.ringside(*words, expect=2).stderr)

    def test_percent_are_written_with_and_without_their_sign(self):
        absent = self.folder / "no.ringside"
        for words in (("diff", absent, absent, "--gate", "3%"), ("diff", absent, absent, "--gate", "3 %"), ("diff", absent, absent, "--tolerance", "2.5"),
                      ("history", absent, "--excess", "5%"), ("scaling", absent, "--gate", "70%"), ("scaling", absent, "--gate", "0.7"),
                      ("report", absent, "--set", "late_rank.lost_share=5%")):
            self.ringside(*words, expect=3)  # read; there is no run

    def test_every_error_ends_in_what_to_do(self):
        empty, text, folder = (self.folder / name for name in ("empty.json", "text", "folder"))
        empty.touch()
        text.write_text("no trace\n")
        folder.mkdir()
        for words in ((), ("nonsense",), ("--nonsense",), ("report",), ("report", "absent"), ("report", empty), ("report", text), ("report", folder),
                      ("report", "--config", "absent", "x"), ("report", "--nonsense"), ("report", "x", "--set", "nonsense"), ("diff", "x"), ("diff", "x", "y", "--gate", "much"),
                      ("record",), ("record", "--", "absent-program"), ("record", "--", "/absent/program"), ("record", "--", text), ("record", "-o", "/proc/run", "--", "true"),
                      ("record", "--max-size", "1", "--", "true"), ("record", "--keep-last", "x", "--", "true"), ("record", "--window", "x", "--", "true"),
                      ("record", "--attach-control", "absent", "stop"), ("record", "--attach-control", folder, "stop"), ("links",), ("links", "absent"),
                      ("links", "--from", "absent"), ("doctor", "--expect", "absent"), ("doctor", "--root", "absent"), ("doctor", "--hosts", "false"), ("probe",),
                      ("probe", "--hosts", "exit 3;"), ("import", "absent", "-o", "x"), ("export", "absent", "--format", "csv", "-o", "x"), ("merge", "absent", "-o", "x"),
                      ("query", "absent", "SELECT 1"), ("recover", "absent"), ("hang", "absent"), ("whatif", "absent"), ("scaling", "absent"), ("env", "--format", "x")):
            done = subprocess.run([RINGSIDE, *map(str, words)], cwd=self.folder, env=self.environment, text=True, capture_output=True, timeout=20)
            self.assertGreater(done.returncode, 0, words)
            self.assertRegex(done.stderr, r"(?m)^ringside: error: .*\n  \S", words)

    def test_help_is_also_a_word(self):
        self.assertEqual(self.ringside("help").stdout, self.ringside("--help").stdout)
        self.assertEqual(self.ringside("help", "record").stdout, self.ringside("record", "--help").stdout)
        self.assertIn("no command 'nonsense'", self.ringside("help", "nonsense", expect=2).stderr)

    def test_slips_in_names_of_rules_are_told_what_was_meant(self):
        for given, meant in (("late_rnak.lost_share", "late_rank.lost_share"), ("late_rank.lost_shar", "late_rank.lost_share"),
                             ("lost_share", "late_rank.lost_share"), ("late_rank", "late_rank.")):
            said = self.ringside("report", self.folder, "--set", f"{given}=1", expect=2).stderr
            self.assertIn(f"Did you mean {meant}", said, given)
        self.assertIn("Did you mean late_rank.lost_share?", self.configured("[late_ranks]\nlost_share = 1\n"))
        self.assertNotIn("Did you mean", self.ringside("report", self.folder, "--set", "zzz=1", expect=2).stderr)

    def test_without_proc_the_collector_is_found_or_the_message_is_ours(self):
        """As in a container of which nobody mounted /proc."""
        if subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("mounting needs root")
        del self.environment["RINGSIDE_COLLECTOR"]
        shadow = 'mount -t tmpfs tmpfs /proc && exec "$@"'
        for words in (("record", "-o", self.run_directory, "--", "true"), ("doctor", "--hosts", "env"), ("hang", self.folder), ("recover", "--list"),
                      ("links", "--live"), ("probe", "--hosts", "env", "--hosts", "env")):
            done = subprocess.run(["unshare", "-m", "sh", "-c", shadow, "sh", RINGSIDE, *map(str, words)], env=self.environment, text=True,
                                  capture_output=True, timeout=60)
            self.assertNotRegex(done.stderr, "filesystem error|std::|what\\(\\)|not next to", words)
            self.assertNotIn("not recording", done.stderr, words)

    def configured(self, text, *options):
        """What `report` says of a file of thresholds, and of nothing else: the run is not there to be read."""
        config = self.folder / "ringside.toml"
        config.write_text(text)
        return self.ringside("report", self.folder / "no.ringside", "--config", config, *options, expect=2).stderr

    def test_thresholds_come_from_a_file(self):
        config = self.folder / "ringside.toml"
        config.write_text('# ours\n[late_rank]\nlost_share = "5 %"\nchance = 1e-3\n[small_messages]\nmin_messages = 8\n')
        self.ringside("report", self.folder / "no.ringside", "--config", config, expect=3)  # read; there is no run

    def test_a_file_of_thresholds_is_refused_by_line(self):
        for text, line, words in (
                ("[late_rank]\nlost_share = 0.05\n[late_ranks]\nlost_share = 1\n", 4, "no rule has the option 'late_ranks.lost_share'"),
                ("\n[late_rank]\nlost_shares = 0.05\n", 3, "no rule has the option 'late_rank.lost_shares'"),
                ("lost_share = 0.05\n", 1, "no rule has the option 'lost_share'"),
                ("[late_rank]\nlost_share = \"5 of 100\"\n", 2, "'late_rank.lost_share' is not a number"),
                ("[late_rank]\nlost_share = true\n", 2, "'late_rank.lost_share' is not a number"),
                ("[late_rank]\nlost_share = nan\n", 2, "'nan' is not a number"),
                ("communication_kernels = \"halo\"\n", 1, "communication_kernels is not a list of names"),
                ("communication_kernels = [\"halo\", 7]\n", 1, "communication_kernels holds a value that is not a name"),
                ("[late_rank]\nlost_share = 5 %\n", 2, ""),
                ("[late_rank\n", 1, "")):
            said = self.configured(text)
            self.assertIn(f"ringside.toml:{line}: {words}", said)
            self.assertRegex(said, "hint|Write")
        self.assertIn("cannot read", self.ringside("report", self.folder, "--config", self.folder / "none.toml", expect=2).stderr)

    def test_rules_lists_every_rule(self):
        text = self.ringside("rules").stdout
        for rule in ("late_rank", "small_messages", "sync_in_loop"):
            self.assertIn(rule, text)
        self.assertIn("## late_rank", self.ringside("rules", "--format", "markdown").stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
