package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/templates"
	"github.com/spf13/cobra"
)

// workflowName matches valid names of workflows.
var workflowName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9._-]{1,64}$`) })

func (t *tool) newCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "new NAME --from TEMPLATE", Short: "Create a workflow from a template", GroupID: groupWrite,
		Args: nArgs(1, 1, "the name of the new workflow"),
		Long: `Create a folder with a workflow that runs as it is: its agents are scripted, so
no API key is needed. Existing files are never overwritten.`,
		Example: "assent workflows templates\nassent new refunds --from refund-approval\nassent new refunds --from " +
			"refund-approval --dir ./flows/refunds",
	}
	from := cmd.Flags().String("from", "", "the template; see: assent workflows templates")
	dir := cmd.Flags().String("dir", "", "output folder (default: ./NAME)")
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Flags().Bool("plain", false, "disable colours")
	_ = cmd.RegisterFlagCompletionFunc("from",
		func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
			var out []cobra.Completion
			for _, one := range templates.All() {
				out = append(out, cobra.CompletionWithDesc(one.Name, one.Title))
			}
			return out, cobra.ShellCompDirectiveNoFileComp
		}) // the flag was just added
	cmd.RunE = func(_ *cobra.Command, args []string) error { return t.newWorkflow(args[0], *from, *dir) }
	return cmd
}

// created is the output of --json.
type created struct {
	Workflow string   `json:"workflow"`
	Template string   `json:"template"`
	Dir      string   `json:"dir"`
	Files    []string `json:"files"`
}

func (t *tool) newWorkflow(name, from, dir string) error {
	if !workflowName().MatchString(name) {
		return usage("%q is not a valid name: use up to 64 lower-case letters, digits, -, _ and .", name)
	}
	template, err := findTemplate(from)
	if err != nil {
		return err
	}
	if dir == "" {
		dir = name
	}
	files, err := template.Files(name)
	if err != nil {
		return err
	}
	names := slices.Sorted(maps.Keys(files))
	if err := noneExists(dir, names); err != nil {
		return err
	}
	if err := writeAll(dir, names, files); err != nil {
		return err
	}
	if t.json {
		return t.printJSON(created{name, template.Name, dir, names})
	}
	theme := t.screen()
	t.say("%s %s in %s: %s", theme.Good("✓"), show.Count(int64(len(names)), "file"), dir, strings.Join(names, ", "))
	t.say("  assent run %s --workflow %s --input @%s --watch", dir, name, filepath.Join(dir, "input.json"))
	t.say("  assent serve --load %s", dir)
	if _, rules := files["policy.yaml"]; rules {
		t.say("%s", theme.Dim("policy.yaml contains rules. A server has one policy: if yours has one, move the rules there."))
	}
	return nil
}

func findTemplate(name string) (templates.Template, error) {
	if name == "" {
		return templates.Template{}, usage("name a template with --from; see: assent workflows templates")
	}
	if found, ok := templates.Find(name); ok {
		return found, nil
	}
	var names []string
	for _, one := range templates.All() {
		names = append(names, one.Name)
	}
	hint := "see: assent workflows templates"
	if near := config.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return templates.Template{}, &failure{code: exitNotFound, err: fmt.Errorf("template %q not found", name), hint: hint}
}

// noneExists refuses to overwrite files.
func noneExists(dir string, names []string) error {
	for _, name := range names {
		path := filepath.Join(dir, name)
		if _, err := os.Lstat(path); err == nil {
			return &failure{code: exitConflict, err: fmt.Errorf("%s already exists; nothing was written", path),
				hint: "write to another folder with --dir"}
		} else if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func writeAll(dir string, names []string, files map[string][]byte) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, name := range names {
		f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err != nil {
			return err
		}
		_, err = f.Write(files[name])
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return nil
}
