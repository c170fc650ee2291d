package importer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/plan"
	"github.com/assent-run/assent/internal/definition/tree"
)

// flow is a workflow being built.
type flow struct {
	im    *imported
	doc   *object
	parts []*object // standalone checkpoints
	plan.Workflow
	to    target
	named place // where its name comes from
	own   bool  // the source names it

	gateNames names
	gateAt    map[string]place  // by the checkpoint's id
	stepOf    map[string]string // by agent
}

// workflows names all of them, assigns standalone checkpoints and builds each.
func (im *imported) workflows() {
	for _, f := range im.flows {
		im.nameFlow(f)
	}
	im.unite()
	im.placeLoose()
	for _, f := range im.flows {
		f.to = target{file: im.fileOf(f.Name)}
		f.build()
		im.out = append(im.out, im.fileFor(f))
	}
}

// nameFlow uses the workflow_id, or the file name if a file contains only checkpoints.
func (im *imported) nameFlow(f *flow) {
	if _, there := f.doc.take("workflow_id"); there {
		var id string
		var e entry
		if id, e, f.own = f.doc.need("workflow_id", "add its name"); f.own {
			f.Name, f.named = im.flowNames.name(&im.notes, e, id), e.at
		}
		return
	}
	f.Name, f.named = im.nameByFile(f.doc), f.doc.at
}

func (im *imported) nameByFile(doc *object) string {
	base := path.Base(doc.at.file)
	return im.flowNames.name(&im.notes, entry{at: doc.at}, strings.TrimSuffix(base, path.Ext(base)))
}

// unite joins a file that contains only checkpoints with the workflow of the same name.
func (im *imported) unite() {
	var out []*flow
	for _, f := range slices.SortedStableFunc(slices.Values(im.flows),
		func(a, b *flow) int { return order(!a.own) - order(!b.own) }) {
		i := slices.IndexFunc(out, func(x *flow) bool { return x.Name == f.Name })
		switch {
		case i < 0 || f.Name == "":
			out = append(out, f)
			if !f.own && f.Name != "" {
				im.notes.defaulted(f.named, target{im.fileOf(f.Name), "workflow"}, "no workflow_id: named after the file")
			}
		case f.own:
			im.notes.bad(f.named, "the workflow %q is defined twice: the other is in %s", clip(f.Name), out[i].named)
		default:
			im.notes.mapped(f.doc.at, target{im.fileOf(f.Name), "gates"}, "no workflow_id: added to the workflow of that name")
			out[i].parts = append(out[i].parts, f.checkpoints()...)
			f.doc.rest()
		}
	}
	// Files keep their order.
	im.flows = slices.DeleteFunc(im.flows, func(f *flow) bool { return !slices.Contains(out, f) })
}

func order(later bool) int {
	if later {
		return 1
	}
	return 0
}

// checkpoints lists the checkpoints of the workflow's own file.
func (f *flow) checkpoints() []*object {
	items, _, _ := f.doc.list("hitl_checkpoints")
	var out []*object
	for _, e := range items {
		if e.node.Kind != tree.Map {
			f.im.notes.bad(e.at, "expected a checkpoint, got %s", kindWord(e.node))
			continue
		}
		out = append(out, f.doc.within(e))
	}
	return out
}

// placeLoose finds a workflow for standalone checkpoints: the only one, or else one named after the file.
func (im *imported) placeLoose() {
	known := im.flows
	for _, doc := range im.loose {
		var f *flow
		switch len(known) {
		case 0:
			name := im.nameByFile(doc)
			i := slices.IndexFunc(im.flows, func(x *flow) bool { return x.Name == name })
			if i < 0 {
				i = len(im.flows)
				none := &object{notes: &im.notes, at: doc.at, node: &tree.Node{Kind: tree.Map}}
				im.flows = append(im.flows, &flow{im: im, doc: none, named: doc.at, Workflow: plan.Workflow{Name: name}})
				im.notes.defaulted(doc.at, target{im.fileOf(name), "workflow"},
					"a checkpoint alone: its workflow is named after the file")
			}
			f = im.flows[i]
		case 1:
			f = known[0]
			im.notes.defaulted(doc.at, target{im.fileOf(f.Name), "gates"}, "a checkpoint alone: added to the only workflow")
		default:
			im.notes.bad(doc.at, "there are %d workflows: put this checkpoint into the hitl_checkpoints of "+
				"the one it belongs to", len(known))
			continue
		}
		f.parts = append(f.parts, doc)
	}
}

