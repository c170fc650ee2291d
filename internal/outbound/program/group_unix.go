//go:build unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// inherited are the environment variables passed on to a program.
var inherited = []string{"PATH", "HOME", "LANG"}

// group starts a program in its own process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the whole group to end.
func terminate(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// kill ends the rest of the group. While any of it is left, no other process can have its id.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
