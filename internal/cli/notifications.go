package cli

import (
	"context"
	"fmt"
	"net/url"
	"slices"

	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/outbox"
	"github.com/assent-run/assent/internal/port"
	"github.com/spf13/cobra"
)

func (t *tool) channelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "channels", Short: "List notification channels, test one, or delete one", GroupID: groupServer, Args: noArgs,
		Long: `List the channels in force, and why a channel is disabled.
A channel is a document: publish it with assent load.`,
		Example: "assent load mail.yaml\nassent channels\nassent channels test mail",
	}
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error { return s.channels(ctx) })
	test := &cobra.Command{
		Use: "test NAME", Short: "Send a test message", Args: nArgs(1, 1, "the name of a channel"),
		Long: `Send a test message on a channel: to its room, or to you. Exits with 1 if it does not arrive.
If it does, a disabled channel is enabled again.`,
		Example:           "assent channels test mail",
		ValidArgsFunction: t.complete(channelNames),
	}
	t.looking(test, func(ctx context.Context, s *session, args []string) error {
		v, err := s.TestChannel(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			err = s.printJSON(v)
		}
		if !v.OK {
			return fmt.Errorf("the test message did not arrive: %s", v.Why)
		}
		if !s.json {
			s.say("%s the test message arrived", s.screen().Good("✓"))
			if v.Advice != "" {
				s.say("%s %s", s.screen().Warn("!"), show.Clean(v.Advice))
			}
		}
		return err
	})
	remove := &cobra.Command{
		Use: "delete NAME", Short: "Delete a channel", Args: nArgs(1, 1, "the name of a channel"),
		Long:              "Delete a channel. Messages that have not been sent yet are suppressed.",
		Example:           "assent channels delete mail",
		ValidArgsFunction: t.complete(channelNames),
	}
	t.looking(remove, func(ctx context.Context, s *session, args []string) error {
		v, err := s.DeleteChannel(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("%s %s was deleted", s.screen().Good("✓"), show.Line(v.Name))
		return nil
	})
	cmd.AddCommand(test, remove)
	return cmd
}

func channelNames(ctx context.Context, c *client.Client) (out []cobra.Completion) {
	list, _ := c.Channels(ctx) // completion without a server completes nothing
	for _, v := range list.Items {
		out = append(out, cobra.Completion(v.Name))
	}
	return out
}

func (s *session) channels(ctx context.Context) error {
	list, err := s.Channels(ctx)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No channels. See docs/notifications.md.")
		return nil
	}
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		state := "in force"
		if v.Disabled != "" {
			state = "disabled: " + show.Line(v.Disabled)
		}
		rows[i] = []string{show.Line(v.Name), string(v.Kind), state, v.PublicKey}
	}
	return show.Table(s.Stdout, s.screen(), s.width(), []show.Column{{Title: "CHANNEL", Min: 12}, {Title: "KIND"},
		{Title: "STATE", Min: 20}, {Title: "PUBLIC KEY", Optional: true}}, rows)
}

func (t *tool) deliveriesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "deliveries", Short: "List notifications with their status, or resend one", GroupID: groupServer, Args: noArgs,
		Long: `List messages, newest first, with their recipients and status. Administrators see all messages,
others only their own.`,
		Example: "assent deliveries --status failed\nassent deliveries retry dlv_…",
	}
	flags := cmd.Flags()
	status := flags.StringSlice("status", nil, "only these statuses: queued, sent, updated, failed, suppressed")
	channel := flags.String("channel", "", "only those on this channel")
	approval := flags.String("approval", "", "only those about this approval")
	limit := flags.Int("limit", 20, "maximum number of rows")
	t.looking(cmd, func(ctx context.Context, s *session, _ []string) error {
		q := url.Values{"limit": {itoa(*limit)}}
		for _, word := range *status {
			if !slices.Contains(port.DeliveryStatuses, port.DeliveryStatus(word)) {
				return usage("--status: %q is not one of %v", word, port.DeliveryStatuses)
			}
			q.Add("status", word)
		}
		for name, v := range map[string]string{"channel": *channel, "approval": *approval} {
			if v != "" {
				q.Set(name, v)
			}
		}
		return s.sent(ctx, q)
	})
	retry := &cobra.Command{
		Use: "retry ID", Short: "Resend a message that failed or was suppressed",
		Args:    nArgs(1, 1, "the id of a delivery"),
		Example: "assent deliveries retry dlv_…",
	}
	t.looking(retry, func(ctx context.Context, s *session, args []string) error {
		v, err := s.RetryDelivery(ctx, args[0])
		if err != nil {
			return err
		}
		if s.json {
			return s.printJSON(v)
		}
		s.say("%s %s is %s", s.screen().Good("✓"), v.ID, v.Status)
		return nil
	})
	cmd.AddCommand(retry)
	return cmd
}

func (s *session) sent(ctx context.Context, q url.Values) error {
	list, err := s.Deliveries(ctx, q)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No matches.")
		return nil
	}
	rows := make([][]string, len(list.Items))
	for i, d := range list.Items {
		rows[i] = []string{show.Moment(d.CreatedAt), show.Line(d.Channel), show.Line(recipient(d)), d.Event,
			string(d.Status), show.Line(d.Why), d.ID}
	}
	return show.Table(s.Stdout, s.screen(), s.width(), []show.Column{{Title: "AT"}, {Title: "CHANNEL"},
		{Title: "TO", Min: 8}, {Title: "EVENT"}, {Title: "STATUS"}, {Title: "WHY", Min: 12, Optional: true},
		{Title: "ID"}}, rows)
}

// recipient is who gets a message.
func recipient(d outbox.Delivery) string {
	switch {
	case d.Person != "":
		return d.Person
	case d.Address != "":
		return d.Address
	}
	return "–"
}
