package audit

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

func verifiedConsistency(t testing.TB, file []byte, x Expected) Result {
	t.Helper()
	r, err := VerifyConsistency(file, x)
	must(t, err)
	return r
}

// headed is a log with five heads and two keys.
func headed(t *testing.T) (*Service, []port.AuditHead) {
	h := newHouse(t)
	s := h.start()
	s.Rotation = RotationIn(h.dir)
	for i := range 4 {
		h.grow(s, 1+3*i)
		if i == 1 {
			_, err := s.Rotate(t.Context(), ann)
			must(t, err)
		}
	}
	heads, err := h.store.AuditHeads(t.Context(), 0, 100)
	must(t, err)
	if len(heads) != 5 {
		t.Fatalf("%d heads", len(heads))
	}
	return s, heads
}

func followed(t *testing.T, s *Service, from, to int64) []byte {
	t.Helper()
	var out bytes.Buffer
	must(t, s.Follow(t.Context(), from, to, &out))
	return out.Bytes()
}

// Any head is proved to follow any earlier one, with either key.
func TestConsistency(t *testing.T) {
	s, heads := headed(t)
	keys, err := s.Keys(t.Context())
	must(t, err)
	for i, from := range heads {
		for _, to := range heads[i:] {
			file := followed(t, s, from.N, to.N)
			if !IsConsistency(file) {
				t.Fatalf("%.50s", file)
			}
			for _, k := range keys {
				r := verifiedConsistency(t, file, Expected{Public: k.Public, Head: FormatHead(from.N, from.Hash)})
				if !r.OK || r.Entries != to.N-from.N || r.Head != FormatHead(to.N, to.Hash) ||
					r.From != FormatHead(from.N, from.Hash) {
					t.Fatalf("%d to %d: %+v", from.N, to.N, r)
				}
			}
		}
	}
	newest := followed(t, s, heads[0].N, 0)
	if r, err := VerifyConsistency(append(bytes.Clone(newest), '\n'), Expected{}); err == nil && r.OK {
		t.Error("it is taken although it is written in another way")
	}
	if r := verifiedConsistency(t, newest, Expected{}); r.Head != FormatHead(heads[4].N, heads[4].Hash) {
		t.Errorf("%+v", r)
	}
	// A kept head that differs from the proved one; one that does not exist.
	for _, kept := range []string{FormatHead(heads[1].N, heads[0].Hash), FormatHead(heads[4].N+1, heads[0].Hash)} {
		if r := verifiedConsistency(t, newest, Expected{Head: kept}); r.OK {
			t.Errorf("%s was kept: %+v", kept, r)
		}
	}
	stranger := testKey(t, 9).Public
	if r := verifiedConsistency(t, newest, Expected{Public: stranger}); r.OK {
		t.Error("a key that nobody expected was good enough")
	}
	for _, c := range [][2]int64{{heads[0].N + 1, 0}, {heads[0].N, heads[4].N - 1}, {heads[1].N, heads[0].N}, {1000, 0},
		{heads[0].N, 1000}} {
		if err := s.Follow(t.Context(), c[0], c[1], &bytes.Buffer{}); !fault.Is(err, fault.NotFound) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

// A log that diverges cannot be proved to follow.
func TestForgedConsistency(t *testing.T) {
	s, heads := headed(t)
	file := followed(t, s, heads[0].N, 0)
	other, others := headed(t)
	foreign := followed(t, other, others[0].N, 0)
	read := func(b []byte) (c consistency) {
		must(t, json.Unmarshal(b, &c))
		return c
	}
	for name, forge := range map[string]func(c *consistency){
		"a head left out": func(c *consistency) { c.Then = append(c.Then[:1:1], c.Then[2:]...) },
		"heads exchanged": func(c *consistency) { c.Then[0], c.Then[1] = c.Then[1], c.Then[0] },
		"another log's continuation": func(c *consistency) {
			x := read(foreign)
			c.Then, c.Keys = x.Then, append(c.Keys, x.Keys...)
		},
		"another first entry": func(c *consistency) { c.Then[0].First = c.Then[1].First },
		"another way up":      func(c *consistency) { c.Then[2].Path = c.Then[2].Last },
		"another way from the end": func(c *consistency) {
			c.Then[2].Last = c.Then[2].Path
		},
		"another signature": func(c *consistency) { c.Then[0].Head.Sig = c.Then[1].Head.Sig },
		"another end":       func(c *consistency) { c.Then[3].Head.Hash = c.Then[2].Head.Hash },
		"no keys":           func(c *consistency) { c.Keys = nil },
	} {
		c := read(file)
		forge(&c)
		raw, err := value.Marshal(c)
		must(t, err)
		if r := verifiedConsistency(t, append(raw, '\n'), Expected{}); r.OK {
			t.Errorf("%s passes", name)
		}
	}
	keys, err := s.Keys(t.Context())
	must(t, err)
	pinned := Expected{Public: keys[0].Public} // invalid links lead nowhere
	for i := 0; i < len(file); i += 7 {
		changed := bytes.Clone(file)
		changed[i] ^= 1
		if r, err := VerifyConsistency(changed, pinned); err == nil && r.OK {
			t.Fatalf("byte %d passes", i)
		}
	}
}
