package sqlite

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
)

// TestSpoiledCommit: a job that fails in the midst of a group takes nobody with
// it, and leaves nothing.
func TestSpoiledCommit(t *testing.T) {
	s, err := Open(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // only a test
	spoiled := errors.New("spoiled")
	// The first job keeps the writer busy until all the others wait.
	hold, held := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		_ = s.writer.queue.Do(context.Background(), &job{do: func(*tx) error { close(held); <-hold; return nil }}) // holds only
	})
	<-held
	errs := make([]error, 30)
	for i := range errs {
		wg.Go(func() {
			errs[i] = s.writer.queue.Do(context.Background(), &job{do: func(t *tx) error {
				if i%10 == 1 {
					return fault.Newf(fault.Conflict, "refused")
				}
				if err := t.exec(sqlPutBundle, fmt.Sprint(i), []byte("{}")); err != nil {
					return err
				}
				if i%10 == 2 {
					return spoiled
				}
				return nil
			}})
		})
	}
	close(hold)
	wg.Wait()
	for i, err := range errs {
		_, found := s.Bundle(t.Context(), fmt.Sprint(i))
		switch i % 10 {
		case 1:
			if !fault.Is(err, fault.Conflict) || found == nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		case 2:
			if !errors.Is(err, spoiled) || found == nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		default:
			if err != nil || found != nil {
				t.Errorf("job %d: %v, %v", i, err, found)
			}
		}
	}
}
