package e2e

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// TestChannelsOfPrograms: earlier releases let programs save channels in which people decide. The log and doctor name
// those that are in force, until an administrator who signed in saves them again.
func TestChannelsOfPrograms(t *testing.T) {
	t.Parallel()
	s := office(t)
	ann := cookie(s.signIn("ann", annPassword))
	const chat = `{"channel":"chat","kind":"slack","token":"xoxb-1","signing_secret":"house"}`
	save := func(body string, status int) { s.call("PUT", "/channels/chat", body, ann).want(status) }
	save(chat, 201)
	doubted := func(want bool) {
		t.Helper()
		out := s.must("", "doctor")
		if strings.Contains(out, "chat (by service:ci)") != want || strings.Contains(out, "! channels") != want {
			t.Errorf("named: %v, doctor says\n%s", !want, out)
		}
	}
	doubted(false)
	s.stop()
	db, err := sql.Open("sqlite", filepath.Join(s.data(), "assent.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE versions SET published_by = 'service:ci' WHERE kind = 'channel'`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	doubted(true) // without a server
	s.start()
	doubted(true)
	if !strings.Contains(s.log.String(), "chat (by service:ci)") {
		t.Errorf("the log does not name it: %s", s.log)
	}
	token := s.call("POST", "/tokens", map[string]any{"name": "ci", "kind": "service", "roles": []string{"admin"}}, ann).
		want(201).text("secret")
	s.call("PUT", "/channels/chat", chat, bearer(token)).problem(403, "forbidden")
	doubted(true)
	ann = cookie(s.signIn("ann", annPassword))
	save(chat, 200) // unchanged
	doubted(false)
	list := s.call("GET", "/audit?action=definition.published&actor=ann", nil, ann).want(200)
	if n := list.count("items"); n != 2 {
		t.Errorf("%d publications by ann: %s", n, list.body)
	}
}
