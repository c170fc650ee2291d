package phrase_test

import (
	"testing"

	"github.com/assent-run/assent/internal/core/phrase"
)

func TestBytes(t *testing.T) {
	for n, want := range map[int]string{
		0: "0 bytes", 512: "512 bytes", 1 << 10: "1 KiB", 48 << 10: "48 KiB", 48<<10 + 1: "49,153 bytes",
		1 << 20: "1 MiB", 1<<20 + 1<<10: "1025 KiB", 256 << 20: "256 MiB",
	} {
		if got := phrase.Bytes(n); got != want {
			t.Errorf("%d: %s, not %s", n, got, want)
		}
	}
}
