package cli

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/trigger"
	"github.com/spf13/cobra"
)

func (t *tool) triggersCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "triggers", Short: "List triggers, show deliveries, replay one, or send a test", GroupID: groupWrite,
		Args: noArgs,
		Long: `List the triggers in force, their addresses, and the result of the last delivery to each.
A trigger is a document: publish it with assent load.`,
		Example: "assent load new-order.yaml\nassent triggers\nassent triggers show new-order",
	}
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.triggers(ctx) })
	cmd.AddCommand(t.triggersShowCommand(), t.triggersReplayCommand(), t.triggersSendCommand(), t.triggersDeleteCommand())
	return cmd
}

func (t *tool) triggersShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "show NAME", Short: "Show the last deliveries to a trigger", Args: nArgs(1, 1, "the name of a trigger"),
		Long:              "Show the last deliveries to a trigger, newest first. With --json, their contents are included.",
		Example:           "assent triggers show new-order",
		ValidArgsFunction: t.complete(triggerNames),
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.Trigger(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		return s.deliveries(v)
	})
}

func (t *tool) triggersReplayCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "replay NAME DELIVERY", Short: "Start another run from a delivery",
		Args: nArgs(2, 2, "the name of a trigger and the id of a delivery"),
		Long: `Start another run from a delivery, with the trigger's current mapping. You own the run.
The ids of deliveries are listed by assent triggers show NAME.`,
		Example:           "assent triggers replay new-order hook_0723e00c0cf4b677a5db23b5 --watch",
		ValidArgsFunction: t.complete(triggerNames),
	}
	var f watchFlags
	f.add(cmd)
	return t.working(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.ReplayDelivery(ctx, args[0], args[1])
		if err != nil {
			return err
		}
		return s.accompany(ctx, v, f)
	})
}

func (t *tool) triggersSendCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "send NAME [FILE]", Short: "Sign and send a test delivery",
		Args: nArgs(1, 2, "the name of a trigger, and a file"),
		Long: `Sign a delivery with the secret of a trigger and send it, as another system would.
The payload is read from FILE, or from standard input.`,
		Example:           "assent triggers send new-order order.json --secret '${env:ORDERS_SECRET}'",
		ValidArgsFunction: t.complete(triggerNames),
	}
	secret := cmd.Flags().String("secret", "", "where the secret is: ${env:NAME} or ${file:PATH}")
	id := cmd.Flags().String("id", "",
		"the sender's id of the delivery, which starts one run however often it is sent (default: a new id)")
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		body, err := t.payload(args[1:])
		if err != nil {
			return err
		}
		v, err := s.Trigger(ctx, args[0])
		if err != nil {
			return err
		}
		if *id == "" {
			*id = "msg_" + strings.ToLower(rand.Text())
		}
		headers, err := s.sign(v, *secret, *id, body)
		if err != nil {
			return err
		}
		receipt, err := s.Deliver(ctx, v.Name, headers, body)
		if p := (*client.Problem)(nil); errors.As(err, &p) && p.Status == http.StatusUnauthorized {
			return fault.New(fault.Unauthenticated, p.What(), p.Hint) // a token would not help
		}
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(receipt)
		}
		s.say("%s", receipt.Run)
		if receipt.Repeated {
			s.say("Duplicate delivery: the run was already started.")
		}
		return nil
	})
}

// payload reads a file, or standard input.
func (t *tool) payload(args []string) ([]byte, error) {
	if len(args) == 0 {
		return readInput(t.Stdin)
	}
	return readInputFile(args[0])
}

// sign computes the headers of a delivery. References of the document are not looked up here: their author could
// have any file of this machine sent to the server.
func (s *session) sign(v trigger.Trigger, from, id string, body []byte) (map[string]string, error) {
	var doc struct {
		Verify struct {
			Header string `json:"header"`
		} `json:"verify"`
	}
	how := &definition.Verify{Kind: v.Verify}
	switch v.Verify {
	case definition.VerifyNone:
		return trigger.Sign(how, "", id, body, s.Now())
	case definition.VerifyHeader:
		if err := json.Unmarshal(v.Definition, &doc); err != nil {
			return nil, err
		}
		how.Header = doc.Verify.Header
	}
	secret, err := definition.ParseSecret(from)
	if err != nil || len(secret.References()) == 0 {
		return nil, usage("--secret: name the source of the secret: --secret '${env:NAME}' or --secret '${file:PATH}'")
	}
	key, err := secret.Expand(config.Lookup)
	if err != nil {
		return nil, usage("--secret: %w", err)
	}
	return trigger.Sign(how, key, id, body, s.Now())
}

func (t *tool) triggersDeleteCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "delete NAME", Short: "Delete a trigger", Args: nArgs(1, 1, "the name of a trigger"),
		Long:              "Delete a trigger. Runs that it has started continue, and its versions are kept.",
		Example:           "assent triggers delete new-order",
		ValidArgsFunction: t.complete(triggerNames),
	}
	return t.looking(cmd, func(ctx context.Context, s *session, args []string) error {
		v, err := s.DeleteTrigger(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("Trigger %s was deleted.", show.Line(v.Name))
		return nil
	})
}

func triggerNames(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Triggers(ctx) // completion without a server completes nothing
	for _, v := range list.Items {
		out = append(out, cobra.Completion(v.Name))
	}
	return out
}

func (s *session) triggers(ctx context.Context) error {
	list, err := s.Triggers(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No triggers. See docs/triggers.md.")
		return nil
	}
	theme := s.screen()
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		path, last := v.Path, theme.Dim("–")
		if !v.Enabled {
			path = theme.Dim("disabled")
		}
		if len(v.Deliveries) > 0 {
			last = string(v.Deliveries[0].Outcome) + " " + show.Moment(v.Deliveries[0].At)
		}
		rows[i] = []string{show.Line(v.Name), show.Line(v.Workflow), string(v.Verify), path, last}
	}
	return show.Table(s.Stdout, theme, s.width(), []show.Column{{Title: "TRIGGER", Min: 12}, {Title: "WORKFLOW", Min: 12},
		{Title: "VERIFY"}, {Title: "ADDRESS", Min: 20}, {Title: "LAST", Min: 20, Optional: true}}, rows)
}

// deliveries lists the last deliveries to a trigger.
func (s *session) deliveries(v trigger.Trigger) error {
	theme := s.screen()
	if r := v.Refused; r != nil {
		s.say("%s", theme.Dim(show.Line(itoa(int(r.Count))+" refused since the server started, the last one "+
			show.Moment(r.At)+": "+r.Cause)))
	}
	if len(v.Deliveries) == 0 {
		s.say("No deliveries.")
		return nil
	}
	rows := make([][]string, len(v.Deliveries))
	for i, d := range v.Deliveries {
		result := d.Run
		if result == "" {
			result = show.Line(d.Cause)
		}
		rows[i] = []string{d.ID, show.Moment(d.At), itoa(int(d.Times)), string(d.Outcome), result}
	}
	return show.Table(s.Stdout, theme, s.width(), []show.Column{{Title: "DELIVERY"}, {Title: "ARRIVED"},
		{Title: "TIMES", Right: true}, {Title: "OUTCOME"}, {Title: "RUN", Min: 20}}, rows)
}
