// Package importer converts files of specifications 000 and 003 into documents:
//
//	res, err := importer.Import([]importer.Source{{Name: "claims_triage.json", Body: body}})
//	if err != nil { … res.Problems … }
//	for _, f := range res.Files { … }  // claims_triage.yaml, agents.yaml, roles.yaml, policy.yaml
//	for _, m := range res.Report { … } // what happened to every key
//
// The content determines what a file is, in YAML or JSON: a workflow with hitl_checkpoints or agents, one checkpoint,
// a governance policy, checkpoint rules, an auto_approval block.
//
// # Guarantees
//
// Nothing is lost silently: every key of a source is in the report, as mapped, defaulted (with the chosen value),
// dropped or as a warning.
//
// In doubt, people are asked. If a condition cannot be read, the gate always asks; if a file does not name who may
// decide, it is refused.
//
// The result loads and passes every check, or there are problems and no result. The same sources produce the same
// bytes.
package importer
