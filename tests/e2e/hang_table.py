# SPDX-License-Identifier: Apache-2.0
"""The table of hang_table_test.py: what each rank does, and whom the verdict must name.

A script is the words of scripted_job.cpp: `init`; `ar`, `bc`, `ag`, `rs` [:COUNT, a broadcast's :ROOT]; `send` and `recv`
:PEER[:COUNT]; `[` and `]` around a group; `split@NAME:COLOR` and `ar@NAME` on it; `stream:N`, `sync`; ways to stand (`sleep`, `lock`,
`read` of a pipe, `save` a checkpoint for ever, `store`, a barrier of files that needs all ranks, `doze:MS`); ways to end (`exit:CODE`, `_exit`, `exit_group`, `signal:NUMBER`, `throw`
...). A rank stands or ends at its last word, or ends behind it."""

import dataclasses
import signal

ALIVE, LEFT, LOGS, ENDED, TORN, PARTIAL = "alive", "left", "logs", "ended", "torn", "partial"


@dataclasses.dataclass(frozen=True)
class Row:
    name: str
    scripts: tuple
    kinds: tuple         # of verdicts that are right
    blamed: tuple = ()   # the ranks to name; empty: nobody, because all are alike or nobody can know
    function: str = ""   # of the call of the verdict
    looks: tuple = (ALIVE, LEFT, LOGS)  # at which the verdict is asked for: the living run, the rings left after SIGKILL, NCCL's logs
    short: bool = False  # among those that every run of the suite tries
    says: str = ""       # stands in the headline
    lost: int = -1       # TORN: NCCL's logs in one file, with this rank's last message torn; PARTIAL: without its log


def hang(name, *scripts, kinds=("missing",), blamed=(), function="ncclAllReduce", looks=(ALIVE, LEFT, LOGS), **others):
    return Row(name, scripts, kinds, blamed, function, looks, **others)


def death(name, *scripts, blamed, kinds=("died",), looks=(ENDED,), **others):
    return Row(name, scripts, kinds, blamed, looks=looks, **others)


def lost(name, *scripts, lost, looks=(TORN, PARTIAL), **others):
    """The job does not hang, as far as anybody can know: of one message, the log has only one side."""
    return Row(name, scripts, ("waiting",), looks=looks, lost=lost, says=f"whether rank {lost} issued its part is not known", **others)


RECORDED = (ALIVE, LEFT)  # what the logs of NCCL do not hold
STEP = "ar ar sync"

