# SPDX-License-Identifier: Apache-2.0
"""A rank a host, and a link between them that is slow or lossy."""

from disturbances.links import Late, Lossy, SlowDirection, SlowHost
from scoring.places import Hosts
from scoring.scenario import Scenario

HOSTS = "abcd"
SMALL_MESSAGES = ("--hidden", 128, "--layers", 24, "--bucket-cap-mb", 0.06)  # a layer each
# A queue that is full drops segments, and acknowledgements that come late make senders repeat some: they really were sent again.
AGAIN = frozenset(("congestion_control",))
CARD = ("a -> b", "b -> c")  # what the ring of ranks has of b's card


def scenarios():
    place = Hosts(HOSTS)
    yield Scenario("hosts_healthy_4", place=place)
    yield Scenario("hosts_healthy_2", ranks=2, place=Hosts(HOSTS[:2]))
    for rate in ("100mbit", "200mbit"):
        yield Scenario(f"slow_card_{rate}_4", place=place, disturbed=(SlowHost("b", rate),), expect=("slow_link",), where=(1,),
                       links=CARD, allow=AGAIN)
        yield Scenario(f"slow_direction_{rate}_4", place=place, disturbed=(SlowDirection("c", "d", rate),), expect=("slow_link",),
                       where=(2, 3), links=("c -> d",), allow=AGAIN)
        # Of two links nobody knows which is slow, unless a probe says what they can do, or finds one of them slow.
        yield Scenario(f"slow_card_{rate}_2", ranks=2, place=Hosts(HOSTS[:2], probed="quiet"), disturbed=(SlowHost("b", rate),), expect=("slow_link",),
                       where=(0, 1), links=("a -> b", "b -> a"), allow=AGAIN)
        yield Scenario(f"slow_direction_{rate}_2", ranks=2, place=Hosts(HOSTS[:2], probed="disturbed"), disturbed=(SlowDirection("a", "b", rate),),
                       expect=("slow_link",), where=(0, 1), links=("a -> b",), allow=AGAIN)
    for one_of in (200, 50, 20):
        # Of one in twenty, so many of the short messages from c to b are lost that their link is named, too.
        named = {"where": (0, 1), "links": CARD[:1]} if one_of > 20 else {}
        for name, steps in ((f"lossy_{one_of}_4", 24), (f"lossy_{one_of}_few_steps_4", 7)):
            yield Scenario(name, place=place, steps=steps, disturbed=(Lossy("b", one_of),), expect=("congestion_control",), **named,
                           allow=frozenset(("slow_link", "collective_bandwidth_low", "large_last_bucket")), leads=False)
    for ms in (4, 10):
        for ranks in (2, 4):
            yield Scenario(f"late_link_{ms}ms_{ranks}", ranks=ranks, shape=SMALL_MESSAGES, steps=16, place=Hosts(HOSTS[:ranks]), disturbed=(Late("b", ms),),
                           expect=("inter_node_latency_high",), allow=AGAIN | {"slow_link", "small_messages"}, leads=False)
