package definition_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/assent-run/assent/internal/definition"
)

// The port of a mail server is one that exists: otherwise every mail would fail, hours later.
func TestPortOfAMailServer(t *testing.T) {
	for port, ok := range map[string]bool{"1": true, "25": true, "65535": true, "0": false, "65536": false,
		"99999": false, "": false} {
		text := fmt.Sprintf("channel: mail\nkind: email\nfrom: a@example.com\nsmtp: \"smtp://mail.example.com:%s\"\n", port)
		set, problems := definition.Parse("a.yaml", []byte(text))
		problems = append(problems, set.Check(nil)...)
		refused := strings.Contains(fmt.Sprint(definition.Errors(problems)), "not the address of a mail server")
		if refused == ok {
			t.Errorf("port %q: %v", port, problems)
		}
	}
}
