package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"strings"

	"go.temporal.io/server/common/config"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/metrics"
	"go.temporal.io/server/common/persistence"
	"go.temporal.io/server/common/persistence/sql"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	"go.temporal.io/server/common/resolver"
	"go.temporal.io/server/schema"
	v12 "go.temporal.io/server/schema/postgresql/v12"
)

// preparePostgres connects to a database and creates Temporal's tables, unless they are there.
func preparePostgres(address string) (*config.SQL, error) {
	u, err := url.Parse(address)
	if err != nil || !strings.HasPrefix(u.Scheme, "postgres") || u.Host == "" || strings.Trim(u.Path, "/") == "" {
		return nil, fmt.Errorf("-postgres: not postgres://USER:PASSWORD@HOST:PORT/DATABASE") // it may have a password
	}
	password, _ := u.User.Password()
	c := &config.SQL{PluginName: postgresql.PluginNamePGX, DatabaseName: strings.Trim(u.Path, "/"),
		User: u.User.Username(), Password: password, ConnectAddr: u.Host, ConnectProtocol: "tcp",
		MaxConns: 20, MaxIdleConns: 20, ConnectAttributes: map[string]string{}}
	for name := range u.Query() {
		c.ConnectAttributes[name] = u.Query().Get(name)
	}
	db, err := sql.NewSQLAdminDB(sqlplugin.DbKindMain, c, resolver.NewNoopResolver(), serverlog.NewNoopLogger(),
		metrics.NoopMetricsHandler)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", c.ConnectAddr, err)
	}
	defer func() { _ = db.Close() }() // nothing is under way
	if _, err := db.ReadSchemaVersion(c.DatabaseName); err == nil {
		return c, nil
	}
	for _, part := range []string{"temporal", "visibility"} {
		if err := create(db, "postgresql/v12/"+part+"/schema.sql"); err != nil {
			return nil, err
		}
	}
	// The newer one of the two schemas counts: both are in one database.
	if err := db.CreateSchemaVersionTables(); err != nil {
		return nil, fmt.Errorf("create the version of the schema: %w", err)
	}
	return c, db.UpdateSchemaVersion(c.DatabaseName, v12.Version, v12.Version)
}

// create runs the statements of a file of Temporal's module.
func create(db sqlplugin.AdminDB, file string) error {
	text, err := fs.ReadFile(schema.Assets(), file)
	if err != nil {
		return err
	}
	statements, err := persistence.LoadAndSplitQueryFromReaders([]io.Reader{bytes.NewReader(text)})
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, s := range statements {
		if err := db.Exec(s); err != nil {
			return fmt.Errorf("%s: %w: %s", file, err, s)
		}
	}
	return nil
}
