package importer

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/assent-run/assent/internal/core/fault"
	"github.com/assent-run/assent/internal/definition"
	"github.com/assent-run/assent/internal/definition/tree"
)

// Limits of one import. Limits of a file are in package tree. Each is tested at and over.
const (
	SourcesMax = 1_000
	BytesMax   = definition.FolderMax // of all sources
)

// Source is one file to import.
type Source struct {
	Name string
	Body []byte
}

// File is a file of the result, ready for a folder that is loaded.
type File struct {
	Name string `json:"name"`
	Body []byte `json:"-"`
}

// Result is the outcome of an import. There are files only if there are no problems; warnings are in the report.
type Result struct {
	Files    []File               `json:"files"`
	Report   []Mapping            `json:"report"`
	Problems []definition.Problem `json:"problems"`
}

// Import reads files in the formats of specifications 000 and 003 and writes documents. If there are problems, the
// error covers all of them.
func Import(files []Source) (Result, error) {
	switch total := size(files); {
	case len(files) == 0:
		return Result{}, fault.New(fault.Invalid, "there is nothing to import", "name the files to read")
	case len(files) > SourcesMax:
		return Result{}, fault.Newf(fault.TooLarge, "%d files are too many: at most %d", len(files), SourcesMax)
	case total > BytesMax:
		return Result{}, fault.Newf(fault.TooLarge,
			"the files have %d bytes together; the maximum is %d", total, BytesMax)
	}
	im := newImport(files)
	for _, f := range files {
		im.read(f)
	}
	im.governance()
	im.workflows()
	im.policy()
	out := im.finish()
	if len(out.Problems) == 0 {
		return out, nil
	}
	out.Files = nil
	problems := make([]fault.Problem, len(out.Problems))
	for i, p := range out.Problems {
		problems[i] = p.Problem
		problems[i].Message = p.String()
		problems[i].Path, problems[i].Line, problems[i].Column = "", 0, 0
	}
	return out, fault.Of("the files cannot be imported", problems)
}

func size(files []Source) (total int) {
	for _, f := range files {
		total += len(f.Body)
	}
	return total
}

// imported is an import in progress.
type imported struct {
	files []Source
	notes notes

	flows      []*flow
	loose      []*object // standalone checkpoints, until their workflow is known
	governs    []*object
	policies   []policySource
	limits     limits
	roles      []*definition.Role
	stubs      map[string]*stub
	stubOrder  []string
	flowNames  names
	agentNames names
	roleNames  names
	out        []File
}

func newImport(files []Source) *imported {
	im := &imported{files: files, stubs: map[string]*stub{}}
	im.notes.order = map[string]int{}
	for i, f := range files {
		if f.Name == "" {
			im.notes.bad(place{}, "file %d has no name: its location could not be reported", i+1)
		}
		if _, twice := im.notes.order[f.Name]; twice {
			im.notes.bad(place{file: f.Name}, "this file is given twice: leave one out")
		}
		im.notes.order[f.Name] = i
	}
	im.flowNames = names{what: "workflow", fits: isWorkflowName, lower: true}
	im.agentNames = names{what: "agent", fits: isName}
	im.roleNames = names{what: "role", fits: isName}
	return im
}

// read parses a file and sorts its documents.
func (im *imported) read(f Source) {
	format := formatOf(f)
	docs, problems := tree.NewSource(f.Name, f.Body).Read(format)
	im.notes.written(f, problems)
	if len(problems) == 0 && !slices.ContainsFunc(docs, func(d tree.Document) bool { return d.Root != nil }) {
		im.notes.bad(place{file: f.Name, line: 1, column: 1}, "the file is empty")
	}
	for i, d := range docs {
		if d.Broken || d.Root == nil {
			continue
		}
		doc := &object{notes: &im.notes, at: place{file: f.Name, line: d.Root.Pos.Line, column: d.Root.Pos.Column},
			node: d.Root}
		if len(docs) > 1 {
			doc.at.doc = i + 1
		}
		if d.Root.Kind != tree.Map {
			im.notes.bad(doc.at, "this is %s: %s", kindWord(d.Root), formatsHint)
			continue
		}
		im.sort(doc, f, len(docs) == 1 && format == tree.YAML)
	}
}

// formatOf determines the format from the file name, or else from the first character.
func formatOf(f Source) tree.Format {
	switch strings.ToLower(path.Ext(f.Name)) {
	case ".json":
		return tree.JSON
	case ".yaml", ".yml":
		return tree.YAML
	}
	if text := strings.TrimLeft(string(f.Body[:min(len(f.Body), 1000)]), "\ufeff \t\r\n"); strings.HasPrefix(text, "{") ||
		strings.HasPrefix(text, "[") {
		return tree.JSON
	}
	return tree.YAML
}

const formatsHint = "import reads workflows with hitl_checkpoints or agents, single checkpoints, governance " +
	"policies (specification 003), checkpoint rules and auto_approval (specification 000)"

// sort adds a document to those of its kind. alone reports whether the text of its file can be kept verbatim.
func (im *imported) sort(doc *object, f Source, alone bool) {
	has := func(keys ...string) bool {
		return slices.ContainsFunc(keys, func(k string) bool { return doc.node.Get(k) != nil })
	}
	switch {
	case has("hitl_checkpoints") || has("workflow_id") && has("agents"):
		im.flows = append(im.flows, &flow{im: im, doc: doc})
	case has("checkpoint_instance_id", "event_type", "session_id", "execution_id") ||
		isAnswer(doc.node.Get("checkpoints")):
		im.notes.bad(doc.at, "this is what happened in a run, not how one is configured: %s", formatsHint)
	case has("checkpoint_id"):
		im.loose = append(im.loose, doc)
	case has("policies", "hitl_access_control"):
		im.governs = append(im.governs, doc)
	case has("workflow", "agent", "tool", "mcp_server", "role", "prices"):
		im.notes.bad(doc.at, "already an Assent document: copy it into the folder unchanged")
	case has("policy", "checkpoints", "rules", "auto_approval"):
		im.policies = append(im.policies, policySource{doc: doc, file: f, alone: alone})
	case has("ui_schema", "trigger_condition", "timeout_config", "notification_config", "checkpoint_type"):
		im.notes.bad(doc.at, "this is a part of a checkpoint: put it into one, with a checkpoint_id")
	default:
		im.notes.bad(doc.at, "unknown kind of document: %s", formatsHint)
	}
}

// isAnswer distinguishes a list of pending checkpoints from checkpoint rules.
func isAnswer(checkpoints *tree.Node) bool {
	return checkpoints != nil && checkpoints.Kind == tree.List &&
		slices.ContainsFunc(checkpoints.Items, func(n *tree.Node) bool {
			return n.Kind == tree.Map && n.Get("checkpoint_instance_id") != nil
		})
}

func kindWord(n *tree.Node) string {
	switch n.Kind {
	case tree.Null:
		return "nothing"
	case tree.Bool:
		return "true or false"
	case tree.Number:
		return "a number"
	case tree.Text:
		return "a text"
	case tree.List:
		return "a list"
	}
	return "a mapping"
}

// sentence is the first sentence of an error of the core.
func sentence(err error) string {
	var f *fault.Error
	if errors.As(err, &f) && len(f.Problems) > 0 {
		return f.Problems[0].Message
	}
	return fmt.Sprint(err)
}
