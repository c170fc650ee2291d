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

func write(_ context.Context, o order) (letter, error) {
	return letter{To: o.Customer, Text: fmt.Sprintf("You get %d back.", o.Amount)}, nil
}

func send(_ context.Context, l letter) (string, error) {
	return fmt.Sprintf("sent to %s: %s", l.To, l.Text), nil
}

const refund = `
workflow: refund
steps:
  - { id: draft, agent: writer }
  - { id: send, agent: mailer, with: { to: draft.to, text: draft.text } }
gates:
  - { id: review, at: before send, title: Send this letter?, role: approver }
`

// A function drafts, a person decides, another function sends.
func Example() {
	if err := temporary(sendRefund); err != nil {
		log.Fatal(err)
	}
	// Output:
	// completed: "sent to customer 1042: You get 20 back."
}

// sendRefund is the program of the package comment.
func sendRefund(ctx context.Context, dir string) error {
	e, err := assent.Open(ctx, dir,
		assent.Func("writer", write),
		assent.Func("mailer", send),
		assent.Define(refund))
	if err != nil {
		return err
	}
	defer e.Close()

	run, err := e.Start(ctx, "refund", order{Customer: "customer 1042", Amount: 20}, assent.As("ann"))
	if err != nil {
		return err
	}
	run, err = e.Wait(ctx, run.ID) // returns when the run waits for a decision
	if err != nil {
		return err
	}
	_, err = e.Decide(ctx, run.Pending[0], assent.Approve("fine"), assent.As("bob", "approver"))
	if err != nil {
		return err
	}
	run, err = e.WaitEnd(ctx, run.ID) // returns when the run has ended
	if err != nil {
		return err
	}

	fmt.Printf("%s: %s\n", run.Status, run.Output)
	return nil
}

// temporary creates a directory for an example.
func temporary(f func(ctx context.Context, dir string) error) error {
	dir, err := os.MkdirTemp("", "assent")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return f(context.Background(), dir)
}

// Errors have a stable code, a message and a hint.
func ExampleError() {
	err := temporary(func(ctx context.Context, dir string) error {
		e, err := assent.Open(ctx, dir, assent.Define(`
workflow: hello
steps: [{ id: greet, human: { title: Greet all customers? } }]
`))
		if err != nil {
			return err
		}
		defer e.Close()

		_, err = e.Start(ctx, "helo", nil)
		if refused, ok := err.(*assent.Error); ok {
			fmt.Println(refused.Code)
			fmt.Println(refused.Message)
			fmt.Println(refused.Hint)
			return nil
		}
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// not_found
	// workflow "helo" not found
	// available: hello
}
