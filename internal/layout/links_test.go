package layout

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	fenced  = regexp.MustCompile("(?s)```.*?```")
	linked  = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	inside  = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	dropped = regexp.MustCompile(`[^\p{L}\p{N}_\- ]`)
)

// TestLinksLeadSomewhere: links between the pages name files and headings that exist.
func TestLinksLeadSomewhere(t *testing.T) {
	root := filepath.Join("..", "..")
	seen := 0
	each(t, root, []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "examples", "web/src",
		"web/e2e"}, func(path string) {
		if filepath.Ext(path) != ".md" {
			return
		}
		page := fenced.ReplaceAllString(read(t, filepath.Join(root, path)), "")
		for _, m := range linked.FindAllStringSubmatch(page, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			file, anchor, _ := strings.Cut(m[1], "#")
			to := filepath.Join(root, path)
			if file != "" {
				to = filepath.Join(filepath.Dir(to), filepath.FromSlash(file))
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s links to %s, which does not exist", path, m[1])
			} else if anchor != "" && filepath.Ext(to) == ".md" && !headings(read(t, to))[anchor] {
				t.Errorf("%s links to %s, and there is no heading of that name", path, m[1])
			}
		}
	})
	if seen < 500 {
		t.Errorf("only %d links were found", seen)
	}
}

// headings are the anchors that GitHub gives the headings of a page.
func headings(page string) map[string]bool {
	anchors := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fenced.ReplaceAllString(page, ""), -1) {
		text := inside.ReplaceAllString(strings.TrimSpace(m[1]), "$1")
		text = dropped.ReplaceAllString(strings.ToLower(text), "")
		anchors[strings.ReplaceAll(text, " ", "-")] = true
	}
	return anchors
}
