package audit

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/port"
)

// rotating is a house whose key can be replaced.
func (h *house) rotating() *Service {
	s := h.start()
	s.Rotation = RotationIn(h.dir)
	return s
}

func (h *house) export(s *Service) []byte {
	h.t.Helper()
	var out bytes.Buffer
	must(h.t, s.Export(h.t.Context(), &out))
	return out.Bytes()
}

func (h *house) proof(s *Service, id string) []byte {
	h.t.Helper()
	var out bytes.Buffer
	must(h.t, s.Prove(h.t.Context(), id, ann, &out))
	return out.Bytes()
}

// Successive keys vouch for each other, in both directions, and for nothing else.
func TestRotatedKeysVouchForEachOther(t *testing.T) {
	h := newHouse(t)
	s := h.rotating()
	aRun(t, h.store, "run_x")
	h.grow(s, 3)
	oldExport := h.export(s)
	var pins []string
	for range 3 {
		key, err := s.Key()
		must(t, err)
		pins = append(pins, key.Public)
		h.grow(s, 3)
		rotated, err := s.Rotate(t.Context(), ann)
		must(t, err)
		if !rotated.InUse || rotated.Public == key.Public || rotated.Link == nil || rotated.Link.From != key.Public {
			t.Fatalf("%+v", rotated)
		}
		if _, err := os.Stat(filepath.Join(h.dir, PreviousKeyFile)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the old key is still there: %v", err)
		}
	}
	s = h.rotating()
	key, err := s.Key()
	must(t, err)
	pins = append(pins, key.Public)
	h.grow(s, 3)
	file, proof := h.export(s), h.proof(s, "run_x")
	keys, err := s.Keys(t.Context())
	must(t, err)
	if len(keys) != 4 || keys[0].Link != nil {
		t.Fatalf("%+v", keys)
	}
	var links []port.AuditLink
	for _, k := range keys[1:] {
		links = append(links, *k.Link)
	}
	for i, pin := range pins {
		if r := verified(t, file, Expected{Public: pin}); !r.OK {
			t.Errorf("the export with key %d: %+v", i, r)
		}
		if r := verifiedProof(t, proof, Expected{Public: pin}); !r.OK {
			t.Errorf("the proof with key %d: %+v", i, r)
		}
		// A file from before a rotation needs the links between the keys.
		if r := verified(t, oldExport, Expected{Public: pin}); r.OK != (i == 0) {
			t.Errorf("the old export with key %d: %+v", i, r)
		}
		if r := verified(t, oldExport, Expected{Public: pin, Links: links}); !r.OK {
			t.Errorf("the old export with key %d and the links: %+v", i, r)
		}
	}
	stranger, err := KeyIn(t.TempDir())()
	must(t, err)
	if r := verified(t, file, Expected{Public: stranger.Public, Links: links}); r.OK {
		t.Error("a stranger's key is good for it")
	}
	if got, err := s.Check(t.Context(), 0, 0); err != nil || !got.OK || got.Signed != got.Total {
		t.Errorf("%+v %v", got, err)
	}
}

// A link without both signatures is invalid.
func TestForgedLinks(t *testing.T) {
	var keys [3]*Key
	for i := range keys {
		var err error
		keys[i], err = KeyIn(t.TempDir())()
		must(t, err)
	}
	good, err := linkKeys(keys[0], keys[1], began)
	must(t, err)
	if got, err := trusted(keys[0].Public, []port.AuditLink{good}); err != nil || !got[keys[1].ID] || len(got) != 2 {
		t.Fatal(got, err)
	}
	evil, err := linkKeys(keys[2], keys[1], began)
	must(t, err)
	for name, forge := range map[string]func(*port.AuditLink){
		"another successor":   func(l *port.AuditLink) { l.To, l.ToSig = evil.From, evil.FromSig },
		"another predecessor": func(l *port.AuditLink) { l.From, l.FromSig = evil.From, evil.FromSig },
		"signatures swapped":  func(l *port.AuditLink) { l.FromSig, l.ToSig = l.ToSig, l.FromSig },
		"keys swapped":        func(l *port.AuditLink) { l.From, l.To = l.To, l.From },
		"both swapped": func(l *port.AuditLink) {
			l.From, l.To, l.FromSig, l.ToSig = l.To, l.From, l.ToSig, l.FromSig
		},
		"another time": func(l *port.AuditLink) { l.At = l.At.Add(1) },
		"no signature": func(l *port.AuditLink) { l.ToSig = "" },
		"signed as a head": func(l *port.AuditLink) {
			l.FromSig = base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", 64)))
		},
		"the old one alone": func(l *port.AuditLink) { l.To = evil.From },
	} {
		l := good
		forge(&l)
		for _, pin := range []*Key{keys[0], keys[1]} {
			if got, err := trusted(pin.Public, []port.AuditLink{l}); err != nil || len(got) != 1 {
				t.Errorf("%s: %v leads to %v, %v", name, pin.ID, got, err)
			}
		}
	}
}

