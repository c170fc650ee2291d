package local

import (
	"github.com/assent-run/assent/internal/core/run"
	"github.com/assent-run/assent/internal/mask"
)

// withoutCredentials redacts credentials in errors by agents and tools before anything is stored or shown:
// errors often quote the header, URL or command that failed. Results are not changed.
func withoutCredentials(do run.Operation) run.Operation {
	switch do := do.(type) {
	case run.Fail:
		do.Failure = *cleanFailure(&do.Failure)
		return do
	case run.Complete:
		do.Result.Logs = mask.Credentials(do.Result.Logs)
		return do
	case run.CompleteCall:
		do.Result.Error = mask.Credentials(do.Result.Error)
		do.Result.Logs = mask.Credentials(do.Result.Logs)
		return do
	case run.AnswerReplan:
		do.Reason = mask.Credentials(do.Reason)
		return do
	}
	return do
}

func cleanFailure(f *run.Failure) *run.Failure {
	if f == nil {
		return nil
	}
	out := *f
	out.Message, out.Stack, out.Body = mask.Credentials(f.Message), mask.Credentials(f.Stack), mask.Credentials(f.Body)
	if f.Child != nil {
		out.Child = &run.ChildFailure{Run: f.Child.Run, Error: cleanFailure(f.Child.Error)}
	}
	return &out
}
