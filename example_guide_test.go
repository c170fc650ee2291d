package assent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"strings"

	"github.com/assent-run/assent"
)

// The programs of docs/go.md; TestGoGuide compares.

type claim struct {
	ID     string `json:"id"`
	Amount int    `json:"amount"`
}

type assessment struct {
	Pay    bool `json:"pay"`
	Amount int  `json:"amount"`
}

func assess(ctx context.Context, w assent.Work) (assent.Result, error) {
	var c claim
	if err := json.Unmarshal(w.Input, &c); err != nil {
		return assent.Result{}, assent.Permanent(err)
	}
	assent.Tell(ctx, "reading the claim", 50)
	confidence := 0.95
	if c.Amount > 500 {
		confidence = 0.6
	}
	reason := "The policy covers it."
	if len(w.Guidance) > 0 {
		reason = "Revised: " + w.Guidance[len(w.Guidance)-1]
		confidence = 0.95
	}
	return assent.Result{Output: assessment{Pay: true, Amount: c.Amount}, Confidence: &confidence, Reasoning: reason}, nil
}

// bank is a payment service that remembers keys.
type bank struct{ paid map[string]int }

func (b bank) pay(_ context.Context, w assent.Work) (assent.Result, error) {
	var a assessment
	if err := json.Unmarshal(w.Input, &a); err != nil {
		return assent.Result{}, assent.Permanent(err)
	}
	if _, done := b.paid[w.Key]; !done { // the same key is the same payment
		b.paid[w.Key] = a.Amount
	}
	return assent.Result{Output: map[string]int{"paid": b.paid[w.Key]}}, nil
}

const claims = `
workflow: claims
steps:
  - { id: assess, agent: assessor }
  - { id: pay, agent: payer, with: { pay: assess.pay, amount: assess.amount }, operation: payment, risk: medium }
---
policy: default
rules:
  - name: Large payments
    priority: 1
    trigger: { operation_type: payment, data_threshold: { field: amount, operator: ">", value: 1000 } }
    action: { require_approval_count: 2, role: finance }
---
role: finance
permissions: [view, approve, reject, modify]
`

func openClaims(ctx context.Context, dir string, b bank) (*assent.Engine, error) {
	return assent.Open(ctx, dir,
		assent.FuncOf("assessor", assess),
		assent.FuncOf("payer", b.pay),
		assent.Define(claims))
}

// A result with low confidence goes back to the agent with a comment.
func Example_revise() {
	err := temporary(func(ctx context.Context, dir string) error {
		e, err := openClaims(ctx, dir, bank{map[string]int{}})
		if err != nil {
			return err
		}
		defer e.Close()

		run, err := e.Start(ctx, "claims", claim{ID: "C-7", Amount: 800}, assent.As("ann"))
		if err != nil {
			return err
		}
		run, err = e.Wait(ctx, run.ID)
		if err != nil {
			return err
		}
		approval, err := e.Approval(ctx, run.Pending[0])
		if err != nil {
			return err
		}
		fmt.Println(*approval.Confidence, approval.Reasoning, string(approval.Proposed))

		_, err = e.Decide(ctx, approval.ID, assent.Reject("Read the second page").On(approval), assent.As("bob", "approver"))
		if err != nil {
			return err
		}
		run, err = e.WaitEnd(ctx, run.ID)
		if err != nil {
			return err
		}
		fmt.Println(run.Status, string(run.Output))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0.6 The policy covers it. {"pay":true,"amount":800}
	// completed {"paid":800}
}

// A rule asks two people; a stale decision is rejected.
func Example_quorum() {
	err := temporary(func(ctx context.Context, dir string) error {
		e, err := openClaims(ctx, dir, bank{map[string]int{}})
		if err != nil {
			return err
		}
		defer e.Close()
		run, err := e.Start(ctx, "claims", claim{ID: "C-8", Amount: 2000}, assent.As("ann"))
		if err != nil {
			return err
		}
		if run, err = e.Wait(ctx, run.ID); err != nil {
			return err
		}
		// the result
		if _, err = e.Decide(ctx, run.Pending[0], assent.Approve(""), assent.As("bob", "approver")); err != nil {
			return err
		}
		if run, err = e.Wait(ctx, run.ID); err != nil {
			return err
		}

		approval, err := e.Approval(ctx, run.Pending[0])
		if err != nil {
			return err
		}
		_, err = e.Decide(ctx, approval.ID, assent.Approve("").On(approval), assent.As("fay", "finance"))
		if err != nil {
			return err
		}

		_, err = e.Decide(ctx, approval.ID, assent.Reject("Too high").On(approval), assent.As("gil", "finance"))
		var refused *assent.Error
		if errors.As(err, &refused) {
			fmt.Println(refused.Code) // fay approved in the meantime
		}

		_, err = e.Decide(ctx, approval.ID, assent.Modify(map[string]int{"amount": 1500}, "as agreed"),
			assent.As("gil", "finance"))
		if err != nil {
			return err
		}
		approval, err = e.Decide(ctx, approval.ID, assent.Approve("agreed"), assent.As("hal", "finance"))
		if err != nil {
			return err
		}
		fmt.Println(approval.Status)
		run, err = e.WaitEnd(ctx, run.ID)
		if err != nil {
			return err
		}
		fmt.Println(run.Status, string(run.Output))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// version_mismatch
	// modified
	// completed {"paid":1500}
}

// A program that was stopped continues with the same directory.
func Example_restart() {
	err := temporary(func(ctx context.Context, dir string) error {
		b := bank{map[string]int{}}
		e, err := openClaims(ctx, dir, b)
		if err != nil {
			return err
		}
		run, err := e.Start(ctx, "claims", claim{ID: "C-9", Amount: 800}, assent.As("ann"))
		if err != nil {
			return err
		}
		if _, err = e.Wait(ctx, run.ID); err != nil {
			return err
		}
		if err := e.Close(); err != nil {
			return err
		}

		e, err = openClaims(ctx, dir, b)
		if err != nil {
			return err
		}
		defer e.Close()
		inbox, err := e.Inbox(ctx, assent.As("bob", "approver"))
		if err != nil {
			return err
		}
		for _, approval := range inbox {
			_, err := e.Decide(ctx, approval.ID, assent.Approve("fine").On(approval), assent.As("bob", "approver"))
			if err != nil {
				return err
			}
		}
		if _, err = e.WaitEnd(ctx, run.ID); err != nil {
			return err
		}

		events, err := e.Events(ctx, run.ID, 0)
		if err != nil {
			return err
		}
		for _, event := range events {
			if strings.HasPrefix(event.Type, "approval.") {
				fmt.Println(event.Type)
			}
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// approval.needed
	// approval.decided
	// approval.resolved
}
