package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/importer"
	"github.com/spf13/cobra"
)

// importing is the output of --json.
type importing struct {
	Dir string `json:"dir"`
	importer.Result
	Written bool `json:"written"`
}

func (t *tool) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "import FILE…", Short: "Convert files of specifications 000 and 003 into documents", GroupID: groupWrite,
		Args: nArgs(1, -1, "a file"),
		Long: `Convert workflows with hitl_checkpoints, governance policies, checkpoint rules and
auto-approval blocks into documents, and report how each key was converted. Files given
together are converted together. If there is a problem, nothing is written.`,
		Example: "assent import claims_triage.json governance_policies.json --out flows\nassent serve --load flows",
	}
	out := cmd.Flags().String("out", "", "the output folder; created if missing")
	force := cmd.Flags().Bool("force", false, "overwrite existing files")
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Flags().Bool("plain", false, "disable colours")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		if *out == "" {
			return usage("set the output folder with --out DIR")
		}
		return t.importFiles(args, *out, *force)
	}
	return cmd
}

func (t *tool) importFiles(paths []string, dir string, force bool) error {
	sources := make([]importer.Source, len(paths))
	for i, path := range paths {
		body, err := readSource(path)
		if err != nil {
			return err
		}
		sources[i] = importer.Source{Name: filepath.ToSlash(path), Body: body}
	}
	res, err := importer.Import(sources)
	if err != nil && len(res.Problems) == 0 {
		return err
	}
	if len(res.Problems) == 0 {
		err = putFiles(dir, res.Files, force)
	}
	if t.json {
		// Errors other than problems are printed on stderr, as always.
		if bad := t.printJSON(importing{dir, whole(res), err == nil}); bad != nil {
			return bad
		}
	} else {
		t.tellImport(res)
	}
	switch {
	case len(res.Problems) > 0:
		return quiet(exitFailed)
	case err != nil:
		return err
	}
	if !t.json {
		t.tellWritten(res, dir)
	}
	return nil
}

// readSource reads a file to import, up to the limit for all of them together.
func readSource(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &failure{code: exitNotFound, err: err}
	}
	defer f.Close() //nolint:errcheck // only read
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, usage("%s is a folder: name the files in it", path)
	}
	return io.ReadAll(io.LimitReader(f, importer.BytesMax+1))
}

// whole replaces missing lists with empty ones.
func whole(res importer.Result) importer.Result {
	res.Files = append([]importer.File{}, res.Files...)
	res.Report = append([]importer.Mapping{}, res.Report...)
	res.Problems = append([]definition.Problem{}, res.Problems...)
	return res
}

// putFiles writes files into a directory. Unless forced, it replaces none, and if one exists it writes none.
func putFiles(dir string, files []importer.File, force bool) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	var there []string
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(dir, f.Name)); err == nil {
			there = append(there, f.Name)
		} else if !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	if len(there) > 0 && !force {
		return &failure{
			code: exitConflict, err: fmt.Errorf("nothing was written: %s already contains %s", dir, strings.Join(there, ", ")),
			hint: "write to another folder, or overwrite them with --force",
		}
	}
	// All of them are on disk before the first gets its name.
	stage, err := os.MkdirTemp(dir, ".import-")
	if err != nil {
		return err
	}
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(filepath.Join(stage, f.Name), f.Body, 0o644)
		}
	}
	for _, f := range files {
		if err == nil {
			err = os.Rename(filepath.Join(stage, f.Name), filepath.Join(dir, f.Name))
		}
	}
	return errors.Join(err, os.RemoveAll(stage))
}

// tellImport prints the result for every position in a source, one per line.
func (t *tool) tellImport(res importer.Result) {
	theme := t.screen()
	paint := map[importer.Level]show.Paint{importer.Mapped: theme.Good, importer.Defaulted: theme.Info,
		importer.Dropped: theme.Warn, importer.Warning: theme.Warn}
	for _, m := range res.Report {
		level := string(m.Level)
		t.say("%s", strings.Replace(show.Line(m.String()), ": "+level+": ", ": "+paint[m.Level](level)+": ", 1))
	}
	for _, p := range res.Problems {
		t.say("%s", problemLine(p, theme.Bad("error")))
		if p.Excerpt != "" {
			t.say("%s", theme.Dim(show.Clean(p.Excerpt)))
		}
	}
	if n := len(res.Problems); n > 0 {
		fmt.Fprintf(t.Stderr, "assent: %s; nothing was written\n", show.Count(int64(n), "problem"))
	}
}

// tellWritten prints which files were written and how to use them.
func (t *tool) tellWritten(res importer.Result, dir string) {
	counts := map[importer.Level]int64{}
	for _, m := range res.Report {
		counts[m.Level]++
	}
	names := make([]string, len(res.Files))
	for i, f := range res.Files {
		names[i] = f.Name
	}
	theme := t.screen()
	t.say("")
	t.say("%s %s in %s: %s", theme.Good("✓"), show.Count(int64(len(names)), "file"), dir, strings.Join(names, ", "))
	t.say("  %d mapped, %d defaulted, %d dropped, %s", counts[importer.Mapped], counts[importer.Defaulted],
		counts[importer.Dropped], show.Count(counts[importer.Warning], "warning"))
	if hasFile(res.Files, "agents.yaml") {
		t.say("  The agents in agents.yaml are placeholders: replace them with yours.")
	}
	t.say("  assent serve --load %s", dir)
}

func hasFile(files []importer.File, name string) bool {
	for _, f := range files {
		if f.Name == name {
			return true
		}
	}
	return false
}
