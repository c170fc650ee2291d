package audit

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

func proved(t testing.TB) (file []byte, public string) {
	t.Helper()
	s, store := open(t)
	_, err := store.AppendAudit(t.Context(), draft(1), draft(2))
	must(t, err)
	aRun(t, store, "run_1")
	_, err = s.Cut(t.Context()) // the entries are under an earlier head than the last one
	must(t, err)
	_, err = store.AppendAudit(t.Context(), draft(3))
	must(t, err)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_1", ann, &out))
	keys, err := s.Keys(t.Context())
	must(t, err)
	return out.Bytes(), keys[0].Public
}

func verifiedProof(t testing.TB, file []byte, x Expected) Result {
	t.Helper()
	r, err := VerifyProof(file, x)
	must(t, err)
	return r
}

func TestProofVerifiesAlone(t *testing.T) {
	file, public := proved(t)
	if !IsProof(file) {
		t.Fatalf("%.60s", file)
	}
	r := verifiedProof(t, file, Expected{Public: public})
	if !r.OK || r.Run != "run_1" || r.Entries != 3 || r.Removed != 0 || !r.Pinned {
		t.Fatalf("%+v", r)
	}
	_, other := proved(t)
	if r := verifiedProof(t, file, Expected{Public: other}); r.OK {
		t.Fatal("a key that nobody expected was good enough")
	}
}

func TestProofEveryFlip(t *testing.T) {
	t.Parallel()
	file, _ := proved(t)
	for i := range file {
		for _, bit := range bitsFor(file[i]) {
			changed := bytes.Clone(file)
			changed[i] ^= bit
			if r, err := VerifyProof(changed, Expected{}); err == nil && r.OK {
				t.Fatalf("byte %d with %#x passes: …%s…", i, bit, file[max(0, i-40):min(len(file), i+20)])
			}
		}
	}
}

// change lets f forge a well-formed proof.
func change(t *testing.T, file []byte, f func(*proof)) []byte {
	t.Helper()
	p, err := readProof(file)
	must(t, err)
	f(p)
	out, err := value.Marshal(p)
	must(t, err)
	return append(out, '\n')
}

func TestForgedProofs(t *testing.T) {
	file, _ := proved(t)
	for name, f := range map[string]func(*proof){
		"an event less":       func(p *proof) { p.Events = p.Events[:3] },
		"events swapped":      func(p *proof) { p.Events[0], p.Events[1] = p.Events[1], p.Events[0] },
		"an entry less":       func(p *proof) { p.Entries = p.Entries[1:] },
		"the last entry less": func(p *proof) { p.Entries = p.Entries[:2] },
		"entries swapped":     func(p *proof) { p.Entries[0], p.Entries[1] = p.Entries[1], p.Entries[0] },
		"an entry twice":      func(p *proof) { p.Entries = append(p.Entries[:1:1], p.Entries...) },
		"another head":        func(p *proof) { p.Entries[0].Head = p.Heads[1].N },
		"no way up":           func(p *proof) { p.Entries[0].Path = nil },
		"no heads":            func(p *proof) { p.Heads = nil },
		"no keys":             func(p *proof) { p.Keys = nil },
		"no entries":          func(p *proof) { p.Entries = nil },
		"another run":         func(p *proof) { p.Run = "run_2" },
		"another value": func(p *proof) {
			p.Events[1].Data = bytes.Replace(p.Events[1].Data, []byte("carla"), []byte("clara"), 1)
		},
		"another actor": func(p *proof) { p.Events[3].Actor.Name = "bob" },
		"a salt less":   func(p *proof) { delete(p.Events[0].Salts, "/owner") },
		"a salt more":   func(p *proof) { p.Events[0].Salts["/x"] = "00" },
		"a value more": func(p *proof) {
			p.Events[0].Data, p.Events[0].Salts["/x"] = append(
				p.Events[0].Data[:len(p.Events[0].Data)-1:len(p.Events[0].Data)-1], `,"x":1}`...), "00"
		},
		"removed without reason": func(p *proof) {
			p.Events[0].Data = json.RawMessage(`{"$removed":"sha256:` + strings.Repeat("0", 64) + `"}`)
			p.Events[0].Salts = map[string]string{}
		},
	} {
		t.Run(name, func(t *testing.T) {
			if r := verifiedProof(t, change(t, file, f), Expected{}); r.OK {
				t.Fatal("it passes")
			}
		})
	}
}