// An interrupted rotation is completed at the next start.
func TestRotationAfterCrashes(t *testing.T) {
	for name, crash := range map[string]func(h *house){
		"before the new key": func(h *house) {
			old, err := os.ReadFile(filepath.Join(h.dir, KeyFile))
			must(h.t, err)
			must(h.t, os.WriteFile(filepath.Join(h.dir, PreviousKeyFile), old, 0o600))
		},
		"before it is on record": func(h *house) { must(h.t, RotationIn(h.dir).Renew()) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			s := h.rotating()
			h.grow(s, 3)
			old, err := s.Key()
			must(t, err)
			crash(h)
			s = h.rotating()
			h.grow(s, 3)
			if r := verified(t, h.export(s), Expected{Public: old.Public}); !r.OK {
				t.Errorf("%+v", r)
			}
			if _, err := os.Stat(filepath.Join(h.dir, PreviousKeyFile)); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the old key is still there: %v", err)
			}
		})
	}
}

// If the key is a setting, the old one is set next to it.
func TestRotationBySettings(t *testing.T) {
	var texts [2]string
	for i := range texts {
		text, err := newKeyPEM()
		must(t, err)
		texts[i] = string(text)
	}
	h := newHouse(t)
	with := func(text, previous string) *Service {
		s := h.start()
		s.Key, s.Rotation = func() (*Key, error) { return ParseKey(text) }, PreviousKey(previous)
		return s
	}
	h.grow(with(texts[0], ""), 3)
	s := with(texts[1], texts[0])
	h.grow(s, 3)
	old, err := ParseKey(texts[0])
	must(t, err)
	if r := verified(t, h.export(s), Expected{Public: old.Public}); !r.OK {
		t.Errorf("%+v", r)
	}
	if _, err := s.Rotate(t.Context(), ann); err == nil || !strings.Contains(err.Error(), "audit_key") {
		t.Error(err)
	}
}

// A key is replaced where possible, and obstacles are reported.
func TestRotationThatCannotBe(t *testing.T) {
	s, _ := open(t)
	if _, err := s.Rotate(t.Context(), ann); !fault.Is(err, fault.Unsupported) {
		t.Errorf("without a data directory: %v", err)
	}
	if k, err := PreviousKey("x").Previous(); k != nil || !fault.Is(err, fault.Unsupported) {
		t.Errorf("no key: %v", err)
	}
	if k, err := PreviousKey("").Previous(); k != nil || err != nil {
		t.Errorf("%v, %v", k, err)
	}
	dir := t.TempDir()
	if err := RotationIn(dir).Renew(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is nothing to replace: %v", err)
	}
	must(t, RotationIn(dir).Retire())
	// A non-empty directory in place of the previous key.
	must(t, os.MkdirAll(filepath.Join(dir, PreviousKeyFile, "x"), 0o700))
	if err := RotationIn(dir).Retire(); err == nil {
		t.Error("the key could not be removed, and no error was returned")
	}
	if k, err := RotationIn(dir).Previous(); k != nil || err == nil {
		t.Errorf("%v, %v", k, err)
	}
	h := newHouse(t)
	s = h.rotating()
	h.grow(s, 1)
	must(t, os.MkdirAll(filepath.Join(h.dir, PreviousKeyFile, "x"), 0o700))
	if _, err := s.Rotate(t.Context(), ann); err == nil || !strings.Contains(err.Error(), "replace the key") {
		t.Error(err)
	}
}
