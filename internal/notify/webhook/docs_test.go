package webhook

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assent-run/assent/internal/notify"
	"github.com/assent-run/assent/internal/notify/notifytest"
	"github.com/assent-run/assent/internal/steady"
)

var snippet = regexp.MustCompile("(?s)<!-- run: (\\w+) -->\n```\\w+\n(.*?)```")

// TestReceiversOfTheDocs: the receivers in docs/channels-webhook.md accept what we send, and nothing else.
func TestReceiversOfTheDocs(t *testing.T) {
	page, err := os.ReadFile("../../../docs/channels-webhook.md")
	if err != nil {
		t.Fatal(err)
	}
	found := snippet.FindAllStringSubmatch(string(page), -1)
	if len(found) != 3 {
		t.Fatalf("%d receivers", len(found))
	}
	public, err := PublicKeys(signingKey)
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range found {
		program, text := part[1], part[2]
		t.Run(program, func(t *testing.T) {
			if _, err := exec.LookPath(program); err != nil {
				if os.Getenv("CI") != "" {
					t.Fatal(err)
				}
				t.Skip(program + " is not installed")
			}
			dir := t.TempDir()
			command := map[string][]string{"node": {"main.mjs"}, "python3": {"main.py"}, "go": {"run", "main.go"}}[program]
			file := filepath.Join(dir, command[len(command)-1])
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if program == "node" {
				modules := filepath.Join(notifytest.Install(t), "node_modules")
				if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
					t.Fatal(err)
				}
			}
			if program == "go" { // built first, so that what is ended is the receiver
				build := exec.Command("go", "build", "-o", "receiver", "main.go")
				build.Dir = dir
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				program, command = filepath.Join(dir, "receiver"), nil
			}
			port := steady.Port(t)
			lines := run(t, dir, port, public[0], program, command...)
			if line := <-lines; line != "listening" {
				t.Fatalf("it says %q", line)
			}
			url := "http://127.0.0.1:" + port + "/hook"
			good := channel(t, Config{URL: url, Secret: second + " " + first, SigningKey: signingKey})
			m := message()
			m.Data = nil
			if _, err := good.Send(t.Context(), notify.Recipient{}, m); err != nil {
				t.Fatal(err)
			}
			if line := <-lines; line != "approval.needed "+m.Open {
				t.Errorf("it says %q", line)
			}
			late := func() time.Time { return time.Now().Add(-time.Hour) }
			for name, bad := range map[string]*Channel{
				"another secret": channel(t, Config{URL: url, Secret: second,
					SigningKey: privatePrefix + strings.Repeat("B", 43) + "="}),
				"an old request": channel(t, Config{URL: url, SigningKey: signingKey, Now: late}),
			} {
				_, err := bad.Send(t.Context(), notify.Recipient{}, m)
				if f := failureOf(t, err); !strings.Contains(f.Why, "401") {
					t.Errorf("%s: %+v", name, f)
				}
			}
		})
	}
}

// run starts a receiver, and returns what it prints.
func run(t *testing.T, dir, port, public, program string, args ...string) <-chan string {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "PORT="+port, "HOOK_SECRET="+first, "HOOK_PUBLIC_KEY="+public)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	lines := make(chan string, 10)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(out); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}
