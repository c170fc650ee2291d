package steady

import (
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Systems take the ports of outgoing connections, and of listeners on port 0, from above 32767. What is bound later,
// or bound again after a restart, is therefore below. The Temporal server of the tests takes its ports from 26000 on.
const (
	firstPort = 20_000
	lastPort  = 25_999
)

// Port is a free port for a program that listens later. Connections and other tests on a busy machine do not take it
// in the meantime.
func Port(t testing.TB) string {
	t.Helper()
	var err error
	for range 100 {
		port := strconv.Itoa(firstPort + rand.IntN(lastPort-firstPort+1))
		var l net.Listener
		if l, err = net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			_ = l.Close()
			return port
		}
	}
	t.Fatalf("no free port: %v", err)
	return ""
}
