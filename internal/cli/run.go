package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/spf13/cobra"
)

// runFlags are the flags for starting a run.
type runFlags struct {
	input, workflow string
	sets, labels    []string
	version         int
	test            bool
	watchFlags
}

func (t *tool) runCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "run FILE|DIR|NAME", Short: "Start a run of a workflow in a file or on the server", GroupID: groupRuns,
		Long: `Start a run. A file or a folder is published first; if it has problems, they are
listed and nothing starts. With --watch you follow the run live and can decide
approvals.`,
		Example: "assent run ./flows/refund.yaml --input @order.json --watch\nassent run refund-email --set " +
			"order_id=A-5501 --set reason=broken --wait --json",
		Args: nArgs(1, 1, "a file, a folder or the name of a workflow"), ValidArgsFunction: t.completeRun,
	}
	var f runFlags
	flags := cmd.Flags()
	flags.StringVarP(&f.input, "input", "i", "", "the input: @FILE, - for stdin, or JSON")
	flags.StringArrayVar(&f.sets, "set", nil,
		"set a field of the input: PATH=VALUE, as JSON if it is valid JSON, otherwise as text")
	flags.StringArrayVar(&f.labels, "label", nil, "label of the run: KEY=VALUE")
	flags.StringVar(&f.workflow, "workflow", "", "the workflow to run, if the files contain several")
	flags.IntVar(&f.version, "version", 0, "this version instead of the published one")
	flags.BoolVar(&f.test, "test", false, "do not call tools with side effects; use samples instead")
	f.add(cmd)
	return t.talking(cmd, needMake, func(ctx context.Context, s *session,
		args []string) error {
		return s.start(ctx, args[0], f)
	})
}

// completeRun completes workflows and files.
func (t *tool) completeRun(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	names, _ := t.complete(workflowNames)(cmd, args, typed)
	return names, cobra.ShellCompDirectiveDefault
}

func (s *session) start(ctx context.Context, what string, f runFlags) error {
	begin := app.NewRun{Workflow: what, Version: f.version, TestMode: f.test}
	var err error
	if begin.Input, err = s.readJSON("--input", f.input); err != nil {
		return err
	}
	if begin.Input, err = setPaths(begin.Input, f.sets); err != nil {
		return err
	}
	if begin.Labels, err = parseLabels(f.labels); err != nil {
		return err
	}
	if isFile(what) {
		if begin.Workflow, err = s.publish(ctx, what, f.workflow); err != nil {
			return err
		}
	}
	v, err := s.Begin(ctx, begin)
	if err != nil {
		return err
	}
	return s.accompany(ctx, v, f.watchFlags)
}

func parseLabels(words []string) (map[string]string, error) {
	out := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" {
			return nil, usage("--label %s: write it as KEY=VALUE", w)
		}
		out[k] = v
	}
	return out, nil
}

