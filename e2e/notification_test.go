package e2e

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// What happens is posted to a program, listed, and can be tried again.
func TestNotifications(t *testing.T) {
	t.Parallel()
	got := make(chan string, 100)
	program := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var event struct{ Type string }
		body, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(body, &event)
		got <- event.Type
	}))
	defer program.Close()
	s := serve(t)
	s.define("workflow: pay\nsteps: [{id: ask, human: {title: Pay?}}]\n")
	s.call("PUT", "/channels/hooks", map[string]any{"channel": "hooks", "kind": "webhook", "url": program.URL,
		"secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"}).want(201)
	unwritten := s.call("GET", "/notifications", nil).want(200)
	if unwritten.number("version") != 0 || !strings.Contains(unwritten.text("yaml"), "\n  run.failed:\n    - hooks\n") ||
		strings.Contains(unwritten.text("yaml"), "auto_approved") {
		t.Errorf("before any are saved: %s", unwritten.body)
	}
	wrong := s.call("PUT", "/notifications", map[string]any{"notifications": "default", "digest": "often"}).want(422)
	if !strings.Contains(string(wrong.body), "the notifications document is not valid") {
		t.Errorf("%s", wrong.body)
	}
	s.call("PUT", "/notifications", map[string]any{"notifications": "default",
		"events": map[string]any{"approval.needed": []string{"hooks"}}}).want(201)
	s.call("GET", "/notifications", nil).want(200)
	s.call("GET", "/channels", nil).want(200)
	s.call("GET", "/settings", nil).want(200)
	s.call("PUT", "/roles/clerk", map[string]any{"role": "clerk", "permissions": []string{"view"}}).want(201)
	s.call("GET", "/channels/hooks", nil).want(200)
	s.call("POST", "/channels/hooks/test", nil).want(200)
	<-got
	s.call("POST", "/runs", map[string]any{"workflow": "pay"}).want(201)
	if event := <-got; event != "approval.needed" {
		t.Errorf("%s", event)
	}
	var list struct {
		Items []struct{ ID, Event string }
	}
	if err := json.Unmarshal(s.call("GET", "/deliveries", nil).want(200).body, &list); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Event != "approval.needed" {
		t.Fatalf("%+v", list)
	}
	s.call("POST", "/deliveries/dlv_x/retry", nil).want(404)
	s.call("PUT", "/me/notifications", map[string]any{"email": "ann@example.com"}).want(200)
	s.call("PUT", "/me/notifications", map[string]any{"email": "ann"}).want(422)
	s.call("GET", "/me/notifications", nil).want(200)
	s.call("DELETE", "/channels/hooks", nil).want(200)
}
