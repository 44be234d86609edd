# SPDX-License-Identifier: Apache-2.0
# An agent of the probe on host a is led by a stranger, who makes up the other ends of connections: an address that is none, and
# a queue pair that b does not have, each to be written to for ever. The agent says why it could not, and goes on.
#
# expect agent: .*"host":"a",.*"rdma":{.*"port":"rxa:1"
# expect agent: .*"gid":"00000000000000000000ffff0a070001",.*"pair":[1-9]
# expect agent: {"rdma":null,"reason":"the device refused to connect to this peer"}
# expect agent: .*"the other adapter did not answer
# expect agent: {"closed":true}
# expect agent: ended with exit code 0
make_hosts
nobody='"do":"rdma_write","mtu":99,"memory":1e300,"key":-1,"bytes":1e300,"milliseconds":1e300'
cat >orders <<ORDERS
{"do":"rdma_open"}
{$nobody,"pair":1e300,"gid":"no address"}
{"do":"rdma_open"}
{$nobody,"pair":1048575,"gid":"00000000000000000000ffff0a070002"}
{"do":"rdma_close"}
ORDERS
nc -l -p 7000 <orders >agent &
sleep 1
host a ringside probe --follow 10.8.0.100 7000 token
code=$?
wait
echo "ended with exit code $code" >>agent
