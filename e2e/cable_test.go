package e2e

import (
	"net"
	"sync"
	"testing"
)

// cable is the network between two programs. It can be cut, which ends its connections, or silenced, which makes
// what is sent wait.
type cable struct {
	l           net.Listener
	network, to string
	silence     sync.RWMutex // held while it is silent

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// newCable leads to an address.
func newCable(t testing.TB, network, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{l: l, network: network, to: to, conns: map[net.Conn]bool{}}
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go c.connect(in)
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		c.unplug()
	})
	return c
}

// address is where it begins: HOST:PORT.
func (c *cable) address() string { return c.l.Addr().String() }

// lead leads to another address from now on.
func (c *cable) lead(network, to string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.network, c.to = network, to
}

// unplug ends all connections and accepts none until plug.
func (c *cable) unplug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = true
	for conn := range c.conns {
		_ = conn.Close()
	}
}

func (c *cable) plug() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cut = false
}

// silent makes everything that is sent wait, until the function it returns is called.
func (c *cable) silent() func() {
	c.silence.Lock()
	return c.silence.Unlock
}

func (c *cable) connect(in net.Conn) {
	defer in.Close()
	c.mu.Lock()
	network, to := c.network, c.to
	c.mu.Unlock()
	out, err := net.Dial(network, to)
	if err != nil {
		return
	}
	defer out.Close()
	if !c.keep(in, out) {
		return
	}
	defer c.forget(in, out)
	ended := make(chan struct{}, 2)
	pass := func(to, from net.Conn) {
		defer func() { ended <- struct{}{} }()
		b := make([]byte, 32<<10)
		for {
			n, err := from.Read(b)
			c.silence.RLock()
			_, failed := to.Write(b[:n])
			c.silence.RUnlock()
			if err != nil || failed != nil {
				return
			}
		}
	}
	go pass(out, in)
	go pass(in, out)
	<-ended
}

func (c *cable) keep(conns ...net.Conn) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		c.conns[conn] = true
	}
	if c.cut {
		for _, conn := range conns {
			delete(c.conns, conn)
		}
	}
	return !c.cut
}

func (c *cable) forget(conns ...net.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range conns {
		delete(c.conns, conn)
	}
}