// TestRemovedHidesNoStructure: one removed value must not represent several.
func TestRemovedHidesNoStructure(t *testing.T) {
	e := event{Seq: 1, Type: "x", Data: json.RawMessage(`{"a":1,"b":2}`), Salts: map[string]string{"/a": "00", "/b": "01"}}
	want, err := e.commitment()
	must(t, err)
	w := walker{salts: e.Salts}
	must(t, w.visit("", e.Data, 0))
	_, after, _ := strings.Cut(w.out.String(), "/a ")
	trick, err := value.Marshal(strings.TrimSuffix(after, "\n"))
	must(t, err)
	forged := event{Seq: 1, Type: "x",
		Data:  value.Object(value.Member{Key: "a", Value: value.Object(value.Member{Key: removedKey, Value: trick})}),
		Salts: map[string]string{}}
	if got, err := forged.commitment(); err == nil && got == want {
		t.Fatal("b was hidden in a")
	}
	for _, other := range []string{`["x"]`, `{"0":"x"}`} { // the same paths, another kind
		e.Data, e.Salts = json.RawMessage(other), map[string]string{"/0": "00"}
		got, err := e.commitment()
		must(t, err)
		if got == want {
			t.Fatal("it is the same digest")
		}
		want = got
	}
}

func TestRedaction(t *testing.T) {
	file, public := proved(t)
	red, n, err := Redact(file,
		Redaction{Paths: []string{"/input", "4:/decision/comment"}, Containing: []string{"carla@"}})
	must(t, err)
	if n != 4 { // amount, iban, comment, address
		t.Errorf("%d values were taken out", n)
	}
	for _, gone := range []string{"DE0212", "too much", "carla"} {
		if bytes.Contains(red, []byte(gone)) {
			t.Errorf("%q is still there", gone)
		}
	}
	r := verifiedProof(t, red, Expected{Public: public})
	if !r.OK || r.Removed < 4 {
		t.Fatalf("%+v", r)
	}
	// Nothing is left that helps to guess a short value.
	p, err := readProof(red)
	must(t, err)
	for _, e := range p.Entries {
		entry, err := port.ReadAuditBody(e.Entry)
		must(t, err)
		open, err := port.ReadOpen(e.Open, entry.Sealed)
		must(t, err)
		for _, name := range []string{"input", "comment", "original"} {
			if _, there := open[name]; there {
				t.Errorf("the salt of %s is still there", name)
			}
		}
	}
	if bytes.Contains(red, []byte("sha256:c\"")) {
		t.Error("a digest without a salt is still there")
	}
	again, _, err := Redact(red, Redaction{Paths: []string{"/decision"}})
	must(t, err)
	if r := verifiedProof(t, again, Expected{}); !r.OK {
		t.Fatalf("a second time: %+v", r)
	}
	forged := bytes.Replace(red, []byte(`"$removed":"sha256:`), []byte(`"$removed":"sha256:0`), 1)
	if r := verifiedProof(t, forged, Expected{}); r.OK {
		t.Fatal("another digest passes")
	}
}

func TestRedactionOfNothing(t *testing.T) {
	file, _ := proved(t)
	if _, _, err := Redact(file, Redaction{Paths: []string{"/nothing"}}); !fault.Is(err, fault.NotFound) {
		t.Error(err)
	}
	for _, path := range []string{"input", "x:/input", "0:/input", ""} {
		if _, _, err := Redact(file, Redaction{Paths: []string{path}}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: %v", path, err)
		}
	}
	if _, _, err := Redact([]byte("{}"), Redaction{}); err == nil {
		t.Error("something else was taken for a proof")
	}
}

func TestProofOfAnUnknownRun(t *testing.T) {
	s, _ := open(t)
	var out bytes.Buffer
	if err := s.Prove(t.Context(), "run_none", ann, &out); !fault.Is(err, fault.NotFound) || out.Len() > 0 {
		t.Fatalf("%v %s", err, out.String())
	}
}

func TestMerkle(t *testing.T) {
	hashes := make([]string, 70)
	for i := range hashes {
		hashes[i] = port.AuditHash("", []byte{byte(i)})
	}
	for n := 1; n <= len(hashes); n++ {
		l, err := leaves(hashes[:n])
		must(t, err)
		top := root(l)
		for i := range n {
			way := path(l, i)
			if got, err := climb(l[i], i, n, way); err != nil || !bytes.Equal(got, top) {
				t.Fatalf("leaf %d of %d does not lead to the root: %v", i, n, err)
			}
			if n > 1 {
				if got, err := climb(l[(i+1)%n], i, n, way); err == nil && bytes.Equal(got, top) {
					t.Fatalf("another leaf than %d of %d leads to the root", i, n)
				}
				if _, err := climb(l[i], i, n, way[1:]); err == nil {
					t.Fatalf("a way that is too short was taken for leaf %d of %d", i, n)
				}
			}
		}
	}
}
