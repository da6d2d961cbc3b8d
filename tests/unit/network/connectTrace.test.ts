import assert from 'node:assert/strict';
import { connectionsOf } from '../../e2e/support/connectTrace';

const trace = `10 clone3({flags=CLONE_VM|CLONE_THREAD|CLONE_SETTLS, stack=0x7f} => {parent_tid=[11]}, 88) = 11
10 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD) = 12
10 clone3({flags=CLONE_VM|CLONE_THREAD <unfinished ...>
11 connect(5, {sa_family=AF_INET6, sin6_port=htons(80), sin6_flowinfo=htonl(0), inet_pton(AF_INET6, "::1", &sin6_addr), sin6_scope_id=0}, 28) = -1 EINPROGRESS (Operation now in progress)
10 <... clone3 resumed> => {parent_tid=[13]}, 88) = 13
13 connect(6, {sa_family=AF_INET, sin_port=htons(53), sin_addr=inet_addr("192.0.2.53")}, 16 <unfinished ...>
13 <... connect resumed>) = 0
12 connect(7, {sa_family=AF_INET, sin_port=htons(1), sin_addr=inet_addr("192.0.2.1")}, 16) = 0
10 connect(8, {sa_family=AF_UNIX, sun_path="/run/nscd/socket"}, 110) = -1 ENOENT (No such file or directory)
10 connect(9, {sa_family=AF_INET, sin_port=htons(11434), sin_addr=inet_addr("127.0.0.1")}, 16) = -1 EINPROGRESS (Operation now in progress)
13 +++ exited with 0 +++
`;

describe('A trace of strace', () => {
  it('gives the connections of a process and its threads, not those of its children', () => {
    assert.deepEqual(connectionsOf(trace, 10), ['[::1]:80', '192.0.2.53:53', '127.0.0.1:11434']);
    assert.deepEqual(connectionsOf(trace, 12), ['192.0.2.1:1']);
  });
});
