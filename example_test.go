package assent_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/assent-run/assent"
)

type order struct {
	Customer string `json:"customer"`
	Amount   int    `json:"amount"`
}

type letter struct {
	To   string `json:"to"`
	Text string `json:"text"`
}

// A function drafts, a person decides, another function sends.
func Example() {
	dir, err := os.MkdirTemp("", "assent")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()

	e, err := assent.Open(ctx, dir,
		assent.Func("writer", func(_ context.Context, o order) (letter, error) {
			return letter{To: o.Customer, Text: fmt.Sprintf("You get %d back.", o.Amount)}, nil
		}),
		assent.Func("mailer", func(_ context.Context, l letter) (string, error) {
			return fmt.Sprintf("sent to %s: %s", l.To, l.Text), nil
		}),
		assent.Define(`
workflow: refund
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailer, with: { to: draft.to, text: draft.text } }
gates:
  - { id: review, at: before send, title: Send this letter?, role: approver }
`))
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	run, err := e.Start(ctx, "refund", order{Customer: "customer 1042", Amount: 20}, assent.As("ann"))
	if err != nil {
		log.Fatal(err)
	}
	run, err = e.Wait(ctx, run.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the run is", run.Status)

	approval, err := e.Approval(ctx, run.Pending[0])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(approval.Title, string(approval.Proposed))

	_, err = e.Decide(ctx, approval.ID, assent.Modify(map[string]string{"text": "You get 20 back. Sorry!"}, "be kind").On(approval), assent.As("bob", "approver"))
	if err != nil {
		log.Fatal(err)
	}
	run, err = e.WaitEnd(ctx, run.ID)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("the run is", run.Status)
	fmt.Println(string(run.Output))
	// Output:
	// the run is waiting
	// Send this letter? {"to":"customer 1042","text":"You get 20 back."}
	// the run is completed
	// "sent to customer 1042: You get 20 back. Sorry!"
}

// What was refused says why, in a code that does not change.
func ExampleError() {
	dir, err := os.MkdirTemp("", "assent")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	e, err := assent.Open(ctx, dir, assent.Define(`
workflow: hello
steps: [{ id: greet, human: { title: Greet everybody? } }]
`))
	if err != nil {
		log.Fatal(err)
	}
	defer e.Close()

	_, err = e.Start(ctx, "helo", nil)
	if refused, ok := err.(*assent.Error); ok {
		fmt.Println(refused.Code)
		fmt.Println(refused.Message)
		fmt.Println(refused.Hint)
	}
	// Output:
	// not_found
	// there is no workflow "helo"
	// there is hello
}
