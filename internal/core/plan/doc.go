// Package plan compiles a workflow definition into an executable plan: a graph of steps in a fixed order,
// with every expression, path and schema compiled and every gate attached to its step.
//
//	p, problems := plan.Compile(&plan.Definition{Workflow: w, Agents: agents})
//	if p == nil { return fault.Of("the workflow is not valid", problems) }
//	for _, i := range p.Order() {
//		fmt.Println(p.Nodes[i].Step.ID, p.Nodes[i].Layer)
//	}
//
// Compile reports all problems at once, each with its path in the document. A plan is immutable: runs share
// it freely, and editing a running one (Inject) creates a new plan in which existing steps keep their
// numbers.
//
// Plan order is topological, with ties broken by the order in the document: of all steps whose needs are met,
// the one listed first comes next. It depends on the definition alone, never on which step happened to finish
// first.
package plan
