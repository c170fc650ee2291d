//go:build unix

package audit

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/port"
)

// ran runs a program.
func ran(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v: %s", name, args, err, out)
	}
	return string(out)
}

func wants(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func witness(t *testing.T, text, folder string) Witness {
	t.Helper()
	w, err := OpenWitness(text, folder, http.DefaultClient)
	must(t, err)
	return w
}

// A webhook receives every head, even if it failed at first.
func TestWebhookWitness(t *testing.T) {
	var heard []string
	broken := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if broken {
			http.Error(w, "not now", http.StatusBadGateway)
			return
		}
		b, _ := io.ReadAll(r.Body)
		heard = append(heard, string(b))
	}))
	defer server.Close()
	s, store := open(t)
	exported(t, s, store, 10)
	w := witness(t, server.URL, "")
	told, err := s.tellWitness(t.Context(), w, 0)
	if err == nil || !strings.Contains(err.Error(), "502") {
		t.Fatalf("%d, %v", told, err)
	}
	broken = false
	told, err = s.tellWitness(t.Context(), w, 0)
	must(t, err)
	told, err = s.tellWitness(t.Context(), w, told) // nothing new
	must(t, err)
	if told != 10 || len(heard) != 1 {
		t.Fatalf("%d: %q", told, heard)
	}
	var said struct {
		End, Public string
		Head        port.AuditHead
	}
	must(t, json.Unmarshal([]byte(heard[0]), &said))
	public, _, err := ParsePublic(said.Public)
	must(t, err)
	must(t, checkSignature(said.Head, public))

	// An attacker with the key rebuilds the log: everything verifies, except for what the witness knows.
	other, elsewhere := open(t)
	other.Config.Key = s.Key
	forged := exported(t, other, elsewhere, 12)
	if r := verified(t, forged, Expected{Public: said.Public}); !r.OK {
		t.Fatalf("%+v", r)
	}
	if r := verified(t, forged, Expected{Public: said.Public, Head: said.End}); r.OK {
		t.Error("the witness's head did not tell the forgery")
	}
}

// A server notifies its witnesses on its own, and continues when one does not answer.
func TestWitnessesAreTold(t *testing.T) {
	heard := make(chan string, 10)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		heard <- string(b)
	}))
	defer server.Close()
	s, store := open(t)
	exported(t, s, store, 5)
	c := s.Config
	c.Witnesses = []Witness{witness(t, "http://127.0.0.1:1/", ""), witness(t, server.URL, "")}
	s = New(c)
	s.Start()
	defer s.Stop()
	select {
	case text := <-heard:
		if !strings.Contains(text, `"end":"5:`) {
			t.Error(text)
		}
	case <-time.After(2 * time.Minute):
		t.Fatal("nothing was heard")
	}
}

// Heads are committed and pushed.
func TestGitWitness(t *testing.T) {
	wants(t, "git")
	root := t.TempDir()
	bare, clone := filepath.Join(root, "bare"), filepath.Join(root, "clone")
	ran(t, root, "git", "init", "-q", "--bare", bare)
	ran(t, root, "git", "clone", "-q", bare, clone)
	ran(t, clone, "git", "config", "user.name", "assent")
	ran(t, clone, "git", "config", "user.email", "assent@localhost")
	s, store := open(t)
	exported(t, s, store, 5)
	w := witness(t, "git:"+clone, "")
	told, err := s.tellWitness(t.Context(), w, 0)
	must(t, err)
	_, err = s.tellWitness(t.Context(), w, 0) // sent again, as after a restart
	must(t, err)
	_, err = store.AppendAudit(t.Context(), draft(9))
	must(t, err)
	head, err := s.Cut(t.Context())
	must(t, err)
	_, err = s.tellWitness(t.Context(), w, told)
	must(t, err)
	log := ran(t, bare, "git", "log", "--format=%s")
	if strings.Count(log, "Audit log: ") != 2 || !strings.Contains(log, standsAt(head)) {
		t.Errorf("%s", log)
	}
	branch := strings.TrimSpace(ran(t, clone, "git", "symbolic-ref", "--short", "HEAD"))
	if text := ran(t, bare, "git", "show", branch+":audit-heads.jsonl"); strings.Count(text, "\n") != 2 {
		t.Errorf("%s", text)
	}
	if _, err := s.tellWitness(t.Context(), witness(t, "git:"+t.TempDir(), ""), 0); err == nil {
		t.Error("a directory without a repository kept a head")
	}
}

const tsaConfig = `
[ tsa ]
default_tsa = own
[ own ]
serial = ./serial
signer_cert = ./tsa.pem
signer_key = ./tsa.key
certs = ./ca.pem
default_policy = 1.2.3.4
digests = sha256
signer_digest = sha256
ess_cert_id_alg = sha256
`

// stamper is a local timestamp service, with OpenSSL.
func stamper(t *testing.T) (url, dir string) {
	wants(t, "openssl")
	dir = t.TempDir()
	ran(t, dir, "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
		"-subj", "/CN=ca", "-days", "2")
	ran(t, dir, "openssl", "req", "-newkey", "rsa:2048", "-nodes", "-keyout", "tsa.key", "-out", "tsa.csr", "-subj",
		"/CN=tsa")
	must(t, os.WriteFile(filepath.Join(dir, "ext"), []byte("extendedKeyUsage=critical,timeStamping\n"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "tsa.cnf"), []byte(tsaConfig), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "serial"), []byte("01\n"), 0o600))
	ran(t, dir, "openssl", "x509", "-req", "-in", "tsa.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
		"-out", "tsa.pem", "-days", "2", "-extfile", "ext")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query, _ := io.ReadAll(r.Body)
		cmd := exec.Command("openssl", "ts", "-reply", "-config", "tsa.cnf", "-section", "own", "-queryfile", "/dev/stdin")
		cmd.Dir, cmd.Stdin = dir, bytes.NewReader(query)
		out, err := cmd.Output()
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		_, _ = w.Write(out)
	}))
	t.Cleanup(server.Close)
	return server.URL, dir
}

// A timestamp service stamps heads, and OpenSSL confirms it.
func TestTimestampWitness(t *testing.T) {
	url, dir := stamper(t)
	s, store := open(t)
	exported(t, s, store, 5)
	folder := filepath.Join(t.TempDir(), "stamps")
	_, err := s.tellWitness(t.Context(), witness(t, "tsa:"+url, folder), 0)
	must(t, err)
	out := ran(t, folder, "openssl", "ts", "-verify", "-data", "5.json", "-in", "5.tsr", "-CAfile",
		filepath.Join(dir, "ca.pem"))
	if !strings.Contains(out, "Verification: OK") {
		t.Error(out)
	}
	// An answer to a different request is not stored.
	stamp, err := os.ReadFile(filepath.Join(folder, "5.tsr"))
	must(t, err)
	again := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(stamp) }))
	defer again.Close()
	if _, err := s.tellWitness(t.Context(), witness(t, "tsa:"+again.URL, t.TempDir()), 0); err == nil ||
		!strings.Contains(err.Error(), "another digest") {
		t.Error(err)
	}
}

func TestUnknownWitness(t *testing.T) {
	for _, text := range []string{"", "file:/x", "example.com"} {
		if _, err := OpenWitness(text, "", nil); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}
