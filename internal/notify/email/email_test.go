package email

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/notifytest"
	"github.com/assent-run/assent/internal/outbound"
)

func poolOf(s *httptest.Server) *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool
}

func local() *outbound.Client { return outbound.New(outbound.Options{AllowLoopback: true}) }

func channel(t *testing.T, c Config) *Channel {
	t.Helper()
	if c.From == "" {
		c.From = "Assent <assent@example.com>"
	}
	if c.Out == nil {
		c.Out = local()
	}
	ch, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ch.Close() })
	return ch
}

var ann = notify.Recipient{Person: "ann", Address: "Ann <ann@example.com>"}

// question is a message that asks for a decision.
func question() notify.Message {
	return notify.Message{
		Key: "dlv_1", Event: notify.ApprovalNeeded, At: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Thread: "apr_1",
		Run: "run_1", Workflow: "refund", Approval: "apr_1", Version: 1,
		Title: "Approval required: Refund 1 250,00 € to Zoë", About: "Refund 1 250,00 € to Zoë",
		Text:    "The agent refunder wants to send this refund.",
		Facts:   []notify.Fact{{Label: "Workflow", Value: "refund"}, {Label: "Risk", Value: "high"}},
		Details: []notify.Detail{{Label: "amount", Text: "1250.00"}, {Text: "Dear Zoë,\nhere it is.\n.\nBye <b>& co</b>"}},
		Open:    "https://assent.example/approvals/apr_1?a=1&b=2",
		Acts:    []notify.Act{{Act: gate.Approve, Label: "Approve"}},
	}
}

func answered() notify.Message {
	m := question()
	m.Settled, m.Title, m.Text, m.Acts = true, "Approved: "+m.About, "Approved by bob.", nil
	return m
}

func failureOf(t *testing.T, err error) *notify.Failure {
	t.Helper()
	var f *notify.Failure
	if !errors.As(err, &f) {
		t.Fatalf("not a failure: %v", err)
	}
	return f
}

// TestRealServer sends to a real mail server, and reads the mails with a real parser.
func TestRealServer(t *testing.T) {
	server := notifytest.StartMail(t, notifytest.MailConfig{})
	c := channel(t, Config{SMTP: fmt.Sprintf("smtp://127.0.0.1:%d", server.Port)})
	ref, err := c.Send(t.Context(), ann, question())
	if err != nil {
		t.Fatal(err)
	}
	first := server.Next(t)
	if first.Subject != "Approval required: Refund 1 250,00 € to Zoë" || first.From.Name != "Assent" ||
		!slices.Equal(first.Rcpt, []string{"ann@example.com"}) || first.To != `"Ann" <ann@example.com>` {
		t.Errorf("subject %q, from %+v, to %v %s", first.Subject, first.From, first.Rcpt, first.To)
	}
	for _, want := range []string{"wants to send this refund", "Workflow: refund", "amount:", "1250.00", "Dear Zoë,",
		"\n    .\n", "Bye <b>& co</b>", "https://assent.example/approvals/apr_1?a=1&b=2"} {
		if !strings.Contains(first.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, first.Text)
		}
	}
	for _, want := range []string{"wants to send this refund", "<td dir=\"auto\">high</td>", "Dear Zoë,\nhere it is.\n.\n",
		"Bye &lt;b&gt;&amp; co&lt;/b&gt;", `href="https://assent.example/approvals/apr_1?a=1&amp;b=2"`} {
		if !strings.Contains(first.HTML, want) {
			t.Errorf("the HTML lacks %q:\n%s", want, first.HTML)
		}
	}
	if n := strings.Count(first.HTML, "href="); n != 1 || strings.Contains(first.HTML, "<form") {
		t.Errorf("%d links: a mail opens the page and nothing else", n)
	}
	for _, want := range []string{"Auto-Submitted: auto-generated", "X-Assent-Event: approval.needed",
		"X-Assent-Approval: apr_1"} {
		if !slices.Contains(first.Headers, want) {
			t.Errorf("no header %q in %q", want, first.Headers)
		}
	}
	if slices.ContainsFunc(first.Headers, func(h string) bool { return strings.HasPrefix(h, "List-Unsub") }) {
		t.Error("a mail without an address to unsubscribe offers one")
	}

	// A reply in the same thread, once.
	after, err := c.Edit(t.Context(), ann, ref, answered())
	if err != nil {
		t.Fatal(err)
	}
	reply := server.Next(t)
	if reply.Subject != "Re: "+first.Subject || reply.ReplyTo != first.ID || reply.ID == first.ID ||
		!slices.Equal(reply.References, append(slices.Clone(first.References), first.ID)) {
		t.Errorf("reply %q to %q with %q after %q %q", reply.Subject, reply.ReplyTo, reply.References, first.ID,
			first.References)
	}
	if !strings.Contains(reply.Text, "Approved by bob.") || strings.Contains(reply.Text, "Dear Zoë") {
		t.Errorf("reply: %s", reply.Text)
	}
	if again, err := c.Edit(t.Context(), ann, after, answered()); err != nil || again != after {
		t.Errorf("again: %q, %v", again, err)
	}
	// The same message once more is the same mail.
	if _, err := c.Send(t.Context(), ann, question()); err != nil {
		t.Fatal(err)
	}
	if twin := server.Next(t); twin.ID != first.ID || twin.Session != first.Session {
		t.Errorf("the same message has the ids %s and %s, on connections %s and %s", twin.ID, first.ID, twin.Session,
			first.Session)
	}
}

