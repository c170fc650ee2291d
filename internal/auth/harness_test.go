package auth_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/assent-run/assent/internal/auth"
	"github.com/assent-run/assent/internal/steady"
	"github.com/assent-run/assent/internal/store"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	os.Exit(steady.Checked(code))
}

// cheap makes hashing quick.
var cheap = auth.Cost{MemoryKiB: 64, Rounds: 1, Lanes: 1}

func newStore(t testing.TB) store.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlitetest.Dir(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// service is one on a store of its own.
func service(t testing.TB, c auth.Config) *auth.Service {
	t.Helper()
	if c.Cost == (auth.Cost{}) {
		c.Cost = cheap
	}
	s, err := auth.New(newStore(t), c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
