package outbound

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"os/exec"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestReach(t *testing.T) {
	for is, addresses := range map[reach][]string{
		public: {"8.8.8.8", "1.1.1.1", "172.15.255.255", "172.32.0.1", "100.63.255.255", "100.128.0.0", "192.169.0.1",
			"169.253.1.1", "168.63.129.15", "223.255.255.255",
			"2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"},
		loopback: {"127.0.0.1", "127.255.255.254", "::1", "::ffff:127.0.0.1", "::127.0.0.1",
			"64:ff9b::7f00:1", "2002:7f00:1::"},
		private: {"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.127.255.255", "198.18.0.1",
			"fc00::1", "fd00:ec2::253", "fec0::1",
			"::ffff:10.1.2.3", "::ffff:100.64.0.1", "64:ff9b::a00:1", "2002:c0a8:101::"},
		metadata: {"168.63.129.16", "::ffff:168.63.129.16", "64:ff9b::a83f:8110", "2002:a83f:8110::", "100.100.100.200",
			"::ffff:100.100.100.200", "fd00:ec2::254",
			"fd00:ec2::23", "fd00:ec2::23%eth0", "192.0.0.192", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"},
		never: {"0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::1",
			"fe80::1%eth0", "169.254.170.2", "169.254.170.23", "224.0.0.1", "239.255.255.250",
			"ff02::1", "255.255.255.255", "240.0.0.1", "192.0.0.170", "192.0.2.1", "203.0.113.7", "2001:db8::1", "2001::1",
			"64:ff9b:1::1", "100::1", "::ffff:0.0.0.0"},
	} {
		for _, a := range addresses {
			ip := netip.MustParseAddr(a)
			if got := reachOf(ip); got != is {
				t.Errorf("%s is %q, want %q", a, got, is)
			}
			for _, o := range []Options{{}, {AllowLoopback: true}, {AllowPrivate: true},
				{AllowLoopback: true, AllowPrivate: true}} {
				want := is == public || is == loopback && o.AllowLoopback || is == private && o.AllowPrivate
				if err := allowed(ip, o); (err == nil) != want {
					t.Errorf("%s with loopback %v, private %v: %v", a, o.AllowLoopback, o.AllowPrivate, err)
				}
			}
		}
	}
	if reachOf(netip.Addr{}) != never {
		t.Error("no address at all can be reached")
	}
}

// metadataAddresses are where clouds hand out credentials.
var metadataAddresses = []string{"169.254.169.254", "168.63.129.16", "100.100.100.200", "192.0.0.192", "169.254.170.2",
	"169.254.170.23", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42"}

// formsOf returns notations of an address, as literals of IPv6.
func formsOf(ip netip.Addr) []netip.Addr {
	out := []netip.Addr{ip}
	if ip.Is6() {
		return append(out, ip.WithZone("eth0"), ip.WithZone("1"))
	}
	v4 := ip.As4()
	at := func(prefix string, i int) {
		b := netip.MustParseAddr(prefix).As16()
		copy(b[i:], v4[:])
		out = append(out, netip.AddrFrom16(b), netip.AddrFrom16(b).WithZone("eth0"))
	}
	at("::ffff:0:0", 12)   // mapped
	at("::", 12)           // compatible
	at("::ffff:0:0:0", 12) // translated
	at("64:ff9b::", 12)    // NAT64
	at("64:ff9b:1::", 12)  // NAT64 of a network, with prefixes of different lengths
	at("64:ff9b:1::", 6)
	at("2002::", 2) // 6to4
	at("2001::", 4) // Teredo: the server …
	not := [4]byte{^v4[0], ^v4[1], ^v4[2], ^v4[3]}
	b := netip.MustParseAddr("2001::").As16()
	copy(b[12:], not[:]) // … and the client, inverted
	return append(out, netip.AddrFrom16(b))
}

// No setting opens the metadata of a cloud: not as a literal in any form, not through a name, and not through a proxy.
func TestMetadataIsNeverReached(t *testing.T) {
	options := []Options{{}, {AllowLoopback: true}, {AllowPrivate: true}, {AllowLoopback: true, AllowPrivate: true}}
	for _, text := range metadataAddresses {
		for _, ip := range formsOf(netip.MustParseAddr(text)) {
			for _, o := range options {
				if err := allowed(ip, o); err == nil {
					t.Errorf("%s, a form of %s, can be reached with loopback %v, private %v", ip, text,
						o.AllowLoopback, o.AllowPrivate)
				}
			}
			// The check is of the connection, whatever the name was.
			c := New(options[3])
			c.dialer.Resolver = resolving(t, ip)
			conn, err := c.Dial(t.Context(), "tcp", "innocent.example:80")
			if err == nil {
				conn.Close() //nolint:errcheck // it should not be there
			}
			if !forbidden(err) {
				t.Errorf("a name of %s: %v", ip, err)
			}
			c.Close()
		}
	}
}

func TestNoProxyReachesMetadata(t *testing.T) {
	if os.Getenv("HTTP_PROXY") != "http://proxy.example:1" {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestNoProxyReachesMetadata$")
		cmd.Env = append(os.Environ(), "HTTP_PROXY=http://proxy.example:1", "NO_PROXY=", "no_proxy=")
		if out, err := cmd.CombinedOutput(); err != nil { // the environment is read once in a process
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	ask := func(host string, ip netip.Addr) (*url.URL, error) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+host+"/", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		return proxied(resolving(t, ip))(req)
	}
	public := netip.MustParseAddr("8.8.8.8")
	for _, text := range metadataAddresses {
		for _, ip := range formsOf(netip.MustParseAddr(text)) {
			literal := ip.WithZone("").String()
			if ip.Is6() {
				literal = "[" + literal + "]"
			}
			if _, err := ask(literal, public); !forbidden(err) {
				t.Errorf("%s is given to the proxy: %v", literal, err)
			}
			if _, err := ask("innocent.example", ip); !forbidden(err) {
				t.Errorf("a name of %s is given to the proxy: %v", ip, err)
			}
		}
	}
	for _, host := range []string{"0xa9fea9fe", "2852039166", "169.254.43518", "0251.0376.0251.0376",
		"0xa9.0xfe.0xa9.0xfe", "169.254.169.254.", "099"} {
		if _, err := ask(host, public); !forbidden(err) {
			t.Errorf("%s is given to the proxy: %v", host, err)
		}
	}
	for _, host := range []string{"innocent.example", "8.8.8.8", "10.0.0.1", "a1.0xg.example"} {
		if proxy, err := ask(host, public); err != nil || proxy == nil || proxy.Host != "proxy.example:1" {
			t.Errorf("%s: %v %v", host, proxy, err)
		}
	}
	if proxy, err := ask("only.proxy.knows", netip.Addr{}); err != nil || proxy == nil {
		t.Errorf("a name that only the proxy knows: %v %v", proxy, err)
	}
}

// forbidden reports whether an error is the refusal of an address.
func forbidden(err error) bool {
	var f *Failed
	return errors.As(err, &f) && f.Code == Forbidden
}

// resolving resolves every name to an address; to none if it is not valid.
func resolving(t *testing.T, ip netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go answerDNS(t, theirs, ip.WithZone(""))
		return ours, nil
	}}
}

// answerDNS answers one question, as over TCP.
func answerDNS(t *testing.T, c net.Conn, ip netip.Addr) {
	defer c.Close() //nolint:errcheck // the resolver has its answer
	var size [2]byte
	if _, err := io.ReadFull(c, size[:]); err != nil {
		return
	}
	question := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(c, question); err != nil {
		return
	}
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		t.Error(err)
		return
	}
	q := m.Questions[0]
	a := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true},
		Questions: m.Questions}
	head := dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 1}
	switch {
	case !ip.IsValid():
		a.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA && ip.Is4():
		a.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: ip.As4()}}}
	case q.Type == dnsmessage.TypeAAAA && ip.Is6():
		a.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}}}
	}
	b, err := a.Pack()
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(b))), b...)) // it may have hung up
}
