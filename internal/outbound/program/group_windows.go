package program

import (
	"os/exec"
	"strconv"
	"syscall"
)

// inherited are the environment variables passed on to a program. Windows programs rarely start without the
// additional ones.
var inherited = []string{"PATH", "HOME", "LANG", "USERPROFILE", "SystemRoot", "PATHEXT", "TEMP", "TMP", "ComSpec"}

// group keeps Ctrl-C in our console from reaching a program.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// terminate ends a program and its children, while they can be found through their parent. Windows has no polite
// way that all programs understand.
func terminate(cmd *exec.Cmd) error {
	tree := exec.Command("taskkill", "/T", "/F", "/PID", strconv.Itoa(cmd.Process.Pid))
	if tree.Run() == nil {
		return nil
	}
	return cmd.Process.Kill()
}

// kill does nothing: children of an ended process cannot be found.
func kill(*exec.Cmd) {}
