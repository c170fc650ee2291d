package api

import (
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/api/contract"
)

func TestSettings(t *testing.T) {
	d := open(t, Options{SettingsFile: "assent.yaml", Settings: []contract.Setting{
		{Name: "addr", Value: "127.0.0.1:8080", Set: true, Source: contract.FromDefault, From: "default"},
		{Name: "db", Value: "postgres://ann:hunter2@db/x", Secret: true, Set: true, Source: contract.FromEnvironment,
			From: "ASSENT_DB"},
	}})
	a := d.get("/settings").want(200)
	if strings.Contains(string(a.body), "hunter2") {
		t.Errorf("%s", a.body)
	}
	v := into[contract.Settings](a)
	if v.Version == "" || v.File != "assent.yaml" || len(v.Items) != 2 || v.Items[0].Value == "" || !v.Items[1].Set {
		t.Errorf("%+v", v)
	}
	for _, role := range []string{"viewer", "approver", "operator", "auditor"} {
		d.get("/settings", as("eve", role)...).refused(403, "forbidden")
	}
}
