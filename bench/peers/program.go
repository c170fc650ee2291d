package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// peer is a system and the stores it is measured on.
type peer struct {
	name, title string
	stores      []string
	install     func(ctx context.Context, dir string) (command, error)
}

// baseline is what the others are compared with.
const baseline = "assent"

var both = []string{"sqlite", "postgres"}

var peers = []peer{
	{baseline, "Assent", both, goProgram("bench/peers/assent")},
	{"dbos", "DBOS Transact (Go)", both, goProgram("bench/peers/go/dbos")},
	{"goworkflows", "go-workflows", both, goProgram("bench/peers/go/goworkflows")},
	{"langgraph", "LangGraph (JS)", both, npmProgram("langgraph")},
	{"mastra", "Mastra", both, npmProgram("mastra")},
	{"restate", "Restate", []string{"own"}, npmProgram("restate")},
	{"temporal", "Temporal", []string{"sqlite"}, temporal},
}

func names() (names []string) {
	for _, p := range peers {
		names = append(names, p.name)
	}
	return names
}

// command starts an installed peer.
type command struct {
	args []string
	env  []string
}

// goProgram builds the package in a folder, which may be a module of its own.
func goProgram(folder string) func(context.Context, string) (command, error) {
	return func(ctx context.Context, dir string) (command, error) {
		binary := filepath.Join(dir, filepath.Base(folder))
		_, err := command{args: []string{"go", "build", "-C", folder, "-o", binary, "."}}.output(ctx)
		return command{args: []string{binary}}, err
	}
}

// npmProgram installs the package in a folder of bench/peers/js, unless it was
// installed after its lock file last changed.
func npmProgram(name string) func(context.Context, string) (command, error) {
	return func(ctx context.Context, _ string) (command, error) {
		folder := filepath.Join("bench", "peers", "js", name)
		c := command{args: []string{"node", filepath.Join(folder, "main.mjs")},
			env: []string{"NODE_ENV=production", "MASTRA_TELEMETRY_DISABLED=1"}}
		installed := filepath.Join(folder, "node_modules", ".assent-installed")
		if newer(installed, filepath.Join(folder, "package-lock.json")) {
			return c, nil
		}
		install := command{args: []string{"npm", "ci", "--no-audit", "--no-fund", "--prefix", folder}}
		if _, err := install.output(ctx); err != nil {
			return c, err
		}
		return c, os.WriteFile(installed, nil, 0o644)
	}
}

// newer reports whether a file is there and not older than another.
func newer(file, than string) bool {
	a, err := os.Stat(file)
	if err != nil {
		return false
	}
	b, err := os.Stat(than)
	return err == nil && !a.ModTime().Before(b.ModTime())
}

// temporalCLI has the development server in it. Newer versions cannot be installed
// as a module, since they replace a dependency.
const temporalCLI = "github.com/temporalio/cli/cmd/temporal@v1.5.1"

// temporal also needs a server. It is kept in bin/peers, since building it takes
// ten minutes.
func temporal(ctx context.Context, dir string) (command, error) {
	bin, err := filepath.Abs(filepath.Join("bin", "peers"))
	if err != nil {
		return command{}, err
	}
	server := filepath.Join(bin, "temporal")
	if _, err := os.Stat(server); err != nil {
		install := command{args: []string{"go", "install", temporalCLI}, env: []string{"GOBIN=" + bin}}
		if _, err := install.output(ctx); err != nil {
			return command{}, err
		}
	}
	c, err := goProgram("bench/peers/go/temporal")(ctx, dir)
	c.env = append(c.env, "TEMPORAL="+server)
	return c, err
}

// output runs a command and returns what it wrote to standard output. Everything that
// it started ends with it, also when ctx ends.
func (c command) output(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, c.args[0], c.args[1:]...)
	cmd.Env = append(os.Environ(), c.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ownGroup(cmd)
	err := cmd.Run()
	endGroup(cmd) // servers that a failed peer left
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", filepath.Base(c.args[0]), err, lastLines(stderr.String()))
	}
	return stdout.String(), err
}

// lastLines is the end of an output, where the reason usually is.
func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-3):], " / ")
}

func nodeVersion() string {
	out, err := exec.Command("node", "--version").Output()
	if err != nil {
		return "none"
	}
	return strings.TrimSpace(string(out))
}

// load is the load average of the last minute, where the system tells it.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
