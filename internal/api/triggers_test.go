package api

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/assent-run/assent/internal/view"
)

const (
	hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	yamlOrder  = `workflow: order
input: {type: object, required: [id], properties: {id: {type: string}, iban: {type: string, x-sensitive: true}}}
steps: [{id: greet, agent: writer}]
`
	yamlTrigger = `trigger: orders
workflow: order
verify: standard
secret: ` + hookSecret + `
map: {id: data.order.id, iban: data.iban}
`
)

// hooked is a desk with a trigger.
func hooked(t *testing.T, documents ...string) *desk {
	t.Helper()
	d := open(t, Options{})
	yaml := []string{"Content-Type", "application/yaml"}
	d.send("PUT", base+"/workflows/order?publish=true", yamlOrder, yaml...).want(201)
	for _, text := range append([]string{yamlTrigger}, documents...) {
		name, _, _ := strings.Cut(strings.TrimPrefix(text, "trigger: "), "\n")
		d.send("PUT", base+"/triggers/"+name, text, yaml...).want(201)
	}
	return d
}

// deliver sends a delivery that is signed now.
func (d *desk) deliver(name, id, body string, headers ...string) answer {
	d.Helper()
	return d.deliverAt(time.Now(), name, id, body, headers...)
}

func (d *desk) deliverAt(at time.Time, name, id, body string, headers ...string) answer {
	d.Helper()
	signed, err := trigger.Sign(&definition.Verify{Kind: definition.VerifyStandard}, hookSecret, id, []byte(body), at)
	if err != nil {
		d.Fatal(err)
	}
	for name, text := range signed {
		headers = append([]string{name, text}, headers...)
	}
	return d.send("POST", base+"/hooks/"+name, body, headers...)
}

const order = `{"data":{"order":{"id":"A-1"},"iban":"DE89 3704 0044 0532 0130 00"},"more":1}`

func TestTriggers(t *testing.T) {
	d := hooked(t)
	first := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(202))
	if !strings.HasPrefix(first.Run, "run_") || first.Repeated || first.Outcome != port.HookStarted {
		t.Fatalf("%+v", first)
	}
	run := into[view.Run](d.get("/runs/" + first.Run).want(200))
	if run.Owner != "trigger:orders" || run.Workflow != "order" ||
		string(run.Input) != `{"iban":"DE89 3704 0044 0532 0130 00","id":"A-1"}` {
		t.Errorf("%+v %s", run, run.Input)
	}
	again := into[trigger.Receipt](d.deliverAt(time.Now().Add(time.Minute), "orders", "msg_1", order).want(200))
	if again.Run != first.Run || !again.Repeated || again.Delivery != first.Delivery {
		t.Errorf("%+v, first %+v", again, first)
	}
	other := into[trigger.Receipt](d.deliver("orders", "msg_2", order).want(202))
	if other.Run == first.Run {
		t.Error("another delivery started the same run")
	}

	v := into[trigger.Trigger](d.get("/triggers/orders").want(200))
	if v.Workflow != "order" || v.Verify != definition.VerifyStandard || !v.Enabled || v.Path != base+"/hooks/orders" ||
		len(v.Deliveries) != 2 || v.Refused != nil {
		t.Fatalf("%+v", v)
	}
	one := v.Deliveries[1]
	if one.ID != first.Delivery || one.Run != first.Run || one.Times != 2 || one.SenderID != "msg_1" ||
		string(one.Payload) != order || one.Outcome != port.HookStarted || one.Masked {
		t.Errorf("%+v", one)
	}
	if file := d.get("/triggers/orders", "Accept", "application/yaml").want(200); strings.Contains(string(file.body),
		hookSecret) || !strings.Contains(string(file.body), "verify: standard") {
		t.Errorf("%s", file.body)
	}
	all := into[view.List[trigger.Trigger]](d.get("/triggers").want(200))
	if all.Total != 1 || len(all.Items[0].Deliveries) != 1 || all.Items[0].Deliveries[0].Payload != nil {
		t.Errorf("%+v", all)
	}

	replayed := into[view.Run](d.post("/triggers/orders/deliveries/"+one.ID+"/replay", "").want(201))
	if replayed.ID == first.Run || replayed.Owner == "trigger:orders" || replayed.RetryOf == nil ||
		*replayed.RetryOf != first.Run || string(replayed.Input) != string(run.Input) {
		t.Errorf("%+v", replayed)
	}
	d.post("/triggers/orders/deliveries/hook_none/replay", "").refused(404, "not_found")

	d.send("DELETE", base+"/triggers/orders", "").want(200)
	d.get("/triggers/orders").refused(404, "not_found")
	d.deliver("orders", "msg_3", order).refused(404, "not_found")
	if v := into[registry.Document](d.send("PUT", base+"/triggers/orders", yamlTrigger,
		"Content-Type", "application/yaml").want(200)); v.Version != 1 {
		t.Errorf("%+v", v)
	}
	if v := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(200)); v.Run != first.Run {
		t.Errorf("%+v", v)
	}
	page := string(d.send("GET", "/metrics", "").want(200).body)
	for _, line := range []string{`assent_trigger_deliveries_total{outcome="started"} 2`,
		`assent_trigger_deliveries_total{outcome="repeated"} 2`} {
		if !strings.Contains(page, line) {
			t.Errorf("no %s in the metrics", line)
		}
	}
}

