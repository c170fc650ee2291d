package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"time"

	"github.com/assent-run/assent/internal/audit"
	"github.com/assent-run/assent/internal/cli/show"
	"github.com/assent-run/assent/internal/core/value"
	"github.com/spf13/cobra"
)

// verification is a report of attempts against a deployment.
type verification struct {
	Server  string    `json:"server"`
	At      time.Time `json:"at"`
	By      string    `json:"by"`
	Program string    `json:"program"` // version of the program that tried it
	Passed  int       `json:"passed"`
	Failed  int       `json:"failed"`
	Skipped int       `json:"skipped"`
	Checks  []attempt `json:"checks"`
}

// attempt is one attempt that must fail.
type attempt struct {
	ID       string   `json:"id"`
	AISVS    []string `json:"aisvs"` // requirements of OWASP AISVS 1.0 that it verifies
	Tried    string   `json:"tried"`
	Outcome  string   `json:"outcome"` // passed | failed | skipped
	Observed string   `json:"observed"`
}

const (
	outcomePassed  = "passed"
	outcomeFailed  = "failed"
	outcomeSkipped = "skipped"
)

// signedReport is a report with a signature over its canonical form.
type signedReport struct {
	Report    json.RawMessage `json:"report"`
	Key       string          `json:"key,omitempty"` // ed25519:…
	Signature string          `json:"signature,omitempty"`
}

func (t *tool) verifyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "verify", Short: "Run security checks against a deployment and sign a report",
		GroupID: groupServer, Args: noArgs,
		Long: `Try what an attacker would: act without credentials, decide as a program, repeat a
decision, decide on an outdated version, send ambiguous JSON, reach the metadata
address of cloud providers. Each check names the OWASP AISVS requirements that it
demonstrates; docs/aisvs.md lists them all.

It publishes two workflows of its own (assent-verify, assent-verify-address), runs
them, and creates a token that it revokes. All of it is in the audit log. Run it as an
administrator, and as a person: not with the token of a program. Exits with 1 if
anything was allowed that must be refused.

The report is signed with --sign-with, or with the audit key if this machine has it.
With --report, an existing report is checked instead.`,
		Example: "assent verify\nassent verify --addr https://assent.example.com --json > report.json\nassent verify " +
			"--report report.json --key ed25519:…",
	}
	keyFile := cmd.Flags().String("sign-with", "",
		"file with the private key that signs the report (PEM); default: the audit key")
	report := cmd.Flags().String("report", "", "only check the signature of this report")
	public := cmd.Flags().String("key", "", "with --report: the public key that must have signed it: ed25519:…")
	t.working(cmd, func(ctx context.Context, s *session, _ []string) error { return s.verifyDeployment(ctx, *keyFile) })
	online := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *report != "" {
			return t.checkReport(*report, *public)
		}
		return online(cmd, args)
	}
	return cmd
}

func (s *session) verifyDeployment(ctx context.Context, keyFile string) error {
	key, err := s.reportKey(keyFile)
	if err != nil {
		return err
	}
	if s.own != nil {
		return fail("start one with assent serve, or set its address with --addr", "no server is running here")
	}
	p := newProber(s)
	v := verification{Server: s.Base(), At: time.Now().UTC().Truncate(time.Second), Program: "assent " + s.Build.Version}
	_ = s.busy("running security checks", func() error {
		v.Checks = p.attempts(ctx)
		return nil // failures are among the checks
	})
	v.By = p.name
	for _, c := range v.Checks {
		switch c.Outcome {
		case outcomePassed:
			v.Passed++
		case outcomeFailed:
			v.Failed++
		default:
			v.Skipped++
		}
	}
	signed, err := sealReport(v, key)
	if err != nil {
		return err
	}
	if s.json {
		err = s.printJSON(signed)
	} else {
		s.tellReport(v, signed)
	}
	if err == nil && v.Failed > 0 {
		err = quiet(exitFailed)
	}
	return err
}

// reportKey is the signing key; nil: there is none here.
func (s *session) reportKey(file string) (*audit.Key, error) {
	if file != "" {
		return audit.ReadKey(file)
	}
	key, err := audit.ReadKey(s.config.Data)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return nil, nil
	}
	return key, err
}

func sealReport(v verification, key *audit.Key) (signedReport, error) {
	raw, err := value.Marshal(v)
	if err != nil || key == nil {
		return signedReport{Report: raw}, err
	}
	return signedReport{Report: raw, Key: key.Public, Signature: key.SignReport(value.Canonical(raw))}, nil
}

func (s *session) tellReport(v verification, signed signedReport) {
	theme := s.screen()
	for _, c := range v.Checks {
		sign := map[string]string{outcomePassed: theme.Good("✓"), outcomeFailed: theme.Bad("✗"),
			outcomeSkipped: theme.Dim("–")}[c.Outcome]
		s.say("%s %s %s", sign, show.Pad(c.ID, 22), show.Clean(c.Tried))
		s.say("  %s %s", show.Pad("", 22), theme.Dim("→ "+show.Clean(c.Observed)))
	}
	s.say("\n%d refused as expected, %d allowed, %d skipped", v.Passed, v.Failed, v.Skipped)
	if signed.Signature == "" {
		s.say("not signed: no key found; set one with --sign-with")
		return
	}
	s.say("signed by %s\n%s", signed.Key, signed.Signature)
}

// checkReport verifies a report's signature.
func (t *tool) checkReport(path, public string) error {
	raw, err := os.ReadFile(path)
	if err != nil {
		return unread(err)
	}
	var signed signedReport
	if err := json.Unmarshal(raw, &signed); err != nil || len(signed.Report) == 0 {
		return fail("create one with assent verify --json", "%s is not a report", path)
	}
	if signed.Signature == "" {
		return fail("", "the report is not signed")
	}
	if public == "" {
		public = signed.Key
	}
	if err := audit.CheckReport(public, value.Canonical(signed.Report), signed.Signature); err != nil {
		return fail("", "%v", err)
	}
	t.say("signed by %s", public)
	return nil
}
