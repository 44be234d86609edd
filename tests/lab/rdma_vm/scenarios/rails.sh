# SPDX-License-Identifier: Apache-2.0
# Each host has a second rail. That of b lets 20 Mb/s through towards a: only this rail in this direction is slow. No job runs.
#
# expect probe: RDMA measured in 6 directions, TCP in 6$
# expect rails measured: 2 2 2 2 2 2$
# expect probe bandwidth: b -> a over RDMA, rail ryb:1 to rya:1: .* nothing was lost
make_hosts
make_second_rails
disturb_second_rail b a tbf rate 20mbit burst 20000 limit 10000000
probe
remove_second_rails
