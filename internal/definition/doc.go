// Package definition reads what people write (workflows, agents, tools, MCP
// servers, the policy, roles and prices) from YAML or JSON and says everything
// that is wrong with it at once, with file, line and column:
//
//	set, problems := definition.LoadPath("./flows")  // a folder, or one file
//	problems = append(problems, set.Check(nil)...)   // how the documents fit together
//	for _, p := range problems {
//		fmt.Println(p) // flows/refund.yaml:12:9: steps[1].agent: there is no agent "mailr"; did you mean "mailer"?
//	}
//	plan, _ := plan.Compile(&plan.Definition{Workflow: set.Workflows["refund"].Workflow, …})
//
// A document says what it is by its first key: workflow, agent, tool,
// mcp_server, policy, role or prices. A file holds any number of them, with ---
// in between (in JSON: a list). What of YAML is read is told in package tree.
//
// # Three steps
//
// Parse and Load read: they find what is not YAML, unknown keys, values of the
// wrong kind and names given twice. Check compares: it compiles every workflow
// with the agents around it, and the policy, and looks whether what is named is
// there. YAML and JSON write a document back; reading that gives the same
// document. Comments are not kept.
//
// A document that cannot be read is not in the set, but its name is known, so
// that one mistake is not told again by everything that refers to it.
//
// # Secrets
//
// Wherever a string is a secret (api_key, the values of headers and env) it may
// be a reference, ${env:NAME} or ${file:PATH}, which this package keeps as it is
// and never looks up. A secret that was written out is shown as *** by every
// way of printing but Reveal.
//
// # Schemas by reference
//
// A schema may be a file of its own: input: { $ref: schemas/claim.json }. It is
// looked for next to the file that names it, inside the loaded folder only, and
// becomes part of the document.
package definition

// Limits of a folder and of documents. Those of a file are in package tree,
// those of workflows and policies in the core. Each is tested at and over.
const (
	FilesMax      = 10_000
	EntriesMax    = 100_000  // that are looked at to find them
	FolderMax     = 64 << 20 // bytes of all files
	SchemasMax    = 100      // files that one schema may refer to
	ToolsMax      = 1_000    // of one agent
	DescribeMax   = 2_000    // bytes of a tool's template
	TurnsMax      = 1_000    // of a script
	AgentFilesMax = 200      // that one agent brings along
	problemsMost  = 2_000    // told by one call
)
