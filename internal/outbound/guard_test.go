package outbound

import (
	"net/netip"
	"testing"
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
			"fd20:ce::254", "fd00:c1::a9fe:a9fe"},
		never: {"0.0.0.0", "0.1.2.3", "::", "169.254.169.254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "fe80::1",
			"fe80::1%eth0", "224.0.0.1", "239.255.255.250",
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
