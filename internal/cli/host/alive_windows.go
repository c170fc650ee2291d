package host

import "golang.org/x/sys/windows"

// alive reports whether a process exists.
func alive(pid int) bool {
	const stillActive = 259
	h, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h) //nolint:errcheck // only looked at
	var code uint32
	return windows.GetExitCodeProcess(h, &code) == nil && code == stillActive
}
