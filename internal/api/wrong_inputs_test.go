package api

import (
	"strings"
	"testing"
)

// TestWrongInputsOfNotificationsAndAutomation: whatever is wrong with a channel, what is sent where, a trigger or a
// schedule is answered with a status of 4xx that names the field and what to write instead, and nothing is saved.
func TestWrongInputsOfNotificationsAndAutomation(t *testing.T) {
	d := open(t, Options{})
	d.send("PUT", base+"/workflows/order?publish=true", yamlOrder, "Content-Type", "application/yaml").want(201)
	for _, c := range []struct{ address, body, field, cure string }{
		{"/channels/x", `{"channel":"x"}`, "kind", "use email, slack, teams, webhook or push"},
		{"/channels/x", `{"channel":"x","kind":"pigeon"}`, "kind", "not one of email, slack, teams, webhook or push"},
		{"/channels/x", `{"channel":"x","kind":"e-mail"}`, "kind", `did you mean "email"?`},
		{"/channels/x", `{"channel":"x","kind":7}`, "kind", "text"},
		{"/channels/in_app", `{"channel":"in_app","kind":"push"}`, "channel", "give the channel another name"},
		{"/channels/x", `{"channel":"y","kind":"push"}`, "channel", `"y"`},
		{"/channels/x", `{"channel":"x","kind":"push","url":"https://example.com"}`, "url", "unknown key"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com"}`, "smtp", "write smtp://HOST:PORT"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com","smtp":"mail.example.com"}`, "smtp",
			"write smtp://HOST:PORT"},
		{"/channels/x", `{"channel":"x","kind":"email","smtp":"smtp://mail:25"}`, "from", "write from"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"ann","smtp":"smtp://mail:25"}`, "from",
			"write one such as ann@example.com"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com","smtp":"smtp://mail:25","to":["ops"]}`,
			"to[0]", "write one such as ann@example.com"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com","smtp":"smtp://u:p@mail:25"}`, "smtp",
			"write it as password"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com","smtp":"smtp://mail:25","password":"p"}`,
			"password", "write USER@ before the host"},
		{"/channels/x", `{"channel":"x","kind":"email","from":"a@example.com","smtp":"smtp://mail:25",` +
			`"dkim":{"domain":"example.com","selector":"s"}}`, "dkim.key", "refer to it with ${env:NAME}"},
		{"/channels/x", `{"channel":"x","kind":"slack"}`, "token", "write ${env:NAME}"},
		{"/channels/x", `{"channel":"x","kind":"teams"}`, "url", "write ${env:NAME}"},
		{"/channels/x", `{"channel":"x","kind":"teams","url":"teams.example.com"}`, "url", "write https://HOST/PATH"},
		{"/channels/x", `{"channel":"x","kind":"teams","bot":{"id":"1"}}`, "bot", "the id and the password of its app"},
		{"/channels/x", `{"channel":"x","kind":"webhook","secret":"` + hookSecret + `"}`, "url", "write https://HOST/PATH"},
		{"/channels/x", `{"channel":"x","kind":"webhook","url":"example.com","secret":"` + hookSecret + `"}`, "url",
			"https://HOST/PATH"},
		{"/channels/x", `{"channel":"x","kind":"webhook","url":"https://a:b@example.com","secret":"` + hookSecret + `"}`,
			"url", "remove it"},
		{"/channels/x", `{"channel":"x","kind":"webhook","url":"https://example.com"}`, "secret", "write ${env:NAME}"},
		{"/channels/x", `{"channel":"x","kind":"webhook","url":"https://example.com","secret":"whsec_%"}`, "secret",
			"whsec_ and text in base64"},
		{"/notifications", `{"notifications":"all"}`, "notifications", "write notifications: default"},
		{"/notifications", `{"notifications":"default","events":{"run.faild":[]}}`, "events.run.faild",
			`did you mean "run.failed"?`},
		{"/notifications", `{"notifications":"default","events":{"run.failed":["fax"]}}`, "events.run.failed",
			"write the name or the kind of a channel"},
		{"/notifications", `{"notifications":"default","quiet_hours":{"from":"22","to":"07:00"}}`, "quiet_hours.from",
			"such as 22:00"},
		{"/notifications", `{"notifications":"default","digest":{"after":0}}`, "digest.after", "from 1 to 1000"},
		{"/notifications", `{"notifications":"default","digest":{"after":5,"every":"48h"}}`, "digest.every",
			"from 1s to 24h"},
		{"/me/notifications", `{"email":"ann"}`, "email", "write one such as ann@example.com"},
		{"/me/notifications", `{"events":{"run.failed":["fax"]}}`, "events.run.failed[0]", "choose"},
		{"/me/notifications", `{"events":{"run.faild":[]}}`, "events.run.faild", "write one of approval.needed"},
		{"/me/notifications", `{"timezone":"Mars"}`, "timezone", "such as Europe/Berlin"},
		{"/me/notifications", `{"emial":"a@example.com"}`, "emial", "unknown"},
		{"/triggers/x", `{"trigger":"x","verify":"none"}`, "workflow", "the workflow to start is missing"},
		{"/triggers/x", `{"trigger":"x","workflow":"ordr","verify":"none"}`, "workflow", `did you mean "order"?`},
		{"/triggers/x", `{"trigger":"x","workflow":"order"}`, "verify", "write standard, github, a header, or none"},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"githb","secret":"s"}`, "verify",
			`did you mean "github"?`},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"github"}`, "secret", "${env:NAME}"},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"standard","secret":"whsec_%"}`, "secret",
			"whsec_ and text in base64"},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"none","secret":"s"}`, "secret", "remove it"},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"none","map":{"id":"a..b"}}`, "map.id", "a..b"},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"none","map":{"iban":"a"}}`, "map", `needs "id"`},
		{"/triggers/x", `{"trigger":"x","workflow":"order","verify":"none","dedupe":"a["}`, "dedupe", "a["},
		{"/schedules/x", `{"schedule":"x","workflow":"order","input":{"id":"1"}}`, "cron", "write five fields"},
		{"/schedules/x", `{"schedule":"x","cron":"@daily","workflow":"order","input":{"id":"1"}}`, "cron",
			"write five fields"},
		{"/schedules/x", `{"schedule":"x","cron":"0 25 * * *","workflow":"order","input":{"id":"1"}}`, "cron",
			"values are 0 to 23"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 31 2 *","workflow":"order","input":{"id":"1"}}`, "cron",
			"never occurs"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","timezone":"Mars","workflow":"order","input":{"id":"1"}}`,
			"timezone", "such as Europe/Berlin"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","workflow":"order"}`, "input", "id"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","workflow":"order","input":[]}`, "input", "a mapping"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","workflow":"order","input":{"id":"1"},"overlap":"que"}`,
			"overlap", "skip, queue or allow"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","workflow":"order","input":{"id":"1"},"catch_up":"8d"}`,
			"catch_up", "at most 7d"},
		{"/schedules/x", `{"schedule":"x","cron":"0 9 * * *","workflow":"order","input":{"id":"1"},"catchup":"1h"}`,
			"catchup", `did you mean "catch_up"?`},
	} {
		p := d.send("PUT", base+c.address, c.body).refused(422, "invalid")
		found := false
		for _, e := range p.Errors {
			found = found || e.Path == c.field && strings.Contains(e.Message, c.cure)
		}
		if !found {
			t.Errorf("%s: no error at %s with %q\n%+v", c.body, c.field, c.cure, p)
		}
	}
	for _, address := range []string{"/channels/x", "/triggers/x", "/schedules/x", "/channels/in_app"} {
		d.get(address).refused(404, "not_found")
	}
	yaml := []string{"Content-Type", "application/yaml"}
	for _, kind := range []string{"channels", "triggers", "schedules"} {
		d.send("PUT", base+"/"+kind+"/x", `{"`).refused(400, "invalid")
		d.send("PUT", base+"/"+kind+"/x", "a: [\n", yaml...).refused(422, "invalid")
		d.send("PUT", base+"/"+kind+"/x", "<x/>", "Content-Type", "text/xml").refused(415, "unsupported")
		d.send("DELETE", base+"/"+kind+"/x", "").refused(404, "not_found")
		d.get("/"+kind+"?limit=many").refused(422, "invalid")
	}
	for _, address := range []string{"/channels/x/test", "/schedules/x/run", "/triggers/x/deliveries/hook_1/replay",
		"/deliveries/dlv_1/retry", "/hooks/x"} {
		p := d.post(address, "{}").refused(404, "not_found")
		if !strings.Contains(p.Detail, "not found") {
			t.Errorf("%s: %+v", address, p)
		}
	}
	for query, field := range map[string]string{"status=lost": "status", "limit=0": "limit", "cursor=x": "cursor"} {
		p := d.get("/deliveries?" + query)
		if p.status < 400 || p.status > 499 || !strings.Contains(string(p.body), field) {
			t.Errorf("%s: %s", query, p.body)
		}
	}
}

// TestPreferencesOutliveChannels: what a person chose stays when its channel is deleted, and keeps nothing else from
// being saved. It cannot be chosen then.
func TestPreferencesOutliveChannels(t *testing.T) {
	d := open(t, Options{})
	const chosen = `{"events":{"run.failed":["pager"]}`
	save := func(body string) answer { return d.send("PUT", base+"/me/notifications", body) }
	save(chosen+`}`).refused(422, "invalid")
	d.send("PUT", base+"/channels/pager", `{"channel":"pager","kind":"push"}`).want(201)
	save(chosen + `}`).want(200)
	d.send("DELETE", base+"/channels/pager", "").want(200)
	save(chosen + `,"email":"ann@example.com"}`).want(200)
	if body := string(d.get("/me/notifications").want(200).body); !strings.Contains(body, `"pager"`) ||
		!strings.Contains(body, "ann@example.com") {
		t.Error(body)
	}
	save(`{"events":{}}`).want(200)
	save(chosen+`}`).refused(422, "invalid")
}