// TestOnlyOneOutcome: several messages of a thread are edited, and the event of the outcome is told as well.
func TestOnlyOneOutcome(t *testing.T) {
	f := startFaulty(t, nil, nil)
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	var refs []notify.Ref
	for i, event := range []notify.Event{notify.ApprovalNeeded, notify.ApprovalReminder, notify.ApprovalEscalated} {
		m := question()
		m.Event, m.Key = event, fmt.Sprint("dlv_", i)
		ref, err := c.Send(t.Context(), ann, m)
		if err != nil {
			t.Fatal(err)
		}
		refs = append(refs, ref)
	}
	for i, ref := range refs {
		m := answered()
		m.Key = fmt.Sprint("dlv_", i)
		if _, err := c.Edit(t.Context(), ann, ref, m); err != nil {
			t.Fatal(err)
		}
	}
	m := answered()
	m.Event, m.Key = notify.ApprovalResolved, "dlv_9"
	if _, err := c.Send(t.Context(), ann, m); err != nil {
		t.Fatal(err)
	}
	if mails, _ := f.got(); len(mails) != 4 {
		t.Errorf("%d mails: three questions have one answer", len(mails))
	}
	// Another recipient has not been told, and one who was never asked gets no reply.
	bob := notify.Recipient{Address: "bob@example.com"}
	if _, err := c.Send(t.Context(), bob, m); err != nil {
		t.Fatal(err)
	}
	if ref, err := c.Edit(t.Context(), bob, "", answered()); ref != "" || err != nil {
		t.Errorf("%q, %v", ref, err)
	}
	// A new version of the question, not settled, is no reason for another mail.
	open := question()
	open.Version = 2
	if ref, err := c.Edit(t.Context(), ann, refs[0], open); ref != refs[0] || err != nil {
		t.Errorf("%q, %v", ref, err)
	}
	// Messages about a run are told each.
	for i := range 2 {
		done := notify.Message{Key: fmt.Sprint("run_", i), Event: notify.RunCompleted, Thread: "run_1", Run: "run_1",
			Title: "Completed", Settled: true}
		if _, err := c.Send(t.Context(), ann, done); err != nil {
			t.Fatal(err)
		}
	}
	if mails, _ := f.got(); len(mails) != 7 {
		t.Errorf("%d mails", len(mails))
	}
}

// TestSubjects: the mails of a thread have the same subject, apart from Re:.
func TestSubjects(t *testing.T) {
	m := question()
	for _, c := range []struct {
		event notify.Event
		reply bool
		want  string
	}{
		{notify.ApprovalNeeded, false, "Approval required: " + m.About},
		{notify.ApprovalNeeded, true, "Re: Approval required: " + m.About},
		{notify.ApprovalReminder, false, "Re: Approval required: " + m.About},
		{notify.ApprovalEscalated, false, "Escalated to you: " + m.About},
		{notify.ApprovalEscalated, true, "Re: Escalated to you: " + m.About},
		{notify.RunFailed, false, m.Title},
	} {
		m.Event = c.event
		e := envelope{}
		if c.reply {
			e.reply = "x@example.com"
		}
		if got := subject(e, m); got != c.want {
			t.Errorf("%s: %q, want %q", c.event, got, c.want)
		}
	}
}

