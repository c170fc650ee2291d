package audit

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/port"
)

var updateVectors = flag.Bool("update-vectors", false,
	"write testdata/vectors.txt, and new files that are verified; formats that were released never change")

// testKey is a deterministic key.
func testKey(t testing.TB, fill byte) *Key {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(ed25519.NewKeyFromSeed(bytes.Repeat([]byte{fill}, ed25519.SeedSize)))
	must(t, err)
	k, err := ParseKey(string(pem.EncodeToMemory(&pem.Block{Type: pemType, Bytes: der})))
	must(t, err)
	return k
}

// vectors covers all formats with fixed values.
func vectors(t *testing.T) string {
	var out strings.Builder
	say := func(name string, v any) {
		if b, ok := v.([]byte); ok {
			v = strings.ReplaceAll(string(b), "\n", `\n`)
		}
		fmt.Fprintf(&out, "%s %v\n", name, v)
	}
	at := time.Date(2026, 3, 1, 9, 0, 0, 123456789, time.UTC)
	salt := "000102030405060708090a0b0c0d0e0f"

	// Entries and their chain.
	e := port.AuditEntry{
		At: at, Actor: run.Actor{Kind: run.Person, Name: "ann"}, Action: "approval.decided", Target: "apr_1_2", Run: "run_1",
		Outcome: port.AuditDone, Detail: json.RawMessage(`{"act":"approve","seq":4}`),
		Sealed: map[string]string{"comment": port.SealDigest(salt, "comment", json.RawMessage(`"fine, é"`))},
	}
	say("salted value", e.Sealed["comment"])
	prev := port.AuditStart
	var hashes []string
	for n := int64(1); n <= 5; n++ {
		e.N, e.Prev = n, prev
		body := entryBody(t, e)
		prev = port.AuditHash(prev, body)
		say(fmt.Sprintf("entry %d", n), body)
		say(fmt.Sprintf("hash %d", n), prev)
		hashes = append(hashes, prev)
	}
	// Leaves, nodes and roots.
	l, err := leaves(hashes)
	must(t, err)
	say("leaf 1", hex.EncodeToString(l[0]))
	say("node 1 2", hex.EncodeToString(nodeHash(l[0], l[1])))
	for n := 1; n <= 5; n++ {
		r, err := rootOf(hashes[:n])
		must(t, err)
		say(fmt.Sprintf("root of %d", n), r)
	}
	for i, h := range path(l, 2) {
		say(fmt.Sprintf("path of entry 3 of 5, %d", i), hex.EncodeToString(h))
	}
	// Keys, heads, links and the anchor.
	key, next := testKey(t, 1), testKey(t, 2)
	root, err := rootOf(hashes)
	must(t, err)
	head := port.AuditHead{N: 5, From: 1, Hash: hashes[4], Root: root, At: at}
	must(t, key.sign(&head))
	form, err := signed(head)
	must(t, err)
	say("key", key.Public)
	say("key id", key.ID)
	say("signed head", form)
	say("head", marshalled(t, head))
	link, err := linkKeys(key, next, at)
	must(t, err)
	form, err = linkForm(link)
	must(t, err)
	say("signed link", form)
	say("link", marshalled(t, link))
	file := AnchorIn(filepath.Join(t.TempDir(), AnchorFile))
	must(t, file.Keep(Anchor{Head: head, Keys: []string{key.Public, next.Public}, Tip: &Tip{7, hashes[0]}}))
	anchor, err := os.ReadFile(string(file))
	must(t, err)
	say("anchor", anchor)
	// Lines of an export.
	text, err := line(port.AuditRow{N: 5, Body: entryBody(t, e), Hash: prev,
		Open: []byte(`{"comment":{"salt":"` + salt + `","value":"fine, é"},"data":{"salt":"` + salt + `"}}`)})
	must(t, err)
	say("line of an export", text)
	say("end of an export", marshalled(t, end{endBody{Entries: 5, Head: head, Public: key.Public}}))
	// Events, in a proof and under an entry that binds them.
	x := event{
		Seq: 4, At: at, Type: "approval.decided", Actor: e.Actor, Cause: "cmd_1",
		Data:  json.RawMessage(`{"a/b":[1,{"c":"x"}],"d":{}}`),
		Salts: map[string]string{"/a~1b/0": salt, "/a~1b/1/c": salt},
	}
	c, err := x.commitment()
	must(t, err)
	say("commitment", c)
	x.Data = without("", x.Data, x.Salts, func(at string, _ json.RawMessage) bool { return at == "/a~1b/0" })
	say("after a value was taken out", []byte(x.Data))
	again, err := x.commitment()
	must(t, err)
	if again != c {
		t.Error("taking a value out changes the commitment")
	}
	p := proof{Events: []event{x, x}}
	digest, err := p.eventsDigest()
	must(t, err)
	say("digest of the events of a proof", digest)
	bound := runEvents{run: "run_1"}
	must(t, bound.add(&run.Event{Run: "run_1", Seq: 1, At: at, Actor: e.Actor, Cause: "cmd_1",
		Fact: &run.RunCancelled{Reason: "not needed"}}))
	must(t, bound.add(&run.Event{Run: "run_1", Seq: 2, At: at, Actor: e.Actor,
		Fact: &run.PayloadsRemoved{Reason: "asked for"}}))
	say("bound events", bound.whole)
	say("bound events, salted", bound.salted(salt))
	say("bound events, what is kept", bound.kept)
	return out.String()
}

