//go:build unix

package e2e

import (
	"context"
	"fmt"
	"testing"

	"github.com/assent-run/assent/internal/store/postgres/pgtest"
	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
)

func init() { afterAll = append(afterAll, pgtest.Stop) }

// postgresVictim is a server on a real PostgreSQL.
func postgresVictim(t *testing.T, args ...string) *victim {
	t.Helper()
	url := pgtest.Empty(t)
	return &victim{server: serve(t, append([]string{"--db", url}, args...)...), driver: "pgx", address: url}
}

// postgresCopy saves the database. It keeps its name: the anchor belongs to a database.
func (v *victim) postgresCopy() func() {
	v.t.Helper()
	config, err := pgx.ParseConfig(v.address)
	if err != nil {
		v.t.Fatal(err)
	}
	name := config.Database
	config.Database = "postgres"
	admin := func(statements ...string) {
		v.t.Helper()
		ctx := context.Background()
		c, err := pgx.ConnectConfig(ctx, config)
		if err != nil {
			v.t.Fatal(err)
		}
		defer c.Close(ctx) //nolint:errcheck // all was said
		for _, s := range statements {
			if _, err := c.Exec(ctx, s); err != nil {
				v.t.Fatalf("%s: %v", s, err)
			}
		}
	}
	admin("CREATE DATABASE " + name + "_was TEMPLATE " + name)
	return func() {
		v.t.Helper()
		admin("DROP DATABASE "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" TEMPLATE "+name+"_was")
	}
}

// TestAttackedPostgres is TestAttackedDatabase on PostgreSQL.
func TestAttackedPostgres(t *testing.T) {
	t.Parallel()
	v := postgresVictim(t)
	v.decided()
	v.restore = v.postgresCopy()
	v.attack(func(string) {})
}

// TestForgeryIsNotSignedPostgres is TestForgeryIsNotSigned on PostgreSQL.
func TestForgeryIsNotSignedPostgres(t *testing.T) {
	t.Parallel()
	postgresVictim(t).forgeryIsNotSigned()
}

// TestStolenKeyPostgres is TestStolenKey on PostgreSQL.
func TestStolenKeyPostgres(t *testing.T) {
	t.Parallel()
	w := newWitness(t)
	postgresVictim(t, "--audit-witnesses", w.URL).stolenKey(w)
}

// TestKilledOnPostgres is TestKilledAgainAndAgain on PostgreSQL.
func TestKilledOnPostgres(t *testing.T) {
	t.Parallel()
	killedAgainAndAgain(t, kills(t)/4, "--db", pgtest.Empty(t))
}

// TestPublishWhoseAnswerIsLost: after a repeated publish reports success, the workflow can be started
// immediately, although PostgreSQL's answer to the first was lost.
func TestPublishWhoseAnswerIsLost(t *testing.T) {
	t.Parallel()
	w, url := pgtest.NewWire(t, pgtest.Empty(t))
	s := serve(t, "--db", url)
	s.define("workflow: other\nsteps: [{ id: ask, human: { kind: approval } }]")
	// The interrupted commit may be another one, so this is repeated several times.
	for i := range 20 {
		name := fmt.Sprintf("pay%d", i)
		doc := yaml("workflow: " + name + "\nsteps: [{ id: ask, human: { kind: approval } }]\n")
		version := s.call("PUT", "/workflows/"+name, doc).want(201).number("version")
		w.CutAfterCommit()
		if a := s.call("POST", "/workflows/"+name+"/publish", map[string]any{"version": version}); a.status != 503 ||
			!w.WasCut() {
			continue
		}
		var again answer
		waitFor(t, "the document to be published again", func() bool {
			again = s.call("PUT", "/workflows/"+name+"?publish=true", doc)
			return again.status != 503
		})
		if again.status != 200 || again.get("published") != true {
			continue // it was not stored
		}
		s.run(name, map[string]any{})
		return
	}
	t.Fatal("no publish was cut off")
}
