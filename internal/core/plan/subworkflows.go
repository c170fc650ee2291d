package plan

import (
	"slices"
	"strings"
)

// checkSubWorkflowName looks for a step's workflow among the known ones. A run knows none: its sub-workflows
// are looked up when they start.
func (c *compiler) checkSubWorkflowName(i int) {
	name, others := c.step(i).Workflow, c.plan.Definition.Workflows
	if !isWorkflowName(name) {
		c.bad(c.atStep(i), "workflow", "%s is not the name of a workflow: it has %s", quote(name), workflowName)
		return
	}
	if others == nil || name == c.workflow().Name {
		return
	}
	if _, ok := others[name]; !ok {
		c.bad(c.atStep(i), "workflow", "unknown workflow %s%s", quote(name),
			c.didYouMean(name, sortedNames(c, "workflows", others)))
	}
}

// checkSubWorkflows rejects workflows that would start each other endlessly. Each cycle is reported once, at
// the first step that leads into it.
func (c *compiler) checkSubWorkflows() {
	own := c.workflow()
	seen := map[string]bool{} // fully visited
	var path []string
	var visit func(name string) bool
	visit = func(name string) bool {
		if k := slices.Index(path, name); k >= 0 {
			path = append(path[k:len(path):len(path)], name)
			return true
		}
		if seen[name] {
			return false
		}
		w, ok := c.plan.Definition.Workflows[name]
		if name == own.Name {
			w, ok = *own, true
		}
		path = append(path, name)
		if ok {
			for i := range w.Steps {
				if sub := w.Steps[i].Workflow; sub != "" && visit(sub) {
					return true
				}
			}
		}
		path = path[:len(path)-1]
		seen[name] = true
		return false
	}
	for i := c.base; i < len(own.Steps); i++ {
		sub := own.Steps[i].Workflow
		if sub == "" || seen[sub] {
			continue
		}
		path = []string{own.Name}
		if visit(sub) {
			for _, name := range path {
				seen[name] = true // reported: other paths into it add nothing
			}
			c.bad(c.atStep(i), "workflow", "these workflows would start each other forever: %s", strings.Join(path, " → "))
		}
	}
}
