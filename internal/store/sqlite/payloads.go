package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/store/aggregate"
	"github.com/assent-run/assent/internal/store/storekit"
)

// RemovePayloads implements port.Payloads. Files are deleted when nothing refers to them any longer; they are
// recorded first, so that a process that is killed in between leaves none behind. Replaced data is
// overwritten, in the write-ahead log as well.
func (s *Store) RemovePayloads(ctx context.Context, run string) error {
	if err := s.notCopying(ctx); err != nil {
		return err
	}
	defer s.copying.Unlock()
	s.filing.Lock()
	defer s.filing.Unlock()
	var bodies, blobs []string
	err := database{s}.WriteAlone(ctx, func(tx aggregate.Tx) (err error) {
		blobs = nil // it may run again
		bodies, err = s.vault.RemovePayloads(tx, run, storekit.RunFiles{
			BatchFile: "file", Read: s.bodies.get,
			SnapshotFiles: func(tx storekit.RewriteTx, run string) ([]string, error) { return fileNames(tx, run) },
			DropBlobs: func(tx storekit.RewriteTx, ids []string) error {
				for _, id := range ids {
					name, _ := storekit.BlobHex(id)
					blobs = append(blobs, name)
					if err := tx.Exec(sqlDropBlob, id); err != nil {
						return err
					}
				}
				return nil
			},
		})
		return err
	})
	if err != nil {
		return aggregate.AboutRemoval(explain(err))
	}
	for _, name := range blobs {
		s.blobs.remove(name) // a blob in a row has none
	}
	for _, name := range bodies {
		if err := os.Remove(s.bodies.of(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return aggregate.AboutRemoval(explain(err))
		}
	}
	if len(bodies) > 0 {
		err = database{s}.WriteAlone(ctx, func(tx aggregate.Tx) error { return storekit.FilesRemoved(tx, run) })
	}
	if err == nil {
		_, err = s.read.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	}
	return aggregate.AboutRemoval(explain(err))
}

// notCopying waits for its turn: most holders are quick, a backup may take long.
func (s *Store) notCopying(ctx context.Context) error {
	for end := time.Now().Add(copyingWait); ; {
		if s.copying.TryLock() {
			return nil
		}
		if time.Now().After(end) {
			return fault.New(fault.Conflict, "a backup is in progress, which would contain the data to be deleted",
				"try again when it is done")
		}
		select {
		case <-time.After(copyingWait / 200):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// copyingWait is the maximum wait for a backup.
const copyingWait = 10 * time.Second

// fileNames are the files with snapshots of a run.
func fileNames(tx storekit.RewriteTx, run string) (out []string, err error) {
	err = tx.Query(`SELECT file FROM snapshots WHERE run = ? AND file IS NOT NULL`, []any{run},
		func(row storekit.Row) error {
			var name string
			err := row.Scan(&name)
			out = append(out, name)
			return err
		})
	return out, err
}
