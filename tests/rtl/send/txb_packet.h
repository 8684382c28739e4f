// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What tests of the packet builder share: random descriptors and the packets that they stand for, put together byte by
// byte, on both link layers; the port's tables that a header is looked up in.
#pragma once
#include "ethpkt.h"
#include "send_models.h"

struct Want {
	bytes pkt;                                 // from LRH to the pad bytes; empty: dropped, whatever is in it
	bool nopkt = false, err = false, drop = false, resp = false, done = false, csum = false, gone = false;
	u8 vl = 0, ipd = 0;
	u32 qpn = 0, psn = 0, idx = 0, status = 0, verr = 0, wrop = 0, sig = 0, kind = 0, words = 0;
};

struct Tables {
	u16 pkeys[32];
	bytes gids[16];
	u64 sl2vl = 0;
	u32 lid = 0x1240, lmc = 3;
	bool ethernet = false, ect = false;
	struct { bytes mac; unsigned type, vid; bool tag; } attrs[16];

	explicit Tables(tb::Rng &r)
	{
		for (auto &p : pkeys) p = u16(r.next());
		for (auto &g : gids) g = r.bytes(16);
		for (auto &a : attrs) {
			a.mac = r.bytes(6);
			a.mac[0] &= 0xfe;
			a.type = r.chance(10) ? unsigned(r.below(3)) :
				 r.chance(50) ? OHCA_GID_TYPE_ROCE_V2_IPV4 : OHCA_GID_TYPE_ROCE_V2_IPV6;
			a.tag = r.chance(50);
			a.vid = unsigned(r.bits(12));
		}
		for (int i = 0; i < 16; i++) sl2vl |= u64(r.chance(10) ? 15 : r.below(8)) << (4 * i);
	}
	template <class C> void config(C &cfg) const
	{
		tb::clear(cfg);
		SET_FIELD(cfg, OHCA_PORT_CFG_LID, lid); SET_FIELD(cfg, OHCA_PORT_CFG_LMC, lmc);
		SET_FIELD(cfg, OHCA_PORT_CFG_SL2VL, sl2vl);
		SET_FIELD(cfg, OHCA_PORT_CFG_ETH, ethernet); SET_FIELD(cfg, OHCA_PORT_CFG_ECT, ect);
	}
	template <class G, class E> void answer(unsigned index, G &gid, E &ent) const       // combinational
	{
		index &= 15;
		for (int i = 0; i < 4; i++) {
			u32 v = 0;
			for (int k = 0; k < 4; k++) v = v << 8 | gids[index][4 * i + k];
			tb::set_bits(gid, 96 - 32 * i, 32, v);
			tb::set_bits(ent, OHCA_GID_ENT_GID_LSB + 96 - 32 * i, 32, v);
		}
		auto &g = attrs[index];
		for (int i = 0; i < 6; i++) tb::set_bits(ent, OHCA_GID_ENT_MAC_LSB + 40 - 8 * i, 8, g.mac[i]);
		SET_FIELD(ent, OHCA_GID_ENT_VID, g.vid); SET_FIELD(ent, OHCA_GID_ENT_TAG, g.tag);
		SET_FIELD(ent, OHCA_GID_ENT_GTYPE, g.type);
	}
};

