// Package spool keeps results outside the store while the store does not accept them. What an agent or a tool did is
// then not lost with the process: the next start offers it to the engine.
//
//	s, err := spool.Open(dir, ring, log)
//	err = s.Keep(run.Complete{Key: key, Result: result}) // on disk when it returns
//	for key, report := range s.Kept() { … }                   // at the next start
//	s.Drop(key)                                               // it is in the store
//
// A result is one file, replaced atomically. A file that cannot be used is left where it is, with a line in the log.
package spool

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/seal"
)

// Limits of a spool.
const (
	FilesMax = 10_000
	BytesMax = 256 << 20
)

const (
	suffix  = ".result"
	format  = "assent result"
	version = 1 // of the format; files of others are left for the release that wrote them
	headMax = 4 << 10

	unfinished = ".new" // after the name of a file that is being written
)

// ErrFull means that a spool has reached one of its limits.
var ErrFull = fmt.Errorf("no more than %d results of together %d MiB are kept", FilesMax, BytesMax>>20)

// kinds are the reports that a spool keeps: those that cost something to get. What sub-runs report is in the store.
var kinds = map[string]reflect.Type{
	"complete":       reflect.TypeFor[run.Complete](),
	"fail":           reflect.TypeFor[run.Fail](),
	"complete_turn":  reflect.TypeFor[run.CompleteTurn](),
	"complete_call":  reflect.TypeFor[run.CompleteCall](),
	"answer_consult": reflect.TypeFor[run.AnswerConsult](),
	"read_consult":   reflect.TypeFor[run.ReadForConsult](),
	"answer_replan":  reflect.TypeFor[run.AnswerReplan](),
}

// Spool is a directory of results.
type Spool struct {
	dir  string
	ring *seal.Ring
	log  *slog.Logger

	mu    sync.Mutex       // held while a file is written, which may take long
	sizes map[string]int64 // by file name
	bytes int64
	count atomic.Int64 // of sizes: /readyz and metrics do not wait for a disk
}

// Open returns the spool of a directory, which is created when something is kept. With keys its files are encrypted.
func Open(dir string, keys []seal.Key, log *slog.Logger) (*Spool, error) {
	ring, err := seal.NewRing(keys...)
	if err != nil {
		return nil, err
	}
	s := &Spool{dir: dir, ring: ring, log: log, sizes: map[string]int64{}}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("read the results held in %s: %w", dir, err)
	}
	for _, entry := range entries {
		if strings.Contains(entry.Name(), suffix+".") && strings.HasSuffix(entry.Name(), unfinished) {
			// The process ended while it wrote this file.
			if err := os.Remove(filepath.Join(dir, entry.Name())); err != nil {
				log.Warn("an unfinished file could not be removed", "file", entry.Name(), "dir", dir, "error", err)
			}
			continue
		}
		if info, err := entry.Info(); err == nil && strings.HasSuffix(entry.Name(), suffix) && info.Mode().IsRegular() {
			s.note(entry.Name(), max(info.Size(), 1))
		}
	}
	return s, nil
}

// note counts a file; 0: it is gone.
func (s *Spool) note(name string, size int64) {
	s.bytes += size - s.sizes[name]
	if s.sizes[name] = size; size == 0 {
		delete(s.sizes, name)
	}
	s.count.Store(int64(len(s.sizes)))
}

// head is the first line of a file. The rest is the result, encrypted if there is a key.
type head struct {
	Format  string        `json:"format"`
	Version int           `json:"version"`
	Sum     string        `json:"sum"` // SHA-256 of the rest
	Key     *seal.Wrapped `json:"key,omitempty"`
}

// content is a result.
type content struct {
	Kind   string          `json:"kind"`
	Report json.RawMessage `json:"report"`
}

// nameOf is the file of a key.
func nameOf(key run.Key) string {
	sum := sha256.Sum256([]byte(key.String()))
	return hex.EncodeToString(sum[:16]) + suffix
}

// placeOf binds an envelope to its file.
func placeOf(name string) seal.Place { return seal.Place{Table: "held results", ID: name} }

// Keep stores a result, in place of an earlier one under the same key. It is on disk when Keep returns. Reports that
// cost nothing to repeat are not kept.
func (s *Spool) Keep(report run.Operation) error {
	kind := kindOf(report)
	if kind == "" {
		return nil
	}
	key := keyOf(report)
	name := nameOf(key)
	b, err := s.encode(name, kind, report)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	old, known := s.sizes[name]
	if !known && len(s.sizes) >= FilesMax || s.bytes-old+int64(len(b)) > BytesMax {
		return ErrFull
	}
	err = s.write(name, b)
	if errors.Is(err, fs.ErrNotExist) {
		// Another process opened the directory and took the unfinished file for one of a process that ended.
		err = s.write(name, b)
	}
	return err
}

func kindOf(report run.Operation) string {
	for kind, t := range kinds {
		if reflect.TypeOf(report) == t {
			return kind
		}
	}
	return ""
}

