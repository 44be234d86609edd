# SPDX-License-Identifier: Apache-2.0
# The receiver dies by SIGKILL in the middle of the job: b's adapter sends on until it gives up. The ports stay up.
#
# expect carried: rxa:1 rxb:1$
# expect links: problem
# expect rdma_retransmissions problem: Port lab rxb:1 .*(received nothing|gave up).* peer is gone
make_hosts
begin_job
kill -KILL "$(cat /tmp/receiver)"
sampled_for 5
end_job
look
