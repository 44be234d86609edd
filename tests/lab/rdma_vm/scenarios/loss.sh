# SPDX-License-Identifier: Apache-2.0
# One in fifty of b's packets is lost, as on a bad cable or in a switch that is not lossless.
#
# expect carried: rxa:1 rxb:1$
# expect links: problem
# expect rdma_retransmissions problem: Port lab rxb:1 had to send .* packets again .* lost on their way
make_hosts
disturb b loss 2%
begin_job
sleep 4
end_job
look