// The same delivery from many senders at once starts one run.
func TestOneDeliveryManyTimes(t *testing.T) {
	d := hooked(t)
	var (
		all  sync.WaitGroup
		mu   sync.Mutex
		runs = map[string]int{}
	)
	for range 50 {
		all.Go(func() {
			a := d.deliver("orders", "msg_1", order)
			var v trigger.Receipt
			if err := json.Unmarshal(a.body, &v); err != nil || a.status != 200 && a.status != 202 {
				t.Errorf("%d %s", a.status, a.body)
			}
			mu.Lock()
			defer mu.Unlock()
			runs[v.Run]++
		})
	}
	all.Wait()
	list := into[view.List[view.RunSummary]](d.get("/runs?owner=trigger:orders").want(200))
	if len(runs) != 1 || list.Total != 1 {
		t.Errorf("%v, %d runs", runs, list.Total)
	}
	if v := into[trigger.Trigger](d.get("/triggers/orders").want(200)); len(v.Deliveries) != 1 ||
		v.Deliveries[0].Times != 50 {
		t.Errorf("%+v", v.Deliveries)
	}
}

// Deliveries without a valid signature start nothing, are not stored, and leave a bounded trace.
func TestRefusedDeliveries(t *testing.T) {
	d := hooked(t)
	good := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(202))
	d.send("POST", base+"/hooks/orders", order).refused(401, "unauthenticated")
	d.send("POST", base+"/hooks/orders", "").refused(401, "unauthenticated")
	d.send("POST", base+"/hooks/orders", `{"a":1,"a":2}`).refused(401, "unauthenticated")
	d.deliver("orders", "msg_2", order, "webhook-id", "msg_3").refused(401, "unauthenticated")
	d.deliver("orders", "msg_2", order, "webhook-signature", "v1,AAAA").refused(401, "unauthenticated")
	d.deliverAt(time.Now().Add(-6*time.Minute), "orders", "msg_2", order).refused(401, "unauthenticated")
	d.deliverAt(time.Now().Add(6*time.Minute), "orders", "msg_2", order).refused(401, "unauthenticated")
	d.deliverAt(time.Now().Add(-6*time.Minute), "orders", "msg_1", order).refused(401, "unauthenticated") // replayed
	// A key of an earlier request answers nothing.
	d.send("POST", base+"/hooks/orders", order, "Idempotency-Key", "k").refused(401, "unauthenticated")
	d.deliver("orders", "msg_1", order, "Idempotency-Key", "k").want(200)
	d.send("POST", base+"/hooks/orders", order, "Idempotency-Key", "k").refused(401, "unauthenticated")
	d.send("POST", base+"/hooks/nothing", order).refused(404, "not_found")

	v := into[trigger.Trigger](d.get("/triggers/orders").want(200))
	if len(v.Deliveries) != 1 || v.Deliveries[0].Run != good.Run || v.Refused == nil || v.Refused.Count != 10 ||
		v.Refused.Cause == "" {
		t.Errorf("%+v %+v", v.Deliveries, v.Refused)
	}
	for range 100 {
		d.send("POST", base+"/hooks/orders", order, "webhook-signature", "v1,c2VjcmV0LWd1ZXNz").
			refused(401, "unauthenticated")
	}
	page, err := d.parts.App.Audit.Entries(t.Context(), app.LocalAdmin,
		port.AuditQuery{Action: "trigger.delivered", Limit: 500})
	if err != nil || len(page.Items) == 0 || len(page.Items) > 10 {
		t.Fatalf("%d entries, %v", len(page.Items), err)
	}
	for _, e := range page.Items {
		raw, err := json.Marshal(e)
		if err != nil || e.Target != "trigger/orders" || e.Outcome != port.AuditRefused ||
			e.Actor.Kind != port.Unauthenticated ||
			!strings.Contains(string(raw), "127.0.0.1") || strings.Contains(string(raw), "secret-guess") {
			t.Errorf("%s, %v", raw, err)
		}
	}
	if !strings.Contains(string(d.send("GET", "/metrics", "").body),
		`assent_trigger_deliveries_total{outcome="refused"} 110`) {
		t.Error("refused deliveries are not counted")
	}
	if strings.Contains(d.log.String(), hookSecret) {
		t.Error("the secret is in the log")
	}
}

