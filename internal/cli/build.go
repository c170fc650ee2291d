package cli

import (
	"cmp"
	"runtime"
	"runtime/debug"
)

// Build identifies this program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Date    string `json:"date"`
}

// complete fills in what the Go tool recorded.
func (b Build) complete() Build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		b.Version = cmp.Or(b.Version, "unknown")
		return b
	}
	recorded := map[string]string{}
	for _, s := range info.Settings {
		recorded[s.Key] = s.Value
	}
	if b.Version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
		b.Version = info.Main.Version
	}
	return Build{
		Version: cmp.Or(b.Version, "dev"), Commit: cmp.Or(b.Commit, recorded["vcs.revision"]),
		Date: cmp.Or(b.Date, recorded["vcs.time"]),
	}
}

// String is the version with the commit it was built from.
func (b Build) String() string {
	text := b.Version
	if len(b.Commit) >= 7 {
		text += " (" + b.Commit[:7] + ")"
	}
	return text + " " + runtime.GOOS + "/" + runtime.GOARCH
}
