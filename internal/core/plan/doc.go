// Package plan turns a workflow as people write it into something that can be
// run: a graph of steps in a fixed order, with every expression, path and
// schema compiled and every gate put where it belongs.
//
//	p, problems := plan.Compile(&plan.Definition{Workflow: w, Agents: agents})
//	if p == nil { return fault.Of("the workflow is not valid", problems) }
//	for _, i := range p.Order() {
//		fmt.Println(p.Nodes[i].Step.ID, p.Nodes[i].Layer)
//	}
//
// Compile finds everything that is wrong at once and says where it stands, as
// a path into the document. A plan never changes: runs share it freely, and
// editing a running one (Inject) makes a new plan in which all existing steps
// keep their numbers.
//
// Plan order is topological, and as listed wherever that leaves a choice: of
// all steps whose needs are met, the one listed first comes next. It depends on
// the definition alone, never on which step happened to finish first.
package plan
