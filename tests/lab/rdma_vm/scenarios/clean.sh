# SPDX-License-Identifier: Apache-2.0
# Nothing is wrong: nobody may say that anything is.
#
# expect carried: rxa:1 rxb:1$
# expect links: ok
# expect queue pairs: rxa:1 rxb:1$
# expect probe: RDMA measured in 6 directions, TCP in 6$
make_hosts
begin_job
sampled_for 3
end_job
look
queue_pairs
probe
