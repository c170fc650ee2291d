package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assent-run/assent/internal/access"
	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/core/gate"
	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/core/policy"
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/port"
)

// kinds are the documents that the registry holds, those first to which others refer.
var kinds = []definition.Kind{
	definition.KindRole, definition.KindPrices, definition.KindMCPServer, definition.KindTool,
	definition.KindAgent, definition.KindPolicy, definition.KindWorkflow,
}

// registry holds the documents in force, ready to use. Readers take a picture
// of all of it at once; writers make the next one.
type registry struct {
	app     *App
	picture atomic.Pointer[picture]
	write   sync.Mutex // held while a document is saved and put in force
	workers sync.Map   // digest of an agent's document → *worker
	seen    sync.Map   // paths → what files looked like when they were last loaded
	// problems are what was wrong with them then, as []definition.Problem.
	problems atomic.Value
	compiled atomic.Pointer[compiled] // the last policy that was
}

// judging is a policy that knows how often its rules have approved. It may know
// too little: the store counts, and refuses what is too much.
type judging struct{ *picture }

func (j judging) Judge(now time.Time, sub policy.Subject) policy.Verdict {
	here := sub.Uses // in the command that is being handled
	sub.Uses = func(rule string) int {
		n := j.uses[rule]
		if here != nil {
			n += here(rule)
		}
		return n
	}
	return j.policy.Judge(now, sub)
}

// Counts is what an act adds to the sums of the policy.
func (j judging) Counts(sub policy.Subject) []policy.Count { return j.policy.Counts(sub) }

// Stopped says that nothing is approved without people now.
func (j judging) Stopped() bool { return j.stop.On }

// picture is everything in force at one moment. It never changes.
type picture struct {
	set        *definition.Set
	versions   map[string]port.Version // by kind/name; without bodies
	generation int64
	policy     *policy.Set // stopped, if the emergency stop is on
	stop       StopView
	began      map[string]time.Time // when rules whose share of cases grows came into force
	uses       map[string]int       // of rules that may approve only so many times, when the picture was taken
	rules      *access.Rules        // what the roles in force give
	plans      *sync.Map            // workflow name → *plan.Definition, made when first asked for
}

type worker struct {
	once  sync.Once
	agent port.Agent
	model port.Model
	err   error
}

func ident(k definition.Kind, name string) string { return string(k) + "/" + name }

// slot is the name under which the versions of a document are kept. There is
// one policy and one list of prices, whatever they are called.
func slot(doc definition.Document) (definition.Kind, string) {
	kind, name := doc.Ident()
	if kind == definition.KindPolicy || kind == definition.KindPrices {
		name = string(kind)
	}
	return kind, name
}

func (r *registry) now() *picture { return r.picture.Load() }

// reload reads everything in force from the store.
func (r *registry) reload(ctx context.Context) error {
	// Read first: whatever is published meanwhile makes it outdated.
	generation, err := r.app.Store.Generation(ctx)
	if err != nil {
		return fmt.Errorf("read the definitions in force: %w", err)
	}
	set, versions := definition.NewSet(), map[string]port.Version{}
	for _, kind := range kinds {
		found, err := r.app.Store.InForce(ctx, string(kind))
		if err != nil {
			return fmt.Errorf("read the definitions in force: %w", err)
		}
		for _, v := range found {
			doc, problems := definition.ParseDocument(definition.JSON, v.Body)
			if doc == nil {
				// Written by another release. The rest goes on without it.
				r.app.Log.Error("a definition cannot be read", "kind", v.Kind, "name", v.Name, "version", v.Number, "problems", fmt.Sprint(problems))
				continue
			}
			set.Add(doc)
			v.Body = nil
			versions[ident(kind, v.Name)] = v
		}
	}
	stop, err := r.readStop(ctx)
	if err != nil {
		return fmt.Errorf("read the emergency stop: %w", err)
	}
	uses, err := r.app.Store.Uses(ctx)
	if err != nil {
		return err
	}
	p := &picture{set: set, versions: versions, generation: generation, stop: stop, uses: uses, plans: &sync.Map{}}
	if p.began, err = r.rampsBegan(ctx, p); err != nil {
		return fmt.Errorf("read since when rules are in force: %w", err)
	}
	return r.show(p)
}

