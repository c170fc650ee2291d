package scenario_test

import (
	"os"
	"testing"

	"github.com/assent-run/assent/internal/engine/local"
	"github.com/assent-run/assent/internal/engine/scenariotest"
	"github.com/assent-run/assent/internal/port"
	"github.com/assent-run/assent/internal/store/postgres"
	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/assent-run/assent/internal/store/sqlite"
	"github.com/assent-run/assent/internal/store/sqlite/sqlitetest"
)

const scenarios = "../core/decide/testdata/scenario"

func TestMain(m *testing.M) { os.Exit(pgtest.Main(m)) }

// TestOnSQLite plays the scripts of the state machine on the local engine.
func TestOnSQLite(t *testing.T) {
	scenariotest.Run(t, scenarios, 1, func(t testing.TB, home string,
		configure func(*local.Config)) (port.Engine, scenariotest.Store) {
		sqlitetest.Fill(t, home)
		store, err := sqlite.Open(t.Context(), home)
		if err != nil {
			t.Fatal(err)
		}
		return playing(store, false, configure), store
	})
}

// someScenarios is which part of the scripts make test plays on PostgreSQL; make soak plays all.
const someScenarios = 4

// TestOnPostgres plays them on PostgreSQL.
func TestOnPostgres(t *testing.T) {
	urls := map[string]string{}
	scenariotest.Run(t, scenarios, someScenarios, func(t testing.TB, home string,
		configure func(*local.Config)) (port.Engine, scenariotest.Store) {
		if urls[home] == "" {
			urls[home] = pgtest.Database(t)
		}
		store, err := postgres.Open(t.Context(), urls[home])
		if err != nil {
			t.Fatal(err)
		}
		return playing(store, true, configure), store
	})
}

// playing is an engine that plays a script.
func playing(store local.Store, shared bool, configure func(*local.Config)) *local.Engine {
	c := local.Config{Store: store, Shared: shared}
	configure(&c)
	e := local.New(c)
	e.Start()
	return e
}