// What is signed but cannot start a run is refused clearly, stored, and can be started later.
func TestDeliveriesThatStartNothing(t *testing.T) {
	d := hooked(t)
	for id, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"text":  {`hello`, 400, "not JSON"},
		"empty": {``, 400, "missing"},
		"twice": {`{"data":{"order":{"id":"1","id":"2"}}}`, 422, "ambiguous"},
		"list":  {`[1]`, 422, "id"},
		"short": {`{"data":{"iban":"DE89"}}`, 422, "id"},
		"type":  {`{"data":{"order":{"id":7}}}`, 422, "id"},
		"mask":  {`{"data":{"order":{"id":"•••"}}}`, 422, "masked"},
	} {
		a := d.deliver("orders", "msg_"+id, c.body)
		if a.status != c.status || !strings.Contains(string(a.body), c.want) {
			t.Errorf("%s: %d %s", id, a.status, a.body)
		}
	}
	if a := d.deliver("orders", "msg_form", "payload=%7B%7D", "Content-Type",
		"application/x-www-form-urlencoded"); a.status != 415 || !strings.Contains(string(a.body), "application/json") {
		t.Errorf("%d %s", a.status, a.body)
	}
	d.deliver("orders", "msg_huge", `{"x":"`+strings.Repeat("x", trigger.BodyMax)+`"}`).refused(413, "too_large")
	v := into[trigger.Trigger](d.get("/triggers/orders").want(200))
	if len(v.Deliveries) != 8 {
		t.Fatalf("%d deliveries", len(v.Deliveries))
	}
	var short trigger.Delivery
	for _, one := range v.Deliveries {
		if one.Outcome != port.HookFailed || one.Run != "" || one.Cause == "" {
			t.Errorf("%+v", one)
		}
		if one.SenderID == "msg_short" {
			short = one
		}
		if one.SenderID == "msg_text" {
			d.post("/triggers/orders/deliveries/"+one.ID+"/replay", "").refused(409, "conflict")
		}
	}
	replay := "/triggers/orders/deliveries/" + short.ID + "/replay"
	d.post(replay, "").refused(422, "invalid")
	// The map is mended: the delivery can be started, and when its sender repeats it, that is the same run.
	d.send("PUT", base+"/triggers/orders", strings.Replace(yamlTrigger, "data.order.id", "data.iban", 1),
		"Content-Type", "application/yaml").want(201)
	// Who may not see what is masked may not become the owner of it either.
	d.post(replay, "", as("sue", "approver")...).refused(403, "forbidden")
	run := into[view.Run](d.post(replay, "").want(201))
	again := into[trigger.Receipt](d.deliver("orders", "msg_short", `{"data":{"iban":"DE89"}}`).want(200))
	if again.Run != run.ID || !again.Repeated || run.Owner == "trigger:orders" {
		t.Errorf("%+v, %+v", again, run)
	}
}