// show puts documents in force in this process.
func (r *registry) show(p *picture) error {
	p.rules = access.New(p.set.Roles)
	if p.set.Policy != nil {
		compiled, problems := r.compile(p.set.Policy)
		if compiled == nil {
			return fault.Of("the policy is not valid", fault.Errors(problems))
		}
		if p.policy = compiled.Since(p.began); p.stop.On {
			p.policy = p.policy.Stopped()
		}
	}
	if before := r.picture.Swap(p); before != nil {
		r.app.announce(before, p)
	}
	return nil
}

// compile makes a policy ready, or finds it ready: the same one is checked,
// tried on history and put in force.
func (r *registry) compile(doc *definition.Policy) (*policy.Set, []fault.Problem) {
	digest := value.Digest(doc.JSONWithSecrets())
	if last := r.compiled.Load(); last != nil && last.digest == digest {
		return last.set, nil
	}
	set, problems := policy.Compile(doc.Document, time.LoadLocation)
	if set != nil {
		r.compiled.Store(&compiled{digest, set})
	}
	return set, problems
}

type compiled struct {
	digest string
	set    *policy.Set
}

// followEvery is how soon a process notices what another one published.
const followEvery = 2 * time.Second

// follow notices what other processes publish.
func (r *registry) follow(ctx context.Context) {
	for {
		select {
		case <-time.After(followEvery):
		case <-ctx.Done():
			return
		}
		if err := r.catchUp(ctx); err != nil && ctx.Err() == nil {
			r.app.Log.Error("look for new definitions", "error", err)
		}
	}
}

func (r *registry) refresh(ctx context.Context) error {
	r.write.Lock()
	defer r.write.Unlock()
	return r.reload(ctx)
}

// catchUp reads the definitions again if something was published since.
func (r *registry) catchUp(ctx context.Context) error {
	if behind, err := r.behind(ctx); !behind {
		return err
	}
	return r.refresh(ctx)
}

// renew is catchUp for callers that hold the lock.
func (r *registry) renew(ctx context.Context) error {
	if behind, err := r.behind(ctx); !behind {
		return err
	}
	return r.reload(ctx)
}

// behind reports whether something was published that this process does not know.
func (r *registry) behind(ctx context.Context) (bool, error) {
	generation, err := r.app.Store.Generation(ctx)
	return err == nil && generation != r.now().generation, err
}

// worker finds the agent in force under a name. One that keeps connections or
// counts keeps them as long as its document stays the same.
func (r *registry) worker(name string) (port.Agent, bool) {
	p := r.now()
	doc, ok := p.set.Agents[name]
	if !ok {
		return nil, false
	}
	key := name + " " + p.versions[ident(definition.KindAgent, name)].Digest
	found, _ := r.workers.LoadOrStore(key, &worker{})
	w := found.(*worker)
	w.once.Do(func() { w.agent, w.err = r.app.Connect(doc) })
	if w.err != nil {
		return broken{w.err}, true
	}
	return versioned{w.agent, p, name}, true
}

// versioned is an agent of the documents that were in force when it was found.
type versioned struct {
	port.Agent
	from *picture
	name string
}

func (v versioned) Implementation() []gate.Implementation { return v.from.agentImplementation(v.name) }

// version is the number and digest of a document in force.
func (p *picture) version(kind definition.Kind, name string) (number int, digest string) {
	v := p.versions[ident(kind, name)]
	return v.Number, v.Digest
}

// agentImplementation lists the documents that an agent's work comes from.
func (p *picture) agentImplementation(name string) []gate.Implementation {
	doc, ok := p.set.Agents[name]
	if !ok {
		return nil
	}
	out := []gate.Implementation{p.implementation(definition.KindAgent, name)}
	if doc.MCP != nil {
		out = append(out, p.implementation(definition.KindMCPServer, doc.MCP.Server))
	}
	return out
}

func (p *picture) implementation(kind definition.Kind, name string) gate.Implementation {
	number, digest := p.version(kind, name)
	return gate.Implementation{Kind: string(kind), Name: name, Version: number, Digest: digest}
}

