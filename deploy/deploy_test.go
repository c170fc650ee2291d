// Package deploy holds configurations for running a server; see docs/deployment.md.
package deploy

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/assent-run/assent/internal/cli/config"
)

// own are variables of the files themselves.
var own = []string{"ASSENT_IMAGE", "ASSENT_HOST", "ASSENT_SERVERS"}

var (
	variable = regexp.MustCompile(`\bASSENT_[A-Z_]+`)
	flag     = regexp.MustCompile(`assent serve ((?:--[a-z-]+ \S+ ?)+)`)
	oneFlag  = regexp.MustCompile(`--([a-z-]+)`)
)

// Every setting that a configuration uses exists, and the guide mentions every configuration.
func TestSettingsExist(t *testing.T) {
	known := map[string]bool{}
	for _, name := range own {
		known[name] = true
	}
	flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	config.AddFlags(flags)
	flags.VisitAll(func(f *pflag.Flag) {
		known["ASSENT_"+strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))] = true
		known["--"+f.Name] = true
	})
	guide, err := os.ReadFile("../docs/deployment.md")
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	check := func(name, text string) {
		for _, v := range variable.FindAllString(text, -1) {
			if used++; !known[v] {
				t.Errorf("%s sets %s, which is not a setting", name, v)
			}
		}
		for _, m := range flag.FindAllStringSubmatch(text, -1) {
			for _, f := range oneFlag.FindAllString(m[1], -1) {
				if used++; !known[f] {
					t.Errorf("%s uses %s, which is not a flag of serve", name, f)
				}
			}
		}
	}
	check("docs/deployment.md", string(guide))
	err = fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".go") {
			return err
		}
		text, err := os.ReadFile(name)
		check(name, string(text))
		if last := name[strings.LastIndex(name, "/")+1:]; !strings.Contains(string(guide), last) && last != "Containerfile" {
			t.Errorf("the guide does not mention %s", name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if used < 20 {
		t.Errorf("only %d settings were found", used)
	}
}

var (
	metric   = regexp.MustCompile(`\bassent_[a-z_]+`)
	declared = regexp.MustCompile(`"(assent_[a-z_]+)"`)
)

// Every metric in alerts and dashboards is exported.
func TestMetricsExist(t *testing.T) {
	known := map[string]bool{}
	err := fs.WalkDir(os.DirFS("../internal"), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile("../internal/" + name)
		for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
			known[m[1]] = true
			for _, part := range []string{"_bucket", "_count", "_sum"} {
				known[m[1]+part] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	used := 0
	for _, folder := range []string{"grafana", "prometheus"} {
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			text, err := os.ReadFile(folder + "/" + f.Name())
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range metric.FindAllString(string(text), -1) {
				if used++; !known[m] {
					t.Errorf("%s/%s uses %s, which is not exported", folder, f.Name(), m)
				}
			}
		}
	}
	if used < 40 {
		t.Errorf("only %d metrics were found", used)
	}
}

var (
	service   = regexp.MustCompile(`(?m)^  ([a-z-]+):`)
	dependsOn = regexp.MustCompile(`([a-z-]+): \{ condition:`)
)

// What a service of the compose files waits for is one of their services.
func TestServicesExist(t *testing.T) {
	known, needed := map[string]bool{}, map[string]bool{}
	for _, name := range []string{"compose.yaml", "compose.temporal.yaml"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		_, services, _ := strings.Cut(string(text), "\nservices:\n")
		services, _, _ = strings.Cut(services, "\nvolumes:")
		for _, m := range service.FindAllStringSubmatch(services, -1) {
			known[m[1]] = true
		}
		for _, m := range dependsOn.FindAllStringSubmatch(string(text), -1) {
			needed[m[1]] = true
		}
	}
	for name := range needed {
		if !known[name] {
			t.Errorf("%s is not a service", name)
		}
	}
	if len(known) < 9 || len(needed) < 5 {
		t.Errorf("found the services %v, and dependencies on %v", known, needed)
	}
}
