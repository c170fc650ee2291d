package examples_test

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image/png"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
)

// risky are the examples' tools that need approval.
var risky = map[string][]string{
	"competitor-research": {"market_data"},
	"code-change":         {"create_pull_request"},
	"sales-report":        {"write_file"},
}

func TestCompetitorResearch(t *testing.T) {
	o := openOffice(t, load(t, "competitor-research"), nil)
	id := o.begin("competitor-research")
	q := o.one(id)
	if q.Kind != gate.KindChoice || q.Title != "What should the report compare?" || len(q.Options) != 2 {
		t.Errorf("%+v", q)
	}
	o.decide(q, app.Decision{Act: gate.Choose, Option: q.Options[0].Value})

	paid := o.one(id)
	if paid.Action.Tool != "market_data" || paid.CostUSD == nil || *paid.CostUSD != "2" ||
		!slices.Contains(paid.Risk.Reasons, "costs 2.00 USD") ||
		paid.Description != "Buy the market shares (paid/market-share.csv)" {
		t.Errorf("what is asked about the paid call: %+v", paid)
	}
	o.decide(paid, app.Decision{Act: gate.Approve})

	o.decide(o.at(id, "accept"), app.Decision{Act: gate.RequestRevision, Comment: "begin with what to do"})
	o.decide(o.at(id, "accept"), app.Decision{Act: gate.Approve})
	v := o.ended(id)
	want := []string{"competitive-report.md (document, draft)", "competitive-report.md (document, final)",
		"market-share-chart.png (media, draft)", "pricing-matrix.csv (data, draft)"}
	if got := o.deliverables(id); v.Status != run.Completed || !slices.Equal(got, want) {
		t.Errorf("%s with %q", v.Status, got)
	}
	// 0.11 and 0.03 for the model in two rounds, and 2 for the approved tool.
	if v.Usage.CostUSD != "2.14" {
		t.Errorf("it cost %s", v.Usage.CostUSD)
	}
	chart, err := png.Decode(bytes.NewReader(o.content(id, "market-share-chart.png")))
	if err != nil || chart.Bounds().Dx() < 100 || chart.Bounds().Dy() < 100 {
		t.Errorf("the chart: %v", err)
	}
	if rows, err := csv.NewReader(bytes.NewReader(o.content(id, "pricing-matrix.csv"))).ReadAll(); err != nil ||
		len(rows) != 6 {
		t.Errorf("the table: %v %v", rows, err)
	}
	if report := string(o.content(id, "competitive-report.md")); !strings.Contains(report, "**In short:**") {
		t.Errorf("the newest report is not the revised one: %s", report)
	}
	o.mustAsk(id, risky["competitor-research"]...)
}

func TestCompetitorResearchDenied(t *testing.T) {
	o := openOffice(t, load(t, "competitor-research"), nil)
	id := o.begin("competitor-research")
	q := o.one(id)
	o.message(id, "please be brief")
	o.decide(q, app.Decision{Act: gate.Choose, Option: "Prices alone"})
	o.decide(o.one(id), app.Decision{Act: gate.Reject, Comment: "too expensive"})
	o.decide(o.at(id, "accept"), app.Decision{Act: gate.Approve})
	v := o.ended(id)
	if got := o.deliverables(id); v.Status != run.Completed ||
		!slices.Equal(got, []string{"competitive-report.md (document, draft)", "pricing-matrix.csv (data, draft)"}) {
		t.Errorf("%s with %q", v.Status, got)
	}
	if report := string(o.content(id, "competitive-report.md")); strings.Contains(report, "34 %") {
		t.Errorf("the report knows what was not bought: %s", report)
	}
	thread := o.thread(v)
	for _, want := range []string{"please be brief", "I have read your message",
		"The report will not include market shares."} {
		if !strings.Contains(thread, want) {
			t.Errorf("nobody said %q in\n%s", want, thread)
		}
	}
}

func TestCodeChange(t *testing.T) {
	const pull = "pull-requests/use-money.md"
	before := load(t, "code-change").Agents["code_changer"].LLM.Files
	for _, act := range []gate.Act{gate.Approve, gate.Reject} {
		t.Run(string(act), func(t *testing.T) {
			o := openOffice(t, load(t, "code-change"), nil)
			id := o.begin("code-change")
			a := o.one(id)
			if a.Action.Tool != "create_pull_request" || a.Action.Operation != "create_pull_request" ||
				a.Risk.Level != "high" || a.Description != "Open the pull request "+pull {
				t.Errorf("%+v", a)
			}
			if _, err := os.Stat(o.file(id, pull)); err == nil {
				t.Error("it was there before anybody said yes")
			}
			// The patch leads from the agent's input to its output.
			for name, text := range patched(t, before, string(o.content(id, "changes.patch"))) {
				if got := o.read(id, name); got != text {
					t.Errorf("%s is\n%s\nthe patch makes\n%s", name, got, text)
				}
			}
			o.message(id, "thank you so far") // which must not make it forget the answer
			o.decide(a, app.Decision{Act: act, Comment: "as it is"})
			v := o.ended(id)
			deliverables, answer := []string{"Pull request (code, final)", "changes.patch (code, draft)"}, "opened"
			if act == gate.Reject {
				deliverables, answer = deliverables[1:], "denied"
			} else if text := o.read(id, pull); !strings.HasPrefix(text, "# Use the money module") {
				t.Errorf("the pull request: %s", text)
			}
			if _, err := os.Stat(o.file(id, pull)); (err == nil) != (act == gate.Approve) {
				t.Errorf("the pull request: %v", err)
			}
			if raw, _ := value.Get(v.Output, "pull_request"); string(raw) != strconv.Quote(answer) ||
				!slices.Equal(o.deliverables(id), deliverables) {
				t.Errorf("%s %q", v.Output, o.deliverables(id))
			}
			o.mustAsk(id, risky["code-change"]...)
		})
	}
}

