package host

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Mark tells other commands which server has a data directory open. It is for those who may read the
// directory, and lets them request a backup.
type Mark struct {
	Address   string    `json:"address"`
	PID       int       `json:"pid"`
	Version   string    `json:"version"`
	StartedAt time.Time `json:"started_at"`
	Token     string    `json:"token"`
}

const markName = "server.json"

// WriteMark writes the mark to a data directory.
func WriteMark(dir string, m Mark) error {
	if err := writeMark(dir, m); err != nil {
		return fmt.Errorf("announce the server's address: %w", err)
	}
	return nil
}

func writeMark(dir string, m Mark) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, markName+".") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), filepath.Join(dir, markName))
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// ReadMark finds the mark of a live server. The caller has to check that it answers: a mark survives a crash
// of the machine.
func ReadMark(dir string) (Mark, bool) {
	var m Mark
	b, err := os.ReadFile(filepath.Join(dir, markName))
	if err != nil || json.Unmarshal(b, &m) != nil || m.Address == "" || !alive(m.PID) {
		return Mark{}, false
	}
	return m, true
}

// RemoveMark removes our own mark only.
func RemoveMark(dir string) error {
	m, ok := ReadMark(dir)
	if !ok || m.PID != os.Getpid() {
		return nil
	}
	return os.Remove(filepath.Join(dir, markName))
}
