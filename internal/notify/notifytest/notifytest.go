// Package notifytest starts the counterparts of channels for tests, as their authors publish them on npm: a mail
// server with a parser of mails and a verifier of signatures, and the verifier of Standard Webhooks.
//
//	server := notifytest.StartMail(t, notifytest.MailConfig{})
//	// … send to smtp://127.0.0.1:server.Port
//	mail := server.Next(t)
package notifytest

import (
	"bytes"
	"embed"
	"encoding/json"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/nodetest"
)

//go:embed node
var files embed.FS

var packages = nodetest.Packages{Name: "notify", Files: files, Dir: "node"}

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

	At time.Time `json:"-"` // when it arrived
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
	p := nodetest.Start(t, packages, "mail.mjs", string(config))
	var ready struct{ Port int }
	if err := json.Unmarshal(p.Next(t), &ready); err != nil || ready.Port == 0 {
		t.Fatalf("the mail server did not start: %v", err)
	}
	s := &MailServer{ready.Port, make(chan *Mail, 10_000)}
	go func() {
		defer close(s.mails)
		for line := range p.Lines {
			m := new(Mail)
			if json.Unmarshal(line, m) == nil {
				m.At = time.Now()
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
type Verifier struct{ *nodetest.Program }

// StartVerifier starts a verifier.
func StartVerifier(t testing.TB) *Verifier {
	t.Helper()
	return &Verifier{nodetest.Start(t, packages, "webhook.mjs")}
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
		_, err = v.In.Write(append(raw, '\n'))
	}
	if err != nil {
		t.Fatal(err)
	}
	var answer struct {
		OK      bool
		Error   string
		Payload json.RawMessage
	}
	if err := json.Unmarshal(v.Next(t), &answer); err != nil {
		t.Fatal(err)
	}
	if !answer.OK && answer.Error == "" {
		answer.Error = "refused"
	}
	return answer.Payload, answer.Error
}

// Install installs the packages, and returns their folder.
func Install(t testing.TB) string { return nodetest.Install(t, packages) }
