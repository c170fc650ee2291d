package outbound

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// The guard keeps configured addresses from leading to places that only this machine can reach: its own
// services, the company's network, the cloud's metadata. It checks the address of the connection itself.

// reach classifies an address.
type reach string

const (
	public   reach = ""
	loopback reach = "this machine itself"
	private  reach = "a private network"
	metadata reach = "a cloud metadata service"
	never    reach = "not a valid address for a service" // link-local, multicast, unspecified and reserved ones
)

// clouds are metadata addresses, where cloud machines get their credentials. Some are in ranges that are
// otherwise public or private, so no setting opens them; 169.254.0.0/16 and fe80::/10 are blocked anyway.
var clouds = []netip.Addr{
	netip.MustParseAddr("168.63.129.16"),      // Azure
	netip.MustParseAddr("100.100.100.200"),    // Alibaba
	netip.MustParseAddr("192.0.0.192"),        // Oracle
	netip.MustParseAddr("fd00:ec2::254"),      // AWS
	netip.MustParseAddr("fd00:ec2::23"),       // AWS, for containers
	netip.MustParseAddr("fd20:ce::254"),       // Google
	netip.MustParseAddr("fd00:c1::a9fe:a9fe"), // Oracle
	netip.MustParseAddr("fd00:42::42"),        // Scaleway
}

// ranges that netip does not classify.
var ranges = []struct {
	net netip.Prefix
	is  reach
}{
	{netip.MustParsePrefix("0.0.0.0/8"), never},       // this network; 0.0.0.0 reaches this machine
	{netip.MustParsePrefix("100.64.0.0/10"), private}, // carrier-grade NAT
	{netip.MustParsePrefix("192.0.0.0/24"), never},    // protocol assignments
	{netip.MustParsePrefix("192.0.2.0/24"), never},    // documentation
	{netip.MustParsePrefix("192.88.99.0/24"), never},  // 6to4 relays
	{netip.MustParsePrefix("198.18.0.0/15"), private}, // benchmarks
	{netip.MustParsePrefix("198.51.100.0/24"), never}, // documentation
	{netip.MustParsePrefix("203.0.113.0/24"), never},  // documentation
	{netip.MustParsePrefix("240.0.0.0/4"), never},     // reserved, broadcast
	{netip.MustParsePrefix("64:ff9b:1::/48"), never},  // local translation
	{netip.MustParsePrefix("100::/64"), never},        // discard
	{netip.MustParsePrefix("2001::/32"), never},       // Teredo
	{netip.MustParsePrefix("2001:db8::/32"), never},   // documentation
	{netip.MustParsePrefix("fec0::/10"), private},     // site-local
}

// carriers are IPv6 ranges that embed an IPv4 address, from that byte on.
var carriers = []struct {
	net netip.Prefix
	at  int
}{
	{netip.MustParsePrefix("::/96"), 12},           // compatible
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // translated
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

// reachOf classifies an address.
func reachOf(ip netip.Addr) reach {
	ip = ip.Unmap().WithZone("")
	switch {
	case slices.Contains(clouds, ip):
		return metadata
	case !ip.IsValid(), ip.IsUnspecified(), ip.IsMulticast(), ip.IsLinkLocalUnicast():
		return never
	case ip.IsLoopback():
		return loopback
	case ip.IsPrivate():
		return private
	}
	for _, r := range ranges {
		if r.net.Contains(ip) {
			return r.is
		}
	}
	for _, c := range carriers {
		if c.net.Contains(ip) {
			b := ip.As16()
			return reachOf(netip.AddrFrom4([4]byte(b[c.at : c.at+4])))
		}
	}
	return public
}

// dialer opens connections, and refuses those that Options does not allow.
func dialer(o Options) *net.Dialer {
	return &net.Dialer{
		Timeout: connectWithin,
		ControlContext: func(_ context.Context, _, address string, _ syscall.RawConn) error {
			at, err := netip.ParseAddrPort(address)
			if err != nil {
				return Permanent(Forbidden, fmt.Sprintf("%s is %s", address, never))
			}
			return allowed(at.Addr(), o)
		},
	}
}

func allowed(ip netip.Addr, o Options) error {
	is := reachOf(ip)
	switch {
	case is == public, is == loopback && o.AllowLoopback, is == private && o.AllowPrivate:
		return nil
	case is == loopback:
		return Permanent(Forbidden, fmt.Sprintf("%s is %s, which is blocked; local mode and "+
			"allow_private allow it", ip, is))
	case is == private:
		return Permanent(Forbidden, fmt.Sprintf("%s is in %s, which is blocked; allow_private allows it", ip, is))
	}
	return Permanent(Forbidden, fmt.Sprintf("%s is %s", ip, is))
}

// proxied is the environment's proxy for a request. The proxy dials, out of the guard's sight: so what no setting
// allows is refused before. A name is resolved here as well, if it can be.
func proxied(resolver *net.Resolver) func(*http.Request) (*url.URL, error) {
	return func(req *http.Request) (*url.URL, error) {
		proxy, err := http.ProxyFromEnvironment(req)
		if proxy == nil || err != nil {
			return nil, err
		}
		host := strings.TrimSuffix(req.URL.Hostname(), ".")
		if ip, err := netip.ParseAddr(host); err == nil {
			return proxy, allowed(ip, Options{AllowLoopback: true, AllowPrivate: true})
		}
		if numeric(host) {
			return nil, Permanent(Forbidden, fmt.Sprintf("%s is %s: write addresses as four decimal numbers", host, never))
		}
		ctx, cancel := context.WithTimeout(req.Context(), connectWithin)
		defer cancel()
		ips, err := resolver.LookupNetIP(ctx, "ip", host)
		if err != nil {
			return proxy, nil // only the proxy knows the name
		}
		for _, ip := range ips {
			if err := allowed(ip, Options{AllowLoopback: true, AllowPrivate: true}); err != nil {
				return nil, err
			}
		}
		return proxy, nil
	}
}

// numeric reports whether a proxy might read a host as an address in an old notation: 0xa9fea9fe, 169.254.43518.
func numeric(host string) bool {
	last := host[strings.LastIndexByte(host, '.')+1:]
	_, err := strconv.ParseUint(last, 0, 64)
	return err == nil || last != "" && strings.Trim(last, "0123456789") == ""
}
