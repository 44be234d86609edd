# SPDX-License-Identifier: Apache-2.0
# From b to a 20 Mb/s go through, as behind a port that came up at a lower rate. No packet is lost: only the probe sees it.
#
# expect carried: rxa:1 rxb:1$
# expect links: ok
# expect probe: RDMA measured in 6 directions, TCP in 6$
# expect probe bandwidth: b -> a over RDMA: .* nothing was lost
make_hosts
disturb b a tbf rate 20mbit burst 20000 limit 10000000
begin_job
sampled_for 3
end_job
look
probe
