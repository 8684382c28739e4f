// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_head: packets of two sources with random headers, and a port whose state, LID, VLs and link layer change
// between them. What comes out is what went in, beat by beat, packets whole and each source's in order, and with a
// packet's first beat stands which ring it is for, and whether it may go, as it is reckoned here from the header.
// dut: ohca_link_tx_head
// dut: ohca_link_tx_head NumVl=1
// dut: ohca_link_tx_head DataWidth=512 NumVl=8
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"
typedef uint32_t u32;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
enum { BYTES = TB_DATA_WIDTH / 8, VLS = TB_NUM_VL, LOOP = VLS, VL15 = VLS + 1 };

struct Beat { uint8_t data[64]; u32 n, last, err, ipd, words, host; };
struct Shown { uint8_t data[64]; u32 keep[2], last, err, ipd, words, host, dw, dw1, ring, rings, ok, size; };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	tb::Source<Beat> in, mg;
	tb::Sink<Shown> sink;
	std::deque<Beat> sent[2];
	int from = -1;                                  // the source whose packet is under way
	u32 lid = 0x40, lmc = 0, vls = VLS;
	bool smp = true, data = true, eth = false;
	uint64_t packets = 0, loops = 0, bad = 0, multi = 0, turns = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), in(&b.rng), mg(&b.rng), sink(&b.rng) {}

	void configure() {
		smp = rng.chance(85); data = rng.chance(85); eth = rng.chance(25);
		lmc = u32(rng.below(4));
		lid = rng.chance(10) ? 0 : 0x40;
		vls = u32(rng.range(1, VLS));
		tb::clear(b->cfg_i);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_SMP_EN, smp);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_TX_DATA_EN, data);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_LID, lid);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_LMC, lmc);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_OPER_VLS, vls);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_ETH, eth);
	}
	void packet(tb::Source<Beat> &s, bool core) {
		static const u32 to[] = {0, 0x40, 0x41, 0x47, 0x48, 0x99, 0xbfff, 0xc000, 0xfffe, 0xffff};
		std::vector<uint8_t> p = rng.bytes(4 * size_t(rng.range(2, 60)));
		u32 vl = u32(rng.chance(15) ? 15 : rng.chance(10) ? rng.below(16) : rng.below(VLS));
		u32 dlid = to[rng.below(10)], len = u32(rng.chance(20) ? rng.below(8) : rng.below(2048));
		p[0] = uint8_t(vl << 4);
		p[1] = uint8_t(rng.chance(85) ? 2 | rng.below(2) : rng.below(4));
		p[2] = uint8_t(dlid >> 8); p[3] = uint8_t(dlid);
		p[4] = uint8_t(rng.below(32) << 3 | len >> 8); p[5 % p.size()] = uint8_t(len);
		bool host = core && rng.chance(30);
		u32 ipd = u32(rng.below(256)), words = u32(rng.below(1024));
		for (size_t o = 0; o < p.size(); o += BYTES) {
			Beat x = {};
			x.n = u32(std::min<size_t>(BYTES, p.size() - o));
			memcpy(x.data, &p[o], x.n);
			x.last = o + BYTES >= p.size();
			x.err = !core && x.last && rng.chance(20);
			x.ipd = core ? 0 : ipd; x.words = words; x.host = host;
			s.push(x);
		}
	}
	// What a first beat says.
	void judge(const Beat &x, const Shown &y) {
		u32 vl = x.data[0] >> 4, lnh = x.data[1] & 3, dlid = x.data[2] << 8u | x.data[3];
		u32 len = (x.data[4] & 7) << 8u | x.data[5];
		u32 ring = VLS == 1 ? 0 : vl % VLS;
		bool own = lid && dlid < 0xc000 && dlid >> lmc == lid >> lmc;
		bool loop = eth ? dlid == 0xffff : x.host || own, ok = smp && data && vl < vls;
		if (vl == 15) { ring = VL15; ok = smp; }
		if (loop) { ring = LOOP; ok = x.host || vl == 15 || (data && vl < vls); }
		if (eth ? lnh > 1 || x.host || vl == 15 : lnh < 2 || (!dlid && !x.host)) ok = false;
		bool both = ok && !loop && vl != 15 && dlid >= 0xc000 && dlid != 0xffff;
		CHECK_EQ(y.ok, ok, "may it go");
		if (ok) CHECK_EQ(y.ring, ring, "its ring");
		CHECK_EQ(y.rings, 1u << y.ring | u32(both) << LOOP, "is it for two rings");
		CHECK_EQ(y.size, len >= 6, "is PktLen long enough");
		packets++; loops += ok && loop; bad += !ok; multi += both;
	}
	void cycle() {
		bool iv = in.drive(), mv = mg.drive();
		b->in_valid_i = iv; b->mg_valid_i = mv;
		auto put = [&](const Beat &x, auto &d, auto &k) {
			tb::set_bytes(d, x.data, BYTES);
			k = decltype(+k)(tb::keep_mask(x.n));
		};
		if (iv) {
			put(in.front(), b->in_data_i, b->in_keep_i);
			b->in_last_i = in.front().last; b->in_err_i = in.front().err;
			b->in_ipd_i = in.front().ipd; b->in_words_i = in.front().words;
		}
		if (mv) {
			put(mg.front(), b->mg_data_i, b->mg_keep_i);
			b->mg_last_i = mg.front().last; b->mg_host_i = mg.front().host; b->mg_words_i = mg.front().words;
		}
		b->ready_i = sink.drive();
		b.cycle([] {}, [&] {
			Beat x = iv ? in.front() : Beat{}, m = mv ? mg.front() : Beat{};
			if (in.sample(b->in_ready_o)) { sent[0].push_back(x); b.progress(); }
			if (mg.sample(b->mg_ready_o)) { sent[1].push_back(m); b.progress(); }
			Shown y = {};
			tb::get_bytes(b->data_o, y.data, BYTES);
			y.keep[0] = u32(b->keep_o); y.keep[1] = u32(uint64_t(b->keep_o) >> 32);
			y.last = b->last_o; y.err = b->err_o; y.ipd = b->ipd_o; y.words = b->words_o; y.host = b->host_o;
			y.dw = b->dw_o; y.dw1 = b->dw1_o; y.ring = b->ring_o; y.ok = b->ok_o; y.rings = b->rings_o;
			y.size = b->size_o;
			CHECK(b->busy_o || !b->valid_o, "idle with a beat inside");
			if (!sink.sample(b->valid_o, y)) return;
			bool first = from < 0;
			if (first) for (int s = 0; s < 2; s++) {
				if (sent[s].empty()) continue;
				const Beat &z = sent[s].front();
				if (!memcmp(z.data, y.data, BYTES) && z.words == y.words) from = s;
			}
			CHECK(from >= 0 && !sent[from].empty(), "a beat that nobody gave");
			Beat z = sent[from].front();
			sent[from].pop_front();
			CHECK(!memcmp(z.data, y.data, BYTES), "another beat of the packet");
			CHECK_EQ(y.keep[0] | uint64_t(y.keep[1]) << 32, tb::keep_mask(z.n), "keep");
			CHECK_EQ(y.last, z.last, "last");
			CHECK_EQ(y.err, z.err, "err");
			CHECK_EQ(y.ipd, z.ipd, "ipd");
			CHECK_EQ(y.words, z.words, "words");
			CHECK_EQ(y.host, z.host, "host");
			CHECK_EQ(y.dw, z.n / 4, "dwords");
			CHECK_EQ(y.dw1, z.n / 4 + 1, "dwords and one");
			if (first) judge(z, y);
			if (z.last) {
				if (from && !sent[0].empty()) turns++;
				from = -1;
			}
		});
	}
	void test() {
		b->in_valid_i = b->mg_valid_i = b->ready_i = 0;
		configure();
		b.reset();
		while (b.now() < b.cycles) {
			if (rng.chance(30)) configure();
			for (u32 k = u32(rng.range(1, 12)); k; k--) rng.chance(60) ? packet(in, false) : packet(mg, true);
			while (!in.done() || !mg.done() || !sent[0].empty() || !sent[1].empty()) cycle();
			cycle();
			CHECK(!b->busy_o, "busy with nothing inside");
		}
		GOAL(packets > 200 && loops > 20 && bad > 20 && multi > 10);
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
