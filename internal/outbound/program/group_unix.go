//go:build unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// inherited are the variables that a program sees of ours.
var inherited = []string{"PATH", "HOME", "LANG"}

// group makes a program the first of its own process group.
func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// terminate asks the whole group to end.
func terminate(cmd *exec.Cmd) error {
	err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
	if errors.Is(err, syscall.ESRCH) {
		return os.ErrProcessDone
	}
	return err
}

// kill ends what is left of the group. As long as anything is, no other process
// can have its number.
func kill(cmd *exec.Cmd) { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
