package cli

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/assent-run/assent/examples"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/documents"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/registry"
)

// load publishes the documents of the directories, and again when they change. An invalid document never
// stops the server.
func (s *serving) load(ctx context.Context) error {
	paths := s.config.Load
	if len(paths) == 0 {
		return nil
	}
	loaded, err := s.host.App.Documents.Load(ctx, registry.Loader, paths...)
	s.tellLoaded(loaded, nil)
	if err != nil {
		return fmt.Errorf("load %s: %w", strings.Join(paths, ", "), err)
	}
	s.loops.Go(func() { s.host.App.Documents.Watch(ctx, registry.Loader, s.tellLoaded, paths...) })
	return nil
}

// tellLoaded prints changes and problems on stderr, one per line.
func (s *serving) tellLoaded(l registry.Loaded, err error) {
	for _, p := range worthTelling(l.Problems) {
		fmt.Fprintln(s.Stderr, show.Clean(p.String()))
	}
	if len(l.Published) > 0 {
		fmt.Fprintf(s.Stderr, "assent: published from files: %s\n", named(l.Published))
	}
	if len(l.Withdrawn) > 0 {
		fmt.Fprintf(s.Stderr, "assent: no longer in force, because their files are gone: %s\n", named(l.Withdrawn))
	}
	if err != nil {
		fmt.Fprintf(s.Stderr, "assent: load: %v\n", err)
	}
}

// namedMax is how many documents are listed by name; more are counted.
const namedMax = 12

// named lists documents, or counts them by kind.
func named(idents []string) string {
	if len(idents) <= namedMax {
		return strings.Join(idents, ", ")
	}
	counts := map[string]int64{}
	var kinds []string
	for _, ident := range idents {
		kind, _, _ := strings.Cut(ident, "/")
		if counts[kind]++; counts[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for i, kind := range kinds {
		kinds[i] = show.Count(counts[kind], strings.ReplaceAll(kind, "_", " "))
	}
	return strings.Join(kinds, ", ")
}

// worthTelling drops the problem that a data file next to the documents is not a document: the inputs of
// examples are such files.
func worthTelling(problems []definition.Problem) []definition.Problem {
	var out []definition.Problem
	for _, p := range problems {
		if p.Warning && definition.FormatOf(p.File) == definition.JSON {
			continue
		}
		out = append(out, p)
	}
	return out
}

// The example that waits for a decision.
const (
	demoWorkflow = "refund-email"
	demoInput    = "refund-email/input.json"
)

// welcome loads the examples if requested, and prints what to try.
func (s *serving) welcome(ctx context.Context) (string, error) {
	if s.demo == demoNone {
		return "", nil
	}
	runs, err := s.host.App.Lists(app.LocalAdmin).Runs(ctx, port.RunQuery{Limit: 1})
	if err != nil {
		return "", err
	}
	workflows, err := s.host.App.Documents.Workflows(ctx, app.LocalAdmin)
	if err != nil {
		return "", err
	}
	if len(workflows.Items) == 0 {
		if err := s.seed(ctx); err != nil {
			return "", fmt.Errorf("load the examples: %w", err)
		}
	}
	wanted := runs.Total == 0
	if s.demo == demoAlways {
		wanted, err = s.nobodyIsAsked(ctx)
	}
	if err == nil && wanted {
		err = s.beginDemo(ctx)
	}
	return s.hints(), err
}

// nobodyIsAsked reports whether no refund is pending.
func (s *serving) nobodyIsAsked(ctx context.Context) (bool, error) {
	q := port.RunQuery{Workflow: demoWorkflow, Status: []run.Status{run.Running, run.Waiting}, Limit: 1}
	found, err := s.host.App.Lists(app.LocalAdmin).Runs(ctx, q)
	return len(found.Items) == 0, err
}

// seed publishes the embedded examples, referenced documents first.
func (s *serving) seed(ctx context.Context) error {
	set, problems := definition.Load(examples.Files, ".")
	if errs := definition.Errors(problems); len(errs) > 0 {
		return fmt.Errorf("%s", errs[0])
	}
	for _, kind := range []definition.Kind{
		definition.KindRole, definition.KindPrices, definition.KindMCPServer, definition.KindTool, definition.KindAgent,
		definition.KindPolicy, definition.KindWorkflow, definition.KindChannel, definition.KindNotifications,
		definition.KindTrigger, definition.KindSchedule,
	} {
		for _, doc := range set.Documents() {
			k, name := doc.Ident()
			if k != kind {
				continue
			}
			format, body := definition.Sent(doc)
			if _, _, err := s.host.App.Documents.Save(ctx, app.LocalAdmin, k, name, format, body,
				documents.Saving{Publish: true}); err != nil {
				return fmt.Errorf("%s %s: %w", k, name, err)
			}
		}
	}
	return nil
}

func (s *serving) beginDemo(ctx context.Context) error {
	input, err := examples.Files.ReadFile(demoInput)
	if err != nil {
		return err
	}
	_, err = s.host.App.Begin(ctx, app.LocalAdmin, app.NewRun{Workflow: demoWorkflow, Input: input}, nil)
	return err
}

// hints is what to try next.
func (s *serving) hints() string {
	return fmt.Sprintf(`
A refund is waiting for your decision, or will be in a moment. In another terminal:

  %[1]s inbox            pending approvals
  %[1]s show ID          show one of them
  %[1]s approve ID       approve it; see also: %[1]s help
  %[1]s run refund-email --set order_id=A-7720 --set reason="too large" --watch

Everything is kept in %[2]s. Ctrl-C stops; nothing is lost.
`, calledAs(), s.config.Data)
}

// calledAs is how to call this program from the current directory.
func calledAs() string {
	if _, err := exec.LookPath("assent"); err == nil {
		return "assent"
	}
	return os.Args[0]
}
