// Package definition reads documents (workflows, agents, tools, MCP servers, the policy, roles and prices) from
// YAML or JSON and reports all problems at once, with file, line and column:
//
//	set, problems := definition.LoadPath("./flows")  // a folder, or one file
//	problems = append(problems, set.Check(nil)...)   // how the documents fit together
//	for _, p := range problems {
//		fmt.Println(p) // flows/refund.yaml:12:9: steps[1].agent: unknown agent "mailr"; did you mean "mailer"?
//	}
//	plan, _ := plan.Compile(&plan.Definition{Workflow: set.Workflows["refund"].Workflow, …})
//
// The first key of a document is its kind: workflow, agent, tool, mcp_server, policy, role or prices. A file
// contains any number of documents, separated by --- (in JSON: a list). Package tree documents the supported
// subset of YAML.
//
// # Three steps
//
// Parse and Load read: they find invalid YAML, unknown keys, values of the wrong kind and duplicate names. Check
// compares: it compiles every workflow with its agents, and the policy, and checks that every reference has a
// target. YAML and JSON write a document; reading the result returns the same document. Comments are not kept.
//
// A document that cannot be read is not in the set, but its name is known, so one mistake is not reported again
// by everything that refers to it.
//
// # Secrets
//
// A secret (api_key, the values of headers and env) may be a reference, ${env:NAME} or ${file:PATH}, which this
// package keeps and never resolves. A literal secret prints as *** everywhere except through Reveal.
//
// # Schemas by reference
//
// A schema may be a separate file: input: { $ref: schemas/claim.json }. It is resolved relative to the file that
// refers to it, inside the loaded folder only, and becomes part of the document.
package definition

// Limits of a folder and of documents. Limits of a file are in package tree, those of workflows and policies in
// the core. Each is tested at and over.
const (
	FilesMax      = 10_000
	EntriesMax    = 100_000  // scanned to find them
	FolderMax     = 64 << 20 // bytes of all files
	SchemasMax    = 100      // files that one schema may refer to
	ToolsMax      = 1_000    // of one agent
	DescribeMax   = 2_000    // bytes of a tool's template
	TurnsMax      = 1_000    // of a script
	AgentFilesMax = 200      // provided by one agent
	problemsMost  = 2_000    // reported by one call
)