HANGS = (
    # A rank does not come.
    hang("sleep", f"init {STEP} ar sync", f"init {STEP} ar sync", f"init {STEP} sleep", blamed=(2,), short=True),
    hang("becomes_another_program", f"init {STEP} ar sync", f"init {STEP} execveat", blamed=(1,), looks=(ALIVE,), short=True,
         says="replaced itself by another program (sleep"),
    hang("sender_becomes_another_program", f"init {STEP} recv:1 sync", f"init {STEP} execveat", blamed=(1,), function="ncclRecv", looks=(ALIVE,),
         says="replaced itself by another program (sleep"),
    hang("two_become_another_program", f"init {STEP} execveat", f"init {STEP} ar sync", f"init {STEP} execveat", blamed=(0, 2), looks=(ALIVE,),
         says="replaced themselves by another program (sleep"),
    hang("becomes_another_program_unseen", f"init {STEP} ar sync", f"init {STEP} execveat", blamed=(1,), looks=(LEFT, LOGS)),
    hang("data_loading", f"init {STEP} ar sync", f"init {STEP} read", f"init {STEP} ar sync", blamed=(1,)),
    hang("lock", f"init {STEP} lock", f"init {STEP} ar sync", blamed=(0,)),
    hang("checkpoint", f"init {STEP} save", f"init {STEP} ar sync", blamed=(0,), looks=(ALIVE,), says="has moved data of files for", short=True),
    hang("two_ranks_sleep", f"init {STEP} sleep", f"init {STEP} ar sync", f"init {STEP} read", blamed=(0, 2)),
    hang("one_missing_call", "init ar ar ar sync", "init ar ar sync sleep", blamed=(1,)),
    hang("one_missing_among_many", "init ar ar ar ar ar ar sync", "init ar ar ar ar ar sync sleep", blamed=(1,)),
    hang("missing_broadcast", f"init {STEP} bc sync", f"init {STEP} sleep", blamed=(1,), function="ncclBroadcast"),
    hang("missing_gather", f"init {STEP} sleep", f"init {STEP} ag sync", blamed=(0,), function="ncclAllGather"),
    hang("missing_scatter", f"init {STEP} rs sync", f"init {STEP} rs sync", f"init {STEP} sleep", blamed=(2,),
         function="ncclReduceScatter"),
    hang("stopped", f"init {STEP} ar sync", f"init {STEP} signal:{int(signal.SIGSTOP)}", blamed=(1,), short=True),
    hang("store_barrier", f"init {STEP} store", f"init {STEP} store", f"init {STEP} ar sync", blamed=(0, 1)),
    hang("ends_well_too_early", f"init {STEP} ar sync", f"init {STEP} exit:0", kinds=("missing", "died"), blamed=(1,), looks=(ENDED, LOGS)),
    # Another call.
    hang("group_not_closed", f"init {STEP} ar sync", f"init {STEP} [ ar sleep", blamed=(1,), looks=RECORDED),
    # Messages.
    hang("send_without_receive", f"init {STEP} send:1 sync", f"init {STEP} sleep", blamed=(1,), function="ncclSend", short=True),
    hang("receive_without_send", f"init {STEP} recv:1 sync", f"init {STEP} read", blamed=(1,), function="ncclRecv"),
    hang("second_send_lost", "init send:1 send:1 sync", "init recv:0 sync sleep", blamed=(1,), function="ncclSend"),
    hang("pipeline_origin", f"init {STEP} recv:1 sync", f"init {STEP} recv:2 send:0 sync", f"init {STEP} sleep", blamed=(2,),
         function="ncclRecv", short=True),
    hang("pipeline_last_stage", "init send:1 sync sleep", "init recv:0 send:2 sync", "init sleep", blamed=(2,), function="ncclSend"),
    hang("circle_of_receives", f"init {STEP} recv:1 sync", f"init {STEP} recv:0 sync", blamed=(0, 1), function="ncclRecv"),
    hang("circle_of_three", "init recv:2 sync", "init recv:0 sync", "init recv:1 sync",
         blamed=(0, 1, 2), function="ncclRecv"),
    hang("grouped_exchange", f"init {STEP} [ send:1 recv:1 ] sync", f"init {STEP} sleep", blamed=(1,), function="", kinds=("missing",)),
    hang("exchange_half_done", "init [ send:1 recv:1 ] sync", "init [ recv:0 ] sync", blamed=(1,), function="ncclRecv"),
    hang("nested_groups", f"init {STEP} [ [ send:1 ] [ recv:1 ] ] sync", f"init {STEP} lock", blamed=(1,), function=""),
    hang("messages_behind_a_collective", f"init {STEP} ar sync", f"init {STEP} send:0 sync", kinds=("missing",),
         blamed=(0, 1), function=""),
    # Communicators within communicators.
    hang("missing_in_a_split", f"init split@tp:0 {STEP} ar@tp sync", f"init split@tp:0 {STEP} sleep", blamed=(1,), short=True),
    hang("missing_in_its_half", "init split@tp:0 ar@tp sync sleep", "init split@tp:0 ar@tp sync sleep",
         "init split@tp:1 ar@tp ar@tp sync", "init split@tp:1 ar@tp sync sleep", blamed=(3,)),
    hang("victim_in_the_other_group", "init split@tp:0 split@dp:0 ar@tp sync ar@dp sync",
         "init split@tp:0 split@dp:1 ar@tp sync sleep", "init split@tp:1 split@dp:0 ar@tp sync ar@dp sync ar@tp sync",
         "init split@tp:1 split@dp:1 ar@tp sync ar@dp sync", blamed=(1,)),
    hang("chain_over_groups", "init split@tp:0 split@dp:0 ar@tp sync", "init split@tp:0 split@dp:1 ar@dp sync",
         "init split@tp:1 split@dp:0 ar@tp sync", "init split@tp:1 split@dp:1 sleep", blamed=(3,)),
    hang("circle_of_groups", "init split@tp:0 split@dp:0 ar@tp sync", "init split@tp:0 split@dp:0 ar@dp sync", blamed=(0, 1)),
    hang("orders_of_groups_differ", f"init split@tp:0 split@dp:0 {STEP} ar@tp ar@dp sync", f"init split@tp:0 split@dp:0 {STEP} ar@dp ar@tp sync",
         kinds=("waiting",), blamed=(0, 1), looks=RECORDED),
    hang("world_against_split", "init split@tp:0 ar sync", "init split@tp:0 ar@tp sync", "init split@tp:1 ar sync", blamed=(0, 1)),
    hang("two_streams", f"init split@tp:0 {STEP} stream:1 ar@tp stream:0 ar sync", f"init split@tp:0 {STEP} stream:1 ar@tp sleep",
         blamed=(1,)),
    # Where communicators are made and unmade.
    hang("init_without_a_rank", "init", "sleep", kinds=("missing", "waiting"), blamed=(1,), function="ncclCommInitRank",
         looks=RECORDED, short=True),
    hang("init_of_a_dead_rank", "init", "init", "signal:9", kinds=("missing", "waiting"), blamed=(2,), function="ncclCommInitRank", looks=RECORDED),
    hang("split_without_a_rank", f"init {STEP} split@tp:0", f"init {STEP} split@tp:0", f"init {STEP} sleep", blamed=(2,),
         function="ncclCommSplit", looks=RECORDED),
    hang("teardown_without_a_rank", f"init {STEP} ar destroy", f"init {STEP} sleep", blamed=(1,)),
)

