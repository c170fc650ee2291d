// Package assent runs multi-agent workflows durably inside your program and
// stops them for a human exactly where your rules require it.
//
//	e, err := assent.Open(ctx, dir,
//		assent.Func("writer", write),
//		assent.Func("mailer", send),
//		assent.Define(refund))
//	if err != nil {
//		return err
//	}
//	defer e.Close()
//
//	run, err := e.Start(ctx, "refund", order{Customer: "customer 1042", Amount: 20}, assent.As("ann"))
//	if err != nil {
//		return err
//	}
//	run, err = e.Wait(ctx, run.ID) // returns when the run waits for a decision
//	if err != nil {
//		return err
//	}
//	_, err = e.Decide(ctx, run.Pending[0], assent.Approve("fine"), assent.As("bob", "approver"))
//	if err != nil {
//		return err
//	}
//	run, err = e.WaitEnd(ctx, run.ID) // returns when the run has ended
//	if err != nil {
//		return err
//	}
//
// Here write and send are Go functions, and refund is a workflow in YAML with a
// gate before the letter is sent; see the example for the whole program.
//
// When Start, Decide or a command returns without an error, the change is on
// disk. A program that is killed continues where it was when it opens the same
// directory again. Agents are called again for work they had not finished,
// with the same Work.Key.
//
// Workflow files and the store are those of the server: a program and the
// command line can take turns on one directory. docs/go.md is a guide.
package assent

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"

	"github.com/assent-run/assent/internal/agent/gofunc"
	"github.com/assent-run/assent/internal/app"
	"github.com/assent-run/assent/internal/assembly"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// Engine runs workflows in this program. It is safe for concurrent use.
type Engine struct {
	server *assembly.Server
}

// Option configures an engine.
type Option func(*settings) error

type settings struct {
	assembly.Config
	documents []definition.Document
	files     []string
}

// Func registers a Go function as an agent. Input and output are converted by encoding/json. The function has
// to return when ctx ends; an error fails the attempt, which is retried according to the step's retry, unless
// it is Permanent.
func Func[In, Out any](name string, f func(ctx context.Context, in In) (Out, error)) Option {
	return register(name, gofunc.Typed(f))
}

// FuncOf registers a function that sees the whole piece of work and returns more than an output.
func FuncOf(name string, f func(ctx context.Context, w Work) (Result, error)) Option {
	return register(name, gofunc.New(func(ctx context.Context, w port.Work) (run.Result, error) {
		r, err := f(ctx, Work{Run: w.Run, Step: w.Step, Try: w.Try, Key: w.Key, Input: w.Input, Guidance: w.Guidance})
		if err != nil {
			return run.Result{}, err
		}
		out, err := value.Marshal(r.Output)
		return run.Result{Output: out, Confidence: r.Confidence, Reasoning: r.Reasoning, Logs: r.Logs}, err
	}))
}

func register(name string, agent port.Agent) Option {
	return func(s *settings) error {
		if _, taken := s.Functions[name]; taken {
			return fmt.Errorf("agent %q is registered twice", name)
		}
		doc, problems := definition.ParseDocument(definition.JSON, value.Object(
			value.Member{Key: "agent", Value: value.Quote(name)}, value.Member{Key: "kind", Value: value.Quote("go")}))
		if doc == nil {
			return fmt.Errorf("register agent %q: %v", name, problems)
		}
		s.Functions[name] = agent
		s.documents = append(s.documents, doc)
		return nil
	}
}

// Work is a piece of work for an agent. Key identifies it, also after a crash: the same Key means the same
// work.
type Work struct {
	Run, Step string
	Try       int
	Key       string
	Input     json.RawMessage
	Guidance  []string // feedback on earlier attempts, oldest first
}

// Result is an agent's answer.
type Result struct {
	Output     any
	Confidence *float64 // 0 to 1; below the threshold, approval is required
	Reasoning  string
	Logs       string
}

// Tell reports an agent's progress, in its own words and percent, to those who watch the run. It is not
// stored. Call it with the function's context.
func Tell(ctx context.Context, text string, percent int) {
	gofunc.Tell(ctx, port.Progress{Text: text, Percent: percent})
}

// Permanent marks an error as not worth a retry.
func Permanent(err error) error {
	return &port.Failed{Failure: run.Failure{Code: "failed", Message: err.Error()}}
}

