// Package notifytest starts the counterparts of channels for tests, as their authors publish them on npm: a mail
// server with a parser of mails and a verifier of signatures, and the verifier of Standard Webhooks.
//
//	server := notifytest.StartMail(t, notifytest.MailConfig{})
//	// … send to smtp://127.0.0.1:server.Port
//	mail := server.Next(t)
package notifytest

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

//go:embed node/package.json node/package-lock.json node/mail.mjs node/webhook.mjs
var files embed.FS

// patience is how long a counterpart may take on a busy machine.
const patience = 2 * time.Minute

// MailConfig is how a mail server behaves.
type MailConfig struct {
	Secure bool   `json:"secure,omitempty"` // TLS from the first byte
	Key    string `json:"key,omitempty"`    // private key and certificate in PEM; empty: no TLS at all
	Cert   string `json:"cert,omitempty"`
	User   string `json:"user,omitempty"` // empty: no one signs in
	// Password of the user. A wrong one is repeated in the answer, as careless servers do.
	Password string            `json:"password,omitempty"`
	TXT      map[string]string `json:"txt,omitempty"` // records in the name service, by name
}

// MailServer is a mail server that runs until the test ends.
type MailServer struct {
	Port  int
	mails chan *Mail
}

// Mail is one that arrived, as a mail program reads it.
type Mail struct {
	Raw        string   `json:"raw"`
	Session    string   `json:"session"` // of the connection
	Secure     bool     `json:"secure"`
	Rcpt       []string `json:"rcpt"`
	From       Address  `json:"from"`
	To         string   `json:"to"`
	Subject    string   `json:"subject"`
	ID         string   `json:"id"`
	ReplyTo    string   `json:"replyTo"` // In-Reply-To
	References []string `json:"references"`
	Headers    []string `json:"headers"` // lines
	Text       string   `json:"text"`
	HTML       string   `json:"html"`
	DKIM       []string `json:"dkim"` // such as: pass example.com ed25519-sha256
}

// Address is a mailbox with a name.
type Address struct {
	Address string `json:"address"`
	Name    string `json:"name"`
}

// StartMail starts a mail server on this machine.
func StartMail(t testing.TB, c MailConfig) *MailServer {
	t.Helper()
	config, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	lines, _ := start(t, "mail.mjs", string(config))
	var ready struct{ Port int }
	if err := json.Unmarshal(next(t, lines), &ready); err != nil || ready.Port == 0 {
		t.Fatalf("the mail server did not start: %v", err)
	}
	s := &MailServer{ready.Port, make(chan *Mail, 10_000)}
	go func() {
		defer close(s.mails)
		for line := range lines {
			m := new(Mail)
			if json.Unmarshal(line, m) == nil {
				s.mails <- m
			}
		}
	}()
	return s
}

// Next waits for a mail.
func (s *MailServer) Next(t testing.TB) *Mail {
	t.Helper()
	select {
	case m, ok := <-s.mails:
		if !ok {
			t.Fatal("the mail server ended")
		}
		return m
	case <-time.After(patience):
		t.Fatalf("no mail arrived within %s", patience)
	}
	return nil
}

// Waiting is how many mails have arrived that Next has not returned.
func (s *MailServer) Waiting() int { return len(s.mails) }

// Verifier verifies webhooks.
type Verifier struct {
	in    io.Writer
	lines <-chan []byte
}

// StartVerifier starts a verifier.
func StartVerifier(t testing.TB) *Verifier {
	t.Helper()
	lines, in := start(t, "webhook.mjs")
	return &Verifier{in, lines}
}

// Verify verifies a request with the secret of v1, or the public key of v1a, and returns the payload or why it is
// refused.
func (v *Verifier) Verify(t testing.TB, secretOrKey, body string, headers map[string]string) (json.RawMessage, string) {
	t.Helper()
	question := map[string]any{"body": body, "headers": headers, "secret": secretOrKey}
	if bytes.HasPrefix([]byte(secretOrKey), []byte("whpk_")) {
		question["key"] = secretOrKey
	}
	raw, err := json.Marshal(question)
	if err == nil {
		_, err = v.in.Write(append(raw, '\n'))
	}
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		OK      bool
		Error   string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(next(t, v.lines), &answer); err != nil {
		t.Fatal(err)
	}
	if !answer.OK && answer.Error == "" {
		answer.Error = "refused"
	}
	return answer.Payload, answer.Error
}

func next(t testing.TB, lines <-chan []byte) []byte {
	t.Helper()
	select {
	case line, ok := <-lines:
		if !ok {
			t.Fatal("the program ended")
		}
		return line
	case <-time.After(patience):
		t.Fatalf("no line within %s", patience)
	}
	return nil
}

// start runs a script until the test ends, and returns the lines it prints.
func start(t testing.TB, script string, args ...string) (<-chan []byte, io.Writer) {
	t.Helper()
	cmd := exec.Command("node", append([]string{script}, args...)...)
	cmd.Dir = Install(t)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() && errs.Len() > 0 {
			t.Logf("%s: %.2000s", script, errs.String())
		}
	})
	lines := make(chan []byte, 1000)
	go func() {
		defer close(lines)
		scanner := bufio.NewScanner(out)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			lines <- bytes.Clone(scanner.Bytes())
		}
	}()
	return lines, in
}

// Install puts the pinned packages into a folder of their own in the user's cache, and returns it. Concurrent installs
// both succeed: the folder appears whole, by a rename.
func Install(t testing.TB) string {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CI") != "" {
		missing = t.Fatalf
	}
	for _, program := range []string{"node", "npm"} {
		if _, err := exec.LookPath(program); err != nil {
			missing("%s is needed to run the counterparts of channels", program)
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.New()
	bodies := map[string][]byte{}
	for _, name := range []string{"package.json", "package-lock.json", "mail.mjs", "webhook.mjs"} {
		if bodies[name], err = fs.ReadFile(files, "node/"+name); err != nil {
			t.Fatal(err)
		}
		sum.Write(bodies[name])
	}
	dir := filepath.Join(cache, "assent-test", fmt.Sprintf("notify-%x", sum.Sum(nil)[:8]))
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "fresh-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // gone when it was renamed
	for name, body := range bodies {
		if err := os.WriteFile(filepath.Join(fresh, name), body, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = fresh
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	_ = os.Rename(fresh, dir) // another process may have been faster
	return dir
}
