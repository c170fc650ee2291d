package api

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/directory"
	"github.com/assent-run/assent/internal/view"
)

const recipientPassword = "correct horse battery"

// TestRecipients: who may hand an approval over finds to whom, and a name that
// nobody has is refused with the one that is nearest.
func TestRecipients(t *testing.T) {
	d := open(t, Options{})
	for name, roles := range map[string]string{"bob": `"approver"`, "maria": `"manager","auditor"`, "karl": "",
		"gone": `"approver"`} {
		d.send("PUT", base+"/accounts/"+name, fmt.Sprintf(`{"password":"%s","roles":[%s]}`,
			recipientPassword, roles)).want(201)
	}
	d.send("PUT", base+"/accounts/gone", `{"disabled":true}`).want(200)
	token := func(name, kind, roles string) []string {
		v := into[struct{ Secret string }](d.post("/tokens",
			fmt.Sprintf(`{"name":"%s","kind":"%s","roles":[%s]}`, name, kind, roles)).want(201))
		return []string{"Authorization", "Bearer " + v.Secret}
	}
	bob, vera := token("bob", "person", `"approver"`), token("vera", "person", `"viewer"`)
	token("robot", "service", "")
	apart := d.asked("apart", bob...) // bob started it and may not decide
	ask := d.asked("ask", bob...)
	people := func(id, query string, who ...string) (out []string) {
		t.Helper()
		v := into[view.List[directory.Recipient]](d.get("/approvals/"+id+"/recipients?"+query, who...).want(200))
		if int(v.Total) < len(v.Items) {
			t.Errorf("%d of %d", len(v.Items), v.Total)
		}
		for _, r := range v.Items {
			out = append(out, r.To+strings.TrimSuffix("("+strings.Join(r.Roles, ",")+")", "()"))
		}
		return out
	}
	for _, c := range []struct {
		id, query string
		who       []string
		want      string
	}{
		{ask.ID, "", bob, "karl maria(manager) vera role:admin role:approver role:claims_adjuster " +
			"role:manager role:reviewer"},
		{ask.ID, "", nil, "bob(approver) karl maria(auditor,manager) vera(viewer) role:admin role:approver " +
			"role:claims_adjuster role:manager role:reviewer"},
		{ask.ID, "q=MAR", bob, "maria(manager)"},
		{ask.ID, "q=manager", bob, "maria(manager) role:manager"},
		{ask.ID, "q=auditor", bob, ""}, // not to be told by searching either
		{ask.ID, "q=" + strings.Repeat("x", 150), bob, ""},
		{ask.ID, "limit=1", bob, "karl"},
		{apart.ID, "", nil, "karl maria(auditor,manager) vera(viewer) role:admin role:approver " +
			"role:claims_adjuster role:reviewer"},
	} {
		if got := people(c.id, c.query, c.who...); strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, not %s", c.query, got, c.want)
		}
	}
	d.get("/approvals/"+ask.ID+"/recipients", vera...).refused(403, "forbidden")
	d.get("/approvals/"+apart.ID+"/recipients", bob...).refused(403, "forbidden")
	d.get("/approvals/apr_nope/recipients", bob...).refused(404, "not_found")

	hand := func(act, to string, who ...string) answer {
		return d.post("/approvals/"+ask.ID+"/decisions", fmt.Sprintf(`{"act":"%s","to":"%s","version":1}`, act, to), who...)
	}
	for to, want := range map[string]string{
		"mraia": `did you mean "maria"`, "gone": "disabled", "robot": "only people decide",
		"service:robot": "only people decide",
		"role:manger":   `did you mean "manager"`,
	} {
		for _, act := range []string{"delegate", "escalate"} {
			p := hand(act, to, bob...).refused(422, "invalid")
			if len(p.Errors) != 1 || p.Errors[0].Path != "to" || !strings.Contains(p.Errors[0].Message, want) {
				t.Errorf("%s: %+v", to, p.Errors)
			}
		}
	}
	// Who may not hand it over learns nothing about names.
	if p := hand("delegate", "mraia", vera...).refused(403, "forbidden"); strings.Contains(p.Detail, "maria") {
		t.Error(p.Detail)
	}
	// A new name may be a new person; one that is nearly known is not.
	hand("delegate", "mraia", as("ann", "approver")...).refused(422, "invalid")
	hand("delegate", "newcomer", as("ann", "approver")...).want(200)
	if v := d.approval(ask.ID); !slices.Contains(v.Assignees, "newcomer") {
		t.Error(v.Assignees)
	}
	other := d.asked("ask", bob...)
	v := into[view.Approval](d.post("/approvals/"+other.ID+"/decisions",
		`{"act":"delegate","to":"Maria","version":1}`, bob...).want(200))
	if !slices.Equal(v.Assignees, []string{"maria"}) {
		t.Error(v.Assignees)
	}
}
