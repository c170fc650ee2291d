package e2e

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/notify/notifytest"
)

// TestUnsubscribe: a summary by e-mail has a signed link, which turns summaries off with one click of a mail program.
// Opening it changes nothing, and no one can make a link for another person.
func TestUnsubscribe(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	mails := notifytest.StartMail(t, notifytest.MailConfig{TXT: map[string]string{
		"one._domainkey.example.com": "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)}})
	s := serve(t)
	s.kill()
	s.env = append(s.env, "ASSENT_PUBLIC_URL=https://assent.example.com", "ASSENT_REFERENCES=env:TEST_DKIM",
		"TEST_DKIM="+string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
	s.start()
	s.define("workflow: pay\nsteps:\n" + // all of them ask at once
		"  - {id: a, needs: [], human: {title: A?}}\n  - {id: b, needs: [], human: {title: B?}}\n" +
		"  - {id: c, needs: [], human: {title: C?}}\n")
	s.call("PUT", "/me/notifications", map[string]any{"email": "ann@example.com", "timezone": "Europe/Berlin",
		"digest": map[string]any{"after": 1, "every": "1s"}}).want(200)
	s.call("PUT", "/channels/mail", yaml(fmt.Sprintf("channel: mail\nkind: email\nsmtp: smtp://127.0.0.1:%d\n"+
		"from: Assent <assent@example.com>\ndkim: { domain: example.com, selector: one, key: \"${env:TEST_DKIM}\" }\n",
		mails.Port))).want(201)
	s.call("PUT", "/notifications", yaml("notifications: default\nevents: { approval.needed: [mail] }")).want(201)
	s.run("pay", map[string]any{})
	var address string
	for address == "" {
		m := mails.Next(t)
		i := slices.IndexFunc(m.Headers, func(h string) bool { return strings.HasPrefix(h, "List-Unsubscribe: <") })
		if i < 0 {
			if strings.Contains(m.Subject, "approvals required") {
				t.Fatalf("a summary without a link: %q", m.Headers)
			}
			continue
		}
		if !slices.Contains(m.Headers, "List-Unsubscribe-Post: List-Unsubscribe=One-Click") ||
			!slices.Equal(m.DKIM, []string{"pass example.com ed25519-sha256"}) ||
			!regexp.MustCompile(`(?s)^DKIM-Signature:.*h=[^;]*List-Unsubscribe:[^;]*List-Unsubscribe-Post`).MatchString(
				strings.Join(strings.Fields(m.Headers[0]), "")) || !strings.Contains(m.Subject, "approvals required") {
			t.Errorf("%s: %q %q", m.Subject, m.DKIM, m.Headers)
		}
		address = strings.TrimSuffix(strings.TrimPrefix(m.Headers[i], "List-Unsubscribe: <"), ">")
	}
	path, ok := strings.CutPrefix(address, "https://assent.example.com/api/v1/unsubscribe/")
	if !ok || len(path) < 60 {
		t.Fatalf("%q", address)
	}
	visit := func(method, token, body string) (int, string) {
		r, err := http.NewRequest(method, s.url+"/api/v1/unsubscribe/"+token, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body != "" {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		}
		res, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close() //nolint:errcheck // only read
		raw, _ := io.ReadAll(res.Body)
		return res.StatusCode, string(raw)
	}
	off := func() bool { return s.call("GET", "/me/notifications", nil).want(200).get("no_mail_summaries") == true }

	// Scanners open it, also with HEAD and OPTIONS.
	for _, method := range []string{"GET", "HEAD", "OPTIONS", "GET"} {
		visit(method, path, "")
	}
	if status, page := visit("GET", path, ""); status != 200 || !strings.Contains(page, "<button>Turn off</button>") ||
		strings.Contains(page, "<script") || off() {
		t.Errorf("%d %s", status, page)
	}
	// Other links are refused, and recorded.
	raw, err := base64.RawURLEncoding.DecodeString(path)
	if err != nil {
		t.Fatal(err)
	}
	another := base64.RawURLEncoding.EncodeToString(bytes.Replace(raw, []byte("admin"), []byte("boss!"), 1))
	later := slices.Clone(raw)
	later[5]++
	for _, token := range []string{another, base64.RawURLEncoding.EncodeToString(later), path[:40], "x", path + "A"} {
		if status, body := visit("POST", token, "List-Unsubscribe=One-Click"); status != 404 {
			t.Errorf("%s: %d %s", token, status, body)
		}
		if status, body := visit("GET", token, ""); status != 404 {
			t.Errorf("%s: %d %s", token, status, body)
		}
	}
	if status, _ := visit("POST", path, "x=y"); status != 422 || off() {
		t.Errorf("a body of something else: %d", status)
	}
	if log := s.call("GET", "/audit?action=notifications.unsubscribe", nil).want(200); strings.Count(string(log.body),
		`"refused"`) != 5 {
		t.Errorf("%s", log.body)
	}
	for range 2 { // mail programs try again
		if status, page := visit("POST", path, "List-Unsubscribe=One-Click"); status != 200 ||
			!strings.Contains(page, "turned off") {
			t.Errorf("%d %s", status, page)
		}
	}
	mine := s.call("GET", "/me/notifications", nil).want(200)
	if !off() || mine.text("email") != "ann@example.com" || mine.text("timezone") != "Europe/Berlin" {
		t.Errorf("%s", mine.body)
	}
	if log := s.call("GET", "/audit?action=notifications.unsubscribed", nil).want(200); log.count("items") != 1 ||
		log.text("items.0.target") != "person/admin" {
		t.Errorf("%s", log.body)
	}
}
