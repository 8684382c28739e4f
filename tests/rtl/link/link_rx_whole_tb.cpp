// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_rx_whole: packets of both forms, right and wrong in every way, short ones behind long ones, with verdicts
// and a taker that come early or late. Each becomes a descriptor, a congestion notification, or is dropped by the first
// rule that it breaks, in order; the descriptor says what a byte by byte reading finds; no slot is told twice.
// dut: ohca_link_rx_whole
// dut: ohca_link_rx_whole RoCE=0 Compact=1 AddrW=12
// dut: ohca_link_rx_whole DataWidth=512 AddrW=10
// dut: ohca_link_rx_whole DataWidth=256 RoCE=0
// args: --cycles 40000
#include "Vdut.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

#include "ibpkt.h"
#include "ipoib.h"
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<uint8_t> Bytes;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_ADDR_W
#define TB_ADDR_W 12
#endif
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
enum { B = TB_DATA_WIDTH / 8, GIDS = OHCA_PORT_GIDS };
// Below 0: no counter
enum { TAKEN = -1, QUIET = -2 };

struct Packet {
	Bytes p;                                     // LRH to ICRC or VCRC
	bool eth = false, loop = false, fw = false, bad = false, len_ok = true, over = false, vcrc = true, icrc = true;
	bool sum = false;
	u32 slot = 0, base = 0;
	u64 ready = 0;                               // when its verdict comes
	bool v6() const { return p[1] & 1; }
	bool grh() const { return eth || (p[1] & 3) == 3; }
	u32 bth() const { return eth ? (v6() ? 76 : 56) : grh() ? 48 : 8; }
	u32 be(u32 at, u32 n) const { u32 v = 0; while (n--) v = v << 8 | p[at++]; return v; }
	u32 pktlen() const { return be(4, 2) & 0x7ff; }
	u32 dlid() const { return be(2, 2); }
	u32 slid() const { return be(6, 2); }
	u32 off() const { return bth() + 12 + u32(ib::ext_bytes(p[bth()])); }
	bool cnp() const { return eth && p[bth()] == 0x81; }
};

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	tb::Pace in, verdicts;
	tb::Sink<tb::Value<decltype(Vdut::rxd_o)>> out;
	std::deque<Packet> wait, told;               // without a verdict; taken, not yet seen as a descriptor
	std::deque<std::pair<u32, Bytes>> cnps;      // what is to be said of congestion notifications
	Packet cur;
	u32 at = 0, slot = 0;
	bool busy = false, on = false, v_on = false;
	u64 n = 0, taken = 0, quiet = 0, n_cnp = 0, sums = 0, no_sums = 0;
	u64 why[64] = {};
	u64 popped = 0;
	bool single = false;
	// The port
	u32 lid = 0x40, lmc = 2, vls = 4;
	bool data_en = true;
	Bytes prefix, guids;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), in(&rng), verdicts(&rng), out(&rng, "rxd") {}

	void port() {
		lid = rng.chance(5) ? 0 : u32(rng.range(1, 0xbfff));
		lmc = u32(rng.below(4));
		vls = 1u << rng.below(4);
		data_en = !rng.chance(10);
		prefix = rng.bytes(8);
		guids.clear();
		for (u32 i = 0; i < GIDS; i++) {
			Bytes g = rng.chance(70) ? rng.bytes(8) : Bytes(8, 0);
			guids.insert(guids.end(), g.begin(), g.end());
		}
		tb::clear(b->cfg_i);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_LID, lid);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_LMC, lmc);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_OPER_VLS, vls);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_RX_DATA_EN, data_en);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_GID_PREFIX, word(prefix, 0));
		for (u32 i = 0; i < GIDS; i++) tb::set_bits(b->guids_i, 64 * i, 64, word(guids, 8 * i));
	}
	static u64 word(const Bytes &p, size_t at) { u64 v = 0; for (u32 i = 0; i < 8; i++) v = v << 8 | p[at + i]; return v; }

	// The counter of the first rule that it breaks.
	int judge(const Packet &k) {
		u32 vl = k.p[0] >> 4, dlid = k.dlid();
		if (k.bad) return QUIET;
		if (k.eth) {
			if (k.over) return OHCA_COUNTER_ETH_JUMBO;
			if (!k.len_ok) return OHCA_COUNTER_ETH_TRUNC;
			if (!data_en) return OHCA_COUNTER_RX_VL;
			if (!k.icrc) return OHCA_COUNTER_RX_ICRC;
		} else {
			bool group = dlid >= 0xc000 && dlid != 0xffff, smp = vl == 15;
			if (!k.vcrc) return OHCA_COUNTER_RX_VCRC;
			if (k.p[0] & 15) return OHCA_COUNTER_RX_LVER;
			if (!k.len_ok || k.over) return OHCA_COUNTER_RX_LEN;
			if (!k.fw) {
				if (smp && (k.p[1] & 3) != 2) return OHCA_COUNTER_RX_VL;
				if (!smp && (vl >= vls || !data_en)) return OHCA_COUNTER_RX_VL;
				bool mine = dlid == 0xffff ? smp : group ? !smp : dlid && lid && dlid >> lmc == lid >> lmc;
				if (!mine) return OHCA_COUNTER_RX_DLID;
			}
			if ((k.p[1] & 3) < 2) return OHCA_COUNTER_RX_BTH;
			if (!k.icrc) return OHCA_COUNTER_RX_ICRC;
			if (k.grh()) {
				if (k.pktlen() < 16) return OHCA_COUNTER_RX_LEN;
				if (k.p[8] >> 4 != 6 || k.p[14] != 0x1b) return OHCA_COUNTER_RX_BTH;
				if (k.be(12, 2) != k.pktlen() * 4 - 48) return OHCA_COUNTER_RX_LEN;
			}
		}
		u32 pad = k.p[k.bth() + 1] >> 4 & 3;
		if (k.pktlen() * 4 < k.off() + 4 + pad) return OHCA_COUNTER_RX_LEN;
		return k.cnp() ? OHCA_COUNTER_CNP_RX : TAKEN;
	}
	u32 gid(const Packet &k) {
		u64 pre = word(k.p, 32), id = word(k.p, 40);
		if (pre != word(prefix, 0) && pre != 0xfe80ull << 48) return 255;
		for (u32 i = 0; i < GIDS; i++) if (id && word(guids, 8 * i) == id) return i;
		return 255;
	}
	Packet make() {
		Packet k;
		bool sum = rng.chance(35);
		if (sum) {
			ipoib::Form f = ipoib::form(rng, TB_RO_C_E);
			if (!ipoib::is_ud(f)) f.op = 0x64 + f.imm;
			Bytes pay = ipoib::random(rng, 600);
			k.p = ipoib::packet(rng, f, pay);
			k.eth = f.eth;
			k.sum = !TB_COMPACT && ipoib::look(pay).ok;
		} else {
			k.eth = TB_RO_C_E && rng.chance(35);
			u32 hdr = k.eth ? 56 : 8;
			k.p = rng.bytes(hdr + 108 + rng.below(rng.chance(90) ? 60 : 300));
			u64 lnh = k.eth ? rng.bits(1) : rng.chance(90) ? rng.range(2, 3) : rng.bits(2);
			k.p[1] = uint8_t((k.p[1] & 0xf0) | lnh);
			static const uint8_t ops[] = {4, 0, 6, 10, 11, 12, 13, 15, 16, 17, 18, 19, 20, 0x81, 0x81, 0x84, 0xff};
			k.p[k.bth()] = rng.chance(80) ? ops[rng.below(sizeof ops)] : uint8_t(rng.next());
			if ((k.p[k.bth()] & 0xfe) == 0x64) k.p[k.bth()] ^= 0x40;
			// As long as the headers, or nearly: an end is where the rules are.
			if (rng.chance(40)) k.p.resize(std::max<size_t>(k.bth() + 12, k.off() + rng.below(4) * 4 - 4));
			k.p.resize(k.p.size() / 4 * 4);
		}
		u64 vl = rng.chance(85) ? rng.below(vls) : rng.chance(50) ? 15 : rng.below(16);
		k.p[0] = uint8_t(vl << 4 | (rng.chance(3) ? rng.below(16) : 0));
		u32 len = u32(k.p.size()) / 4 + 1;
		if (rng.chance(4)) { len += u32(rng.range(1, 3)) - 2; k.len_ok = len == k.p.size() / 4 + 1; }
		k.p[4] = uint8_t((k.p[4] & 0xf8) | len >> 8);
		k.p[5] = uint8_t(len);
		u32 dlid = rng.chance(80) ? (lid & ~0u << lmc) | u32(rng.bits(lmc)) : rng.chance(40) ? 0xc000 | u32(rng.bits(14)) :
			   rng.chance(40) ? 0xffff : u32(rng.bits(16));
		ipoib::set16(k.p, 2, dlid);
		if (!k.eth && k.grh()) {
			k.p[8] = uint8_t((rng.chance(97) ? 0x60 : rng.bits(4) << 4) | rng.bits(4));
			k.p[14] = rng.chance(97) ? 0x1b : uint8_t(rng.next());
			ipoib::set16(k.p, 12, len * 4 - 48 + (rng.chance(3) ? 4 : 0));
			if (rng.chance(80)) for (u32 i = 0; i < 8; i++) k.p[32 + i] = rng.chance(50) ? prefix[i] : k.p[32 + i];
			if (rng.chance(80)) memcpy(&k.p[32], rng.chance(50) ? prefix.data() : (const uint8_t *)"\xfe\x80\0\0\0\0\0", 8);
			if (rng.chance(80)) memcpy(&k.p[40], &guids[8 * rng.below(GIDS)], 8);
		}
		for (u32 i = k.eth ? 4 : 6; i--;) k.p.push_back(uint8_t(rng.next()));      // CRCs
		k.loop = rng.chance(20);
		k.fw = rng.chance(10);
		k.bad = rng.chance(3);
		k.over = rng.chance(2);
		if (rng.chance(2)) k.len_ok = false;
		k.vcrc = !rng.chance(3);
		k.icrc = !rng.chance(3);
		k.slot = slot++ & 63;
		k.base = u32(rng.bits(TB_ADDR_W));
		return k;
	}
	// The GRH's place in the descriptor: InfiniBand's, IPv6's, or that of IPv4 (A17, RFC 4291 mapped).
	static Bytes grh(const Packet &k) {
		if (!k.eth) return Bytes(&k.p[8], &k.p[48]);
		if (k.v6()) return Bytes(&k.p[28], &k.p[68]);
		const uint8_t *v4 = &k.p[28];
		Bytes g(40, 0);
		ipoib::set16(g, 0, 0x6000 | v4[1] << 4);
		ipoib::set16(g, 4, k.be(30, 2) - 20);
		g[6] = 0x1b;
		g[7] = v4[8];
		for (u32 i = 0; i < 2; i++) {
			g[8 + 16 * i + 10] = g[8 + 16 * i + 11] = 0xff;
			memcpy(&g[8 + 16 * i + 12], v4 + 12 + 4 * i, 4);
		}
		return g;
	}
	template <class S> void bytes_eq(const S &sig, u32 lsb, u32 width, const uint8_t *p, u32 n, const char *what) {
		for (u32 i = 0; i < n; i++) CHECK_EQ(tb::get_bits(sig, lsb + width - 8 - 8 * i, 8), p[i], what);
	}
	void descriptor(const Packet &k) {
		auto &d = b->rxd_o;
		u32 op = k.p[k.bth()], more = k.eth && k.v6() ? 20 : 0, sl = k.p[1] >> 4;
		CHECK_EQ(FIELD(d, OHCA_RXD_SLOT), k.slot, "slot");
		CHECK_EQ(FIELD(d, OHCA_RXD_VL15), !k.eth && k.p[0] >> 4 == 15, "VL15");
		CHECK_EQ(FIELD(d, OHCA_RXD_FROM_FW), k.fw, "from_fw");
		CHECK_EQ(FIELD(d, OHCA_RXD_LOOP), k.loop, "loop");
		CHECK_EQ(FIELD(d, OHCA_RXD_SL), more ? 8 | (sl & 7) : sl, "SL");
		CHECK_EQ(FIELD(d, OHCA_RXD_DLID), k.eth ? 0 : k.dlid(), "DLID");
		CHECK_EQ(FIELD(d, OHCA_RXD_SLID), !k.eth ? k.slid() : op >> 5 == 3 ? k.dlid() : 0, "SLID");
		CHECK_EQ(FIELD(d, OHCA_RXD_GRH_V), k.grh(), "is there a GRH");
		if (k.grh()) {
			bytes_eq(d, OHCA_RXD_GRH_LSB, 320, grh(k).data(), 40, "GRH");
			CHECK_EQ(FIELD(d, OHCA_RXD_GIDX), k.eth ? k.slid() & 255 : gid(k), "index of the GID");
		}
		u32 ext = k.bth() + 12;
		bytes_eq(d, OHCA_RXD_BTH_LSB, 96, &k.p[k.bth()], 12, "BTH");
		bytes_eq(d, OHCA_RXD_EXT_LSB, 224, &k.p[ext], std::min<u32>(28, u32(k.p.size()) - ext), "what is behind the BTH");
		CHECK_EQ(FIELD(d, OHCA_RXD_BASE), (k.base * B + more) & 0xfffff, "base");
		CHECK_EQ(FIELD(d, OHCA_RXD_PAY_OFF), k.off() - more, "where the payload begins");
		CHECK_EQ(FIELD(d, OHCA_RXD_PLEN), k.pktlen() * 4 - 4 - k.off() - (k.p[k.bth() + 1] >> 4 & 3), "length of the payload");
		CHECK_EQ(FIELD(d, OHCA_RXD_ETH), k.eth, "frame");
		CHECK_EQ(FIELD(d, OHCA_RXD_CE), k.eth && (k.slid() & 256), "congestion seen");
		CHECK_EQ(FIELD(d, OHCA_RXD_CSUM_OK), k.sum, "checksum");
	}
	void drive(bool more) {
		if (!busy && more && n < b.cycles / 8) { cur = make(); at = 0; busy = true; }
		// Another packet begins only where there is room for it.
		on = busy && (at || (b->ready_o && !(single && !(wait.empty() && judged.empty() && told.empty())))) && in.go();
		b->fire_i = on;
		uint8_t beat[B], turned[B];
		for (u32 i = 0; i < B; i++) turned[B - 1 - i] = beat[i] = at + i < cur.p.size() ? cur.p[at + i] : uint8_t(rng.next());
		tb::set_bytes(b->data_i, beat, B);
		tb::set_bytes(b->wire_i, turned, B);
		b->idx_i = at / B;
		b->last_i = at + B >= cur.p.size();
		b->eth_i = cur.eth; b->slot_i = cur.slot; b->base_i = cur.base; b->loop_i = cur.loop; b->fw_i = cur.fw;
		b->bad_i = b->last_i ? cur.bad : rng.bits(1);
		b->len_ok_i = b->last_i ? cur.len_ok : rng.bits(1);
		b->over_i = cur.over;
		if (!v_on) v_on = !wait.empty() && b.now() >= wait[0].ready && verdicts.go();
		b->v_valid_i = v_on;
		if (v_on) { b->v_vcrc_i = wait[0].vcrc; b->v_icrc_i = wait[0].icrc; }
		b->rxd_ready_i = out.drive();
	}
	std::deque<Packet> judged;                   // with the verdict: what becomes of them is told in order
	void look() {
		CHECK(!b->v_pop_o || v_on, "takes a verdict that is not there");
		CHECK_EQ(b->idle_o, wait.empty() && judged.empty() && told.empty(), "idle");
		CHECK(!(b->take_o && b->drop_o), "one or the other");
		if (b->cnp_valid_o) {
			CHECK(!cnps.empty(), "a congestion notification that did not come");
			CHECK_EQ(b->cnp_qpn_o, cnps[0].first, "QP of a congestion notification");
			bytes_eq(b->cnp_sgid_o, 0, 128, cnps[0].second.data(), 16, "its sender");
			cnps.pop_front();
		} else CHECK(cnps.empty(), "a congestion notification is not told");
		if (out.sample(b->rxd_valid_o, {b->rxd_o})) {
			CHECK(!told.empty(), "a descriptor too many");
			descriptor(told[0]);
			if (single && told[0].bth() && (told[0].p[told[0].bth()] & 0xfe) != 0x64) CHECK_EQ(b.now() - popped, 2, "cycles from the verdict");
			told.pop_front();
			b.progress();
		}
		if (b->take_o || b->drop_o) {
			CHECK(!judged.empty(), "a packet too many");
			const Packet &k = judged[0];
			int w = judge(k);
			CHECK_EQ(b->slot_o, k.slot, "slot");
			CHECK_EQ(b->loop_o, k.loop, "loop");
			CHECK_EQ(b->eth_o, k.eth, "eth");
			CHECK_EQ(b->v15_o, k.p[0] >> 4 == 15, "VL15");
			CHECK_EQ(b->dlid_o, k.dlid(), "DLID");
			CHECK_EQ(b->pktlen_o, k.pktlen(), "PktLen");
			CHECK_EQ(b->ce_o, k.slid() >> 8 & 1, "CE");
			CHECK_EQ(b->quiet_o, w == QUIET, "without a count");
			CHECK_EQ(b->take_o, w == TAKEN, "a packet is taken");
			if (w >= 0) CHECK_EQ(b->why_o, w, "counter");
			if (b->drop_o) CHECK_EQ(b->cnp_o, w == OHCA_COUNTER_CNP_RX, "a congestion notification");
			if (w == TAKEN) { taken++; sums += k.sum; no_sums += !k.sum && (k.p[k.bth()] & 0xfe) == 0x64; told.push_back(k); }
			else if (w == QUIET) quiet++;
			else why[w]++;
			if (w == OHCA_COUNTER_CNP_RX) {
				Bytes g = grh(k);
				cnps.push_back({k.be(k.bth() + 5, 3), Bytes(&g[8], &g[24])});
				n_cnp++;
			}
			judged.pop_front();
			b.progress();
		}
		if (b->v_pop_o) {
			judged.push_back(wait[0]);
			wait.pop_front();
			v_on = false;
			popped = b.now();
		}
		if (on) {
			at += B;
			if (at >= cur.p.size()) { cur.ready = b.now() + rng.range(1, 6); wait.push_back(cur); busy = false; n++; }
		}
	}
	bool empty() { return !busy && wait.empty() && judged.empty() && told.empty() && cnps.empty(); }
	int run() {
		b->fire_i = 0; b->v_valid_i = 0; b->rxd_ready_i = 0;
		port();
		b.reset();
		while (n < b.cycles / 8) {
			single = rng.chance(20);             // one at a time, at full speed: how long it takes
			in.always(rng.chance(50) ? 1 : -1);
			verdicts.always(single || rng.chance(30) ? 1 : -1);
			out.pace.always(single || rng.chance(30) ? 1 : -1);
			for (u64 to = n + rng.range(10, 100); n < to && n < b.cycles / 8;) b.cycle([&] { drive(true); }, [&] { look(); });
			if (rng.chance(15)) {            // all that there is room for waits
				single = false;
				(rng.chance(50) ? out.pace : verdicts).always(0);
				for (u32 i = 0; i < 400; i++) b.cycle([&] { drive(true); }, [&] { look(); });
				verdicts.always(-1);
				out.pace.always(-1);
			}
			while (!empty()) b.cycle([&] { drive(false); }, [&] { look(); });
			port();
		}
		GOAL(taken > 300 && quiet > 10);
		for (u32 w : {OHCA_COUNTER_RX_VCRC, OHCA_COUNTER_RX_LVER, OHCA_COUNTER_RX_LEN, OHCA_COUNTER_RX_VL, OHCA_COUNTER_RX_DLID,
			      OHCA_COUNTER_RX_BTH, OHCA_COUNTER_RX_ICRC}) GOAL(why[w] > 5);
		GOAL(TB_COMPACT || (sums > 50 && no_sums > 20));
		GOAL(!TB_RO_C_E || (n_cnp > 5 && why[OHCA_COUNTER_ETH_JUMBO] > 2 && why[OHCA_COUNTER_ETH_TRUNC] > 2));
		return b.finish();
	}
};

int main(int argc, char **argv) { return Rig(argc, argv).run(); }