// TestOutcomeIsRetried: a reply that failed is sent by the next attempt.
func TestOutcomeIsRetried(t *testing.T) {
	f := startFaulty(t, nil, func(verb string, n int) string {
		if verb == "end" && n == 2 {
			return "451 later"
		}
		return ""
	})
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	ref, err := c.Send(t.Context(), ann, question())
	if err != nil {
		t.Fatal(err)
	}
	same, err := c.Edit(t.Context(), ann, ref, answered())
	if same != ref || err == nil {
		t.Fatalf("%q, %v", same, err)
	}
	if after, err := c.Edit(t.Context(), ann, ref, answered()); after == ref || err != nil {
		t.Errorf("%q, %v", after, err)
	}
	if mails, connections := f.got(); len(mails) != 3 || connections != 1 {
		t.Errorf("%d mails, %d connections", len(mails), connections)
	}
}

// TestFaults: what a server does at each step, and what follows.
func TestFaults(t *testing.T) {
	for _, verb := range []string{"hello", "EHLO", "AUTH", "MAIL", "RCPT", "DATA", "end"} {
		for _, said := range []string{"421 4.3.2 closing", "451 4.7.1 later", "550 5.1.1 no such secret-word", "drop"} {
			t.Run(verb+" "+said[:3], func(t *testing.T) {
				f := startFaulty(t, nil, func(v string, _ int) string {
					if v == verb || verb == "EHLO" && v == "HELO" {
						return said
					}
					return ""
				})
				c := channel(t, Config{SMTP: "smtp://ann@127.0.0.1:" + f.port, Password: "secret-word"})
				_, err := c.Send(t.Context(), ann, question())
				got := failureOf(t, err)
				if got.Permanent != strings.HasPrefix(said, "5") || got.Unknown != (verb == "end" && said == "drop") ||
					got.Gone {
					t.Errorf("%+v", got)
				}
				if strings.Contains(got.Why, "secret-word") || !strings.Contains(got.Why, "127.0.0.1") {
					t.Errorf("why: %s", got.Why)
				}
			})
		}
	}
}

// TestNextMailAfterARefusal goes on with the same connection, or a new one if that ended.
func TestNextMailAfterARefusal(t *testing.T) {
	f := startFaulty(t, nil, func(verb string, n int) string {
		switch {
		case verb == "RCPT" && n == 1:
			return "550 no such mailbox"
		case verb == "end" && n == 2:
			return "421 closing"
		}
		return ""
	})
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	for i, fails := range []bool{true, false, true, false, false} {
		m := question()
		m.Key = fmt.Sprint(i)
		if _, err := c.Send(t.Context(), ann, m); (err != nil) != fails {
			t.Fatalf("mail %d: %v", i, err)
		}
	}
	if _, connections := f.got(); connections != 2 {
		t.Errorf("%d connections", connections)
	}
	f.disconnect() // the server restarts while the connection is idle
	if _, err := c.Send(t.Context(), ann, question()); err != nil {
		t.Errorf("after a restart: %v", err)
	}
	c.mailsPer = 2
	for range 2 {
		if _, err := c.Send(t.Context(), ann, question()); err != nil {
			t.Fatal(err)
		}
	}
	if _, connections := f.got(); connections != 4 {
		t.Errorf("%d connections: one carries two mails, and the first of the three was on the one before", connections)
	}
}

