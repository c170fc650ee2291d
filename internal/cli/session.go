package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/cli/client"
	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/seal"
	"github.com/assent-run/assent/internal/view"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// need is how a command uses the store if it has to open it itself.
type need int

const (
	needLook    need = iota // nothing runs
	needWork                // agents work until the run rests
	needMake                // the same, and the store may be created
	needNothing             // nothing runs, and an empty store will do
	needKeep                // nothing runs, and the store may be created
)

// session is a command's connection to a server, found or opened.
type session struct {
	*client.Client
	*tool
	config *config.Config
	by     string     // who acts, for the audit log
	own    *host.Host // the store that this command opened, or nil
	works  bool
	// scratch is the directory of a temporary store, if there is none; empty otherwise.
	scratch string
	token   string // permits tasks that need the server's disk; empty: none
}

// accessFlags adds the flags of every command that talks to a server. The commands share them, since only one of them
// runs.
func (t *tool) accessFlags(cmd *cobra.Command) {
	if t.access == nil {
		t.access = newAccessFlags()
	}
	cmd.Flags().AddFlagSet(t.access)
}

func newAccessFlags() *pflag.FlagSet {
	f := pflag.NewFlagSet("access", pflag.ContinueOnError)
	config.AddFlags(f, "data", "db", "allow_commands", "allow_private", "encryption_keys")
	f.String("addr", "", "address of the server (ASSENT_ADDR); default: the server that uses the data "+
		"directory, or the store itself")
	f.String("user", "", "act as this person (ASSENT_USER)")
	f.StringSlice("role", nil, "act with these roles (ASSENT_ROLE)")
	f.String("token", "",
		"authentication token; prefer the variable, which other users of the machine cannot see (ASSENT_TOKEN)")
	f.Bool("json", false, "print JSON")
	f.Bool("plain", false, "disable colours and animation (NO_COLOR)")
	for _, rare := range []string{"allow-commands", "allow-private", "encryption-keys"} {
		_ = f.MarkHidden(rare) // they were just added
	}
	for _, name := range []string{"data", "db", "config", "addr", "user", "role", "token", "json", "plain"} {
		_ = f.SetAnnotation(name, connectionFlag, []string{})
	}
	return f
}

// looking is a command that changes nothing.
func (t *tool) looking(cmd *cobra.Command, do func(context.Context, *session, []string) error) *cobra.Command {
	return t.talking(cmd, needLook, do)
}

// working is a command after which agents may have work to do.
func (t *tool) working(cmd *cobra.Command, do func(context.Context, *session, []string) error) *cobra.Command {
	return t.talking(cmd, needWork, do)
}

func (t *tool) talking(cmd *cobra.Command, n need, do func(context.Context, *session, []string) error) *cobra.Command {
	t.accessFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		s, err := t.connect(cmd, n)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, s.close()) }()
		return do(cmd.Context(), s, args)
	}
	return cmd
}

// connect finds the server: the one given, the one that has the data directory open, or none. In that case
// the store is opened for this one command.
func (t *tool) connect(cmd *cobra.Command, n need) (*session, error) {
	c, err := config.FromFlags(cmd.Flags(), t.Getenv)
	if err != nil {
		return nil, &failure{code: exitUsage, err: err}
	}
	s := &session{tool: t, config: c}
	as := t.who(cmd)
	s.by = as.User
	if s.by == "" {
		s.by = app.LocalAdmin.Name
	}
	m, marked := host.ReadMark(c.Data)
	if c.Given("addr") {
		s.Client = client.New(c.Addr, as, nil)
		if marked && s.Base() == m.Address {
			s.token = m.Token
		}
		return s, nil
	}
	if marked {
		s.Client = client.New(m.Address, as, nil)
		s.token = m.Token
		if answers(cmd.Context(), s.Client) {
			return s, nil
		}
	}
	return s, s.open(cmd.Context(), as, n)
}

// who acts, according to flags or the environment.
func (t *tool) who(cmd *cobra.Command) client.As {
	as := client.As{User: cmd.Flag("user").Value.String(),
		Token: cmp.Or(cmd.Flag("token").Value.String(), t.Getenv("ASSENT_TOKEN"))}
	as.Roles, _ = cmd.Flags().GetStringSlice("role") // accessFlags defines it
	if as.User == "" {
		as.User = t.Getenv("ASSENT_USER")
	}
	if len(as.Roles) == 0 {
		as.Roles = strings.FieldsFunc(t.Getenv("ASSENT_ROLE"), func(r rune) bool { return r == ',' || r == ' ' })
	}
	if as.User == "" {
		as.Roles = nil // roles belong to a user; alone they are a filter
	}
	return as
}

// helloMax is how long a server that left a mark may take to answer.
const helloMax = 2 * time.Second

func answers(ctx context.Context, c *client.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, helloMax)
	defer cancel()
	_, err := c.Health(ctx)
	return err == nil
}