// mind finds the model and tools of the LLM agent in force under a name.
func (r *registry) mind(name string) (port.Mind, error) {
	p := r.now()
	doc, ok := p.set.Agents[name]
	if !ok || doc.LLM == nil {
		return port.Mind{}, permanently("unknown_agent", fmt.Sprintf("there is no LLM agent %q", name))
	}
	if r.app.Model == nil {
		return port.Mind{}, permanently(string(fault.Unsupported), "language models cannot be used here")
	}
	// Prices are part of what is made: others make another.
	key := "mind " + name + " " + p.versions[ident(definition.KindAgent, name)].Digest + p.versions[ident(definition.KindPrices, string(definition.KindPrices))].Digest
	found, _ := r.workers.LoadOrStore(key, &worker{})
	w := found.(*worker)
	w.once.Do(func() { w.model, w.err = r.app.Model(doc, p.set.Prices) })
	if w.err != nil {
		return port.Mind{}, permanently(string(cmp.Or(fault.CodeOf(w.err), fault.Unsupported)), w.err.Error())
	}
	return port.Mind{Model: w.model, Tools: doc.LLM.Tools, Output: doc.Output, CallConfidence: doc.LLM.CallConfidence, Implementation: p.agentImplementation(name)}, nil
}

func permanently(code, message string) error {
	return &port.Failed{Failure: run.Failure{Code: code, Message: message}}
}

// broken is an agent that could not be connected: its work fails with the reason.
type broken struct{ err error }

func (b broken) Invoke(context.Context, port.Work, func(port.Progress)) (run.Result, error) {
	return run.Result{}, permanently(string(cmp.Or(fault.CodeOf(b.err), fault.Unsupported)), b.err.Error())
}

// definition is what a run of the workflow in force is bound to.
func (r *registry) definition(name string) (*plan.Definition, error) {
	p := r.now()
	if def, ok := p.plans.Load(name); ok {
		return def.(*plan.Definition), nil
	}
	w, ok := p.set.Workflows[name]
	if !ok {
		return nil, unknown("workflow", name, slices.Collect(maps.Keys(p.set.Workflows)))
	}
	def := r.bound(p, &w.Workflow, p.versions[ident(definition.KindWorkflow, name)].Number)
	p.plans.Store(name, def)
	return def, nil
}

// bound is what a run of a workflow is bound to: the agents in force, and how
// sure they have to be here.
func (r *registry) bound(p *picture, w *plan.Workflow, number int) *plan.Definition {
	def := p.Bind(w, number)
	def.ConfidenceThreshold, def.DefaultRole = r.app.ConfidenceThreshold, cmp.Or(r.app.DefaultRole, plan.DefaultRole)
	if r.app.GatesIfMissing == plan.MissingAsks { // the other word means what runs without one do
		def.GatesIfMissing = plan.MissingAsks
	}
	return def
}

// Documents are all that are in force. They are not to be changed.
func (p *picture) Documents() *definition.Set { return p.set }

// Bind puts a workflow together with the agents and workflows in force.
func (p *picture) Bind(w *plan.Workflow, number int) *plan.Definition {
	def := &plan.Definition{Workflow: *w, Version: number, Agents: map[string]plan.Agent{}, Workflows: map[string]plan.Workflow{}}
	take := func(name string) {
		if a, ok := p.set.Agents[name]; ok {
			def.Agents[name] = a.Agent
			if a.LLM != nil && a.LLM.Provider == definition.Script { // no model is asked
				own := a.Agent
				own.Effects = plan.EffectsNone
				def.Agents[name] = own
			}
		}
	}
	for i := range w.Steps {
		take(w.Steps[i].Agent)
		if other, ok := p.set.Workflows[w.Steps[i].Workflow]; ok {
			def.Workflows[other.Name] = other.Workflow
		}
	}
	if w.Loops != nil && w.Loops.Agent != nil {
		take(w.Loops.Agent.Agent)
	}
	p.takeOver(def, take)
	return def
}

// takeOver binds a run to the agents that may take over a conversation in it:
// those that the workflow lists, those that its agents list, and so on.
func (p *picture) takeOver(def *plan.Definition, take func(string)) {
	next := slices.Clone(def.Workflow.HandOff)
	for _, a := range def.Agents {
		next = append(next, a.HandOff...)
	}
	for len(next) > 0 {
		name := next[0]
		next = next[1:]
		if _, known := def.Agents[name]; !known {
			take(name)
			next = append(next, def.Agents[name].HandOff...)
		}
	}
}

