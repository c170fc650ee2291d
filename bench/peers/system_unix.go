//go:build unix

package main

import (
	"os/exec"
	"syscall"
	"time"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
)

// newPostgres makes a database on a private server with fsync on.
func newPostgres() (address string, err error) { return pgtest.New() }

func stopPostgres() error { return pgtest.Stop() }

// ownGroup puts a command and the servers that it starts into a process group.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
}

// endGroup kills what is left of the group.
func endGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually nothing is left
	}
}
