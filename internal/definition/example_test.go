package definition_test

import (
	"fmt"

	"github.com/assent-run/assent/internal/definition"
)

func ExampleParse() {
	set, problems := definition.Parse("refund.yaml", []byte(`
workflow: refund
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailr, if: draft.confidence > }
---
agent: writer
kind: scripted
answers: [{ output: { text: Sorry } }]
---
agent: mailer
kind: http
url: http://127.0.0.1:9000/mailer
headrs: {}
`))
	for _, p := range append(problems, set.Check(nil)...) {
		fmt.Println(p)
	}
	// Output:
	// refund.yaml:14:1: headrs: unknown key "headrs"; did you mean "headers"?
	// refund.yaml:5:24: steps[1].agent: unknown agent "mailr"; did you mean "mailer"?
	// refund.yaml:5:53: steps[1].if: it ends after >; expected a value
}

func ExampleParseDocument() {
	doc, _ := definition.ParseDocument(definition.JSON,
		[]byte(`{"kind":"llm","agent":"researcher","model":"gpt-4o","provider":"openai","api_key":"sk-123","limits":{"cost_usd":"5"}}`))
	fmt.Printf("%s", doc.YAML())
	// Output:
	// agent: researcher
	// kind: llm
	// provider: openai
	// model: gpt-4o
	// api_key: "***"
	// limits:
	//   cost_usd: 5
}
