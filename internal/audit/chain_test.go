package audit

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// chained are n entries as a store keeps them.
func chained(t *testing.T, n int) []port.AuditRow {
	t.Helper()
	_, store := open(t)
	for i := range n {
		_, err := store.AppendAudit(t.Context(), draft(i))
		must(t, err)
	}
	rows, err := store.AuditRows(t.Context(), 0, n)
	must(t, err)
	return rows
}

// TestChainNamesTheFirstBadEntry: each link is checked separately, so that no check masks another.
func TestChainNamesTheFirstBadEntry(t *testing.T) {
	rehash := func(r *port.AuditRow, from, to string) {
		r.Body = []byte(strings.Replace(string(r.Body), from, to, 1))
		r.Hash = port.AuditHash(prevOf(*r), r.Body)
	}
	rows := chained(t, 3)
	for what, c := range map[string]struct {
		edit func(r *port.AuditRow)
		why  string
	}{
		"nothing": {func(*port.AuditRow) {}, ""},
		"the text": {func(r *port.AuditRow) { r.Body = []byte(strings.Replace(string(r.Body), "ann", "eve", 1)) },
			"hash does not match"},
		"the hash":          {func(r *port.AuditRow) { r.Hash = rows[0].Hash }, "hash does not match"},
		"its number":        {func(r *port.AuditRow) { rehash(r, `"n":2`, `"n":7`) }, "found entry 7 instead"},
		"what it follows":   {func(r *port.AuditRow) { rehash(r, rows[0].Hash, rows[1].Hash) }, "does not continue"},
		"not an entry":      {func(r *port.AuditRow) { r.Body = []byte("{}") }, ""},
		"the column n":      {func(r *port.AuditRow) { r.N = 9 }, "index columns"},
		"the column at":     {func(r *port.AuditRow) { r.At = r.At.Add(1) }, "index columns"},
		"the column actor":  {func(r *port.AuditRow) { r.Actor = "eve" }, "index columns"},
		"the column action": {func(r *port.AuditRow) { r.Action = "x" }, "index columns"},
		"the column target": {func(r *port.AuditRow) { r.Target = "x" }, "index columns"},
		"the column run":    {func(r *port.AuditRow) { r.Run = "x" }, "index columns"},
		"the outcome":       {func(r *port.AuditRow) { r.Outcome = "refused" }, "index columns"},
		"an opened value":   {func(r *port.AuditRow) { r.Open = []byte(`{"comment":{"salt":"00","value":"no"}}`) }, ""},
	} {
		chain := NewChain(0, "")
		if _, _, err := chain.addRow(rows[0]); err != nil {
			t.Fatal(err)
		}
		row := rows[1]
		c.edit(&row)
		_, _, err := chain.addRow(row)
		b, isBad := asBad(err)
		if what == "nothing" {
			if err != nil || chain.N != 2 || chain.Hash != rows[1].Hash {
				t.Errorf("%v", err)
			}
			continue
		}
		if !isBad || b.N != 2 || !strings.Contains(b.Why, c.why) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

func TestBoundEventsAreReadStrictly(t *testing.T) {
	for detail, good := range map[string]bool{
		`{"after":0,"through":1}`: true, fmt.Sprintf(`{"after":5,"through":%d}`, 5+eventsMax): true,
		fmt.Sprintf(`{"after":5,"through":%d}`, 6+eventsMax): false, `{"after":1,"through":1}`: false,
		`{"after":2,"through":1}`:  false,
		`{"after":-1,"through":1}`: false, `[]`: false, `{"after":"0","through":1}`: false, `{}`: false,
	} {
		b, err := readBound(port.AuditEntry{N: 7, Detail: json.RawMessage(detail)})
		if bad, isBad := asBad(err); isBad == good || isBad && bad.N != 7 || good && b.Through <= b.After {
			t.Errorf("%s: %+v, %v", detail, b, err)
		}
	}
}

// TestTip: between two heads the anchor follows the log, a bounded distance at a time, and detects rewritten
// entries in between.
func TestTip(t *testing.T) {
	h := newHouse(t)
	s := h.start()
	tip := func() *Tip {
		t.Helper()
		a, err := s.Anchor.Load()
		must(t, err)
		return a.Tip
	}
	grow := func(n int) {
		t.Helper()
		for i := range n {
			_, err := h.store.AppendAudit(t.Context(), draft(i))
			must(t, err)
		}
	}
	grow(3)
	must(t, s.noteTip(t.Context()))
	if _, err := s.Anchor.Load(); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("a tip before the first head: %v", err)
	}
	head, err := s.Cut(t.Context())
	must(t, err)
	must(t, s.noteTip(t.Context()))
	if at := tip(); at != nil {
		t.Errorf("nothing is behind the head, and the tip is %+v", at)
	}
	grow(4)
	must(t, s.noteTip(t.Context()))
	end, hash, err := h.store.AuditEnd(t.Context())
	must(t, err)
	if at := tip(); at == nil || at.N != end || at.Hash != hash || at.N <= head.N {
		t.Fatalf("the tip is %+v, and the log ends at %d:%s", at, end, hash)
	}
	// A restarted server compares the log with it, whether it grew or not.
	for _, more := range []int{0, 2} {
		h.edit(fmt.Sprintf(`DELETE FROM audit WHERE n = %d`, end))
		s = h.start()
		grow(1 + more)
		err := s.noteTip(t.Context())
		if b, isBad := asBad(err); !isBad || b.N != end {
			t.Errorf("rewritten, and %d more: %v", more, err)
		}
		if at := tip(); at.N != end || at.Hash != hash {
			t.Errorf("the tip became %+v", at)
		}
	}
}

func TestKeysOfOtherKinds(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	der, err := x509.MarshalPKCS8PrivateKey(other)
	must(t, err)
	good, err := newKeyPEM()
	must(t, err)
	for what, text := range map[string]string{
		"another kind": string(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})), "no PEM": "x", "nothing": "",
		"a public key": strings.ReplaceAll(string(good), pemType, "PUBLIC KEY"),
		"cut":          string(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der[:20]})),
	} {
		if k, err := ParseKey(text); err == nil || k != nil || strings.Contains(err.Error(), "BEGIN") {
			t.Errorf("%s: %v", what, err)
		}
	}
	k, err := ParseKey(string(good))
	must(t, err)
	h := port.AuditHead{N: 2, From: 1, Hash: "x", Root: "y", At: time.Unix(1, 0).UTC()}
	must(t, k.sign(&h))
	public, id, err := ParsePublic(k.Public)
	must(t, err)
	if id != k.ID || checkSignature(h, public) != nil {
		t.Errorf("%s, %v", id, checkSignature(h, public))
	}
	for what, edit := range map[string]func(*port.AuditHead){
		"n": func(h *port.AuditHead) { h.N++ }, "from": func(h *port.AuditHead) { h.From-- },
		"hash": func(h *port.AuditHead) { h.Hash += "x" },
		"root": func(h *port.AuditHead) { h.Root += "x" }, "at": func(h *port.AuditHead) { h.At = h.At.Add(1) },
		"key": func(h *port.AuditHead) { h.Key = "x" },
		"sig": func(h *port.AuditHead) { h.Sig = "x" }, "no sig": func(h *port.AuditHead) { h.Sig = "" },
	} {
		edited := h
		edit(&edited)
		if checkSignature(edited, public) == nil {
			t.Errorf("%s is not signed", what)
		}
	}
}

