# SPDX-License-Identifier: Apache-2.0
# perftest's programs measure RDMA. From b to a 20 Mb/s go through: the same is said as by our own measurement. No job runs.
#
# expect probe: RDMA measured in 6 directions by perftest, TCP in 6$
# expect probe bandwidth: b -> a over RDMA: .* a write takes .* nothing was lost
make_hosts
disturb b a tbf rate 20mbit burst 20000 limit 10000000
probe --with perftest
