package cli

import (
	"context"
	"fmt"

	"github.com/assent-run/assent/internal/cli/config"
	"github.com/assent-run/assent/internal/cli/host"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/spf13/cobra"
)

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Note   string `json:"note"`
	Advice string `json:"advice,omitempty"`
	// Warns marks a finding that works but needs attention.
	Warns bool `json:"warning,omitempty"`
}

func good(check, format string, args ...any) finding {
	return finding{Check: check, OK: true, Note: fmt.Sprintf(format, args...)}
}

func bad(check, advice, format string, args ...any) finding {
	return finding{Check: check, Note: fmt.Sprintf(format, args...), Advice: advice}
}

func doubtful(check, advice, format string, args ...any) finding {
	return finding{Check: check, OK: true, Warns: true, Note: fmt.Sprintf(format, args...), Advice: advice}
}

func (t *tool) doctorCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check the installation and suggest fixes", GroupID: groupServer, Args: noArgs,
		Long: `Check the settings, the data directory, the disk, the store, the clock, the server
and the port. Exits with 1 if there is a problem to fix. --ready is for health checks
of containers.`,
	}
	config.AddFlags(cmd.Flags())
	cmd.Flags().Bool("json", false, "print JSON")
	cmd.Flags().Bool("plain", false, "disable colours")
	ready := cmd.Flags().Bool("ready", false, "only check that the server on the data directory can serve requests")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		c, err := config.FromFlags(cmd.Flags(), t.Getenv)
		if err != nil {
			return t.diagnosis([]finding{bad("settings", "fix them; see: assent config", "%v", err)})
		}
		if *ready {
			d := &doctor{tool: t, config: c}
			return t.diagnosis([]finding{d.ready(cmd.Context())})
		}
		return t.diagnosis(t.examine(cmd.Context(), c))
	}
	return cmd
}

// examine runs all checks.
func (t *tool) examine(ctx context.Context, c *config.Config) []finding {
	d := &doctor{tool: t, config: c}
	d.mark, d.served = host.ReadMark(c.Data)
	out := []finding{d.settings(), d.links(), d.clock()}
	out = append(out, d.server(ctx), d.port())
	if !c.DB.IsZero() {
		return append(append(out, d.database(ctx), d.channels(ctx)), d.people(ctx)...)
	}
	out = append(out, d.directory())
	if !out[len(out)-1].OK {
		return out
	}
	out = append(out, d.space(), d.flush())
	_ = t.busy("reading the whole store", func() error {
		out = append(append(out, d.store(ctx)...), d.people(ctx)...)
		return nil // problems are among the findings
	})
	return out
}

// diagnosis prints the findings and fails if one of them is bad.
func (t *tool) diagnosis(findings []finding) error {
	healthy := true
	for _, f := range findings {
		healthy = healthy && f.OK
	}
	if t.json {
		if err := t.printJSON(map[string]any{"healthy": healthy, "findings": findings}); err != nil {
			return err
		}
	} else {
		t.tellFindings(findings)
	}
	if !healthy {
		return quiet(exitFailed)
	}
	return nil
}

func (t *tool) tellFindings(findings []finding) {
	theme := t.screen()
	for _, f := range findings {
		sign := theme.Good("✓")
		switch {
		case !f.OK:
			sign = theme.Bad("✗")
		case f.Warns:
			sign = theme.Warn("!")
		}
		t.say("%s %s %s", sign, show.Pad(f.Check, 10), show.Clean(f.Note))
		if f.Advice != "" {
			t.say("  %s %s", show.Pad("", 10), theme.Dim("→ "+show.Clean(f.Advice)))
		}
	}
}
