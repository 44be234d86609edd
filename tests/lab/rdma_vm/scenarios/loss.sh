# SPDX-License-Identifier: Apache-2.0
# One in fifty of the packets from b to a is lost, as on a bad cable or in a switch that is not lossless.
#
# expect carried: rxa:1 rxb:1$
# expect links: warning
# expect rdma_retransmissions warning: Port lab rxb:1 retransmitted .* packets .* lost on the path
# expect probe: RDMA measured in 6 directions, TCP in 6$
# expect probe loss: b -> a over RDMA: .* lost on the way
# may    probe .*: a -> b over RDMA: .*
make_hosts
disturb b a netem limit 100000 loss 2%
begin_job
sampled_for 3
end_job
look
probe
