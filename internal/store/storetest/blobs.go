package storetest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/storetest/fixture"
)

// content is n bytes without repetition.
func content(n int, seed byte) []byte {
	b := make([]byte, n)
	x := uint32(seed) + 1
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

func blobs(t *testing.T, s store.Store) {
	ctx := t.Context()
	for i, size := range []int{0, 1, 1000, 1 << 20, 1<<20 + 1, 5<<20 + 17} {
		want := content(size, byte(i))
		sum := sha256.Sum256(want)
		var id string
		for range 2 { // storing it again is fine
			var n int64
			var err error
			id, n, err = s.PutBlob(ctx, iotest.HalfReader(bytes.NewReader(want)), 32<<20)
			fixture.Must(t, err)
			if n != int64(size) || id != "sha256:"+hex.EncodeToString(sum[:]) {
				t.Fatalf("%d bytes became %s with %d", size, id, n)
			}
		}
		r, n, err := s.OpenBlob(ctx, id)
		fixture.Must(t, err)
		if n != int64(size) {
			t.Errorf("its size is %d, want %d", n, size)
		}
		if size <= 1000 {
			fixture.Must(t, iotest.TestReader(r, want))
		}
		readParts(t, r, want)
		fixture.Must(t, r.Close())
	}
	_, _, err := s.OpenBlob(ctx, "sha256:0000000000000000000000000000000000000000000000000000000000000000")
	fixture.WantCode(t, err, fault.NotFound)
	for _, id := range []string{"", "x", "../../etc/passwd", "sha256:../../../../../../etc/passwd", "sha256:\x00"} {
		_, _, err := s.OpenBlob(ctx, id)
		fixture.WantCode(t, err, fault.NotFound)
	}
	var wg sync.WaitGroup
	for range 10 { // the same content concurrently
		wg.Go(func() {
			if _, _, err := s.PutBlob(context.Background(), bytes.NewReader(content(2<<20, 99)), 32<<20); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func readParts(t *testing.T, r io.ReadSeekCloser, want []byte) {
	t.Helper()
	for _, at := range []int{len(want) / 2, 0, max(0, len(want)-5)} {
		_, err := r.Seek(int64(at), io.SeekStart)
		fixture.Must(t, err)
		got, err := io.ReadAll(r)
		fixture.Must(t, err)
		if !bytes.Equal(got, want[at:]) {
			t.Fatalf("from %d: got %d bytes, want %d, or others", at, len(got), len(want)-at)
		}
	}
	if end, err := r.Seek(-1, io.SeekEnd); len(want) > 0 && (err != nil || end != int64(len(want))-1) {
		t.Errorf("seek to the last byte: %d, %v", end, err)
	}
}

// blobFailures: a blob that is too large or breaks off is not stored.
func blobFailures(t *testing.T, s store.Store) {
	id := func(b []byte) string {
		sum := sha256.Sum256(b)
		return "sha256:" + hex.EncodeToString(sum[:])
	}
	for _, size := range []int{1001, 3 << 20} {
		b := content(size, 1)
		_, _, err := s.PutBlob(t.Context(), bytes.NewReader(b), int64(size)-1)
		fixture.WantCode(t, err, fault.TooLarge)
		_, _, err = s.OpenBlob(t.Context(), id(b))
		fixture.WantCode(t, err, fault.NotFound)
		if _, _, err := s.PutBlob(t.Context(), bytes.NewReader(b), int64(size)); err != nil {
			t.Errorf("%d bytes of %d: %v", size, size, err)
		}
	}
	broken := errors.New("the line broke")
	for _, size := range []int{100, 3 << 20} {
		b := content(size, 2)
		_, _, err := s.PutBlob(t.Context(), io.MultiReader(bytes.NewReader(b), iotest.ErrReader(broken)), 32<<20)
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		_, _, err = s.OpenBlob(t.Context(), id(b))
		fixture.WantCode(t, err, fault.NotFound)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := s.PutBlob(ctx, bytes.NewReader(content(3<<20, 3)), 32<<20); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
