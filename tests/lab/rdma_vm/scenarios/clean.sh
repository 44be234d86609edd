# SPDX-License-Identifier: Apache-2.0
# Nothing is wrong: nobody may say that anything is.
#
# expect carried: rxa:1 rxb:1$
# expect links: ok
make_hosts
begin_job
sleep 4
end_job
look
