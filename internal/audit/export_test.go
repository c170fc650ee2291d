package audit

import (
	"bufio"
	"bytes"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/port"
)

const logSize = 200

func TestExportVerifies(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, logSize)
	r := verified(t, file, Expected{})
	if !r.OK || r.Entries != logSize || r.FirstBad != nil || r.Removed != 0 || r.Pinned {
		t.Fatalf("%+v", r)
	}
	keys, err := s.Keys(t.Context())
	must(t, err)
	if len(keys) != 1 || keys[0].Public != r.Public || !keys[0].InUse || !strings.HasPrefix(r.Public, "ed25519:") {
		t.Fatalf("%+v", keys)
	}
	if r := verified(t, file, Expected{Public: keys[0].Public, Head: r.Head}); !r.OK || !r.Pinned {
		t.Errorf("with what a person kept: %+v", r)
	}
}

// TestEveryFlip changes each byte of an export, one at a time. A line is read from the state after the
// previous lines, which keeps the test fast; some flips are tried on the whole file as well.
func TestEveryFlip(t *testing.T) {
	t.Parallel()
	s, store := open(t)
	file := exported(t, s, store, logSize)
	lines := bytes.SplitAfter(file, []byte("\n"))
	lines = lines[:len(lines)-1]
	state := exportReader{chain: NewChain(0, "")}
	flips, at := 0, 0
	for n, text := range lines {
		rest := bytes.Join(lines[n+1:min(n+2, len(lines))], nil)
		for i := range text {
			for _, bit := range bitsFor(text[i]) {
				changed := bytes.Clone(text)
				changed[i] ^= bit
				v := state
				v.chain, v.hashes = NewChain(state.chain.N, state.chain.Hash), bytesOf(state.hashes)
				v.in = bufio.NewReader(bytes.NewReader(append(changed, rest...)))
				err := v.read()
				b, ok := asBad(err)
				if !ok || b.N > int64(n)+2 {
					t.Fatalf("byte %d of line %d with %#x: %v", i, n+1, bit, err)
				}
				if flips++; flips%4999 == 0 {
					whole := bytes.Clone(file)
					whole[at+i] ^= bit
					if r := verified(t, whole, Expected{}); r.OK || firstBad(r) < int64(n)+1 || firstBad(r) > int64(n)+2 {
						t.Fatalf("byte %d of the file with %#x: %+v", at+i, bit, r)
					}
				}
			}
		}
		at += len(text)
		if n < len(lines)-1 {
			must(t, state.readEntry(text[:len(text)-1]))
		}
	}
	if flips < len(file) {
		t.Fatalf("%d flips of %d bytes", flips, len(file))
	}
}

// bitsFor are the changes tried on a byte: a different one, and for letters the other case, which careless
// readers treat as equal.
func bitsFor(c byte) []byte {
	if 'a' <= c|0x20 && c|0x20 <= 'z' {
		return []byte{0x01, 0x20}
	}
	return []byte{0x01}
}

func bytesOf(hashes []string) []string { return append([]string{}, hashes...) }

func TestEveryRemovalSwapAndDuplicate(t *testing.T) {
	t.Parallel()
	s, store := open(t)
	file := exported(t, s, store, logSize)
	lines := bytes.SplitAfter(file, []byte("\n"))
	lines = lines[:len(lines)-1]
	try := func(what string, n int, changed [][]byte, bad int) {
		t.Helper()
		r := verified(t, bytes.Join(changed, nil), Expected{})
		if r.OK || firstBad(r) != int64(bad) {
			t.Fatalf("%s of line %d: %+v, want entry %d", what, n+1, r, bad)
		}
	}
	for n := range lines {
		without := append(append([][]byte{}, lines[:n]...), lines[n+1:]...)
		try("removal", n, without, n+1)
		twice := append(append(append([][]byte{}, lines[:n+1]...), lines[n]), lines[n+1:]...)
		bad := n + 2
		if n == len(lines)-1 {
			bad = n + 1 // something after the end
		}
		try("duplicate", n, twice, bad)
		if n+1 < len(lines) {
			swapped := append([][]byte{}, lines...)
			swapped[n], swapped[n+1] = swapped[n+1], swapped[n]
			try("swap", n, swapped, n+1)
		}
		try("cut", n, lines[:n], n+1)
		middle := append(append([][]byte{}, lines[:n]...), lines[n][:len(lines[n])/2])
		try("cut in the middle", n, middle, n+1)
	}
}

func TestCutAtAnOlderHead(t *testing.T) {
	s, store := open(t)
	old := exported(t, s, store, 50)
	kept := verified(t, exported(t, s, store, 100), Expected{}).Head
	if r := verified(t, old, Expected{}); !r.OK {
		t.Fatalf("an older export is good by itself: %+v", r)
	}
	if r := verified(t, old, Expected{Head: kept}); r.OK || firstBad(r) != 51 {
		t.Fatalf("a kept head notices what is missing: %+v", r)
	}
	wrong := strings.Split(kept, ":")[0] + ":" + strings.Repeat("ab", 32)
	if r := verified(t, exported(t, s, store, 2), Expected{Head: wrong}); r.OK {
		t.Fatal("another log under the same number was taken for ours")
	}
	for _, text := range []string{"7", "x:" + strings.Repeat("ab", 32), "0:" + strings.Repeat("ab", 32), "7:abc"} {
		if _, err := VerifyExport(bytes.NewReader(old), Expected{Head: text}); err == nil {
			t.Errorf("%q was taken for a head", text)
		}
	}
}

func TestAnotherKey(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 10)
	other, _ := open(t)
	_, err := other.Cut(t.Context())
	must(t, err)
	keys, err := other.Keys(t.Context())
	must(t, err)
	if r := verified(t, file, Expected{Public: keys[0].Public}); r.OK || !strings.Contains(r.Why, "expected ") {
		t.Fatalf("%+v", r)
	}
}

// TestRemovedValues: values can be deleted without breaking the chain.
func TestRemovedValues(t *testing.T) {
	s, store := open(t)
	file := exported(t, s, store, 5)
	at := bytes.Index(file, []byte(`,"open":`))
	end := at + bytes.IndexByte(file[at:], '\n') - 1
	without := append(bytes.Clone(file[:at]), file[end:]...)
	r := verified(t, without, Expected{})
	if !r.OK || r.Entries != 5 {
		t.Fatalf("%+v", r)
	}
	forged := bytes.Replace(file, []byte("fine"), []byte("nope"), 1)
	if r := verified(t, forged, Expected{}); r.OK || firstBad(r) != 1 {
		t.Fatalf("%+v", r)
	}
}

func FuzzVerifyExport(f *testing.F) {
	f.Add([]byte(`{"end":{}}` + "\n"))
	f.Add([]byte(`{"action":"x"}` + "\n\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		if r, err := VerifyExport(bytes.NewReader(file), Expected{}); err == nil && r.OK {
			t.Fatal("it is not ours")
		}
		if r, err := VerifyProof(file, Expected{}); err == nil && r.OK {
			t.Fatal("it is not ours")
		}
		_, _, _ = Redact(file, Redaction{Paths: []string{"/a"}})
		_, _ = port.ReadAuditBody(file)
	})
}