// build reads the workflow: its head, its agents, its checkpoints.
func (f *flow) build() {
	n := &f.im.notes
	if f.own {
		n.mapped(f.named, f.to.in("workflow"), "")
	}
	checkpoints := append(f.checkpoints(), f.parts...)
	f.claimIDs(checkpoints)
	f.head()
	f.doc.rest()
	for _, c := range checkpoints {
		f.nameAgent(c)
	}
	if len(f.Steps) == 0 {
		f.addStep(entry{at: f.doc.at}, "orchestrator", target{})
		n.defaulted(f.doc.at, f.to.in("steps[0]"), "no agent is named: the step orchestrator does all the work")
	}
	if len(f.Steps) > 1 && f.doc.node.Get("agents") == nil {
		n.defaulted(f.doc.at, f.to.in("steps"),
			"the order of the agents is not set: in sequence, in the order of the checkpoints")
	}
	for _, c := range checkpoints {
		f.checkpoint(c)
	}
}

// head reads the settings of the whole workflow.
func (f *flow) head() {
	n := &f.im.notes
	for _, key := range []string{"name", "workflow_name", "description"} {
		if text, e, ok := f.doc.text(key); ok {
			f.Description = joined(f.Description, text)
			n.mapped(e.at, f.to.in("description"), "")
		}
	}
	if _, e, ok := f.doc.text("mode"); ok {
		n.dropped(e.at, "not supported: modes; gates define where people decide")
	}
	if d, e, ok := f.doc.seconds("global_timeout_seconds"); ok {
		f.Timeout = &d
		n.mapped(e.at, f.to.in("timeout"), "waiting for people does not count")
	}
	if stop, e, ok := f.doc.flag("stop_on_error"); ok {
		f.StopOnError = &stop
		n.mapped(e.at, f.to.in("stop_on_error"), "")
	}
	if _, e, ok := f.doc.flag("save_checkpoints"); ok {
		n.dropped(e.at, "not needed: every event is kept")
	}
	f.agents()
}

// claimIDs names all checkpoints first: steps yield to them, because people and conditions refer to checkpoints by
// name.
func (f *flow) claimIDs(checkpoints []*object) {
	f.gateNames = names{what: "checkpoint", fits: isID}
	f.gateAt, f.stepOf = map[string]place{}, map[string]string{}
	for _, c := range checkpoints {
		id, e, ok := c.need("checkpoint_id", "add its name")
		if !ok {
			continue
		}
		if first, twice := f.gateAt[id]; twice {
			f.im.notes.bad(e.at, "the checkpoint %q is given twice: the other is in %s", clip(id), first)
			continue
		}
		f.gateAt[id] = e.at
		f.gateNames.name(&f.im.notes, e, id)
	}
}

// nameAgent adds a step for an agent that is first named by a checkpoint.
func (f *flow) nameAgent(c *object) {
	id, e, ok := c.text("agent_id")
	if !ok || id == "" {
		return
	}
	name := f.im.agentNames.name(&f.im.notes, e, id)
	if _, there := f.stepOf[name]; there {
		return
	}
	if f.doc.node.Get("agents") != nil {
		f.im.notes.warn(e.at, "%s is not among the agents of the workflow: its step comes last", clip(id))
	}
	f.addStep(e, name, f.to.in(fmt.Sprintf("steps[%d]", len(f.Steps))))
}

// addStep appends a step and makes sure that its agent exists.
func (f *flow) addStep(e entry, agent string, to target) *plan.Step {
	id := agent
	if !isID(id) {
		id = fitting(id, false, isID)
	}
	id = free(id, func(id string) bool {
		_, taken := f.gateNames.first[id]
		return taken || slices.ContainsFunc(f.Steps, func(s plan.Step) bool { return s.ID == id })
	})
	f.Steps = append(f.Steps, plan.Step{ID: id, Agent: agent})
	f.stepOf[agent] = id
	if to.file != "" {
		f.im.notes.mapped(e.at, to, "a step for the agent %s", agent)
	}
	f.im.stub(agent, e)
	return &f.Steps[len(f.Steps)-1]
}
