//go:build unix

// Package apttest installs programs of others that tests need, with Debian's package manager.
//
//	err := apttest.Install("prometheus", func() bool { _, err := exec.LookPath("prometheus"); return err == nil })
package apttest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Install installs a package unless its program is there, one test binary at a time.
func Install(name string, installed func() bool) (err error) {
	if installed() {
		return nil
	}
	if os.Getuid() != 0 {
		return errors.New("and only root could install it")
	}
	apt, err := exec.LookPath("apt-get")
	if err != nil {
		return errors.New("and there is no apt-get to install it with")
	}
	unlock, err := lock(filepath.Join(os.TempDir(), "assent-apttest.lock"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, unlock()) }()
	if installed() {
		return nil // another process did in the meantime
	}
	fmt.Fprintf(os.Stderr, "%s is not installed; running apt-get update && apt-get install -y %s (once)\n", name, name)
	for _, args := range [][]string{{"update"}, {"install", "-y", "--no-install-recommends", name}} {
		cmd := exec.Command(apt, args...)
		cmd.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("apt-get %v: %w: %s", args, err, out)
		}
	}
	return nil
}
