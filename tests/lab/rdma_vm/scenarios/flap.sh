# SPDX-License-Identifier: Apache-2.0
# The switch's port of a goes down for some seconds in the middle of the job and comes back, as with a cable that is pulled.
# What b makes of it depends on how long that was.
#
# expect carried: rxa:1 rxb:1$
# expect links: problem
# expect rdma_port_down problem: Port lab rxa:1 went down 1 time in this run, for about
# expect event: rxa:1 went down$
# expect event: rxa:1 came up$
# expect doctor (info|warning): Port [^ ]+ rxa:1 is down
# may    rdma_retransmissions .*: Port lab rx[ab]:1
make_hosts
begin_job
ip link set pa down
sampled_for 2
doctor
ip link set pa up
sampled_for 2
end_job
look