// A random descriptor of what is given, and in w the packet that has to come of it (w.err and its reason are the
// caller's). `chosen`: the VL that it took room of, 15 for none; -1: there is one VL, and SL2VL gives it.
template <class T> void describe(tb::Rng &r, const Tables &tab, T &v, Want &w, unsigned op, unsigned kind, const bytes &payload,
				 int grh, bool done, bool vl15, int chosen = -1)
{
	u32 plen = u32(payload.size());
	tb::clear(v);
	bytes av(40);
	for (auto &x : av) x = u8(r.next());
	av[2] = u8((av[2] & 0x0f) | (grh << 4));
	u32 dlid = av[0] | av[1] << 8, sl = av[2] & 15, path = av[7] & 127, sgid = av[6] = u8(r.below(16));
	u32 flow = (av[8] | av[9] << 8 | av[10] << 16) & 0xfffff;
	if (tab.ethernet) {
		if (r.chance(90)) { std::fill(av.begin() + 24, av.begin() + 34, 0); av[34] = av[35] = 0xff; }
		if (r.chance(15)) std::copy(tab.attrs[sgid].mac.begin(), tab.attrs[sgid].mac.end(), av.begin() + 12);
	}
	w.ipd = av[3];
#define SET(f, x) SET_FIELD(v, OHCA_TXD_##f, x)
	for (unsigned i = 0; i < 40; i++) tb::set_bits(v, OHCA_TXD_AV_LSB + 8 * i, 8, av[i]);
	u32 qpn = u32(r.bits(24)), idx = u32(r.bits(16)), dqpn = u32(r.bits(24)), psn = u32(r.bits(24)), pkx = u32(r.below(32));
	u64 va = r.next();
	u32 rkey = u32(r.next()), dmalen = u32(r.next()), imm = u32(r.next()), qkey = u32(r.next()), aeth = u32(r.next());
	bool se = r.chance(50), ack = r.chance(50), mig = r.chance(50), sig = r.chance(50), slidp = r.chance(10);
	u32 wrop = u32(r.bits(4));
	bool csum = r.chance(10);
	SET(KIND, kind); SET(DONE, done); SET(QPN, qpn); SET(IDX, idx); SET(WROP, wrop); SET(SIGNALED, sig); SET(VL15, vl15);
	SET(SLID_PERM, slidp); SET(BTH_OP, op); SET(SE, se); SET(ACKREQ, ack); SET(MIGREQ, mig); SET(PKEY_INDEX, pkx);
	SET(DQPN, dqpn); SET(PSN, psn); SET(VA, va); SET(RKEY, rkey); SET(DMALEN, dmalen); SET(IMM, imm); SET(QKEY, qkey); SET(AETH, aeth);
	SET(PLEN, plen); SET(CSUM, csum);
#undef SET
	// The packet.
	unsigned vl = vl15 ? 15 : chosen >= 0 ? unsigned(chosen) : (tab.sl2vl >> (4 * sl)) & 15;
	tb::set_bits(v, OHCA_TXD_VL_LSB, OHCA_TXD_VL_WIDTH, chosen >= 0 ? vl : r.bits(4));
	bytes ext;
	auto has = [&](std::initializer_list<unsigned> l) { for (unsigned x : l) if (x == op) return true; return false; };
	if (has({0x64, 0x65})) { put32(ext, qkey); put32(ext, qpn); }
	if (has({0x06, 0x0a, 0x0b, 0x0c})) { put64(ext, va); put32(ext, rkey); put32(ext, dmalen); }
	if (has({0x0d, 0x0f, 0x10, 0x11})) put32(ext, aeth);
	if (has({0x16, 0x17})) put32(ext, rkey);
	if (op == 0x81) ext.resize(16);                                     // reserved
	if (has({0x03, 0x05, 0x09, 0x0b, 0x65})) for (int i = 0; i < 4; i++) ext.push_back(u8(imm >> (8 * i)));
	u32 pad = -plen & 3, rest = 12 + u32(ext.size()) + plen + pad + 4;
	bytes &o = w.pkt;
	o.push_back(u8(vl << 4)); o.push_back(u8(sl << 4 | (grh ? 3 : 2))); put16(o, dlid);
	put16(o, (8 + (grh ? 40 : 0) + rest) / 4); put16(o, slidp ? 0xffff : tab.lid | (path & ((1u << tab.lmc) - 1)));
	if (grh) {
		put32(o, 6u << 28 | u32(av[5]) << 20 | flow);
		put16(o, rest); o.push_back(0x1b); o.push_back(av[4]);
		o.insert(o.end(), tab.gids[sgid].begin(), tab.gids[sgid].end());
		o.insert(o.end(), av.begin() + 24, av.end());
	}
	o.push_back(u8(op)); o.push_back(u8(se << 7 | mig << 6 | pad << 4)); put16(o, vl15 ? 0xffff : tab.pkeys[pkx]);
	put32(o, u32(op == 0x81) << 30 | dqpn); put32(o, u32(ack) << 31 | psn);   // BECN in CNPs
	o.insert(o.end(), ext.begin(), ext.end());
	o.insert(o.end(), payload.begin(), payload.end());
	o.insert(o.end(), pad, 0);
	w.drop = !vl15 && vl == 15;
	if (tab.ethernet) {
		auto &g = tab.attrs[sgid];
		eth::Path p;
		bytes dgid(av.begin() + 24, av.end()), mapped(10, 0);
		mapped.push_back(0xff); mapped.push_back(0xff);
		p.v6 = g.type == OHCA_GID_TYPE_ROCE_V2_IPV6;
		p.dmac = bytes(av.begin() + 12, av.begin() + 18); p.smac = g.mac; p.src = tab.gids[sgid]; p.dst = dgid;
		p.tag = g.tag; p.tci = (sl & 7) << 13 | g.vid;
		// ECT is for what a notification may follow: no acknowledge (BTH opcodes 0x11, 0x12), no CNP (0x81).
		p.tos = has({0x11, 0x12, 0x81}) ? av[5] & 0xfc : av[5] | (tab.ect && !(av[5] & 3) ? 2 : 0);
		 p.ttl = av[4]; p.flow = flow; p.sport = av[20] | av[21] << 8;
		u32 key = (p.dmac[0] ^ p.dmac[2] ^ p.dmac[4]) << 8 | (p.dmac[1] ^ p.dmac[3] ^ p.dmac[5]);
		u32 dest = p.dmac[0] & 1 ? 0xc000 | (key & 0x1fff) : p.dmac == g.mac ? 0xffff : (key & 0x7ffe) | 1;
		w.drop = vl15 || vl == 15 || (g.type != OHCA_GID_TYPE_ROCE_V2_IPV6 &&
			(g.type != OHCA_GID_TYPE_ROCE_V2_IPV4 || !std::equal(mapped.begin(), mapped.end(), dgid.begin())));
		o = eth::internal(eth::frame(p, bytes(o.begin() + (grh ? 48 : 8), o.end()), false), vl, sl, dest);
		if (w.drop) o.clear();                     // what is in it does not matter
	}
	w.nopkt = kind == OHCA_TXK_NOPKT; w.resp = kind == OHCA_TXK_RESP; w.done = done; w.vl = u8(vl);
	w.qpn = qpn; w.psn = psn; w.idx = idx; w.wrop = wrop; w.sig = sig; w.kind = kind; w.csum = csum;
}
