package templates_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/assent-run/assent/templates"
)

const page = "../docs/templates.md"

// intro is the page of the templates before it lists them.
const intro = `# Templates

This page is for people who start a workflow. Each template is a folder that runs unchanged and without a key, because its agents are scripted.
Pick the closest one, try it, then replace its agents one by one ([writing workflows](workflows.md), [LLM agents](agents.md)).

` + "```" + `console
$ assent workflows templates
TEMPLATE             DESCRIPTION
access-request       Grants access to a system after …
…
$ assent new refunds --from refund-approval
✓ 3 files in refunds: README.md, input.json, refunds.yaml
…
$ assent validate refunds
✓ 5 documents in 1 file
$ assent run refunds --workflow refunds --input @refunds/input.json
run_…
$ assent inbox --workflow refunds        # a moment later
WAITING  RISK  TITLE             WHERE          APPROVERS     ID
…
$ assent approve $(assent inbox --workflow refunds -q)
✓ approved: …
` + "```" + `

The new workflow gets the name you choose; its agents keep their names. Existing files are never overwritten.

In the diagrams, a diamond is a gate, with its condition above and the approvers below. A dashed box is a conditional step, a stack is
a step that runs for each element of a list, a double border is a sub-workflow, and an amber box is a question to people.

`

// TestPage keeps the page of the templates current: it is generated from their READMEs.
func TestPage(t *testing.T) {
	var b strings.Builder
	b.WriteString(intro)
	for _, one := range templates.All() {
		text, err := os.ReadFile(one.Name + "/README.md")
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := strings.Cut(string(text), "\n")
		fmt.Fprintf(&b, "## %s\n\n`assent new NAME --from %s` · [files](../templates/%s)\n\n![The graph of "+
			"%s](images/templates/%s.svg)\n%s\n", one.Title, one.Name, one.Name, one.Name, one.Name, body)
	}
	got := strings.TrimRight(b.String(), "\n") + "\n"
	if *update {
		if err := os.WriteFile(page, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(page); err != nil || got != string(want) {
		t.Errorf("%s is not current (%v): go test ./templates -run 'Pictures|Page' -update-pictures", page, err)
	}
}