// keyOf is the key of a report that is kept.
func keyOf(report run.Operation) run.Key {
	return reflect.ValueOf(report).FieldByName("Key").Interface().(run.Key)
}

func (s *Spool) encode(name, kind string, report run.Operation) ([]byte, error) {
	c := content{Kind: kind}
	var err error
	if c.Report, err = value.Marshal(report); err != nil {
		return nil, err
	}
	body, err := value.Marshal(c)
	if err != nil {
		return nil, err
	}
	h := head{Format: format, Version: version}
	if !s.ring.Empty() {
		wrapped := s.ring.New(time.Now())
		data, err := s.ring.Unwrap(wrapped)
		if err != nil {
			return nil, err
		}
		h.Key, body = &wrapped, data.Seal(body, placeOf(name))
	}
	h.Sum = sumOf(body)
	first, err := value.Marshal(h)
	if err != nil {
		return nil, err
	}
	return append(append(first, '\n'), body...), nil
}

func sumOf(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// write replaces a file atomically. Its name is in the directory, and counted, even if making that durable failed:
// otherwise Drop would leave it.
func (s *Spool) write(name string, b []byte) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return err
	}
	defer root.Close()                                 //nolint:errcheck // it was only read
	temporary := name + "." + rand.Text() + unfinished // another process may write the same result
	f, err := root.OpenFile(temporary, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = root.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, gone(root.Remove(temporary)))
	}
	s.note(name, int64(len(b)))
	return syncDir(s.dir)
}

// gone is the error of removing a file, if it is still there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Drop removes the result of a key, if it is kept. A file that cannot be removed is offered again at the next start,
// and refused then.
func (s *Spool) Drop(key run.Key) {
	name := nameOf(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, kept := s.sizes[name]; !kept {
		return
	}
	root, err := os.OpenRoot(s.dir)
	if err == nil {
		err = errors.Join(gone(root.Remove(name)), root.Close())
	}
	if gone(err) != nil {
		s.log.Warn("a held result is stored, but its file could not be removed", "file", name, "dir", s.dir, "error", err)
		return
	}
	s.note(name, 0)
}

// Count returns how many results are kept.
func (s *Spool) Count() int { return int(s.count.Load()) }

// Kept reads the results that were there when the spool was opened. Files that cannot be used are left, with a line in
// the log.
func (s *Spool) Kept() iter.Seq2[run.Key, run.Operation] {
	s.mu.Lock()
	var names []string
	for name := range s.sizes {
		names = append(names, name)
	}
	s.mu.Unlock()
	return func(yield func(run.Key, run.Operation) bool) {
		for _, name := range names {
			key, report, err := s.read(name)
			switch {
			case errors.Is(err, fs.ErrNotExist): // another process was faster
			case err != nil:
				s.log.Error("a held result cannot be used; it is left where it is", "file", name, "dir", s.dir, "error", err)
			case !yield(key, report):
				return
			}
		}
	}
}

func (s *Spool) read(name string) (key run.Key, report run.Operation, err error) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return key, nil, err
	}
	defer root.Close() //nolint:errcheck // it was only read
	info, err := root.Lstat(name)
	if err != nil {
		return key, nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > BytesMax {
		return key, nil, fmt.Errorf("it is not a file of at most %d bytes", BytesMax)
	}
	f, err := root.Open(name)
	if err != nil {
		return key, nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := io.ReadAll(io.LimitReader(f, BytesMax))
	if err != nil {
		return key, nil, err
	}
	return Decode(name, b, s.ring)
}

// Decode reads the content of a file of a given name.
func Decode(name string, b []byte, ring *seal.Ring) (key run.Key, report run.Operation, err error) {
	first, body, _ := bytes.Cut(b, []byte("\n"))
	var h head
	if len(first) > headMax || json.Unmarshal(first, &h) != nil || h.Format != format {
		return key, nil, errors.New("it is not a result of Assent")
	}
	if h.Version != version {
		return key, nil, fmt.Errorf("it has version %d of the format, and this release reads version %d", h.Version, version)
	}
	if sumOf(body) != h.Sum {
		return key, nil, errors.New("it is damaged")
	}
	if h.Key != nil {
		data, err := ring.Unwrap(*h.Key)
		if err != nil {
			return key, nil, err
		}
		if body, err = data.Open(body, placeOf(name)); err != nil {
			return key, nil, err
		}
	}
	var c content
	if err := json.Unmarshal(body, &c); err != nil {
		return key, nil, fmt.Errorf("its content is not valid: %w", err)
	}
	t, ok := kinds[c.Kind]
	if !ok {
		return key, nil, fmt.Errorf("results of kind %.40q are not known", c.Kind)
	}
	v := reflect.New(t)
	if err := json.Unmarshal(c.Report, v.Interface()); err != nil {
		return key, nil, fmt.Errorf("its content is not valid: %w", err)
	}
	report = v.Elem().Interface().(run.Operation)
	if key = keyOf(report); nameOf(key) != name {
		return run.Key{}, nil, errors.New("it belongs under another name")
	}
	return key, report, nil
}
