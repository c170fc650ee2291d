package sqlite

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// folder contains files that are written once and never change. A name refers to the complete content or does
// not exist: bytes and name are flushed before anything refers to them.
type folder struct{ path, tmp string }

func (f folder) of(name string) string { return filepath.Join(f.path, name[:2], name) }

// draft is a file that has no name yet.
type draft struct {
	*os.File
	folder folder
}

func (f folder) draft() (*draft, error) {
	file, err := os.CreateTemp(f.tmp, "new-")
	if err != nil {
		return nil, err
	}
	return &draft{file, f}, nil
}

// filled is a draft with content.
func (f folder) filled(write func(io.Writer) error) (*draft, error) {
	d, err := f.draft()
	if err != nil {
		return nil, err
	}
	if err := write(d.File); err != nil {
		return nil, errors.Join(err, d.drop())
	}
	return d, nil
}

// drop discards the draft.
func (d *draft) drop() error {
	return errors.Join(d.Close(), os.Remove(d.Name()))
}

// keep gives the draft its name, durably.
func (d *draft) keep(name string) error {
	if err := d.Sync(); err != nil {
		return errors.Join(fmt.Errorf("flush %s: %w", name, err), d.drop())
	}
	if err := d.Close(); err != nil {
		return errors.Join(fmt.Errorf("close %s: %w", name, err), os.Remove(d.Name()))
	}
	to := d.folder.of(name)
	if err := d.folder.shard(filepath.Dir(to)); err != nil {
		return errors.Join(err, os.Remove(d.Name()))
	}
	if err := os.Rename(d.Name(), to); err != nil {
		return errors.Join(err, os.Remove(d.Name()))
	}
	return syncDir(filepath.Dir(to))
}

// shard creates a subdirectory; its name has to be durable as well.
func (f folder) shard(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return syncDir(f.path)
}

// put stores bytes under a new random name.
func (f folder) put(b []byte) (name string, err error) {
	var random [16]byte
	rand.Read(random[:]) //nolint:errcheck // never fails
	name = hex.EncodeToString(random[:])
	d, err := f.draft()
	if err != nil {
		return "", err
	}
	if _, err := d.Write(b); err != nil {
		return "", errors.Join(err, d.drop())
	}
	return name, d.keep(name)
}

// get reads a whole file.
func (f folder) get(name string) ([]byte, error) {
	file, err := os.Open(f.of(name))
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	b := make([]byte, info.Size())
	_, err = io.ReadFull(file, b)
	return b, errors.Join(err, file.Close())
}

// remove deletes an unreferenced file. A leftover after an error is waste, not harm.
func (f folder) remove(name string) {
	if name != "" {
		_ = os.Remove(f.of(name)) // see above
	}
}
