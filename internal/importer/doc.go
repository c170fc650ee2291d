// Package importer reads the files of specifications 000 and 003 and writes
// documents of ours:
//
//	res, err := importer.Import([]importer.Source{{Name: "claims_triage.json", Body: body}})
//	if err != nil { … res.Problems … }
//	for _, f := range res.Files { … }  // claims_triage.yaml, agents.yaml, roles.yaml, policy.yaml
//	for _, m := range res.Report { … } // what became of every key
//
// What a file is, its content says, in YAML or JSON: a workflow with
// hitl_checkpoints or agents, one checkpoint, a governance policy, checkpoint
// rules, an auto_approval block.
//
// # What holds
//
// Nothing is lost silently: every key of a source is in the report, as mapped,
// defaulted (we had to choose, and say what), dropped or as a warning.
//
// Doubt goes to people. Where a condition cannot be read the gate always asks;
// where a file does not say who may decide, it is refused.
//
// The result loads and passes every check, or there are problems and no result.
// The same sources give the same bytes.
package importer
