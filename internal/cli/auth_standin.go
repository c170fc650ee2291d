package cli

import (
	"context"
	"time"

	"github.com/assent-run/assent/internal/api/contract"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/quantity"
	"github.com/assent-run/assent/internal/directory"
	"github.com/spf13/cobra"
)

// standInFlags are the flags of a stand-in.
type standInFlags struct {
	from, until string
	clear       bool
}

func (t *tool) authStandInCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "stand-in [NAME [TO]]", Short: "Set a stand-in for an approver who is away",
		Args: nArgs(0, 2, "the person who is away", "the stand-in"),
		Long: `Set a stand-in for an approver who is away. Without TO, show the stand-in; without
NAME, list all. A person has one stand-in at a time; setting another replaces it. You
can set your own; administrators can set anyone's.`,
		Example: "assent auth stand-in ann bob --until 14d\nassent auth stand-in ann bob --from 2027-07-01 --until " +
			"2027-07-22\nassent auth stand-in ann --clear\nassent auth stand-in",
	}
	var f standInFlags
	cmd.Flags().StringVar(&f.from, "from", "",
		"start: a day such as 2027-07-01, a time, or a duration from now such as 2d (default: now)")
	cmd.Flags().StringVar(&f.until, "until", "", "end: a day, a time, or a duration from now")
	cmd.Flags().BoolVar(&f.clear, "clear", false, "remove the stand-in")
	return t.keeping(cmd, func(ctx context.Context, s *session, k client.Console, args []string) error {
		switch {
		case f.clear && len(args) != 1:
			return usage("--clear needs the name of the person who is back")
		case f.clear && (f.from != "" || f.until != ""):
			return usage("--clear applies immediately; remove --from and --until")
		case f.clear:
			v, err := s.RemoveStandIn(ctx, k, args[0])
			return s.tellStandIn(v, err, "no longer decides for")
		case len(args) == 2:
			return s.setStandIn(ctx, k, args[0], args[1], f)
		case f.from != "" || f.until != "":
			return usage("name the person who is away and the stand-in: assent auth stand-in NAME TO --until …")
		case len(args) == 1:
			v, err := s.StandIn(ctx, k, args[0])
			return s.tellStandIn(v, err, "decides for")
		}
		return s.listStandIns(ctx, k)
	})
}

func (s *session) setStandIn(ctx context.Context, k client.Console, name, to string, f standInFlags) error {
	if f.until == "" {
		return usage("set when %s is back with --until", name)
	}
	until, err := momentOf("--until", f.until, s.Now())
	if err != nil {
		return err
	}
	change := contract.StandInChange{To: to, Until: until}
	if f.from != "" {
		if change.From, err = momentOf("--from", f.from, s.Now()); err != nil {
			return err
		}
	}
	v, err := s.PutStandIn(ctx, k, name, change)
	return s.tellStandIn(v, err, "decides for")
}

// momentOf parses a date, a time or a duration from now.
func momentOf(flag, text string, now time.Time) (*time.Time, error) {
	at, ok := ahead(text, now)
	if !ok {
		return nil, usage("%s %s: write a day such as 2027-07-22, a time such as 2027-07-22T18:00:00Z, or a "+
			"duration such as 14d", flag, text)
	}
	return &at, nil
}

// ahead is a day, a time, or a duration from now as a point in time.
func ahead(text string, now time.Time) (at time.Time, ok bool) {
	if day, err := time.ParseInLocation(time.DateOnly, text, time.Local); err == nil {
		return day, true
	}
	if moment, err := time.Parse(time.RFC3339, text); err == nil {
		return moment, true
	}
	d, err := quantity.ParseDuration(text)
	return now.Add(time.Duration(d)).UTC(), err == nil && d > 0
}

func (s *session) tellStandIn(v directory.StandIn, err error, what string) error {
	switch {
	case err != nil:
		return err
	case s.json:
		return s.printJSON(v)
	}
	s.say("%s %s %s %s, from %s until %s", s.screen().Good("✓"), show.Line(v.To), what, show.Line(v.Name),
		show.Moment(v.From), show.Moment(v.Until))
	for _, note := range v.Notes {
		s.say("  %s", show.Line(note))
	}
	return nil
}

func (s *session) listStandIns(ctx context.Context, k client.Console) error {
	list, err := s.StandIns(ctx, k)
	if err != nil {
		return err
	}
	if s.json {
		return s.printJSON(list)
	}
	if len(list.Items) == 0 {
		s.say("No stand-ins. Set one: assent auth stand-in NAME TO --until …")
		return nil
	}
	rows := make([][]string, len(list.Items))
	for i, v := range list.Items {
		state := "later"
		if v.Counts {
			state = "now"
		}
		rows[i] = []string{show.Line(v.Name), show.Line(v.To), state, show.Moment(v.From),
			show.Moment(v.Until), show.Line(v.SetBy)}
	}
	columns := []show.Column{{Title: "AWAY", Min: 10}, {Title: "STAND-IN", Min: 10}, {Title: "ACTIVE"}, {Title: "FROM"},
		{Title: "UNTIL"}, {Title: "SET BY"}}
	return show.Table(s.Stdout, s.screen(), s.width(), columns, rows)
}
