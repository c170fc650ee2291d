//go:build unix && !linux

package pgtest

import "syscall"

func attributes(as *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: as, Setsid: true}
}
