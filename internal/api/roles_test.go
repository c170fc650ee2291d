package api

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
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
	if _, err := d.parts.App.Load(t.Context(), "test", file); err != nil {
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