// TestSlowServer: a caller that gives up is released at once.
func TestSlowServer(t *testing.T) {
	for _, verb := range []string{"hello", "MAIL", "end"} {
		t.Run(verb, func(t *testing.T) {
			arrived, release := make(chan bool), make(chan bool)
			f := startFaulty(t, nil, func(v string, _ int) string {
				if v == verb {
					close(arrived)
					<-release
				}
				return ""
			})
			defer close(release)
			c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { <-arrived; cancel() }()
			_, err := c.Send(ctx, ann, question())
			if got := failureOf(t, err); got.Unknown != (verb == "end") || got.Permanent {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestTooManyReplies: a server cannot fill the memory.
func TestTooManyReplies(t *testing.T) {
	f := startFaulty(t, nil, func(v string, _ int) string {
		if v == "MAIL" {
			return strings.Repeat("250-"+strings.Repeat("x", 1000)+"\r\n", 1000) + "250 fine"
		}
		return ""
	})
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	_, err := c.Send(t.Context(), ann, question())
	if got := failureOf(t, err); got.Permanent || !strings.Contains(got.Why, "too long") {
		t.Errorf("%+v", got)
	}
}

// TestManyMails shares few connections.
func TestManyMails(t *testing.T) {
	f := startFaulty(t, nil, nil)
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	var wait sync.WaitGroup
	for i := range 80 {
		wait.Go(func() {
			m := question()
			m.Key = fmt.Sprint(i)
			if _, err := c.Send(t.Context(), ann, m); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	mails, connections := f.got()
	if len(mails) != 80 || connections > connectionsMax {
		t.Errorf("%d mails on %d connections", len(mails), connections)
	}
}

func TestEncryption(t *testing.T) {
	config, out := certificate(t)
	secure, open := startFaulty(t, config, nil), startFaulty(t, nil, nil)
	start := func(f *faulty, out *outbound.Client, scheme string) *Channel {
		c := channel(t, Config{SMTP: scheme + "://ann@127.0.0.1:" + f.port, Password: "secret-word", Out: out})
		c.server.local = false // as if it were elsewhere
		return c
	}
	if _, err := start(secure, out, "smtp").Send(t.Context(), ann, question()); err != nil {
		t.Error(err)
	}
	if heard := secure.heard(); !slices.Contains(heard, "STARTTLS") || !slices.Contains(heard, "AUTH") {
		t.Errorf("the connection was not encrypted: %v", heard)
	}
	_, err := start(open, out, "smtp").Send(t.Context(), ann, question())
	if got := failureOf(t, err); !got.Permanent || !strings.Contains(got.Why, "STARTTLS") {
		t.Errorf("%+v", got)
	}
	if heard := open.heard(); slices.Contains(heard, "AUTH") || slices.Contains(heard, "MAIL") {
		t.Errorf("something was sent without encryption: %v", heard)
	}
	_, err = start(secure, local(), "smtp").Send(t.Context(), ann, question())
	if got := failureOf(t, err); !got.Permanent || !strings.Contains(got.Why, "certificate") {
		t.Errorf("a certificate that is not trusted: %+v", got)
	}
	permitted := start(open, out, "smtp")
	permitted.server.plaintext = true
	if _, err := permitted.Send(t.Context(), ann, question()); err != nil {
		t.Errorf("permitted without encryption: %v", err)
	}
}

// TestRealEncryption: TLS from the first byte, and a user, on a real server.
func TestRealEncryption(t *testing.T) {
	config, out := certificate(t)
	der, err := x509.MarshalPKCS8PrivateKey(config.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	key := string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	cert := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: config.Certificates[0].Certificate[0]}))
	for _, scheme := range []string{"smtp", "smtps"} {
		server := notifytest.StartMail(t, notifytest.MailConfig{Secure: scheme == "smtps", Key: key, Cert: cert,
			User: "ann", Password: "secret-word"})
		address := fmt.Sprintf("%s://ann@127.0.0.1:%d", scheme, server.Port)
		good := channel(t, Config{SMTP: address, Password: "secret-word", Out: out})
		good.server.local = false
		if _, err := good.Send(t.Context(), ann, question()); err != nil {
			t.Fatalf("%s: %v", scheme, err)
		}
		if m := server.Next(t); !m.Secure {
			t.Errorf("%s: not encrypted", scheme)
		}
		_, err := channel(t, Config{SMTP: address, Password: "another-word", Out: out}).Send(t.Context(), ann, question())
		if got := failureOf(t, err); !got.Permanent || strings.Contains(got.Why, "another-word") {
			t.Errorf("%s: wrong password: %+v", scheme, got)
		}
	}
}

func TestGuard(t *testing.T) {
	f := startFaulty(t, nil, nil)
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port, Out: outbound.New(outbound.Options{})})
	_, err := c.Send(t.Context(), ann, question())
	if got := failureOf(t, err); !got.Permanent || !strings.Contains(got.Why, "blocked") {
		t.Errorf("%+v", got)
	}
	if _, connections := f.got(); connections != 0 {
		t.Error("it connected")
	}
}

// TestDKIM is verified by mailauth, which shares no code with the signer.
func TestDKIM(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	rsaKey, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rsaPublic, _ := x509.MarshalPKIXPublicKey(&rsaKey.PublicKey)
	server := notifytest.StartMail(t, notifytest.MailConfig{TXT: map[string]string{
		"one._domainkey.example.com": "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public),
		"two._domainkey.example.com": "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(rsaPublic),
	}})
	pkcs8 := func(key any) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
	}
	pkcs1 := string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(rsaKey)}))
	for _, c := range []struct{ selector, key, want string }{
		{"one", pkcs8(private), "pass example.com ed25519-sha256"},
		{"two", pkcs8(rsaKey), "pass example.com rsa-sha256"},
		{"two", pkcs1, "pass example.com rsa-sha256"},
		{"one", pkcs1, "fail example.com rsa-sha256"},
	} {
		ch := channel(t, Config{SMTP: fmt.Sprintf("smtp://127.0.0.1:%d", server.Port),
			DKIM: &DKIM{"example.com", c.selector, c.key},
			Unsubscribe: func(notify.Recipient, notify.Message) (string, bool) {
				return "https://assent.example/u?t=abc", true
			}})
		m := question()
		m.About = strings.Repeat("Ein sehr langer Titel mit Ümläuten ", 5)
		if _, err := ch.Send(t.Context(), ann, m); err != nil {
			t.Fatal(err)
		}
		got := server.Next(t)
		ok := len(got.DKIM) == 1 && got.DKIM[0] == c.want
		if strings.HasPrefix(c.want, "fail") {
			ok = len(got.DKIM) == 1 && !strings.HasPrefix(got.DKIM[0], "pass")
		}
		if !ok {
			t.Errorf("%s: %q, want %s", c.selector, got.DKIM, c.want)
		}
		signature := got.Headers[0]
		for _, h := range []string{"List-Unsubscribe:", "List-Unsubscribe-Post:"} {
			if !strings.Contains(strings.NewReplacer("\r\n ", "", "\n ", "", "\r\n\t", "", "\n\t", "").Replace(signature), h) {
				t.Errorf("the signature does not cover %s %s", h, signature)
			}
		}
		if !slices.Contains(got.Headers, "List-Unsubscribe: <https://assent.example/u?t=abc>") ||
			!slices.Contains(got.Headers, "List-Unsubscribe-Post: List-Unsubscribe=One-Click") {
			t.Errorf("headers: %q", got.Headers)
		}
	}
}

