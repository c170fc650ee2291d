package e2e

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// The code below rebuilds an audit log as docs/audit.md describes it, without code of the server: hashes, and
// with a stolen key also the heads and the anchor.

// link is an entry as the store keeps it.
type link struct {
	n    int64
	body []byte
	hash string
}

// numbered formats the placeholders of a statement for the database.
func (v *victim) numbered(statement string) string {
	if v.driver == "sqlite" {
		return strings.ReplaceAll(statement, "$", "?")
	}
	return statement
}

func (v *victim) update(db *sql.DB, statement string, values ...any) {
	v.t.Helper()
	if _, err := db.Exec(v.numbered(statement), values...); err != nil {
		v.t.Fatalf("%s: %v", statement, err)
	}
}

// rebuild attributes a rejected attempt to another person, recomputes all hashes after it, and returns the
// entries.
func (v *victim) rebuild(db *sql.DB) []link {
	v.t.Helper()
	rows, err := db.Query(`SELECT n, body, hash FROM audit ORDER BY n`)
	if err != nil {
		v.t.Fatal(err)
	}
	var log []link
	for rows.Next() {
		var l link
		if err := rows.Scan(&l.n, &l.body, &l.hash); err != nil {
			v.t.Fatal(err)
		}
		log = append(log, l)
	}
	if err := rows.Err(); err != nil {
		v.t.Fatal(err)
	}
	was, prev, forged := strings.Repeat("0", 64), strings.Repeat("0", 64), 0
	for i := range log {
		l := &log[i]
		changed := bytes.Replace(l.body, []byte(`"name":"carl"`), []byte(`"name":"dora"`), 1)
		if !bytes.Equal(changed, l.body) {
			forged++
		}
		body := bytes.Replace(changed, []byte(`"prev":"`+was+`"`), []byte(`"prev":"`+prev+`"`), 1)
		sum := sha256.Sum256(append([]byte(prev), body...))
		was, prev = l.hash, hex.EncodeToString(sum[:])
		l.body, l.hash = body, prev
		v.update(db, `UPDATE audit SET body = $1, hash = $2 WHERE n = $3`, l.body, l.hash, l.n)
	}
	v.update(db, `UPDATE audit SET actor = 'dora' WHERE actor = 'carl'`)
	if v.driver != "sqlite" {
		v.update(db, `UPDATE head SET audit_hash = $1`, prev)
	}
	if forged != 1 {
		v.t.Fatalf("%d entries are about carl", forged)
	}
	return log
}

// signedHead is a head, with its fields in the order in which they are stored.
type signedHead struct {
	N    int64  `json:"n"`
	From int64  `json:"from"`
	Hash string `json:"hash"`
	Root string `json:"root"`
	At   string `json:"at"`
	Key  string `json:"key"`
	Sig  string `json:"sig"`
}

// signedText is the signed text of a head: its fields in the order of their names.
func (h signedHead) signedText(t testing.TB) []byte {
	t.Helper()
	b := marshal(t, map[string]any{
		"at": h.At, "from": h.From, "hash": h.Hash, "key": h.Key, "n": h.N, "root": h.Root, "sig": "",
	})
	return append([]byte("assent audit head 1\n"), b...)
}

// merkle is the root of RFC 6962 over the hashes of entries.
func merkle(t testing.TB, log []link) []byte {
	t.Helper()
	if len(log) == 1 {
		leaf, err := hex.DecodeString(log[0].hash)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(append([]byte{0}, leaf...))
		return sum[:]
	}
	left := 1
	for 2*left < len(log) {
		left *= 2
	}
	sum := sha256.Sum256(bytes.Join([][]byte{{1}, merkle(t, log[:left]), merkle(t, log[left:])}, nil))
	return sum[:]
}

// resign signs all heads again with the server's key, and makes its anchor match.
func (v *victim) resign(db *sql.DB, log []link) {
	v.t.Helper()
	text, err := os.ReadFile(filepath.Join(v.data(), "audit.key"))
	if err != nil {
		v.t.Fatal(err)
	}
	block, _ := pem.Decode(text)
	stolen, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		v.t.Fatal(err)
	}
	rows, err := db.Query(`SELECT head FROM audit_heads ORDER BY n`)
	if err != nil {
		v.t.Fatal(err)
	}
	var heads []signedHead
	for rows.Next() {
		var text string
		var h signedHead
		if err := rows.Scan(&text); err != nil {
			v.t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &h); err != nil {
			v.t.Fatal(err)
		}
		heads = append(heads, h)
	}
	if err := rows.Err(); err != nil {
		v.t.Fatal(err)
	}
	for i := range heads {
		h := &heads[i]
		h.Hash, h.Root = log[h.N-1].hash, hex.EncodeToString(merkle(v.t, log[h.From-1:h.N]))
		h.Sig = base64.StdEncoding.EncodeToString(ed25519.Sign(stolen.(ed25519.PrivateKey), h.signedText(v.t)))
		v.update(db, `UPDATE audit_heads SET head = $1 WHERE n = $2`, string(marshal(v.t, h)), h.N)
	}
	files, err := filepath.Glob(filepath.Join(v.data(), "audit.anchor*"))
	if err != nil || len(files) != 1 {
		v.t.Fatalf("anchors: %v, %v", files, err)
	}
	var anchor map[string]any
	text, err = os.ReadFile(files[0])
	if err == nil {
		err = json.Unmarshal(text, &anchor)
	}
	if err != nil {
		v.t.Fatal(err)
	}
	anchor["head"] = heads[len(heads)-1]
	delete(anchor, "tip")
	keep(v.t, files[0], marshal(v.t, anchor))
}

