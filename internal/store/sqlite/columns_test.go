package sqlite_test

import (
	"database/sql"
	"path/filepath"
	"strings"
	"testing"
)

// openColumns are not encrypted, because queries filter or sort by them, or because they contain nothing
// personal. Any column in neither this list nor sealedColumns needs a decision: docs/data-protection.md
// documents both.
const openColumns = `
batches: run file
runs: id workflow definition status owner labels cost_usd parent retry_of forked_from words
runs_by_words_data: block
run_labels: name value run
snapshots: run file
answers: key body
approvals: id run workflow step agent tool kind reason status risk asked requester words
approvals_by_words_data: block
indexed: rows
inbox: who status approval workflow agent tool kind risk
shares: who facet workflow agent tool kind risk
deliverables: id run workflow step agent name type status blob
versions: kind name id published_by digest by
grants: rule
bundles: digest
blobs: id
blob_refs: blob run
failures: run workflow step agent code
agent_work: run workflow agent
accounts: name hash roles
tokens: id name kind roles hash created_by
sessions: id person way roles
stand_ins: name stand_in set_by
subjects: name issuer subject label roles
audit: actor action target run outcome hash
audit_heads: head
removals: run kind actor files
event_salts: run
counted: act sum run family operation
second_looks: id run workflow step agent
experience: run workflow
unlearned: what name
firings: schedule outcome run cause
pushes: id person session
push_keys: id
links: id person label offer
deliveries: id channel event run workflow approval person recipient part_of fallback status
preferences: person
disabled_channels: name digest why
hook_deliveries: id hook outcome run
working_copies: name by
data_keys: master wrapped
rewriting: place
`

const sealedColumns = `
deliveries: body
preferences: body
batches: body
runs: error subject
snapshots: state
answers: answer
approvals: title body
deliverables: mime description url
versions: body source
bundles: bundle
blobs: data
audit: body open
removals: reason
event_salts: salt
experience: body
pushes: body
push_keys: body
hook_deliveries: body
working_copies: body
`

// TestColumnsAreKnown: a new text column needs a decision whether it is encrypted.
func TestColumnsAreKnown(t *testing.T) {
	dir := t.TempDir()
	if err := open(t, dir).Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, "assent.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // only read
	known := map[string]bool{}
	for line := range strings.Lines(strings.TrimSpace(openColumns) + "\n" + strings.TrimSpace(sealedColumns)) {
		table, columns, _ := strings.Cut(strings.TrimSpace(line), ": ")
		for column := range strings.FieldsSeq(columns) {
			if known[table+"."+column] {
				t.Errorf("%s.%s is there twice", table, column)
			}
			known[table+"."+column] = true
		}
	}
	rows, err := db.QueryContext(t.Context(), `SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND c.type IN ('TEXT', 'BLOB')`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close() //nolint:errcheck // Err reports it
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		name := table + "." + column
		if !known[name] {
			t.Errorf("%s is new: seal it (store/storekit/hide.go and rewrite.go), or say here and in "+
				"docs/data-protection.md that it stays open", name)
		}
		delete(known, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for name := range known {
		t.Errorf("there is no %s any more", name)
	}
}