// put saves a document as the next version, and puts it in force if publish.
func (r *registry) put(
	ctx context.Context, doc definition.Document, by string, publish bool, broken []breakage,
) (v port.Version, created bool, err error) {
	r.write.Lock()
	defer r.write.Unlock()
	kind, name := slot(doc)
	body := doc.JSONWithSecrets()
	v = port.Version{
		ID: versionID(kind, r.app.NewRunID(r.app.now())), Kind: string(kind), Name: name, Digest: value.Digest(body), Body: body, By: by, At: r.app.now(),
	}
	v, created, err = r.app.Store.SaveVersion(ctx, v, savedEntry(v))
	switch {
	case err != nil || !publish:
		return v, created, err
	case v.Published:
		// It may be so since a moment ago, when the answer of the store was lost.
		return v, created, r.renew(ctx)
	}
	v, err = r.putInForce(ctx, v, by, broken)
	return v, created, err
}

// publish puts a version in force.
func (r *registry) publish(ctx context.Context, v port.Version, by string, broken []breakage) (port.Version, error) {
	r.write.Lock()
	defer r.write.Unlock()
	return r.putInForce(ctx, v, by, broken)
}

func (r *registry) putInForce(ctx context.Context, v port.Version, by string, broken []breakage) (port.Version, error) {
	at := r.app.now()
	if err := r.app.Store.Publish(ctx, v.Kind, v.Name, v.Number, by, at, publishedEntry(v, by, at, broken)); err != nil {
		return v, err
	}
	v.Published = true
	return v, r.reload(ctx)
}

// versionID makes an id of a version out of a fresh id of a run.
func versionID(kind definition.Kind, runID string) string {
	prefix := map[definition.Kind]string{definition.KindWorkflow: "wfv", definition.KindPolicy: "pol"}[kind]
	return cmp.Or(prefix, "doc") + runID[len("run"):]
}

// unknown says that there is no such thing, and what there is instead.
func unknown(what, name string, known []string) error {
	e := fault.Newf(fault.NotFound, "there is no %s %q", what, name)
	slices.Sort(known)
	const shown = 10
	if len(known) > 0 {
		e.Hint = fmt.Sprintf("there is %s", orMore(known, shown))
	}
	return e
}

func orMore(words []string, shown int) string {
	if len(words) <= shown {
		return orNone(words)
	}
	return fmt.Sprintf("%s and %d more", orNone(words[:shown]), len(words)-shown)
}

// parse reads one document of a kind and says everything that is wrong with it,
// alone and with what is in force.
func (r *registry) parse(kind definition.Kind, format definition.Format, body []byte) (definition.Document, []definition.Problem) {
	set, problems := definition.Parse(map[definition.Format]string{definition.JSON: "body.json", definition.YAML: "body.yaml"}[format], body)
	problems = append(problems, set.Check(r.app.around(definition.NewSet()))...)
	for i := range problems {
		problems[i].File = "" // it came with a request
	}
	slices.SortStableFunc(problems, func(x, y definition.Problem) int {
		return cmp.Or(x.Line-y.Line, x.Column-y.Column)
	})
	docs := set.Documents()
	switch {
	case len(definition.Errors(problems)) > 0:
		return nil, problems
	case len(docs) != 1:
		return nil, append(problems, atTop("expected one document, got %d", len(docs)))
	}
	if got, _ := docs[0].Ident(); got != kind {
		return nil, append(problems, atTop("this is a document of kind %s, not %s", got, kind))
	}
	return docs[0], problems
}

// atTop is a problem with a document as a whole.
func atTop(format string, args ...any) definition.Problem {
	return definition.Problem{Problem: fault.Problem{Message: fmt.Sprintf(format, args...), Line: 1, Column: 1}}
}

// refused makes one error of problems.
func refused(what string, problems []definition.Problem) error {
	var out []fault.Problem
	for _, p := range definition.Errors(problems) { // a warning refuses nothing
		out = append(out, p.Problem)
	}
	return fault.Of(what+" is not valid", out)
}

// decodeBody reads the JSON body of a stored version as a document.
func decodeBody(v port.Version) (definition.Document, error) {
	doc, problems := definition.ParseDocument(definition.JSON, v.Body)
	if doc == nil {
		return nil, refused(fmt.Sprintf("version %d of %s %s", v.Number, v.Kind, v.Name), problems)
	}
	return doc, nil
}
