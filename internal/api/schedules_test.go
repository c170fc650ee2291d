package api

import (
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/registry"
	"github.com/assent-run/assent/internal/schedule"
	"github.com/assent-run/assent/internal/view"
)

const yamlSchedule = `schedule: mornings
cron: 30 9 * * mon-fri
timezone: Europe/Berlin
workflow: hello
input: {name: Iben}
`

func TestSchedules(t *testing.T) {
	d := open(t, Options{})
	yaml := []string{"Content-Type", "application/yaml"}
	d.send("PUT", base+"/workflows/hello?publish=true", yamlFlow, yaml...).want(201)
	save := func(body string) answer { return d.send("PUT", base+"/schedules/mornings", body, yaml...) }
	if v := into[registry.Document](save(yamlSchedule).want(201)); v.Version != 1 || !v.Published {
		t.Errorf("%+v", v)
	}
	save(yamlSchedule).want(200) // nothing changed

	v := into[schedule.Schedule](d.get("/schedules/mornings").want(200))
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if v.Workflow != "hello" || !v.Enabled || v.Last != nil || len(v.Next) != 5 {
		t.Fatalf("%+v", v)
	}
	for i, at := range v.Next {
		local := at.In(berlin)
		if local.Format("15:04") != "09:30" || local.Weekday() == time.Saturday || local.Weekday() == time.Sunday ||
			!at.After(time.Now()) || i > 0 && !at.After(v.Next[i-1]) {
			t.Errorf("next: %s", local)
		}
	}
	file := d.get("/schedules/mornings", "Accept", "application/yaml").want(200)
	if !strings.Contains(string(file.body), "cron: 30 9 * * mon-fri") {
		t.Errorf("%s", file.body)
	}
	if all := into[view.List[schedule.Schedule]](d.get("/schedules").want(200)); all.Total != 1 ||
		all.Items[0].Name != "mornings" || len(all.Items[0].Next) != 5 {
		t.Errorf("%+v", all)
	}

	run := into[view.Run](d.post("/schedules/mornings/run", "").want(201))
	if run.Workflow != "hello" || run.Owner == "schedule:mornings" || !strings.Contains(string(run.Input), "Iben") {
		t.Errorf("%+v", run)
	}

	save(yamlSchedule + "enabled: false\n").want(201)
	if v := into[schedule.Schedule](d.get("/schedules/mornings").want(200)); v.Enabled || v.Next == nil ||
		len(v.Next) > 0 {
		t.Errorf("%+v", v)
	}
	if v := into[schedule.Schedule](d.send("DELETE", base+"/schedules/mornings", "").want(200)); v.Name != "mornings" {
		t.Errorf("%+v", v)
	}
	d.get("/schedules/mornings").refused(404, "not_found")
	d.send("DELETE", base+"/schedules/mornings", "").refused(404, "not_found")
	d.post("/schedules/mornings/run", "").refused(404, "not_found")
	if v := into[registry.Document](save(yamlSchedule).want(201)); v.Version != 3 { // it can come back
		t.Errorf("%+v", v)
	}
}

func TestWrongSchedules(t *testing.T) {
	d := open(t, Options{})
	d.send("PUT", base+"/workflows/hello?publish=true", yamlFlow, "Content-Type", "application/yaml").want(201)
	for body, want := range map[string]string{
		`{"schedule":"s","cron":"0 25 * * *","workflow":"hello"}`:                          "hour",
		`{"schedule":"s","cron":"0 9 * * *","workflow":"helo"}`:                            `did you mean "hello"`,
		`{"schedule":"s","cron":"0 9 * * *","workflow":"hello","timezone":"Mars/Olympus"}`: "time zone",
		`{"schedule":"other","cron":"0 9 * * *","workflow":"hello"}`:                       "other",
	} {
		p := d.send("PUT", base+"/schedules/s", body).refused(422, "invalid")
		if !strings.Contains(p.Detail+" "+p.Errors[0].Message, want) {
			t.Errorf("%s: %+v", body, p)
		}
	}
	d.get("/schedules/s").refused(404, "not_found")
}

// Schedules are seen, saved and deleted by those who may do that with their workflows.
func TestSchedulesAreGuarded(t *testing.T) {
	d := open(t, Options{})
	yaml := []string{"Content-Type", "application/yaml"}
	put := func(path, body string, headers ...string) answer {
		return d.send("PUT", base+path, body, append(headers, yaml...)...)
	}
	put("/workflows/hello?publish=true", yamlFlow).want(201)
	put("/schedules/mornings", yamlSchedule).want(201)
	viewer := as("vic", "viewer")
	put("/schedules/mornings", yamlSchedule+"enabled: false\n", viewer...).refused(403, "forbidden")
	d.send("DELETE", base+"/schedules/mornings", "", viewer...).refused(403, "forbidden")
	d.post("/schedules/mornings/run", "", viewer...).refused(403, "forbidden")
	d.get("/schedules/mornings", viewer...).want(200)
}
