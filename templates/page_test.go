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

For people who start a workflow: each template is a folder that runs as it is, without a key, because its agents are scripted.
Take the one that is closest, try it, then replace its agents one by one ([writing workflows](workflows.md), [LLM agents](agents.md)).

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

The new workflow gets the name you give it; agents keep theirs. Files that exist are never overwritten. In the pictures a diamond is a
gate, with who is asked below it and its condition above; a dashed box is a step with a condition, a pile is done for each
element of a list, a double border is a workflow of its own, and an amber box is a question to people.

`

// TestPage keeps the page of the templates current: it is made of their READMEs.
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
