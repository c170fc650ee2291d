package seal_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/seal"
)

func key(t testing.TB) (seal.Key, string) {
	t.Helper()
	text := seal.NewKey()
	k, err := seal.ParseKey(text)
	if err != nil {
		t.Fatal(err)
	}
	return k, text
}

func ring(t testing.TB, keys ...seal.Key) *seal.Ring {
	t.Helper()
	r, err := seal.NewRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func dataKey(t testing.TB) *seal.DataKey {
	t.Helper()
	k, _ := key(t)
	r := ring(t, k)
	d, err := r.Unwrap(r.New(time.Unix(1, 0)))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

var here = seal.Place{Table: "batches.body", ID: "run_1", N: 7}

func wantDamaged(t *testing.T, what string, err error) {
	t.Helper()
	var d *seal.DamagedError
	if !errors.As(err, &d) {
		t.Errorf("%s: %v", what, err)
	}
}

func TestKeys(t *testing.T) {
	b := bytes.Repeat([]byte{1, 2, 3, 4}, 8)
	k, err := seal.ParseKey(base64.StdEncoding.EncodeToString(b) + "\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"hex": hex.EncodeToString(b), "HEX": strings.ToUpper(hex.EncodeToString(b)),
		"raw": base64.RawStdEncoding.EncodeToString(b), "url": base64.URLEncoding.EncodeToString(b),
	} {
		same, err := seal.ParseKey(text)
		if err != nil || same.ID() != k.ID() {
			t.Errorf("%s: %s, %v; want %s", name, same.ID(), err, k.ID())
		}
	}
	for name, text := range map[string]string{
		"empty": "", "short": base64.StdEncoding.EncodeToString(b[:31]), "long": hex.EncodeToString(append(b, 1)),
		"words": "correct horse battery staple, and then some more",
		"zeros": strings.Repeat("0", 64), "short hex": hex.EncodeToString(b[:31]),
	} {
		_, err := seal.ParseKey(text)
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: %v", name, err)
		} else if text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%s: the error repeats the key", name)
		}
	}
	if _, err := seal.NewRing(k, k); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), k.ID()) {
		t.Errorf("the same key twice: %v", err)
	}
}

// TestKeysDoNotPrint: whatever the verb, there is the id alone.
func TestKeysDoNotPrint(t *testing.T) {
	k, _ := key(t)
	want := "encryption key " + k.ID()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%x", "%d"} {
		if got := fmt.Sprintf(verb, k); got != want {
			t.Errorf("%s prints %q", verb, got)
		}
	}
}

func TestEnvelopes(t *testing.T) {
	d := dataKey(t)
	for _, plain := range []string{"", "a", `{"amount":120}`, strings.Repeat("x", 1<<20), "\x00asl\x01", "\x00asl\x00"} {
		stored := d.Seal([]byte(plain), here)
		if kind, id := seal.Look(stored[:seal.Head]); kind != seal.Sealed || id != d.ID {
			t.Errorf("it looks like %v of %d", kind, id)
		}
		if len(stored) != len(plain)+seal.Overhead || (len(plain) > 8 && bytes.Contains(stored, []byte(plain[:8]))) {
			t.Errorf("%d bytes became %d", len(plain), len(stored))
		}
		got, err := d.Open(stored, here)
		if err != nil || string(got) != plain {
			t.Errorf("%.20q came back as %.20q, %v", plain, got, err)
		}
		text := d.SealText(plain, here)
		if kind, id := seal.LookText(text[:seal.HeadText]); kind != seal.Sealed || id != d.ID {
			t.Errorf("the text looks like %v of %d", kind, id)
		}
		if got, err := d.OpenText(text, here); err != nil || got != plain {
			t.Errorf("the text %.20q came back as %.20q, %v", plain, got, err)
		}
	}
	if bytes.Equal(d.Seal([]byte("a"), here), d.Seal([]byte("a"), here)) {
		t.Error("two envelopes of one value are equal")
	}
}

