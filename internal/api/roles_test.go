package api

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/rights"
	"github.com/assent-run/assent/internal/view"
)

func TestAdministratorsListRoles(t *testing.T) {
	d := office(t, Options{})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	d.get("/roles").refused(401, "unauthenticated")
	d.get("/roles", bob...).refused(403, "forbidden")
	list := into[view.List[contract.RoleView]](d.get("/roles", ann...).want(200))
	byName := map[string]contract.RoleView{}
	for _, r := range list.Items {
		byName[r.Name] = r
	}
	if !slices.IsSortedFunc(list.Items, func(a, b contract.RoleView) int { return strings.Compare(a.Name, b.Name) }) ||
		int(list.Total) != len(byName) {
		t.Errorf("%+v", list)
	}
	if r := byName["admin"]; !r.BuiltIn || !r.Every || !slices.Equal(r.Permissions, []string{"*"}) {
		t.Errorf("%+v", r)
	}
	if r := byName["reviewer"]; !r.BuiltIn || len(r.Kinds) != 2 || !slices.Contains(r.Permissions, "approve") {
		t.Errorf("%+v", r)
	}
}

func TestDocumentsReplaceBuiltInRoles(t *testing.T) {
	d := office(t, Options{})
	file := filepath.Join(t.TempDir(), "roles.yaml")
	err := os.WriteFile(file, []byte("role: reviewer\ndescription: Looks at claims\nworkflows: [claims-*]\npermissions: "+
		"[view]\n---\nrole: auditor\npermissions: [view, audit]\ncan_act_as: [reviewer]\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	before := into[view.List[contract.RoleView]](d.get("/roles", d.signIn("ann", annPassword)...).want(200))
	if _, err := d.parts.App.Documents.Load(t.Context(), "test", file); err != nil {
		t.Fatal(err)
	}
	list := into[view.List[contract.RoleView]](d.get("/roles", d.signIn("ann", annPassword)...).want(200))
	for _, r := range list.Items {
		switch r.Name {
		case "reviewer":
			if r.BuiltIn || r.Every || !slices.Equal(r.Workflows, []string{"claims-*"}) || r.Description != "Looks at claims" {
				t.Errorf("%+v", r)
			}
		case "auditor":
			if r.BuiltIn || !r.Every || !slices.Equal(r.CanActAs, []string{"reviewer"}) {
				t.Errorf("%+v", r)
			}
		}
	}
	if len(list.Items) != len(before.Items)+1 {
		t.Errorf("%d roles", len(list.Items))
	}
}

// Roles are written by administrators who are people.
func TestSaveRole(t *testing.T) {
	d := open(t, Options{})
	role := `{"role":"finance","description":"Money.","permissions":["view","decide"],"workflows":["plain"],"kinds":["choice"]}`
	put := func(name, body string, headers ...string) answer {
		t.Helper()
		return d.send("PUT", base+"/roles/"+name, body, headers...)
	}
	put("finance", role).want(201)
	put("finance", role).want(200)
	list := into[view.List[contract.RoleView]](d.get("/roles").want(200))
	i := slices.IndexFunc(list.Items, func(r contract.RoleView) bool { return r.Name == "finance" })
	if i < 0 || list.Items[i].BuiltIn || list.Items[i].Every || len(list.Items[i].Kinds) != 1 {
		t.Errorf("%+v", list.Items)
	}
	put("finance", `{"role":"finance","permissions":["sensitiv"]}`).refused(422, "invalid")
	put("other", role).refused(422, "invalid")
	put("admin", `{"role":"admin","permissions":["view"]}`).refused(422, "invalid")
	for _, role := range []string{"viewer", "approver", "operator"} {
		put("finance", `{"role":"finance","permissions":["*"]}`, as("eve", role)...).refused(403, "forbidden")
	}
	if v := into[view.List[contract.RoleView]](d.get("/roles").want(200)); slices.Contains(v.Items[i].Permissions, "*") {
		t.Errorf("%+v", v.Items[i])
	}
}

// What someone may do is explained to administrators, and to everyone about themselves.
func TestExplainPermissions(t *testing.T) {
	d := office(t, Options{})
	ann, bob := d.signIn("ann", annPassword), d.signIn("bob", bobPassword)
	d.get("/people/bob/access").refused(401, "unauthenticated")
	d.get("/people/ann/access", bob...).refused(403, "forbidden")
	d.get("/people/ci/access?as=service&roles=admin", bob...).refused(403, "forbidden")
	d.get("/people/ci/access?as=service", ann...).refused(422, "invalid")
	d.get("/people/ann/access?as=robot", ann...).refused(422, "invalid")
	d.get("/people/nobody/access", ann...).refused(404, "not_found")
	may := func(query, action string, headers ...string) (rights.PermissionsView, access.Ability) {
		t.Helper()
		v := into[rights.PermissionsView](d.get("/people/"+query, headers...).want(200))
		i := slices.IndexFunc(v.Actions, func(a access.Ability) bool { return string(a.Action) == action })
		if i < 0 {
			t.Fatalf("%s is not explained: %+v", action, v)
		}
		return v, v.Actions[i]
	}
	if v, a := may("bob/access", "see", bob...); v.User != "bob" || len(v.Roles) != 1 || !a.Allowed ||
		v.Roles[0].BuiltIn || v.Roles[0].Version != 1 || v.Roles[0].By != "test" {
		t.Errorf("%+v %+v", v.Roles, a)
	}
	if _, a := may("bob/access", "stop", ann...); a.Allowed || !strings.Contains(a.Because, "administrator") ||
		!slices.Equal(a.WithRole, []string{"admin"}) {
		t.Errorf("%+v", a)
	}
	if _, a := may("bob/access", "stop", bob...); a.Allowed || len(a.WithRole) > 0 {
		t.Errorf("bob, who may not list the roles, is told them: %+v", a)
	}
	if _, a := may("ann/access", "stop", ann...); !a.Allowed || !slices.Equal(a.Roles, []string{"admin"}) {
		t.Errorf("%+v", a)
	}
	if v, a := may("ci/access?as=service&roles=admin", "approve", ann...); v.Kind != run.Service || a.Allowed {
		t.Errorf("%+v", a)
	}
	if v, a := may("cy/access?roles=mere&role=mere", "approve", ann...); !a.Allowed || v.Roles[0].BuiltIn ||
		v.Roles[0].Version != 0 {
		t.Errorf("%+v %+v", v, a)
	}
}

// A role is withdrawn by administrators who are people. What needs it is named; its holders have nothing from it, and
// have it back only if that is wanted.
func TestWithdrawRole(t *testing.T) {
	d := office(t, Options{})
	ann := d.signIn("ann", annPassword)
	put := func(path, body string) answer { return d.send("PUT", base+path, body, ann...) }
	withdraw := func(path string, headers ...string) answer {
		return d.send("DELETE", base+"/roles/"+path, "", headers...)
	}
	legal := `{"role":"legal","permissions":["view","start","approve"],"workflows":["plain","asks"]}`
	granted := []string{"approve", "choose", "start", "submit", "view"}
	conflict := func(a answer) string {
		t.Helper()
		a.refused(409, "conflict")
		return string(a.body)
	}
	put("/roles/legal", legal).want(201)
	put("/accounts/bob", `{"roles":["legal"]}`).want(200)
	bob := d.signIn("bob", bobPassword)
	permissions := func() []string { return into[contract.Me](d.get("/me", bob...).want(200)).Permissions }
	if got := permissions(); !slices.Equal(got, granted) {
		t.Errorf("%v", got)
	}

	withdraw("legal").refused(401, "unauthenticated")
	withdraw("legal", bob...).refused(403, "forbidden")
	token := into[contract.TokenView](d.post("/tokens", `{"name":"ci","kind":"service","roles":["admin"]}`,
		ann...).want(201))
	withdraw("legal", "Authorization", "Bearer "+token.Secret).refused(403, "forbidden")
	withdraw("nothing", ann...).refused(404, "not_found")
	withdraw("reviewer", ann...).refused(409, "conflict")
	withdraw("admin?force=true", ann...).refused(409, "conflict")

	for body, needs := range map[string]string{
		`{"role":"lead","permissions":["view"],"can_act_as":["legal"]}`: "the role lead (can_act_as)",
		`{"workflow":"asks","steps":[{"id":"a","agent":"writer"}],"gates":[{"id":"g","at":"start","role":"legal"},` +
			`{"id":"h","at":"end","escalate":[{"after":"1h","to":"role:legal"}]}]}`: "the workflow asks (gates[0].role)",
	} {
		kind := "/roles/lead"
		if strings.Contains(body, "workflow") {
			kind = "/workflows/asks?publish=true"
		}
		put(kind, body).want(201)
		if a := conflict(withdraw("legal", ann...)); !strings.Contains(a, needs) {
			t.Errorf("%s does not name %s", a, needs)
		}
	}
	refused := conflict(withdraw("legal", ann...))
	if !strings.Contains(refused, `"needed_by":[`) || !strings.Contains(refused, "the account bob") {
		t.Errorf("%s", refused)
	}
	if got := permissions(); !slices.Equal(got, granted) {
		t.Errorf("a refused withdrawal left %v", got)
	}

	was := into[registry.Document](withdraw("legal?force=true", ann...).want(200))
	if was.Name != "legal" || was.Version != 1 || !strings.Contains(string(was.Definition), "start") {
		t.Errorf("%+v", was)
	}
	if got := permissions(); len(got) > 0 {
		t.Errorf("bob still has %v", got)
	}
	withdraw("legal?force=true", ann...).refused(404, "not_found")
	list := into[view.List[contract.RoleView]](d.get("/roles", ann...).want(200))
	i := slices.IndexFunc(list.Items, func(r contract.RoleView) bool { return r.Name == "legal" })
	if i < 0 || !list.Items[i].Withdrawn || list.Items[i].BuiltIn || len(list.Items[i].Permissions) > 0 {
		t.Errorf("%+v", list.Items)
	}
	origin := into[rights.PermissionsView](d.get("/people/bob/access", ann...).want(200)).Roles
	if len(origin) != 1 || !origin[0].Withdrawn {
		t.Errorf("%+v", origin)
	}
	audit := string(d.get("/audit?action=definition.withdrawn", ann...).want(200).body)
	for _, want := range []string{`"needed_by":[`, "the account bob", `"outcome":"refused"`} {
		if !strings.Contains(audit, want) {
			t.Errorf("%s is not in the audit log: %s", want, audit)
		}
	}

	// Another role of that name does not silently have its holders, whether it is the same or a new one.
	for _, role := range []string{legal,
		`{"role":"legal","permissions":["*"]}`} {
		if a := conflict(put("/roles/legal", role)); !strings.Contains(a, "the account bob") {
			t.Errorf("%s", a)
		}
		put("/roles/legal?force=true", role).refused(409, "conflict")
	}
	if got := permissions(); len(got) > 0 {
		t.Errorf("bob has %v", got)
	}
	put("/roles/legal?restore=true", legal).want(200)
	if got := permissions(); !slices.Equal(got, granted) {
		t.Errorf("%v", got)
	}

	// Without holders it comes back as usual; a built-in role applies again.
	withdraw("legal?force=true", ann...).want(200)
	put("/accounts/bob", `{"roles":["reviewer"]}`).want(200)
	put("/roles/legal", legal).want(200)
	put("/roles/reviewer", `{"role":"reviewer","permissions":["view"]}`).want(201)
	withdraw("reviewer?force=true", ann...).want(200)
	if got := permissions(); !slices.Contains(got, "approve") {
		t.Errorf("the built-in reviewer has %v", got)
	}
}
