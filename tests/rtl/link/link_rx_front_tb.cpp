// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_rx_front, seen from the wire and from behind: packets come out whole, in order and unchanged; a sender that
// keeps to its credits (IBA 7.9) loses none, whatever the other VLs and VL15 do and however long nothing is taken; of a
// flood each packet is whole, cut and bad, or missing, and the last two are counted; limits are the blocks received and
// the room that is left; the end of the link ends a packet; link packets are obeyed only with a right CRC.
// dut: ohca_link_rx_front FrontBytes=32768
// dut: ohca_link_rx_front NumVl=1 FrontBytes=8192 RoCE=0
// dut: ohca_link_rx_front DataWidth=512 NumVl=8
// args: --cycles 60000
#include <map>
#include "Vdut.h"
#include "ohca_fmt_bits.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<uint8_t> Bytes;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
#ifndef TB_FRONT_BYTES
#define TB_FRONT_BYTES 131072
#endif
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
enum { B = TB_DATA_WIDTH / 8, VLS = TB_NUM_VL, CREDITS = TB_FRONT_BYTES / 64 * 3 / 4, LONGEST = 4096 + 124 };

struct Packet {
	Bytes data;
	u32 vl = 0;
	bool error = false, eth = false, cut = false, gone = false;   // cut, gone: by the link's end
};

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	tb::Pace take;
	std::map<u32, Packet> sent;                  // by number, until it came out
	u32 n = 0, got_n = 0, at = 0, vls = VLS;
	bool open = false;                           // a packet is coming out
	u32 out_id = 0;
	u32 tbs[VLS] = {};
	u64 words = 0, words_seen = 0, over_x = 0, over_d = 0, nocr = 0, lost_x = 0, lost_d = 0, cut = 0, whole = 0, remote = 0, errors = 0;
	u64 lp = 0, fc = 0;
	u32 fc_vl = 0, fc_ccl = 0;
	bool en = false, eth = false, flood = false;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), take(&b.rng) {}

	u32 share() { return CREDITS / vls; }
	static u32 blocks(const Packet &p) { return u32((p.data.size() + 63) / 64); }
	void cfg() {
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_SMP_EN, en);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_ETH, eth);
		SET_FIELD(b->cfg_i, OHCA_PORT_CFG_OPER_VLS, vls);
	}
	// A cycle with these bytes on the wire, or none.
	void cycle(const uint8_t *p = nullptr, u32 len = 0, bool last = false, bool error = false, u32 kind = 0) {
		cfg();
		b->rx_valid_i = p != nullptr;
		b->rx_last_i = last;
		b->rx_error_i = last && error;
		b->rx_kind_i = kind;
		Bytes beat = rng.bytes(B);
		if (p) memcpy(beat.data(), p, len);
		tb::set_bytes(b->rx_data_i, beat.data(), B);
		b->rx_keep_i = tb::keep_mask(len);
		b->ready_i = take.go();
		b.cycle([] {}, [&] { look(); });
	}
	void look() {
		words_seen += b->words_o; over_x += b->over_x_o; over_d += b->over_d_o; nocr += b->nocr_o;
		remote += b->remote_o; lp += b->lpcrc_o;
		if (b->fc_valid_o) { fc++; fc_vl = b->fc_vl_o; fc_ccl = b->fc_fccl_o; }
		if (b->valid_o || b->rx_valid_i) CHECK(!b->idle_o, "idle while there is something");
		if (!b->valid_o || !b->ready_i) return;
		b.progress();
		Bytes beat(B);
		tb::get_bytes(b->data_o, beat.data(), B);
		if (!open) {
			u32 id = 0;
			memcpy(&id, &beat[1], 4);
			// What was thrown away before its first beat does not come.
			while (got_n != id) { CHECK(got_n < n, "a packet that was not sent"); miss(got_n++); }
			out_id = got_n++;
			at = 0;
			open = true;
		}
		CHECK(sent.count(out_id), "packet %u came twice", out_id);
		Packet &p = sent[out_id];
		CHECK_EQ(b->eth_o, p.eth, "a frame");
		u32 left = u32(p.data.size()) - at, bytes = b->last_o ? u32(b->bytes_o) : u32(B);
		bool whole_now = b->last_o && bytes == left;
		CHECK(left > 0, "more than the packet");
		if (!b->last_o || !b->bad_o || (whole_now && p.error)) {
			CHECK(bytes <= left, "more bytes than were sent");
			CHECK(!memcmp(beat.data(), &p.data[at], bytes), "other bytes at %u of packet %u", at, out_id);
		}
		at += bytes;
		if (!b->last_o) return;
		open = false;
		if (!b->bad_o) {
			CHECK(whole_now && !p.error && !p.cut, "a part of packet %u passes for good", out_id);
			whole++;
		} else if (p.error && whole_now) errors++;
		else if (!p.cut) {                         // for want of room
			CHECK(flood || p.vl == 15, "packet %u of VL %u is cut", out_id, p.vl);
			cut++;
			(p.vl == 15 && !p.eth ? lost_x : lost_d)++;
		}
		sent.erase(out_id);
	}
	void miss(u32 id) {
		Packet &p = sent[id];
		if (!p.gone) {
			CHECK(flood || p.vl == 15, "packet %u of VL %u is lost", id, p.vl);
			(p.vl == 15 && !p.eth ? lost_x : lost_d)++;
		}
		sent.erase(id);
	}
	Packet make(u32 vl) {
		Packet p;
		p.vl = vl;
		p.eth = eth;
		p.error = rng.chance(5);
		u32 len = rng.chance(20) ? LONGEST : rng.chance(50) ? u32(rng.range(8, 200)) : u32(rng.range(8, LONGEST));
		// One that is cut in its last beat and one that is marked bad there look different then.
		if (p.error && len % B == 0) len--;
		p.data = rng.bytes(len);
		p.data[0] = uint8_t(vl << 4 | rng.below(16));
		memcpy(&p.data[1], &n, 4);
		return p;
	}
	bool credit(const Packet &p) {
		u32 lim = u32(tb::get_bits(b->rx_fccl_o, 12 * p.vl, 12));
		return ((lim - tbs[p.vl] - blocks(p)) & 4095) < 2048;
	}
	// All of it, or up to the end of the link.
	void put(const Packet &q, u32 stop = ~0u) {
		Packet &p = sent[n++] = q;
		if (p.vl < VLS && !p.eth) tbs[p.vl] = (tbs[p.vl] + blocks(p)) & 4095;
		for (u32 i = 0; i < p.data.size(); i += B) {
			if (i / B == stop) { en = false; p.cut = stop > 0; p.gone = stop == 0; }
			while (rng.chance(gap)) cycle();
			u32 len = u32(p.data.size()) - i < B ? u32(p.data.size()) - i : u32(B);
			words += en;
			cycle(&q.data[i], len, i + B >= q.data.size(), q.error, q.eth ? 2 : 0);
		}
	}
	unsigned gap = 10;
	void wait(u32 cycles) { while (cycles--) { b.progress(); cycle(); } }
	static u32 crc16(const uint8_t *p, unsigned len) {
		u32 c = 0xffff;
		for (unsigned i = 0; i < 8 * len; i++) {
			u32 bit = (p[i / 8] >> (i % 8) & 1) ^ (c & 1);
			c = c >> 1 ^ (bit ? 0xd008 : 0);
		}
		return ~c & 0xffff;
	}
	// A flow-control packet with the blocks that this VL was sent.
	void tell(u32 vl, u32 op = 0, bool good = true) {
		u32 ccl = u32(rng.below(4096)), crc;
		uint8_t p[6] = {uint8_t(op << 4 | tbs[vl] >> 8), uint8_t(tbs[vl]), uint8_t(vl << 4 | ccl >> 8), uint8_t(ccl)};
		crc = crc16(p, 4) ^ (good ? 0 : 1u << rng.below(16));
		p[4] = uint8_t(crc);
		p[5] = uint8_t(crc >> 8);
		u64 was = fc, was_lp = lp;
		cycle(p, 6, true, false, 1);
		cycle();
		CHECK_EQ(fc - was, u64(good && op < 2 && en && !eth), "a flow-control packet is obeyed");
		CHECK_EQ(lp - was_lp, u64(!good && en && !eth), "a wrong LPCRC is counted");
		if (fc != was) { CHECK_EQ(fc_vl, vl, "its VL"); CHECK_EQ(fc_ccl, ccl, "its FCCL"); }
	}
	// Nothing is inside any more.
	void empty(const char *when) {
		take.always(1);
		for (u32 i = 0; !b->idle_o || i < 8; i++) {
			CHECK(i < 4 * TB_FRONT_BYTES / B, "%s: not empty", when);
			b.progress();
			cycle();
		}
		wait(4);
		while (got_n != n) miss(got_n++);
		CHECK(!open && sent.empty(), "%s: something stays inside", when);
		CHECK_EQ(b->fill_o, 0u, when);
		CHECK_EQ(words_seen, words, "beats");
		CHECK_EQ(over_x, lost_x, "packets of VL15 that found no room");
		CHECK_EQ(over_d, lost_d, "other packets that found no room");
		if (en && !eth) {
			for (u32 v = 0; v < vls; v++)
				CHECK_EQ(tb::get_bits(b->rx_fccl_o, 12 * v, 12), (tbs[v] + share()) & 4095, "the limit of an empty VL");
			CHECK_EQ(b->rx_thr_o, share() / 4, "threshold");
		}
		take.always(-1);
	}
	void up(u32 n_vl) {
		en = false;
		wait(4);
		for (auto &x : tbs) x = 0;
		vls = n_vl; en = true;
		wait(4);
	}

	// A sender that keeps to its credits loses nothing.
	void credits(u64 until, u32 vl15) {
		while (b.now() < until) {
			gap = rng.chance(50) ? 0 : 30;
			bool mad = rng.chance(vl15);
			Packet p = make(mad ? 15 : u32(rng.below(vls)));
			if (mad && p.data.size() > 288) p.data.resize(288);
			if (mad || credit(p)) put(p);
			else { b.progress(); cycle(); }
			if (rng.chance(5)) tell(u32(rng.below(vls)), u32(rng.below(2)));
		}
	}
	u32 flood_vl() { return rng.chance(20) ? 15 : u32(rng.below(rng.chance(70) ? VLS : 15)); }
	int run() {
		cfg();
		take.always(0);
		b.reset();
		u64 part = b.cycles / 6;
		for (u32 v = 1; v <= VLS; v *= 2) {
			take.always(-1);
			up(v);
			credits(b.now() + part / 2, 3);
			CHECK(!over_d && !nocr, "a sender that keeps to its credits is refused");
			empty("credits");
			// Nothing is taken: every VL comes to its end, VL15 to that of its own, and no data VL feels it.
			flood = true;
			take.always(0);
			credits(b.now() + TB_FRONT_BYTES / B * 3, 40);
			CHECK(!over_d && !nocr, "VL15 takes the room of a VL that keeps to its credits");
			take.always(-1);
			empty("nothing is taken");
			flood = false;
		}
		GOAL(whole > 50 && errors && over_x);
		// A flood of all VLs, also of those that there are not.
		flood = true;
		gap = 0;
		for (u64 at = b.now(), end = at + part; b.now() < end;) {
			b.progress();
			take.always(b.now() < at + part / 2 ? 0 : -1);
			put(make(flood_vl()));
		}
		take.always(-1);
		GOAL(cut && over_d && nocr);
		for (u32 i = 0; i < 8; i++) cycle();
		take.always(1);
		wait(2 * TB_FRONT_BYTES / B);
		for (u32 v = 0; v < vls; v++) tell(v);
		empty("a flood");
		flood = false;
		// Link packets.
		for (u32 i = 0; i < 100; i++) tell(u32(rng.below(vls)), u32(rng.below(4)), rng.chance(50));
		// The link ends before, in the middle of and behind a packet.
		for (u32 i = 0; i < 60; i++) {
			up(VLS);
			gap = rng.chance(50) ? 0 : 30;
			put(make(u32(rng.below(vls))));
			Packet p = make(u32(rng.below(vls)));
			p.error = false;
			b.progress();
			put(p, u32(rng.below(1 + (p.data.size() + B - 1) / B)));
			empty("the end of the link");
		}
		// Frames.
		if (TB_RO_C_E) {
			up(VLS);
			eth = true;
			for (u32 i = 0; i < 40; i++) { b.progress(); gap = 40; take.always(1); put(make(u32(rng.below(16)))); }
			empty("frames");
			eth = false;
		}
		return b.finish();
	}
};

int main(int argc, char **argv) { return Rig(argc, argv).run(); }
