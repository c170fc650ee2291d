//go:build unix

package builtin

import "syscall"

// nonblocking opens a named pipe immediately, to be rejected as not a regular file: a reader would wait
// forever for a writer.
const nonblocking = syscall.O_NONBLOCK
