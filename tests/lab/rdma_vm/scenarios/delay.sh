# SPDX-License-Identifier: Apache-2.0
# What a sends to b, acknowledgements among it, comes 20 ms late, as over a detour or through a full queue. Nothing is lost and
# nobody waits in vain, so that no counter moves and the ports are well: only the probe sees it, in both directions, for a write
# is over when its acknowledgement is there.
#
# expect carried: rxa:1 rxb:1$
# expect links: ok
# expect probe: RDMA measured in 6 directions, TCP in 6$
# expect probe latency: a -> b over RDMA: .*
# expect probe latency: b -> a over RDMA: .*
make_hosts
disturb a b netem limit 100000 delay 20ms
begin_job
sampled_for 3
end_job
look
probe