// TestSeveralAddresses: a message to the channel's own addresses goes to those that the server accepts.
func TestSeveralAddresses(t *testing.T) {
	f := startFaulty(t, nil, func(verb string, n int) string {
		if verb == "RCPT" && n == 1 {
			return "550 5.1.1 unknown"
		}
		return ""
	})
	c := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port, To: []string{"old@example.com", "team@example.com"}})
	if _, err := c.Send(t.Context(), notify.Recipient{}, question()); err != nil {
		t.Fatal(err)
	}
	if mails, _ := f.got(); len(mails) != 1 || len(f.rcpts) != 2 {
		t.Errorf("%d mails to %v", len(mails), f.rcpts)
	}
	none := channel(t, Config{SMTP: "smtp://127.0.0.1:" + f.port})
	_, err := none.Send(t.Context(), notify.Recipient{Person: "ann"}, question())
	if got := failureOf(t, err); !got.Permanent {
		t.Errorf("%+v", got)
	}
}

func TestConfig(t *testing.T) {
	good := Config{SMTP: "smtp://mail.example:587", From: "assent@example.com"}
	for _, c := range []struct {
		name   string
		change func(*Config)
		want   string
	}{
		{"scheme", func(c *Config) { c.SMTP = "http://mail.example:25" }, "smtp: not the address"},
		{"port", func(c *Config) { c.SMTP = "smtp://mail.example" }, "smtp: not the address"},
		{"path", func(c *Config) { c.SMTP = "smtp://mail.example:25/x" }, "smtp: not the address"},
		{"password in the address", func(c *Config) { c.SMTP = "smtp://a:secret@mail.example:25" }, "contains a password"},
		{"no user", func(c *Config) { c.Password = "secret" }, "needs a user"},
		{"no password", func(c *Config) { c.SMTP = "smtp://ann@mail.example:25" }, "is missing"},
		{"no sender", func(c *Config) { c.From = "" }, "from: "},
		{"line end in sender", func(c *Config) { c.From = "a@example.com\r\nBcc: b@example.com" }, "from: "},
		{"recipient", func(c *Config) { c.To = []string{"nobody"} }, "to: "},
		{"quoted recipient", func(c *Config) { c.To = []string{`"a b"@example.com`} }, "to: "},
		{"key", func(c *Config) { c.DKIM = &DKIM{"example.com", "one", "secret"} }, "dkim: the key"},
		{"selector", func(c *Config) { c.DKIM = &DKIM{"example.com", "o; d=evil", "secret"} }, "dkim: a domain"},
	} {
		config := good
		c.change(&config)
		_, err := New(config)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "secret@") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := New(good); err != nil {
		t.Error(err)
	}
}
