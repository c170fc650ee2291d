//go:build unix

package builtin

import "syscall"

// nonblocking opens a named pipe at once, to be refused as no file: a reader
// would wait for ever for somebody who writes.
const nonblocking = syscall.O_NONBLOCK
