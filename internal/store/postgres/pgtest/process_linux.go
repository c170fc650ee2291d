package pgtest

import "syscall"

// attributes: another user, a session of its own (Ctrl-C is for us), and a signal for when this process dies.
func attributes(as *syscall.Credential, death syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Setsid: true, Pdeathsig: death}
}