func TestWhatIsTakenOut(t *testing.T) {
	for _, c := range []struct {
		containing []string
		value      string
		want       bool
	}{
		{[]string{"carla"}, `"dear carla"`, true}, {[]string{"carla"}, `"dear ann"`, false},
		{[]string{"x", "carla"}, `"carla"`, true},
		{[]string{""}, `"carla"`, false}, {nil, `"carla"`, false}, {[]string{"45"}, `3456`, true},
		{[]string{"true"}, `true`, true},
		{[]string{"é"}, `"caf\u00e9"`, true}, {[]string{`u00e9`}, `"caf\u00e9"`, false},
	} {
		r := Redaction{Containing: c.containing}
		if got := r.wants(nil, 1, "/x", json.RawMessage(c.value)); got != c.want {
			t.Errorf("%q in %s: %v", c.containing, c.value, got)
		}
	}
	w := walker{salts: map[string]string{}}
	digest := "sha256:" + strings.Repeat("ab", 32)
	for v, want := range map[string]bool{
		`{"$removed":"` + digest + `"}`: true, `{"$removed":"` + digest + `","x":1}`: false,
		`{"$removed":"` + strings.ToUpper(digest) + `"}`: false,
		`{"$removed":"sha256:ab"}`:                       false, `{"$removed":1}`: false,
		`{"removed":"` + digest + `"}`: false, `"` + digest + `"`: false, `{}`: false,
	} {
		if got, is := w.removed("/a", json.RawMessage(v)); is != want || is && got != digest {
			t.Errorf("%s: %q, %v", v, got, is)
		}
	}
	w.salts["/a/$removed"] = "00"
	if _, is := w.removed("/a", json.RawMessage(`{"$removed":"`+digest+`"}`)); is {
		t.Error("a document that looks like a removed value is one")
	}
	deep := strings.Repeat("[", depthMax+2) + strings.Repeat("]", depthMax+2)
	if err := salt("", json.RawMessage(deep), map[string]string{}, 0); err == nil {
		t.Error("a document without end is salted")
	}
}

// TestClimb: an inclusion proof leads to the root for its own leaf only, and only if it is complete.
func TestClimb(t *testing.T) {
	for n := 1; n <= 9; n++ {
		var all [][]byte
		for i := range n {
			leaf, err := leafHash(fmt.Sprintf("%064x", i))
			must(t, err)
			all = append(all, leaf)
		}
		top := root(all)
		for i := range n {
			way := path(all, i)
			if got, err := climb(all[i], i, n, way); err != nil || !bytes.Equal(got, top) {
				t.Errorf("leaf %d of %d: %x, %v", i, n, got, err)
			}
			if _, err := climb(all[i], i, n, append(slices.Clone(way), top)); err == nil {
				t.Errorf("leaf %d of %d: a longer way leads somewhere", i, n)
			}
			if len(way) > 0 {
				if _, err := climb(all[i], i, n, way[1:]); err == nil {
					t.Errorf("leaf %d of %d: a shorter way leads somewhere", i, n)
				}
				if got, err := climb(top, i, n, way); err == nil && bytes.Equal(got, top) {
					t.Errorf("leaf %d of %d: another leaf leads to the root", i, n)
				}
			}
		}
	}
	members, err := sortedMembers(json.RawMessage(`{"b":1,"a":2,"c":3}`))
	if err != nil || len(members) != 3 || members[0].Key != "a" || members[2].Key != "c" {
		t.Errorf("%+v, %v", members, err)
	}
}