func TestOtherWaysToVerify(t *testing.T) {
	d := hooked(t, "trigger: hub\nworkflow: order\nverify: github\nsecret: s3cret\nmap: {id: ref}\n",
		"trigger: lab\nworkflow: order\nverify: {header: X-Gitlab-Token, secret: s3cret}\nmap: {id: ref}\n",
		"trigger: open\nworkflow: order\nverify: none\nmap: {id: ref}\ndedupe: number\n",
		"trigger: off\nworkflow: order\nverify: none\nenabled: false\n")
	body := `{"ref":"main"}`
	signed, err := trigger.Sign(&definition.Verify{Kind: definition.VerifyGitHub}, "s3cret", "1", []byte(body), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	hub := func(status int, headers ...string) trigger.Receipt {
		t.Helper()
		return into[trigger.Receipt](d.send("POST", base+"/hooks/hub", body,
			append([]string{"X-Hub-Signature-256", signed["X-Hub-Signature-256"]}, headers...)...).want(status))
	}
	if v := hub(200, "X-GitHub-Event", "ping"); v.Run != "" || v.Outcome != port.HookIgnored {
		t.Errorf("%+v", v)
	}
	first := hub(202, "X-GitHub-Delivery", "1", "X-GitHub-Event", "push")
	// The id of GitHub is not signed: with another one the same content is still the same delivery.
	if v := hub(200, "X-GitHub-Delivery", "2", "X-GitHub-Event", "push"); v.Run != first.Run {
		t.Errorf("%+v", v)
	}
	d.send("POST", base+"/hooks/hub", `{"ref":"x"}`, "X-Hub-Signature-256",
		signed["X-Hub-Signature-256"]).refused(401, "unauthenticated")
	d.send("POST", base+"/hooks/lab", body, "X-Gitlab-Token", "s3cret").want(202)
	d.send("POST", base+"/hooks/lab", body, "X-Gitlab-Token", "s3cre").refused(401, "unauthenticated")

	one := into[trigger.Receipt](d.send("POST", base+"/hooks/open", `{"ref":"a","number":1.0}`).want(202))
	two := into[trigger.Receipt](d.send("POST", base+"/hooks/open", `{"number":1.0,"ref":"b"}`).want(200))
	three := into[trigger.Receipt](d.send("POST", base+"/hooks/open", `{"ref":"a","number":2}`).want(202))
	if one.Run != two.Run || one.Run == three.Run {
		t.Errorf("%v %v %v", one, two, three)
	}
	d.send("POST", base+"/hooks/open", `{"ref":"a"}`).refused(422, "invalid")
	d.send("POST", base+"/hooks/open", `{"ref":"a","number":null}`).refused(422, "invalid")
	d.send("POST", base+"/hooks/off", `{"id":"x"}`).refused(409, "conflict")
	if v := into[trigger.Trigger](d.get("/triggers/off").want(200)); v.Enabled || len(v.Deliveries) != 1 ||
		v.Deliveries[0].Outcome != port.HookIgnored {
		t.Errorf("%+v", v)
	}
	doc := into[registry.Document](d.send("PUT", base+"/triggers/open2",
		`{"trigger":"open2","workflow":"order","verify":"none"}`).want(201))
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0].Message, "anyone") {
		t.Errorf("%+v", doc.Warnings)
	}
	p := d.send("PUT", base+"/triggers/t", `{"trigger":"t","workflow":"order","verify":"github","secret":"${env:HOME}"}`).
		refused(422, "invalid")
	if !strings.Contains(p.Errors[0].Path, "secret") {
		t.Errorf("%+v", p)
	}
}

// Triggers are seen, saved, deleted and replayed by those who may do that with their workflows, and payloads are
// masked as the runs are.
func TestTriggersAreGuarded(t *testing.T) {
	d := hooked(t)
	first := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(202))
	d.deliver("orders", "msg_2", `{"data":{"iban":"DE89 3704 0044 0532 0130 00"}}`).refused(422, "invalid")
	viewer := as("vic", "viewer")
	d.send("PUT", base+"/triggers/orders", yamlTrigger+"enabled: false\n",
		append(viewer, "Content-Type", "application/yaml")...).refused(403, "forbidden")
	d.send("DELETE", base+"/triggers/orders", "", viewer...).refused(403, "forbidden")
	d.post("/triggers/orders/deliveries/"+first.Delivery+"/replay", "", viewer...).refused(403, "forbidden")
	a := d.get("/triggers/orders", viewer...).want(200)
	if strings.Contains(string(a.body), "DE89") || !strings.Contains(string(a.body), "A-1") {
		t.Errorf("%s", a.body)
	}
	if v := into[trigger.Trigger](a); len(v.Deliveries) != 2 || !v.Deliveries[0].Masked || !v.Deliveries[1].Masked {
		t.Errorf("%+v", v.Deliveries)
	}
	if b := d.get("/triggers", viewer...).want(200).body; strings.Contains(string(b), "DE89") {
		t.Errorf("%s", b)
	}
}

// Deleting the payloads of a run deletes those of its delivery, which does not come back.
func TestForgottenDeliveries(t *testing.T) {
	d := hooked(t)
	first := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(202))
	d.until(first.Run, "completed")
	d.send("DELETE", base+"/runs/"+first.Run+"/payloads", `{"reason":"asked for"}`).want(200)
	again := into[trigger.Receipt](d.deliver("orders", "msg_1", order).want(200))
	if again.Run != first.Run {
		t.Errorf("%+v", again)
	}
	v := into[trigger.Trigger](d.get("/triggers/orders").want(200)).Deliveries[0]
	if !v.Removed || v.Payload != nil || v.SenderID != "" || v.Times != 2 {
		t.Errorf("%+v", v)
	}
	d.post("/triggers/orders/deliveries/"+v.ID+"/replay", "").refused(409, "conflict")
	// Nor when others have displaced it before it is repeated.
	for i := range port.HookDeliveriesMax {
		at := time.Now()
		if err := d.parts.Store.PutHookDelivery(t.Context(), port.HookDelivery{ID: fmt.Sprintf("hook_%d", i), At: at,
			Trigger: "orders", LastAt: at, Times: 1, Outcome: port.HookFailed, Body: []byte(`{"key":"x"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	d.deliver("orders", "msg_1", order).want(200)
	v = into[trigger.Trigger](d.get("/triggers/orders").want(200)).Deliveries[0]
	if v.Run != first.Run || !v.Removed || v.Payload != nil {
		t.Errorf("%+v", v)
	}
}
