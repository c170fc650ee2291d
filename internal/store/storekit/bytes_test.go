package storekit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
)

// TestPieces: a long value can be read from any offset, in a store with and without keys, and a piece that is damaged
// or elsewhere is noticed.
func TestPieces(t *testing.T) {
	v := startVault(t, &keysInMemory{}, masterKey(t))
	for _, size := range []int{0, 1, filePiece - 1, filePiece, filePiece + 1, 2*filePiece + 7} {
		plain := make([]byte, size)
		for i := range plain {
			plain[i] = byte(i / 251)
		}
		var stored bytes.Buffer
		if err := v.WritePieces(&stored, iotest.HalfReader(bytes.NewReader(plain)), "b"); err != nil {
			t.Fatal(err)
		}
		if int64(stored.Len()) != SealedSize(int64(size)) {
			t.Errorf("%d bytes are stored as %d, not %d", size, stored.Len(), SealedSize(int64(size)))
		}
		if err := iotest.TestReader(v.ReadPieces(bytes.NewReader(stored.Bytes()), "b", int64(size)), plain); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		other := v.ReadPieces(bytes.NewReader(stored.Bytes()), "other", int64(size))
		if _, err := io.ReadAll(other); size > 0 && err == nil {
			t.Errorf("%d bytes were read as those of another blob", size)
		}
		if size < 2*filePiece {
			continue
		}
		cut := stored.Bytes()[:stored.Len()-filePiece/2]
		r := v.ReadPieces(bytes.NewReader(cut), "b", int64(size))
		if got, err := io.ReadAll(r); err == nil || len(got)%filePiece != 0 {
			t.Errorf("a file that ends early gave %d bytes, %v", len(got), err)
		}
		if _, err := r.ReadAt(make([]byte, 9), 5); err != nil {
			t.Errorf("its beginning is there: %v", err)
		}
	}
	for what, err := range map[string]error{
		"a broken source": v.WritePieces(io.Discard, iotest.ErrReader(errBroken), "b"),
		"a full disk":     v.WritePieces(brokenWriter{}, strings.NewReader("x"), "b"),
	} {
		if !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

var errBroken = errors.New("broken")

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestSpool: a value is kept in a file that tells nothing in a store with keys.
func TestSpool(t *testing.T) {
	for name, v := range map[string]*Vault{"plain": startVault(t, &keysInMemory{}),
		"sealed": startVault(t, &keysInMemory{}, masterKey(t))} {
		f, err := os.Create(filepath.Join(t.TempDir(), "spool"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		plain := bytes.Repeat([]byte("value "), filePiece/5)
		s, err := v.NewSpool(f, bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		stored, err := os.ReadFile(f.Name())
		if err != nil || bytes.Contains(stored, []byte("value")) != (name == "plain") {
			t.Errorf("%s: the file begins with %.20q, %v", name, stored, err)
		}
		if got, err := io.ReadAll(s.Reader()); err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(plain), err)
		}
		if _, err := v.NewSpool(f, iotest.ErrReader(errBroken)); err == nil {
			t.Errorf("%s: a broken source was not noticed", name)
		}
	}
}

func TestBlobsOfEvents(t *testing.T) {
	id := func(n int) string { return fmt.Sprintf("sha256:%064x", n) }
	in := func(ids ...string) []byte {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintf(&b, `{"text":"{\"$blob\":\"%s\"}"}`, id)
		}
		return []byte(b.String())
	}
	for what, c := range map[string]struct {
		body []byte
		want []string
	}{
		"none": {[]byte(`{"a":1}`), nil}, "without the mark": {[]byte(id(1)), nil},
		"two, one twice": {in(id(1), id(2), id(1)), []string{id(1), id(2)}},
		"cut off":        {[]byte(`$blob ` + id(1)[:70]), nil}, "to the end": {[]byte(`$blob ` + id(1)), []string{id(1)}},
		"upper case":     {in(strings.Replace(id(0xabc), "abc", "ABC", 1)), nil},
		"within another": {in("sha256:" + id(3)), []string{id(3)}},
	} {
		if got := BlobsIn(c.body); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q", what, got)
		}
	}
	var many []string
	for i := range blobsMax + 1 {
		many = append(many, id(i))
	}
	if got := BlobsIn(in(many...)); len(got) != blobsMax {
		t.Errorf("%d of %d", len(got), len(many))
	}
	for name, ok := range map[string]bool{id(1): true, id(1) + "0": false, id(1)[:70]: false, id(1)[7:]: false,
		strings.Replace(id(1), "0", "g", 1): false, "": false} {
		if hex, got := BlobHex(name); got != ok || ok && hex != name[7:] || !ok && hex != "" {
			t.Errorf("%s: %q, %t", name, hex, got)
		}
	}
}

func TestHasher(t *testing.T) {
	const sum = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" // of hello
	h := NewHasher(t.Context(), iotest.OneByteReader(strings.NewReader("hello")), 5)
	got, err := io.ReadAll(h)
	if err != nil || string(got) != "hello" || h.Hex() != sum || h.ID() != "sha256:"+sum || h.Size() != 5 {
		t.Errorf("%q, %s, %d, %v", got, h.ID(), h.Size(), err)
	}
	if _, err := io.ReadAll(NewHasher(t.Context(), strings.NewReader("hello"), 4)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("more than the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := io.ReadAll(NewHasher(ctx, strings.NewReader("hello"), 5)); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its request: %v", err)
	}
}

// TestRecordsOfABatch: events after a place, of some types, up to a limit; and what was damaged is not read.
func TestRecordsOfABatch(t *testing.T) {
	var events []run.Event
	for i := range 6 {
		e := run.Event{Run: "r", Seq: int64(i) + 5, At: noon, Actor: run.Actor{Kind: run.Person, Name: "ann",
			Issuer: "i", Subject: "s"}, Fact: &run.RunWaiting{}}
		if i%2 == 1 {
			e.Fact, e.Actor = &run.RunResumed{}, run.Actor{Kind: run.System}
		}
		events = append(events, e)
	}
	body, err := EncodeBatch(events)
	if err != nil {
		t.Fatal(err)
	}
	b := Batch{Run: "r", LastSeq: 10, LastFeed: 110, Count: 6, Body: body}
	waiting := []string{(&run.RunWaiting{}).Type()}
	for what, c := range map[string]struct {
		afterSeq, afterFeed int64
		types               []string
		limit               int
		want                []int64
		at                  int64
	}{
		"all":              {0, 0, nil, 9, []int64{5, 6, 7, 8, 9, 10}, 110},
		"to the last":      {0, 0, nil, 6, []int64{5, 6, 7, 8, 9, 10}, 110},
		"some":             {0, 0, nil, 2, []int64{5, 6}, 106},
		"none":             {0, 3, nil, 0, nil, 3},
		"after a number":   {7, 0, nil, 2, []int64{8, 9}, 109},
		"after a position": {0, 107, nil, 9, []int64{8, 9, 10}, 110},
		"of a type":        {0, 0, waiting, 9, []int64{5, 7, 9}, 110},
		"two of a type":    {0, 0, waiting, 2, []int64{5, 7}, 107},
		"nothing is left":  {10, 110, nil, 9, nil, 110},
	} {
		out, at, err := b.Records(nil, c.afterSeq, c.afterFeed, c.types, c.limit)
		var got []int64
		for _, r := range out {
			got = append(got, r.Seq)
			if want := events[r.Seq-5]; r.Feed != r.Seq+100 || r.Actor != want.Actor || r.Run != "r" ||
				r.Fact.Type() != want.Fact.Type() {
				t.Errorf("%s: %+v where %+v belongs", what, r, want)
			}
		}
		if err != nil || !slices.Equal(got, c.want) || at != c.at {
			t.Errorf("%s: %v up to %d, %v", what, got, at, err)
		}
	}
	first := []port.Record{{Feed: 1}}
	if out, _, err := b.Records(first, 0, 0, nil, 2); err != nil || len(out) != 2 || out[0].Feed != 1 {
		t.Errorf("after another: %v, %v", out, err)
	}
	lines := bytes.SplitAfter(body, []byte("\n"))
	for what, bad := range map[string][]byte{
		"one event less": bytes.Join(lines[:10], nil), "half an event less": bytes.Join(lines[:11], nil),
		"another order": bytes.Join(slices.Concat(lines[2:4], lines[:2], lines[4:]), nil),
		"no head":       append([]byte("x"), body...), "no data": bytes.Replace(body, lines[1], []byte("{\n"), 1),
	} {
		if out, _, err := (Batch{Run: "r", LastSeq: 10, LastFeed: 110, Count: 6, Body: bad}).Records(nil, 0, 0, nil,
			9); err == nil {
			t.Errorf("%s: %d events", what, len(out))
		}
	}
	for what, bad := range map[string][]byte{"half an event less": bytes.Join(lines[:11], nil),
		"no last line end": body[:len(body)-1]} {
		cut := Batch{Run: "r", LastSeq: 10, LastFeed: 110, Count: 6, Body: bad}
		if _, _, err := cut.Records(nil, 0, 0, []string{"run.none"}, 9); err == nil {
			t.Errorf("%s: not noticed by a reader of other events", what)
		}
	}
	if b, err := EncodeBatch(nil); len(b) > 0 || err != nil {
		t.Errorf("no event is written as %q, %v", b, err)
	}
	if b, err := EncodeBatch([]run.Event{{Seq: 1, At: noon, Fact: &run.RunCompleted{Output: []byte(`{`)}}}); err == nil {
		t.Errorf("an event that is not JSON was written: %s", b)
	}
}

// TestNamesOfABatch: any name can be written, as one line of JSON.
func TestNamesOfABatch(t *testing.T) {
	for _, name := range []string{"a b", "\t", "\n", `"`, `\`, "é", "\u2028", "\x80", "\xff", "\x7f"} {
		body, err := EncodeBatch([]run.Event{{Seq: 1, At: noon, Actor: run.Actor{Kind: run.Person, Name: name}, Cause: name,
			Fact: &run.RunWaiting{}}})
		if err != nil {
			t.Fatal(err)
		}
		if !utf8.Valid(body) || bytes.Count(body, []byte("\n")) != 2 {
			t.Errorf("%q is written as %q", name, body)
		}
		got, _, err := Batch{Run: "r", LastSeq: 1, LastFeed: 1, Count: 1, Body: body}.Records(nil, 0, 0, nil, 1)
		want := strings.ToValidUTF8(name, "\uFFFD")
		if err != nil || got[0].Actor.Name != want || got[0].Cause != want {
			t.Errorf("%q came back as %+v, %v", name, got, err)
		}
	}
}

func TestRoles(t *testing.T) {
	for _, roles := range [][]string{nil, {"a"}, {`"`, "b,c"}} {
		got, err := ReadRoles(Roles(roles))
		names, err2 := ParseNames(Names(roles))
		if err != nil || err2 != nil || !slices.Equal(got, roles) || !slices.Equal(names, roles) {
			t.Errorf("%q came back as %q and %q, %v %v", roles, got, names, err, err2)
		}
	}
	if Roles(nil) != "[]" || Names(nil) != "" || Labels(nil) != "" {
		t.Error("nothing is written otherwise than before")
	}
	for what, err := range map[string]error{"roles": second(ReadRoles("x")), "names": second(ParseNames("x")),
		"labels": second(ParseLabels("x"))} {
		if err == nil {
			t.Errorf("%s that are not JSON were read", what)
		}
	}
}

func second[T any](_ T, err error) error { return err }