// isFile distinguishes a file from the name of a workflow. A path that does not exist is still a path.
func isFile(what string) bool {
	if strings.ContainsAny(what, `/\`) || slices.ContainsFunc([]string{".yaml", ".yml", ".json"},
		func(ext string) bool { return strings.HasSuffix(what, ext) }) {
		return true
	}
	_, err := os.Stat(what)
	return err == nil
}

// publish publishes the documents of files and returns the workflow to run.
func (s *session) publish(ctx context.Context, path, wanted string) (string, error) {
	if _, err := os.Stat(path); err != nil {
		return "", &failure{code: exitNotFound, err: err, hint: "name a file, a folder, or a workflow: assent run NAME"}
	}
	set, problems := definition.LoadPath(path)
	name, err := workflowOf(set, path, wanted)
	if err == nil {
		problems, _, err = s.send(ctx, path, set, problems, false)
	}
	if wrong := definition.Errors(problems); len(wrong) > 0 {
		s.tellProblems(problems, "nothing was started")
		return "", quiet(exitFailed)
	}
	return name, err
}

// send passes the documents to the server: by path if it has access to our disk, otherwise one by one. It
// returns all problems, and what was sent.
func (s *session) send(
	ctx context.Context, path string, set *definition.Set, problems []definition.Problem, force bool,
) ([]definition.Problem, []string, error) {
	if len(definition.Errors(problems)) > 0 { // problems that need no server
		return append(problems, set.Check(assembly.Known())...), nil, nil
	}
	if s.token != "" {
		loaded, err := s.load(ctx, force, path)
		return loaded.Problems, loaded.Published, err
	}
	sent, found, err := s.sendEach(ctx, s.sendable(set), force)
	if err != nil && len(sent) > 0 {
		fmt.Fprintf(s.Stderr, "assent: published before the error: %s\n", show.Clean(strings.Join(sent, ", ")))
	}
	return append(problems, found...), sent, err
}

// sendOrder puts documents after those that they refer to.
var sendOrder = []definition.Kind{definition.KindRole, definition.KindAgent, definition.KindWorkflow,
	definition.KindPolicy, definition.KindChannel, definition.KindNotifications, definition.KindSchedule,
	definition.KindTrigger}

// sendable are the documents of a set that the API accepts, in the order to send them. It reports the others.
func (s *session) sendable(set *definition.Set) []definition.Document {
	var out []definition.Document
	for _, doc := range set.Documents() {
		if kind, name := doc.Ident(); client.Accepts(kind) {
			out = append(out, doc)
		} else {
			fmt.Fprintf(s.Stderr, "assent: %s was not sent: the API does not accept documents of kind %s; "+
				"serve the folder with --load\n", show.Clean(strings.TrimSuffix(string(kind)+"/"+name, "/")), kind)
		}
	}
	slices.SortStableFunc(out, func(a, b definition.Document) int {
		return cmp.Compare(slices.Index(sendOrder, kindOf(a)), slices.Index(sendOrder, kindOf(b)))
	})
	return out
}

func kindOf(doc definition.Document) definition.Kind {
	kind, _ := doc.Ident()
	return kind
}

// sendEach sends documents one at a time. Invalid ones are sent again after the others: they may refer to them.
func (s *session) sendEach(ctx context.Context, docs []definition.Document,
	force bool) (sent []string, problems []definition.Problem, err error) {
	several := len(docs) > 1
	for again := true; again; {
		var invalid []definition.Document
		var mistakes []definition.Problem
		for _, doc := range docs {
			kind, name := doc.Ident()
			_, err := s.Publish(ctx, doc, force)
			var p *client.Problem
			switch {
			case err == nil:
				sent = append(sent, string(kind)+"/"+name)
			case errors.As(err, &p) && len(p.Errors) > 0:
				invalid, mistakes = append(invalid, doc), append(mistakes, mistakesIn(doc, p)...)
			case p != nil && several && refusesOnly(p.Status):
				problems = append(problems, refusalOf(doc, p))
			default:
				return sent, append(problems, mistakes...), err
			}
		}
		if again = len(invalid) > 0 && len(invalid) < len(docs); !again {
			problems = append(problems, mistakes...)
		}
		docs = invalid
	}
	return sent, problems, nil
}

// mistakesIn are the problems of a document that the server found.
func mistakesIn(doc definition.Document, p *client.Problem) []definition.Problem {
	out := make([]definition.Problem, len(p.Errors))
	for i, m := range p.Errors {
		out[i].File, out[i].Path, out[i].Message = doc.Where().File, m.Path, m.Message
	}
	return out
}

// refusalOf is the problem of a document that the server refused as a whole.
func refusalOf(doc definition.Document, p *client.Problem) definition.Problem {
	kind, name := doc.Ident()
	out := definition.Problem{File: doc.Where().File}
	out.Path, out.Message = string(kind)+"/"+name, p.What()
	if p.Hint != "" {
		out.Message += " (" + p.Hint + ")"
	}
	return out
}

// refusesOnly reports whether a status is about one document, so that others may be accepted.
func refusesOnly(status int) bool {
	switch status {
	case http.StatusUnauthorized, http.StatusRequestTimeout, http.StatusTooManyRequests:
		return false
	}
	return status >= 400 && status < 500
}

// workflowOf is the workflow to run from a set.
func workflowOf(set *definition.Set, path, wanted string) (string, error) {
	names := slices.Sorted(maps.Keys(set.Workflows))
	switch {
	case wanted != "" && set.Workflows[wanted] == nil:
		return "", &failure{code: exitNotFound, err: fmt.Errorf("workflow %q not found in %s", wanted, path),
			hint: "found: " + show.Or(strings.Join(names, ", "), "none")}
	case wanted != "":
		return wanted, nil
	case len(names) == 1:
		return names[0], nil
	case len(names) == 0:
		return "", fail("a workflow begins with: workflow: NAME", "no workflow found in %s", path)
	}
	return "", usage("%s has several workflows; choose one with --workflow: %s", path, strings.Join(names, ", "))
}

// tellProblems lists problems in the format of compilers, and their consequence.
func (t *tool) tellProblems(problems []definition.Problem, so string) {
	if t.json {
		_ = writeJSON(t.Stderr, validation{Problems: problems}) // there is nowhere else to report it
		return
	}
	t.tellLines(problems)
	fmt.Fprintf(t.Stderr, "assent: %s; %s\n", show.Count(int64(len(definition.Errors(problems))), "problem"), so)
}

// tellLines prints a line for each problem on stderr.
func (t *tool) tellLines(problems []definition.Problem) {
	for _, p := range worthTelling(problems) {
		word := "error"
		if p.Warning {
			word = "warning"
		}
		fmt.Fprintln(t.Stderr, problemLine(p, word))
	}
}