// patched applies a unified diff to texts, and returns those it changes.
func patched(t *testing.T, before map[string]string, patch string) map[string]string {
	t.Helper()
	out := map[string]string{}
	var name string
	var rest []string // of the file's lines
	finish := func() {
		if name != "" {
			out[name] += strings.Join(rest, "")
		}
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "--- "):
			finish()
			name = strings.TrimSpace(strings.TrimPrefix(line, "--- a/"))
			rest = slices.Collect(strings.Lines(before[name]))
		case strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "@@ "):
		case line[0] == '+':
			out[name] += line[1:]
		default:
			if len(rest) == 0 || rest[0] != line[1:] {
				t.Fatalf("the patch does not fit %s at %q", name, line)
			}
			if line[0] == ' ' {
				out[name] += line[1:]
			}
			rest = rest[1:]
		}
	}
	finish()
	if len(out) < 2 {
		t.Fatalf("the patch changes %d files", len(out))
	}
	return out
}

func TestSalesReport(t *testing.T) {
	data := load(t, "sales-report").Agents["sales_analyst"].LLM.Files["data/sales.csv"]
	rows, err := csv.NewReader(strings.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, denied := range []int{0, 2} {
		t.Run(fmt.Sprint(denied, " denied"), func(t *testing.T) {
			o := openOffice(t, load(t, "sales-report"), nil)
			id := o.begin("sales-report")
			asked := o.asked(id)
			if len(asked) != 15 {
				t.Fatalf("%d approvals", len(asked))
			}
			o.decideAll(asked[:denied], gate.Reject)
			o.decideAll(asked[denied:], gate.Approve)
			v := o.ended(id)
			if told := strings.Contains(o.thread(v), "Some exports were rejected."); v.Status != run.Completed ||
				told != (denied > 0) {
				t.Errorf("%s, and it said so: %v", v.Status, told)
			}
			left, sums := map[string]bool{}, 0
			for i, a := range asked {
				path, _ := value.Get(a.Action.Args, "path")
				name, _ := value.Text(path)
				if _, err := os.Stat(o.file(id, name)); (err == nil) != (i >= denied) {
					t.Errorf("%s: %v", name, err)
				}
				left[name] = i >= denied
			}
			sums = o.checkExports(id, rows, left)
			if got, _ := value.Get(v.Output, "revenue_usd"); string(got) != strconv.Itoa(sums) {
				t.Errorf("the answer says %s, the data %d", got, sums)
			}
			if got := o.deliverables(id); !slices.Equal(got,
				[]string{"regional-breakdown.csv (data, final)", "sales-report.md (document, final)"}) {
				t.Errorf("%q", got)
			}
			o.mustAsk(id, risky["sales-report"]...)
		})
	}
}

// checkExports adds up the data and compares it with the written files and with the breakdown; it returns the
// total revenue.
func (o *office) checkExports(id string, rows [][]string, written map[string]bool) int {
	o.Helper()
	months := map[string]string{}
	regions, all := map[string]int{}, 0
	totals := map[string][2]int{}
	for _, r := range rows[1:] {
		name := "exports/" + r[0] + "-" + r[1] + ".csv"
		units, _ := strconv.Atoi(r[3])
		revenue, err := strconv.Atoi(r[4])
		if err != nil {
			o.Fatal(err)
		}
		months[name] += strings.Join(r[2:], ",") + "\n"
		totals[name] = [2]int{totals[name][0] + units, totals[name][1] + revenue}
		regions[r[1]] += revenue
		all += revenue
	}
	for name, lines := range months {
		ok, asked := written[name]
		if !asked {
			o.Errorf("nobody asked about %s", name)
		}
		want := fmt.Sprintf("product,units,revenue_usd\n%stotal,%d,%d\n", lines, totals[name][0], totals[name][1])
		if ok && o.read(id, name) != want {
			o.Errorf("%s is\n%s\nwant\n%s", name, o.read(id, name), want)
		}
	}
	breakdown, report := string(o.content(id, "regional-breakdown.csv")), string(o.content(id, "sales-report.md"))
	for region, sum := range regions {
		if !strings.Contains(breakdown, fmt.Sprintf(",%d\n", sum)) ||
			!strings.Contains(report, fmt.Sprintf("| %d |\n", sum)) {
			o.Errorf("%s sold for %d, which is not in\n%s%s", region, sum, breakdown, report)
		}
	}
	return all
}

// TestWorkspaceIsTheRuns: two runs of one agent do not see each other's files.
func TestWorkspaceIsTheRuns(t *testing.T) {
	o := openOffice(t, load(t, "code-change"), nil)
	first, second := o.begin("code-change"), o.begin("code-change")
	o.decide(o.one(first), app.Decision{Act: gate.Approve})
	o.ended(first)
	o.one(second)
	if _, err := os.Stat(o.file(second, "pull-requests/use-money.md")); err == nil {
		t.Error("the second run has the first one's pull request")
	}
	if !json.Valid(read(t, "code-change/input.json")) || o.read(second, "README.md") != o.read(first, "README.md") {
		t.Error("the files that the agent brings along differ")
	}
}
