package teams_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify/teams"
	"github.com/assent-run/assent/internal/notify/teams/teamstest"
)

// FuzzRead: without a token of the Bot Framework nothing is read; with one, only activities of the tenant, on the
// service that the token is for, and a press always names an approval, a version and a person.
func FuzzRead(f *testing.F) {
	s := teamstest.New(f, nil)
	made, err := teams.New(teams.Config{Name: "team", HTTP: s.Client(), Bot: &teams.Bot{ID: teamstest.Bot,
		Password: teamstest.Password, Tenant: teamstest.Tenant, Conversation: teamstest.Conversation, ServiceURL: s.URL,
		TokenURL: s.URL + "/token", OpenID: s.URL + "/openid"}})
	if err != nil {
		f.Fatal(err)
	}
	c := made.(*teams.Channel)
	now := time.Now()
	signed := s.Sign(s.Claims(now))
	press := map[string]any{"act": "reject", "approval": "apr_1", "version": 3, "comment_reject": "no"}
	if _, err := c.Read(f.Context(), signed, s.Execute(press, "1", "29:maria", "object"), now); err != nil {
		f.Fatal(err)
	}
	for _, token := range []string{"", "Bearer ", "Bearer a.b.c", "bearer eyJhbGciOiJub25lIiwia2lkIjoiazEifQ.e30.",
		s.Forge(s.Claims(now), true).Get("Authorization"), s.Forge(s.Claims(now), false).Get("Authorization")} {
		f.Add(token, s.Execute(press, "1", "29:maria", "object"))
	}
	f.Add("", s.Write("hello", "2", "29:maria", "object"))
	f.Add("", []byte(`{"type":"invoke","value":{"action":{"verb":"assent.view","data":{"approval":"apr_1","version":1}}}}`))
	f.Fuzz(func(t *testing.T, token string, body []byte) {
		if token != signed.Get("Authorization") {
			if a, err := c.Read(t.Context(), http.Header{"Authorization": {token}}, body, now); err == nil {
				t.Errorf("accepted with the token %q: %+v", token, a)
			}
		}
		teams.Audience(http.Header{"Authorization": {token}})
		a, err := c.Read(t.Context(), signed, body, now)
		if err != nil {
			return
		}
		var form struct {
			Channel    string `json:"channelId"`
			ServiceURL string `json:"serviceUrl"`
		}
		if err := json.Unmarshal(body, &form); err != nil || form.Channel != "msteams" || form.ServiceURL != s.URL ||
			a.Tenant != teamstest.Tenant {
			t.Errorf("accepted: %+v (%v)", a, err)
		}
		for _, p := range []*teams.Press{a.Press, a.View} {
			if p != nil && (p.Approval == "" || p.Version < 1 || a.ID == "" || a.Object == "" ||
				(p.Act == "") != (p == a.View)) {
				t.Errorf("a press of nothing: %+v of %+v", p, a)
			}
		}
	})
}
