package e2e

import (
	"strings"
	"testing"
)

// TestDoctorNamesWhoCannotBeTold: the doctor says how many people no channel reaches, why, and what to do.
func TestDoctorNamesWhoCannotBeTold(t *testing.T) {
	t.Parallel()
	s := office(t)
	s.must(bobPassword, "auth", "add", "carl@example.com", "--roles", "approver", "--password-stdin")
	ann := cookie(s.signIn("ann", annPassword))
	says := func(want ...string) {
		t.Helper()
		for line := range strings.Lines(s.must("", "doctor")) {
			mark, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			if check, note, _ := strings.Cut(rest, " "); check == "people" {
				for _, text := range want {
					if !strings.Contains(mark+" "+note, text) {
						t.Errorf("%q is not in %s", text, line)
					}
				}
				return
			}
		}
		t.Errorf("it says nothing of people")
	}
	says("✓", "no channel announces approvals")
	s.call("PUT", "/channels/mail", map[string]any{"channel": "mail", "kind": "email", "from": "assent@example.com",
		"smtp": "smtp://127.0.0.1:1"}, ann).want(201)
	says("!", "2 of 3 cannot be notified", "ann has no e-mail address; bob has no e-mail address")
	s.call("PUT", "/me/notifications", map[string]any{"email": "ann@example.com"}, ann).want(200)
	says("!", "1 of 3 cannot be notified", "bob has no e-mail address")
	s.call("PUT", "/channels/phone", map[string]any{"channel": "phone", "kind": "push"}, ann).want(201)
	s.call("PUT", "/notifications", map[string]any{"notifications": "default",
		"events": map[string]any{"approval.needed": []string{"mail"}}, "fallback": []string{"phone"}}, ann).want(201)
	says("!", "bob has no e-mail address; push messages are off in every browser of bob")
	bob := cookie(s.signIn("bob", bobPassword))
	off := map[string]any{"events": map[string]any{"approval.needed": []string{}}}
	s.call("PUT", "/me/notifications", off, bob).want(200)
	says("✓", "everyone (3)") // bob wants no messages
	s.call("PUT", "/me/notifications", map[string]any{"events": map[string]any{"approval.needed": []string{"phone"}}},
		bob).want(200)
	says("!", "push messages are off in every browser of bob")
	s.call("PUT", "/channels/mail", map[string]any{"channel": "mail", "kind": "email", "from": "assent@example.com",
		"smtp": "smtp://127.0.0.1:1", "to": []string{"team@example.com"}}, ann).want(201)
	says("✓", "everyone (3)") // a shared mailbox
}