// open opens the store and serves it to this command only, in memory.
func (s *session) open(ctx context.Context, as client.As, n need) error {
	db, err := s.config.DatabaseURL()
	if err != nil {
		return err
	}
	c := *s.config
	if _, err := os.Stat(filepath.Join(c.Data, "assent.db")); db == "" && n != needMake && n != needKeep &&
		errors.Is(err, os.ErrNotExist) {
		if n != needNothing {
			return noStore(c.Data)
		}
		if s.scratch, err = os.MkdirTemp("", "assent-scratch-"); err != nil {
			return err
		}
		c.Data = s.scratch
	}
	log := slog.New(slog.NewTextHandler(s.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	s.token = rand.Text()
	what := parts(&c, db, log)
	if what.AuditKey, what.AuditKeyPrevious, err = c.AuditKeys(); err != nil {
		return errors.Join(err, s.discard())
	}
	if what.Keys, err = s.encryptionKeys(&c); err != nil {
		return errors.Join(err, s.discard())
	}
	keys := func() ([]seal.Key, error) { return what.Keys, nil } // they were just read
	s.own, err = host.Open(ctx, host.Options{Config: what, Version: s.Build.Version, Token: s.token, Reread: keys})
	if err != nil {
		return errors.Join(inUse(err, s.config.Data), s.discard())
	}
	pipe := host.NewPipe()
	go func() { _ = s.own.Serve(pipe) }() // it ends with close
	s.Client = client.New("http://localhost", as, pipe.Dial)
	if s.works = n == needWork || n == needMake; s.works {
		s.own.Start()
	}
	return nil
}

func noStore(dir string) error {
	return fail("start a server with: assent serve, or set its address with --addr or --data",
		"no server is running, and there is no store in %s", dir)
}

// inUse reports that another command has the store open.
func inUse(err error, dir string) error {
	if errors.Is(err, port.ErrUnavailable) {
		return &failure{
			code: exitConflict, err: err,
			hint: "another command is using " + dir +
				"; wait for it, or start a server once and let all commands share it: assent serve",
		}
	}
	return err
}

// drainMax is how long agents may take to finish work that a command started.
const drainMax = 30 * time.Second

func (s *session) close() error {
	s.Client.Close()
	if s.own == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), drainMax)
	defer cancel()
	_, err := s.own.Close(ctx)
	return errors.Join(err, s.discard())
}

// discard deletes a temporary store.
func (s *session) discard() error {
	if s.scratch == "" {
		return nil
	}
	return os.RemoveAll(s.scratch)
}

// settle lets agents work until a run waits or has ended. A server does that on its own; only a store that
// this command opened needs it.
func (s *session) settle(ctx context.Context, id string) error {
	if s.own == nil || !s.works {
		return nil
	}
	_, err := s.await(ctx, id, func(st run.Status) bool { return st != run.Running })
	return err
}

// await follows a run until it has the expected status.
func (s *session) await(ctx context.Context, id string, wanted func(run.Status) bool) (view.Run, error) {
	v, feed, err := s.position(ctx, id)
	if err != nil || wanted(v.Status) {
		return v, err
	}
	done := errors.New("done")
	err = s.Follow(ctx, client.Follow{Run: id, After: feed, Event: func(e view.Event) (err error) {
		if !strings.HasPrefix(e.Type, "run.") {
			return nil
		}
		if v, err = s.RunBriefly(ctx, id); err == nil && wanted(v.Status) {
			err = done
		}
		return err
	}})
	if errors.Is(err, done) {
		err = nil
	}
	return v, err
}

// position is a run and the feed position at which it was read: following from there misses nothing.
func (s *session) position(ctx context.Context, id string) (view.Run, int64, error) {
	v, err := s.RunBriefly(ctx, id)
	if err != nil {
		return v, 0, err
	}
	last, err := s.Events(ctx, id, v.Seq-1, 1)
	if err != nil || len(last.Items) == 0 {
		return v, 0, err
	}
	return v, last.Items[0].Feed, nil
}

// load publishes the documents of files through a server with access to our disk.
func (s *session) load(ctx context.Context, force bool, paths ...string) (host.AdminAnswer, error) {
	return s.onPaths(ctx, host.AdminLoad, host.Admin{By: s.by, Force: force}, paths)
}

// onPaths sends a request about files to a server with access to our disk.
func (s *session) onPaths(ctx context.Context, task string, ask host.Admin, paths []string) (host.AdminAnswer, error) {
	var out host.AdminAnswer
	absolute := make([]string, len(paths))
	for i, p := range paths {
		var err error
		if absolute[i], err = filepath.Abs(p); err != nil {
			return out, err
		}
	}
	ask.Paths = absolute
	err := s.admin(ctx, task, ask, &out)
	return out, err
}

// admin requests a task that needs the server's disk.
func (s *session) admin(ctx context.Context, path string, ask host.Admin, out *host.AdminAnswer) error {
	if err := s.Admin(ctx, path, host.AdminToken, s.token, ask, out); err != nil {
		return err
	}
	if !out.OK {
		return errors.New(out.Error)
	}
	return nil
}

// printJSON prints the output of --json.
func (t *tool) printJSON(v any) error {
	return writeJSON(t.Stdout, v)
}

// tellMore prints how many rows a list left out, and how to see them.
func tellMore[T any](s *session, list view.List[T], how string) {
	if more := list.Total - int64(len(list.Items)); more > 0 && list.Next != "" {
		s.say("%s", s.screen().Dim(fmt.Sprintf("and %d more; see %s", more, how)))
	}
}

// say prints a line for people.
func (t *tool) say(format string, args ...any) {
	fmt.Fprintf(t.Stdout, format+"\n", args...)
}
