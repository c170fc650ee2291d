package program

import (
	"os/exec"
	"strconv"
	"syscall"
)

// inherited are the variables that a program sees of ours. Programs for Windows
// hardly start without the further ones.
var inherited = []string{"PATH", "HOME", "LANG", "USERPROFILE", "SystemRoot", "PATHEXT", "TEMP", "TMP", "ComSpec"}

// group keeps Ctrl-C in our console from reaching a program.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends a program and what it started, while it can be found as its
// parent. There is no polite way that all programs understand.
func terminate(cmd *exec.Cmd) error {
	tree := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	if tree.Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// kill does nothing: a process that ended is no longer a parent to be found by.
func kill(*exec.Cmd) {}