MISMATCHES = (
    hang("other_collective", f"init {STEP} ar sync", f"init {STEP} bc sync", f"init {STEP} ar sync", kinds=("mismatch",), blamed=(1,),
         looks=(ENDED, LOGS), short=True),
    hang("other_count", f"init {STEP} ar:512 sync", f"init {STEP} ar sync", f"init {STEP} ar sync", kinds=("mismatch",), blamed=(0,),
         looks=(ENDED, LOGS)),
    hang("other_root", f"init {STEP} bc:0 sync", f"init {STEP} bc:1 sync", f"init {STEP} bc:0 sync", kinds=("mismatch",), blamed=(1,),
         function="ncclBroadcast", looks=(ENDED, LOGS)),
    hang("reordered", f"init {STEP} ar ag sync", f"init {STEP} ar ag sync", f"init {STEP} ag ar sync", kinds=("mismatch",), blamed=(2,),
         looks=(ENDED, LOGS)),
    hang("one_call_too_few_then_another", "init ar ar ag sync", "init ar ar ag sync", "init ar ag sync", kinds=("mismatch",), blamed=(2,),
         looks=(ENDED, LOGS)),
    hang("message_of_another_size", f"init {STEP} send:1:100 sync", f"init {STEP} recv:0:200 sync", kinds=("mismatch",), blamed=(0, 1),
         function="", looks=(ENDED, LOGS)),
    hang("other_count_of_two", f"init {STEP} ar:512 sync", f"init {STEP} ar sync", kinds=("mismatch",), blamed=(0, 1), looks=(ENDED, LOGS)),
    hang("other_in_a_split", f"init split@tp:0 {STEP} ar@tp sync", f"init split@tp:0 {STEP} ar@tp sync", f"init split@tp:0 {STEP} ag@tp sync",
         kinds=("mismatch",), blamed=(2,), looks=(ENDED, LOGS)),
)


def dies_by(name, word, kinds=("died", "missing"), short=False):
    """The others wait for it meanwhile, and how long decides which of the two is said: the rank is the same."""
    return death(f"death_{name}", f"init {STEP} ar sync", f"init {STEP} doze:150 {word}", f"init {STEP} ar sync", blamed=(1,), kinds=kinds, short=short)


DEATHS = (
    dies_by("sigkill", "signal:9", short=True),
    dies_by("sigsegv", "crash"),
    dies_by("sigterm", "signal:15"),
    dies_by("sigbus", f"signal:{int(signal.SIGBUS)}"),
    dies_by("abort", "abort"),
    dies_by("exit", "exit:3"),
    dies_by("_exit", "_exit:3"),
    dies_by("exit_group", "exit_group:3", short=True),
    hang("exit_group_without_a_code", f"init {STEP} ar sync", f"init {STEP} doze:150 exit_group:0", f"init {STEP} ar sync", blamed=(1,),
         kinds=("died", "missing"), looks=(ENDED,)),
    dies_by("quick_exit", "quick_exit:3"),
    dies_by("exception", "throw"),
    dies_by("exec", "exec:3"),
    death("death_in_a_split", f"init {STEP} split@tp:0", f"init {STEP} doze:500 signal:9", blamed=(1,)),
    death("death_with_a_message", f"init {STEP} recv:1 sync", f"init {STEP} _exit:7", blamed=(1,)),
    death("death_in_a_group", f"init split@tp:0 {STEP} ar@tp sync", f"init split@tp:0 {STEP} crash", f"init split@tp:1 {STEP} sleep",
          blamed=(1,), looks=(ALIVE,)),
)

LOST = (
    lost("receive_lost", "init send:1 sync sleep", "init recv:0 sync sleep", lost=1, short=True),
    lost("send_lost", "init send:1 sync sleep", "init recv:0 sync sleep", lost=0),
    lost("second_message_lost", "init send:1 send:1 sync sleep", "init recv:0 recv:0 sync sleep", lost=1, looks=(TORN,)),
    lost("message_behind_a_collective_lost", f"init {STEP} send:1 sync sleep", f"init {STEP} recv:0 sync sleep", lost=0),
    lost("exchange_lost", "init [ send:1 recv:1 ] sync sleep", "init [ send:0 recv:0 ] sync sleep", lost=1, looks=(TORN,)),
    hang("not_lost_but_missing", "init send:1 send:1 send:1 sync", "init recv:0 sync sleep", blamed=(1,), function="ncclSend",
         looks=(TORN,), lost=1),
)

ROWS = HANGS + MISMATCHES + DEATHS + LOST