func marshalled(t *testing.T, v any) []byte {
	t.Helper()
	b, err := value.Marshal(v)
	must(t, err)
	return b
}

// entryBody encodes an entry without the code that stores use.
func entryBody(t *testing.T, e port.AuditEntry) []byte {
	t.Helper()
	form := map[string]any{
		"n": e.N, "at": e.At, "actor": e.Actor, "action": e.Action, "target": e.Target, "outcome": e.Outcome,
		"detail": e.Detail, "prev": e.Prev,
	}
	if e.Run != "" {
		form["run"] = e.Run
	}
	if len(e.Sealed) > 0 {
		form["sealed"] = e.Sealed
	}
	body := value.Canonical(marshalled(t, form))
	if _, err := port.ReadAuditBody(body); err != nil {
		t.Fatal(err)
	}
	return body
}

// TestVectors pins every format: anything signed once has to verify forever.
func TestVectors(t *testing.T) {
	got := vectors(t)
	file := filepath.Join("testdata", "vectors.txt")
	if *updateVectors {
		must(t, os.MkdirAll("testdata", 0o755))
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	wants := strings.Split(string(want), "\n")
	for i, text := range strings.Split(got, "\n") {
		if i >= len(wants) || text != wants[i] {
			t.Fatalf("line %d is\n%s\nand was released as\n%s", i+1, text, wants[min(i, len(wants)-1)])
		}
	}
}

// TestHashesByHand computes the vectors with nothing but SHA-256.
func TestHashesByHand(t *testing.T) {
	sum := func(parts ...string) string {
		h := sha256.Sum256([]byte(strings.Join(parts, "")))
		return string(h[:])
	}
	inHex := func(s string) string { return hex.EncodeToString([]byte(s)) }
	body := `{"n":1}`
	if got := port.AuditHash(port.AuditStart, []byte(body)); got != inHex(sum(strings.Repeat("0", 64), body)) {
		t.Errorf("an entry: %s", got)
	}
	a, b := sum("a"), sum("b")
	l, err := leaves([]string{inHex(a), inHex(b)})
	must(t, err)
	if string(l[0]) != sum("\x00", a) || string(root(l)) != sum("\x01", sum("\x00", a), sum("\x00", b)) {
		t.Error("leaves and nodes are not hashed as RFC 6962 says")
	}
	size := func(s string) string { return string([]byte{0, 0, 0, 0, 0, 0, 0, byte(len(s))}) + s }
	if got := port.SealDigest("salt", "name", json.RawMessage(`{"b":1, "a":2}`)); got != "sha256:"+
		inHex(sum(size("salt"), size("name"), size(`{"a":2,"b":1}`))) {
		t.Errorf("a salted value: %s", got)
	}
}

// goldenFiles were written once, by the release in their name, and verify with the keys of testKey.
func TestReleasedFiles(t *testing.T) {
	if *updateVectors {
		writeReleased(t)
	}
	first, second := testKey(t, 1).Public, testKey(t, 2).Public
	for name, key := range map[string]string{"export.jsonl": first, "run.proof.json": second,
		"redacted.proof.json": first, "consistency.json": second} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		must(t, err)
		for _, x := range []Expected{{}, {Public: first}, {Public: second}} {
			check := verified
			if IsProof(b) {
				check = verifiedProof
			} else if IsConsistency(b) {
				check = verifiedConsistency
			}
			if r := check(t, b, x); !r.OK {
				t.Errorf("%s with %q, written with %s: %+v", name, x.Public, key, r)
			}
		}
	}
	b, err := os.ReadFile(filepath.Join("testdata", "redacted.proof.json"))
	must(t, err)
	for _, gone := range []string{"too much", "DE0212"} {
		if bytes.Contains(b, []byte(gone)) {
			t.Errorf("%q was taken out, and is there", gone)
		}
	}
}

// writeReleased recreates the files with new salts, so only use it for a new format.
func writeReleased(t *testing.T) {
	s, store := open(t)
	key := testKey(t, 1)
	rotation := fixedRotation{}
	c := s.Config
	c.Key, c.Rotation = func() (*Key, error) { return key, nil }, &rotation
	s = New(c)
	aRun(t, store, "run_1")
	_, err := store.AppendAudit(t.Context(), draft(1), draft(2))
	must(t, err)
	_, err = s.Cut(t.Context())
	must(t, err)
	rotation.previous, key = key, testKey(t, 2)
	s = New(c)
	var out bytes.Buffer
	must(t, s.Prove(t.Context(), "run_1", ann, &out))
	must(t, os.WriteFile("testdata/run.proof.json", out.Bytes(), 0o644))
	red, _, err := Redact(out.Bytes(), Redaction{Paths: []string{"/input", "/decision/comment"}})
	must(t, err)
	must(t, os.WriteFile("testdata/redacted.proof.json", red, 0o644))
	out.Reset()
	heads, err := store.AuditHeads(t.Context(), 0, 1)
	must(t, err)
	must(t, s.Follow(t.Context(), heads[0].N, 0, &out))
	must(t, os.WriteFile("testdata/consistency.json", out.Bytes(), 0o644))
	out.Reset()
	must(t, s.Export(t.Context(), &out))
	must(t, os.WriteFile("testdata/export.jsonl", out.Bytes(), 0o644))
}

// fixedRotation links to a key in memory.
type fixedRotation struct{ previous *Key }

func (r *fixedRotation) Previous() (*Key, error) { return r.previous, nil }
func (r *fixedRotation) Renew() error            { return nil }
func (r *fixedRotation) Retire() error           { return nil }