func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestForgeryIsNotSigned: an attacker with write access to the database rebuilds the whole log and deletes
// the signed heads. The server does not sign that.
func TestForgeryIsNotSigned(t *testing.T) {
	t.Parallel()
	sqliteVictim(t).forgeryIsNotSigned()
}

func (v *victim) forgeryIsNotSigned() {
	v.t.Helper()
	public := v.publicKey()
	v.decided()
	v.with(func(db *sql.DB) {
		v.rebuild(db)
		v.update(db, `DELETE FROM audit_heads`)
	})
	v.start()
	if a := v.call("GET", "/audit/head", nil); a.status != 409 ||
		!strings.Contains(a.text("detail"), "has stopped") {
		v.t.Errorf("it was signed: %d %s", a.status, a.body)
	}
	if a := v.call("GET", "/audit.jsonl", nil); a.status == 200 {
		file := filepath.Join(v.t.TempDir(), "audit.jsonl")
		keep(v.t, file, a.body)
		out, _, err := v.command("", "audit", "verify", file, "--key", public)
		v.t.Errorf("it was exported, and with the genuine key verify says (%v) %s", err, out)
	}
	v.stop()
	if out, _, err := v.command("", "audit", "verify"); code(err) != 1 {
		v.t.Errorf("verify %d: %s", code(err), out)
	}
}

func (v *victim) publicKey() string {
	v.t.Helper()
	return v.call("GET", "/audit/head", nil).want(200).text("keys.0.public")
}

// TestStolenKey: with the database, the key and the anchor, everything can be rebuilt, and nothing on the
// machine detects it. The witness does.
func TestStolenKey(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	sqliteVictim(t, "--audit-witnesses", w.URL).stolenKey(w)
}

// witness keeps the last head it received.
type witness struct {
	*httptest.Server
	end atomic.Value
}

func newWitness(t *testing.T) *witness {
	w := &witness{}
	w.end.Store("")
	w.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var told struct {
			End string `json:"end"`
		}
		if err == nil {
			err = json.Unmarshal(body, &told)
		}
		if err != nil {
			t.Errorf("%v: %s", err, body)
		}
		w.end.Store(told.End)
	}))
	t.Cleanup(w.Close)
	return w
}

// told waits until the witness has an entry.
func (w *witness) told(t testing.TB, n int64) (end string) {
	t.Helper()
	for give := time.Now().Add(patience); time.Now().Before(give); pause() {
		var at int64
		end = w.end.Load().(string)
		if _, err := fmt.Sscanf(end, "%d:", &at); err == nil && at >= n {
			return end
		}
	}
	t.Fatalf("the witness was told %q, and not of entry %d", end, n)
	return ""
}

func (v *victim) stolenKey(w *witness) {
	v.t.Helper()
	public := v.publicKey()
	v.decided()
	v.start()
	var n int64
	head := v.call("GET", "/audit/head", nil).want(200).text("head")
	if _, err := fmt.Sscanf(head, "%d:", &n); err != nil {
		v.t.Fatal(err)
	}
	told := w.told(v.t, n)
	v.stop()
	v.with(func(db *sql.DB) { v.resign(db, v.rebuild(db)) })

	v.must("", "audit", "verify") // undetected on this machine
	v.start()
	dir := v.t.TempDir()
	export, follows := filepath.Join(dir, "audit.jsonl"), filepath.Join(dir, "consistency.json")
	keep(v.t, export, v.call("GET", "/audit.jsonl", nil).want(200).body)
	from, _, _ := strings.Cut(told, ":")
	keep(v.t, follows, v.call("GET", "/audit/consistency?from="+from, nil).want(200).body)
	for _, file := range []string{export, follows} {
		v.must("", "audit", "verify", file, "--key", public) // nor does the key
		if out, _, err := v.command("", "audit", "verify", file, "--key", public, "--head", told); code(err) != 1 ||
			!strings.Contains(out, "✗") {
			v.t.Errorf("%s against what the witness was told, %s: %d %s", filepath.Base(file), told, code(err), out)
		}
	}
}
