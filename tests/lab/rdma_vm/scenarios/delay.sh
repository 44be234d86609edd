# SPDX-License-Identifier: Apache-2.0
# What a sends, acknowledgements among it, comes 20 ms late, as over a detour or through a full queue. Nothing is lost and
# nobody waits in vain, so that no counter moves and the ports are well.
#
# expect carried: rxa:1 rxb:1$
# expect links: ok
make_hosts
disturb a delay 20ms
begin_job
sleep 4
end_job
look
