// Command devserver is a Temporal server for tests and for trying the Temporal engine on one machine. It keeps
// everything in one SQLite file, in memory, or in a PostgreSQL database, and stops when its standard input is closed.
//
//	devserver -db /tmp/temporal.db -port 7233
//	devserver -postgres postgres://temporal@127.0.0.1:5432/temporal
//
// It is in a module of its own because Temporal's server has 600 dependencies that the product does not need.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/membership/static"
	sqliteplugin "go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	"go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
)

func main() {
	db := flag.String("db", "", "file to keep everything in; empty: in memory")
	address := flag.String("postgres", "", "PostgreSQL database to keep everything in instead, empty or prepared by an "+
		"earlier start: postgres://USER:PASSWORD@HOST:PORT/DATABASE")
	port := flag.Int("port", 0, "port of the front end; 0: any free one")
	namespace := flag.String("namespace", "default", "namespace to create")
	flag.Parse()
	log.SetFlags(0)
	log.SetPrefix("devserver: ")
	if err := run(*db, *address, *port, *namespace); err != nil {
		log.Fatal(err)
	}
}

func run(db, address string, port int, namespace string) error {
	sql, err := prepare(db, address)
	if err != nil {
		return err
	}
	c, err := settings(sql, port)
	if err != nil {
		return err
	}
	ns, err := sqlite.NewNamespaceConfig("active", namespace, false, nil)
	if err != nil {
		return err
	}
	if err := sqlite.CreateNamespaces(sql, ns); err != nil {
		return fmt.Errorf("create the namespace %s: %w", namespace, err)
	}
	// Services that looked for each other would wait for a killed process of this cluster for up to a minute.
	hosts := map[primitives.ServiceName]static.Hosts{}
	for name, s := range c.Services {
		hosts[primitives.ServiceName(name)] = static.SingleLocalHost(fmt.Sprintf("127.0.0.1:%d", s.RPC.GRPCPort))
	}
	s, err := temporal.NewServer(
		temporal.WithConfig(c), temporal.ForServices(temporal.DefaultServices), temporal.WithStaticHosts(hosts),
		temporal.WithLogger(serverlog.NewNoopLogger()),
		temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
		temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper {
			return authorization.NewNoopClaimMapper()
		}),
		temporal.WithDynamicConfigClient(dynamicconfig.StaticClient{}),
	)
	if err != nil {
		return err
	}
	if err := s.Start(); err != nil {
		return err
	}
	fmt.Printf("ready %s\n", c.PublicClient.HostPort)
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, os.Interrupt, syscall.SIGTERM)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop <- syscall.SIGTERM
	}()
	<-stop
	return s.Stop()
}

// prepare returns where everything is kept, with the tables that Temporal needs.
func prepare(db, address string) (*config.SQL, error) {
	if address != "" {
		return preparePostgres(address)
	}
	sql := &config.SQL{PluginName: sqliteplugin.PluginName, DatabaseName: db,
		ConnectAttributes: map[string]string{"mode": "rwc", "journal_mode": "wal", "synchronous": "full"}}
	if db == "" {
		sql.DatabaseName = "assent"
		sql.ConnectAttributes = map[string]string{"mode": "memory", "cache": "shared"}
	}
	if _, err := os.Stat(db); db != "" && errors.Is(err, os.ErrNotExist) {
		if err := sqlite.SetupSchema(sql); err != nil {
			return nil, fmt.Errorf("create %s: %w", db, err)
		}
	}
	return sql, nil
}

// settings are those of a server of one process on the loopback interface.
func settings(sql *config.SQL, port int) (*config.Config, error) {
	services := map[string]config.Service{}
	for _, name := range []string{"frontend", "history", "matching", "worker"} {
		p, err := free()
		if err != nil {
			return nil, err
		}
		if name == "frontend" && port != 0 {
			p = port
		}
		member, err := free()
		if err != nil {
			return nil, err
		}
		if name == "frontend" {
			port = p
		}
		services[name] = config.Service{RPC: config.RPC{GRPCPort: p, MembershipPort: member, BindOnLocalHost: true}}
	}
	address := fmt.Sprintf("127.0.0.1:%d", port)
	c := &config.Config{
		Services: services,
		Persistence: config.Persistence{DefaultStore: sql.PluginName, VisibilityStore: sql.PluginName,
			NumHistoryShards: 1, DataStores: map[string]config.DataStore{sql.PluginName: {SQL: sql}}},
		ClusterMetadata: &cluster.Config{FailoverVersionIncrement: 10, MasterClusterName: "active",
			CurrentClusterName: "active", ClusterInformation: map[string]cluster.ClusterInformation{
				"active": {Enabled: true, InitialFailoverVersion: 1, RPCAddress: address}}},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{History: config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"}},
		PublicClient: config.PublicClient{HostPort: address},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"}}},
	}
	c.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: "127.0.0.1"}
	return c, nil
}

// free finds a free port between 26,000 and 32,767, where the system hands out none: another process would take it
// before the server listens, and the server would panic. Processes begin at different places.
func free() (int, error) {
	for range 6768 {
		port := 26_000 + next%6768
		next++
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no port between 26000 and 32767 is free")
}

// next is where free continues to look; a server takes eight ports.
var next = 8 * os.Getpid()
