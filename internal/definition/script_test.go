package definition

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

var update = flag.Bool("update", false, "write what is found into testdata")

// TestScripts loads and checks the folders in testdata/problems. Each script
// holds files and, behind -- problems --, everything that must be said about
// them; of excerpts, only those of the first problem.
func TestScripts(t *testing.T) {
	scripts, err := filepath.Glob("testdata/problems/*.txt")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, name := range scripts {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			given, want, _ := strings.Cut(string(src), "-- problems --\n")
			got := said(files(given))
			if *update {
				if err := os.WriteFile(name, []byte(given+"-- problems --\n"+got), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// files takes a script apart.
func files(given string) fstest.MapFS {
	out := fstest.MapFS{}
	name := ""
	for line := range strings.Lines(given) {
		if head := strings.TrimSpace(line); strings.HasPrefix(head, "-- ") && strings.HasSuffix(head, " --") {
			name = strings.TrimSpace(strings.Trim(head, "-"))
			out[name] = &fstest.MapFile{}
		} else if name != "" {
			out[name].Data = append(out[name].Data, line...)
		}
	}
	return out
}

// known stands for what a server has built in.
func known() *Set {
	set, problems := Parse("known.yaml", []byte("tool: web_fetch\nkind: builtin\n---\nagent: registered\nkind: go\n"))
	if len(problems) > 0 {
		panic(problems[0])
	}
	return set
}

// said loads and checks a folder and lists what is wrong.
func said(fsys fstest.MapFS) string {
	set, problems := Load(fsys, ".")
	problems = append(problems, set.Check(known())...)
	var b strings.Builder
	for i, p := range arrange(problems) {
		b.WriteString(p.String() + "\n")
		if i == 0 && p.Excerpt != "" {
			b.WriteString(p.Excerpt + "\n")
		}
	}
	return b.String()
}
