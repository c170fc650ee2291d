package sqlite

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/storekit"
)

// A store that can no longer write large values is not ready, whatever becomes of small ones.
func TestFilesThatCannotBeWrittenAreReported(t *testing.T) {
	dir := t.TempDir()
	s, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the test is over
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	seq := int64(0)
	write := func(size int) error {
		input, _ := json.Marshal(strings.Repeat("x", size))
		_, err := s.Append(t.Context(), port.Write{Run: "run_1", After: seq,
			Row: port.RunRow{ID: "run_1", Workflow: "w", Status: run.Running, Seq: seq + 1, StartedAt: at, UpdatedAt: at},
			Events: []run.Event{{Run: "run_1", Seq: seq + 1, At: at, Actor: run.Actor{Kind: run.System},
				Fact: &run.RunStarted{Workflow: "w", Version: 1, Definition: "sha256:d", Input: input}}}})
		if err == nil {
			seq++
		}
		return err
	}
	put := func(size int) error {
		_, _, err := s.PutBlob(t.Context(), strings.NewReader(strings.Repeat("x", size)), 1<<30)
		return err
	}
	for name, large := range map[string]func(int) error{"an event": write, "a blob": put} {
		t.Run(name, func(t *testing.T) {
			tmp := filepath.Join(dir, tmpName)
			if err := errors.Join(s.Ready(t.Context()), os.RemoveAll(tmp), os.WriteFile(tmp, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			if err := large(2 * storekit.InlineMax); !errors.Is(err, port.ErrUnavailable) {
				t.Fatalf("it was stored: %v", err)
			}
			if err := write(1); err != nil {
				t.Error(err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, port.ErrUnavailable) {
				t.Errorf("the store is ready: %v", err)
			}
			if err := errors.Join(os.Remove(tmp), os.Mkdir(tmp, 0o700), large(2*storekit.InlineMax),
				s.Ready(t.Context())); err != nil {
				t.Error(err)
			}
		})
	}
}