// TestTampering: every flipped bit, every cut, every other place and key is
// noticed.
func TestTampering(t *testing.T) {
	d := dataKey(t)
	stored := d.Seal([]byte("the letter"), here)
	for i := range stored {
		for bit := range 8 {
			b := bytes.Clone(stored)
			b[i] ^= 1 << bit
			_, err := d.Open(b, here)
			wantDamaged(t, fmt.Sprintf("byte %d, bit %d", i, bit), err)
		}
	}
	for n := range stored {
		_, err := d.Open(stored[:n], here)
		wantDamaged(t, fmt.Sprintf("cut at %d", n), err)
	}
	_, err := d.Open(append(bytes.Clone(stored), 0), here)
	wantDamaged(t, "longer", err)
	for _, p := range []seal.Place{
		{Table: "batches.body", ID: "run_1", N: 8}, {Table: "batches.body", ID: "run_2", N: 7},
		{Table: "snapshots.state", ID: "run_1", N: 7},
		{Table: "batches.bodyr", ID: "un_1", N: 7}, {},
	} {
		_, err := d.Open(stored, p)
		wantDamaged(t, p.String(), err)
	}
	_, err = dataKey(t).Open(stored, here)
	wantDamaged(t, "another key", err)

	text := d.SealText("the letter", here)
	for i := range len(text) {
		b := []byte(text)
		b[i] ^= 1
		_, err := d.OpenText(string(b), here)
		wantDamaged(t, fmt.Sprintf("character %d", i), err)
	}
}

// TestEscapes: plain values and envelopes are never mixed up.
func TestEscapes(t *testing.T) {
	d := dataKey(t)
	for _, plain := range []string{"", "a", "\x00asl", "\x00asl\x01 and so on",
		string(d.Seal([]byte("x"), here)), "\x00asl\x00"} {
		stored := seal.Escape([]byte(plain))
		kind, _ := seal.Look(stored)
		if kind == seal.Escaped {
			stored = seal.Unescape(stored)
		}
		if kind == seal.Sealed || kind == seal.Damaged || string(stored) != plain {
			t.Errorf("%q: %v, %q", plain, kind, stored)
		}
	}
	for _, plain := range []string{"", "a", "\x01", "\x01sealed:", "\x01plain:x", d.SealText("x", here)} {
		stored := seal.EscapeText(plain)
		kind, _ := seal.LookText(stored)
		if kind == seal.Escaped {
			stored = seal.UnescapeText(stored)
		}
		if kind == seal.Sealed || kind == seal.Damaged || stored != plain {
			t.Errorf("%q: %v, %q", plain, kind, stored)
		}
	}
}

func TestRotation(t *testing.T) {
	old, _ := key(t)
	fresh, _ := key(t)
	first := ring(t, old)
	w := first.New(time.Unix(5, 0))
	d, err := first.Unwrap(w)
	if err != nil {
		t.Fatal(err)
	}
	stored := d.Seal([]byte("kept"), here)

	var missing *seal.MissingError
	if _, err := ring(t, fresh).Unwrap(w); !errors.As(err, &missing) || missing.Key != old.ID() {
		t.Errorf("without the old key: %v", err)
	}
	again, changed, err := ring(t, fresh, old).Rewrap(w)
	if err != nil || !changed || again.Master != fresh.ID() || again.ID != w.ID || again.Created != w.Created {
		t.Fatalf("%+v, %v, %v", again, changed, err)
	}
	if _, changed, err := ring(t, fresh, old).Rewrap(again); changed || err != nil {
		t.Errorf("it was wrapped twice: %v", err)
	}
	d, err = ring(t, fresh).Unwrap(again)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := d.Open(stored, here); err != nil || string(got) != "kept" {
		t.Errorf("%q, %v", got, err)
	}
	again.Body[len(again.Body)-1] ^= 1
	_, err = ring(t, fresh).Unwrap(again)
	wantDamaged(t, "a wrapped key", err)
	w.ID++
	_, err = first.Unwrap(w)
	wantDamaged(t, "a wrapped key under another number", err)
}

// FuzzOpen: whatever is stored, looking at it and opening it end in a value or
// an error, and nothing opens that was not sealed.
func FuzzOpen(f *testing.F) {
	d := dataKey(f)
	good, goodText := d.Seal([]byte("value"), here), d.SealText("value", here)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte("\x00asl"))
	f.Add([]byte("\x00asl\x00plain"))
	f.Add([]byte(goodText))
	f.Add([]byte("\x01sealed:AAAA"))
	f.Fuzz(func(t *testing.T, stored []byte) {
		kind, _ := seal.Look(stored)
		if short, _ := seal.Look(stored[:min(len(stored), seal.Head)]); short != kind {
			t.Fatalf("its head looks like %v, the whole like %v", short, kind)
		}
		if kind == seal.Escaped {
			seal.Unescape(stored)
		}
		if plain, err := d.Open(stored, here); err == nil && (kind != seal.Sealed || !bytes.Equal(stored, good)) {
			t.Fatalf("%q opened to %q", stored, plain)
		}
		kind, _ = seal.LookText(string(stored))
		if kind == seal.Escaped {
			seal.UnescapeText(string(stored))
		}
		if plain, err := d.OpenText(string(stored), here); err == nil && string(stored) != goodText {
			t.Fatalf("%q opened to %q", stored, plain)
		}
	})
}
