package api

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/view"
)

const newPassword = "seven wooden clouds again"

func TestPeopleChangeTheirPassword(t *testing.T) {
	d := office(t, Options{})
	bob, other := d.signIn("bob", bobPassword), d.signIn("bob", bobPassword)
	change := func(old, new string, who ...string) answer {
		return d.post("/me/password", `{"old":"`+old+`","new":"`+new+`"}`, who...)
	}
	change(bobPassword, newPassword).refused(401, "unauthenticated")
	change(annPassword, newPassword, bob...).refused(403, "forbidden")
	if p := change(bobPassword, "short", bob...).refused(422, "invalid"); p.Errors[0].Path != "new" {
		t.Errorf("%+v", p)
	}
	a := change(bobPassword, newPassword, bob...).want(200)
	now := []string{"Cookie", cookieOf(t, a).Name + "=" + cookieOf(t, a).Value}
	d.get("/me", now...).want(200)
	d.get("/me", bob...).refused(401, "unauthenticated")
	d.get("/me", other...).refused(401, "unauthenticated")
	d.post("/sign-in", `{"name":"bob","password":"`+bobPassword+`"}`).refused(401, "unauthenticated")
	d.signIn("bob", newPassword)
	if strings.Contains(d.log.String(), newPassword) || strings.Contains(d.log.String(), bobPassword) {
		t.Error("a password is in the log")
	}
	// A stolen session cannot be used to try passwords forever.
	for range 5 {
		change(annPassword, newPassword, now...).refused(403, "forbidden")
	}
	change(annPassword, newPassword, now...).refused(429, "rate_limited")
	// A token is no password.
	ann := d.signIn("ann", annPassword)
	token := into[contract.TokenView](d.post("/tokens", `{"name":"bob","kind":"person","roles":["approver"]}`,
		ann...).want(201))
	change(newPassword, bobPassword, "Authorization", "Bearer "+token.Secret).refused(403, "forbidden")
}

func TestPeopleEndTheirSessionsAndTokens(t *testing.T) {
	d := office(t, Options{})
	ann, bob, other := d.signIn("ann", annPassword), d.signIn("bob", bobPassword), d.signIn("bob", bobPassword)
	sessions := into[view.List[contract.SessionView]](d.get("/me/sessions", bob...).want(200))
	if len(sessions.Items) != 2 || sessions.Items[0].Current == sessions.Items[1].Current {
		t.Fatalf("%+v", sessions)
	}
	hers := into[view.List[contract.SessionView]](d.get("/me/sessions", ann...).want(200)).Items[0].ID
	d.send("DELETE", base+"/me/sessions/"+hers, "", bob...).refused(404, "not_found")
	d.send("DELETE", base+"/me/sessions/a", "", bob...).refused(404, "not_found")
	for _, v := range sessions.Items {
		if !v.Current {
			d.send("DELETE", base+"/me/sessions/"+v.ID, "", bob...).want(200)
		}
	}
	d.get("/me", other...).refused(401, "unauthenticated")
	d.get("/me", bob...).want(200)
	d.get("/me", ann...).want(200)

	make := func(name, kind string) contract.TokenView {
		return into[contract.TokenView](d.post("/tokens", `{"name":"`+name+`","kind":"`+kind+`","roles":[]}`,
			ann...).want(201))
	}
	mine, service, annes := make("bob", "person"), make("bob", "service"), make("ann", "person")
	if list := into[view.List[contract.TokenView]](d.get("/me/tokens", bob...).want(200)); len(list.Items) != 1 ||
		list.Items[0].ID != mine.ID {
		t.Errorf("%+v", list)
	}
	for _, v := range []contract.TokenView{service, annes} {
		d.send("DELETE", base+"/me/tokens/"+v.ID, "", bob...).refused(404, "not_found")
	}
	d.send("DELETE", base+"/me/tokens/"+mine.ID, "", bob...).want(200)
	d.get("/me", "Authorization", "Bearer "+mine.Secret).refused(401, "unauthenticated")
	d.get("/me/sessions", "Authorization", "Bearer "+service.Secret).refused(403, "forbidden")
}

// What people do about who may come in is on record with it, and says who it was.
func TestAccessIsOnRecord(t *testing.T) {
	d := office(t, Options{})
	ann := d.signIn("ann", annPassword)
	d.send("PUT", base+"/accounts/cat", `{"password":"`+newPassword+`","roles":["approver"]}`, ann...).want(201)
	d.send("PUT", base+"/accounts/cat", `{"disabled":true}`, ann...).want(200)
	d.send("DELETE", base+"/accounts/cat", "", ann...).want(200)
	token := into[contract.TokenView](d.post("/tokens", `{"name":"ci","kind":"service","roles":["starter"]}`,
		ann...).want(201))
	d.send("DELETE", base+"/tokens/"+token.ID, "", ann...).want(200)
	d.post("/sign-out", "", ann...).want(200)
	page, err := d.parts.Store.AuditEntries(t.Context(), port.AuditQuery{Actor: "ann", Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range page.Items {
		got = append(got, row.Action+" "+strings.Split(row.Target, "/")[0])
		if !strings.Contains(string(row.Body), `"way":"password"`) || strings.Contains(string(row.Body), newPassword) {
			t.Errorf("%s", row.Body)
		}
		if row.Action == "session.started" && !strings.Contains(string(row.Body), `"address":"127.0.0.1"`) {
			t.Errorf("%s", row.Body)
		}
	}
	want := "session.ended account, token.removed token, token.created token, account.removed account, account.changed " +
		"account, account.created account, session.started account"
	if strings.Join(got, ", ") != want {
		t.Errorf("%s", strings.Join(got, ", "))
	}
}

func TestSubjectsAreForAdministrators(t *testing.T) {
	d := office(t, Options{})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	subject := port.Subject{Issuer: "https://id.example.com", Subject: "1", Name: "eve@example.com",
		Label: "eve@example.com", BoundAt: d.parts.App.Now()}
	if err := d.parts.Store.BindSubject(t.Context(), subject); err != nil {
		t.Fatal(err)
	}
	d.get("/subjects", bob...).refused(403, "forbidden")
	d.send("DELETE", base+"/subjects/eve@example.com", "", bob...).refused(403, "forbidden")
	if list := into[view.List[contract.BoundNameView]](d.get("/subjects", ann...).want(200)); len(list.Items) != 1 ||
		list.Items[0].Subject != "1" {
		t.Errorf("%+v", list)
	}
	d.send("DELETE", base+"/subjects/eve@example.com", "", ann...).want(200)
	d.send("DELETE", base+"/subjects/eve@example.com", "", ann...).refused(404, "not_found")
}