// Define adds documents in the format of workflow files: workflows, agents, roles, the policy.
func Define(yaml string) Option {
	return func(s *settings) error {
		set, problems := definition.Parse("", []byte(yaml))
		if errs := definition.Errors(problems); len(errs) > 0 {
			return fmt.Errorf("read the definitions: %s", join(errs))
		}
		s.documents = append(s.documents, set.Documents()...)
		return nil
	}
}

// Load adds the documents of files and directories.
func Load(paths ...string) Option {
	return func(s *settings) error {
		s.files = append(s.files, paths...)
		return nil
	}
}

// Database stores everything in PostgreSQL instead of the directory.
func Database(url string) Option {
	return func(s *settings) error {
		s.DB = url
		return nil
	}
}

// AllowCommands lets agents of kind command start programs.
func AllowCommands() Option {
	return func(s *settings) error {
		s.AllowCommands = true
		return nil
	}
}

// AllowPrivateNetworks lets agents of kind http reach this machine and private
// networks.
func AllowPrivateNetworks() Option {
	return func(s *settings) error {
		s.Local, s.AllowPrivate = true, true
		return nil
	}
}

// Logger receives the engine's log; the default discards it.
func Logger(l *slog.Logger) Option {
	return func(s *settings) error {
		s.Log = l
		return nil
	}
}

// Open opens the store in a directory, creates it if it does not exist, and resumes every run that has not
// ended. A directory can be open in one process at a time.
func Open(ctx context.Context, dir string, options ...Option) (*Engine, error) {
	s := settings{Config: assembly.Config{Data: dir, Functions: map[string]port.Agent{}}}
	for _, o := range options {
		if err := o(&s); err != nil {
			return nil, err
		}
	}
	server, err := assembly.Open(ctx, s.Config)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", dir, err)
	}
	e := &Engine{server: server}
	if err := e.publish(ctx, s); err != nil {
		e.Close()
		return nil, err
	}
	server.Start()
	return e, nil
}

// program is the name under which the program itself acts, publisher the author of what it defines.
const (
	program   = "program"
	publisher = "service:" + program
)

func (e *Engine) publish(ctx context.Context, s settings) error {
	set := definition.NewSet()
	for _, doc := range s.documents {
		if problems := set.Add(doc); len(problems) > 0 {
			return fmt.Errorf("definitions: %s", join(problems))
		}
	}
	loaded, err := e.server.App.Documents.LoadSet(ctx, publisher, set)
	if err != nil {
		return err
	}
	problems := loaded.Problems
	if len(s.files) > 0 {
		loaded, err = e.server.App.Documents.Load(ctx, publisher, s.files...)
		if err != nil {
			return err
		}
		problems = append(problems, loaded.Problems...)
	}
	if errs := definition.Errors(problems); len(errs) > 0 {
		return fmt.Errorf("definitions: %s", join(errs))
	}
	return nil
}

func join(problems []definition.Problem) string {
	text := ""
	for i, p := range problems {
		if i > 0 {
			text += "; "
		}
		text += p.String()
	}
	return text
}

// Close gives agents up to 30 seconds to finish, and closes the store. Unfinished work is resumed by the next
// Open.
func (e *Engine) Close() error { return e.server.Close(context.Background()) }

// As sets the person who acts, and their roles. Without it, the program itself acts, as a service with all
// rights: it starts and controls runs, but never decides. Only people do.
func As(name string, roles ...string) Actor {
	return Actor{who: app.Who{Name: name, Kind: run.Person, Roles: roles}}
}

// Actor is who acts. See As.
type Actor struct{ who app.Who }

func actor(given []Actor) app.Who {
	if len(given) > 0 {
		return given[0].who
	}
	return app.Who{Name: program, Kind: run.Service, Roles: app.LocalAdmin.Roles}
}

// Error is an error of the engine. Code is stable: not_found, invalid, conflict, already_decided,
// version_mismatch, forbidden, too_large.
type Error struct {
	Code    string
	Message string
	Hint    string
	Detail  map[string]any // such as decided_by
	cause   error
}

func (e *Error) Error() string { return e.Message }
func (e *Error) Unwrap() error { return e.cause }

// refusal converts an internal error.
func refusal(err error) error {
	if code := fault.CodeOf(err); code != "" {
		return &Error{Code: string(code), Message: err.Error(), Hint: fault.HintOf(err),
			Detail: fault.DetailOf(err), cause: err}
	}
	return err
}
