// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rxdispatch: random packets, each must come out once, in order, at the right place, or release its slot with its counter. Multicast packets:
// one copy for each QP that is named.
// dut: ohca_rxdispatch
// dut: ohca_rxdispatch Slow=1
#include "Vdut.h"
#include <set>
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<u8> bytes;
struct Beat { u8 b[(OHCA_RXD_BITS + 7) / 8]; };
enum Where { RS, RA, MAD, DROP };
struct Want { Beat b; unsigned slot; };

static void put(Beat &b, unsigned lsb, unsigned w, uint64_t v)
{
	for (unsigned i = 0; i < w; i++) {
		u8 m = u8(1u << ((lsb + i) % 8));
		b.b[(lsb + i) / 8] = u8((b.b[(lsb + i) / 8] & ~m) | ((v >> i & 1) ? m : 0));
	}
}
#define PUT(b, f, v) put(b, f##_LSB, f##_WIDTH, v)
#define PUT_BTH(b, f, v) put(b, OHCA_RXD_BTH_LSB + f##_LSB, f##_WIDTH, v)

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &rng = b.rng;
	const u32 limit = 1000;
	tb::Source<Beat> src(&rng);
	tb::Sink<Beat> rs(&rng, "rs"), ra(&rng, "ra");
	tb::Pace pl(&rng);
	std::deque<Want> want[2];
	std::deque<Beat> mads;
	std::multiset<unsigned> drops;
	std::deque<std::pair<uint64_t, unsigned>> placing;      // due, slot
	uint64_t counts[64] = {}, want_counts[64] = {};
	unsigned mad_in_core = 0, mad_done = 0, mad_dropped = 0, mad_sent = 0, released = 0, dropped = 0, n = 0, taken = 0;
	unsigned sent_rs = 0, sent_ra = 0;
	bool pl_went = false;
	unsigned went_len = 0;
	bool pl_ready = false, mad_rsp = false, rel_mad = false;    // what is released now is a MAD's
	unsigned rsp_slot = 0, mad_slot = 0, rel_slot = 0;
	std::deque<Beat> order;                                 // as they went in, to be consumed at the outputs

	// Multicast: who gets the packet that is offered; decided when it is first seen
	std::vector<u32> mc_qpns;
	size_t mc_at = 0;
	bool mc_busy = false, mc_valid = false, mc_none = false;
	unsigned mc_pkts = 0, mc_copies = 0, mc_lost = 0;
	auto mc_drive = [&] {
		b->mc_valid_i = mc_valid = mc_valid || (mc_busy && mc_at < mc_qpns.size() && rng.chance(50));
		b->mc_none_i = mc_none = mc_none || (mc_busy && mc_qpns.empty() && rng.chance(50));
		b->mc_qpn_i = mc_valid ? mc_qpns[mc_at] : u32(rng.bits(24));
		b->mc_last_i = mc_valid && mc_at + 1 == mc_qpns.size();
	};
	auto mc_sample = [&] {
		if (mc_valid && b->mc_ready_o) {
			mc_copies++;
			mc_valid = false;
			if (++mc_at == mc_qpns.size()) { mc_busy = false; mc_pkts++; }
		} else if (mc_none && b->mc_none_ready_o) { mc_none = mc_busy = false; mc_lost++; }
		else if (b->mc_go_o && !mc_busy) {
			mc_busy = true;
			mc_at = 0;
			mc_qpns.clear();
			for (u64 k = rng.below(5); k; k--) mc_qpns.push_back(u32(rng.bits(24)));
			CHECK(!want[RS].empty(), "a multicast packet from nowhere");
			Beat x = want[RS].front().b, y;
			if (mc_qpns.empty()) { drops.insert(want[RS].front().slot); want_counts[OHCA_COUNTER_RX_QPN]++; }
			want[RS].pop_front();
			for (size_t k = mc_qpns.size(); k--;) {
				y = x;
				PUT_BTH(y, OHCA_BTH_DESTQP, mc_qpns[k]);
				want[RS].push_front({y, 0});
			}
			n += unsigned(mc_qpns.size()) - (mc_qpns.empty() ? 0 : 1);
			b.progress();
		}
	};

	b->rxd_valid_i = 0;
	b->mc_valid_i = b->mc_none_i = b->mc_last_i = 0;
	b->limit_i = limit;
	b->mad_free_i = 0;
	b.reset();
	for (uint64_t c = 0; c < b.cycles; c++) {
		while (src.q.size() < 4) {
			Beat x;
			for (auto &v : x.b) v = u8(rng.next());
			x.b[sizeof x.b - 1] &= u8((1u << (OHCA_RXD_BITS % 8)) - 1);
			bool mad = rng.chance(15);
			PUT(x, OHCA_RXD_VL15, mad || rng.chance(5));
			PUT(x, OHCA_RXD_FROM_FW, !mad && rng.chance(50));
			if (!mad) PUT(x, OHCA_RXD_FROM_FW, 1);
			if (!mad && !rng.chance(5)) PUT(x, OHCA_RXD_VL15, 0);
			PUT(x, OHCA_RXD_PAY_OFF, rng.range(20, 116));
			PUT(x, OHCA_RXD_PLEN, mad ? (rng.chance(80) ? 256 : rng.below(4097)) : rng.below(4097));
			static const u8 ops[] = {0x00, 0x04, 0x0a, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11, 0x12, 0x13, 0x16, 0x1f, 0x64, 0x65, 0x60, 0x70, 0x24, 0x81, 0xa4, 0xe0};
			PUT_BTH(x, OHCA_BTH_OPCODE, ops[rng.below(sizeof ops)]);
			PUT_BTH(x, OHCA_BTH_TVER, rng.chance(95) ? 0 : rng.below(16));
			PUT_BTH(x, OHCA_BTH_DESTQP, rng.chance(95) ? rng.below(limit) : rng.chance(50) ? limit + rng.below(3) : rng.bits(24));
			// A multicast packet, perhaps with one header that is not one's
			if (!mad && rng.chance(15)) {
				PUT_BTH(x, OHCA_BTH_DESTQP, 0xffffff);
				PUT_BTH(x, OHCA_BTH_OPCODE, 0x64 + rng.below(2));
				PUT_BTH(x, OHCA_BTH_TVER, 0);
				PUT(x, OHCA_RXD_FROM_FW, 0);
				PUT(x, OHCA_RXD_VL15, 0);
				PUT(x, OHCA_RXD_GRH_V, !rng.chance(10));
				PUT(x, OHCA_RXD_DLID, rng.chance(90) ? 0xc000 + rng.below(0x3fff) : rng.chance(50) ? 0xffff : rng.bits(15));
				put(x, OHCA_RXD_GRH_LSB + 120, 8, rng.chance(90) ? 0xff : rng.bits(8));
				if (rng.chance(5)) PUT_BTH(x, OHCA_BTH_DESTQP, rng.below(limit));
				if (rng.chance(5)) PUT_BTH(x, OHCA_BTH_OPCODE, ops[rng.below(sizeof ops)]);
			} else if (rng.chance(95)) PUT(x, OHCA_RXD_DLID, rng.bits(15));
			src.push(x);
		}
		b.cycle([&] {
			b->rxd_valid_i = src.drive();
			tb::set_bytes(b->rxd_i, src.front().b, sizeof(Beat));
			b->rs_ready_i = rs.drive();
			b->ra_ready_i = ra.drive();
			mc_drive();
			pl_ready = pl.go();
			b->pl_req_ready_i = pl_ready;
			if (mad_in_core && rng.chance(5)) mad_in_core--;
			// A buffer that was offered stays until it is taken.
			if (!b->mad_free_i || taken != mad_sent) {
				b->mad_free_i = mad_in_core < 3 && rng.chance(50);
				if (b->mad_free_i) mad_slot = unsigned(rng.below(4));
				taken = mad_sent;
			}
			b->mad_slot_i = mad_slot;
			mad_rsp = !placing.empty() && placing.front().first <= b.now();
			b->pl_rsp_valid_i = mad_rsp;
			if (mad_rsp) { rsp_slot = placing.front().second; placing.pop_front(); }
		}, [&] {
			for (unsigned i = 0; i < 64; i++) counts[i] += b->cnt_o >> i & 1;
			if (b->mc_go_o) CHECK_EQ(b->mc_slot_o, FIELD(b->rs_o, OHCA_RXD_SLOT), "slot of a multicast packet");
			Beat o;
			memset(&o, 0, sizeof o);
			tb::get_bytes(b->rs_o, o.b, sizeof o);
			if (rs.sample(b->rs_valid_o, o)) {
				CHECK(!want[RS].empty(), "rs: a packet too many");
				CHECK(!memcmp(&o, &want[RS].front().b, sizeof o), "rs: wrong packet");
				want[RS].pop_front(); sent_rs++; b.progress();
			}
			tb::get_bytes(b->ra_o, o.b, sizeof o);
			if (ra.sample(b->ra_valid_o, o)) {
				CHECK(!want[RA].empty(), "ra: a packet too many");
				CHECK(!memcmp(&o, &want[RA].front().b, sizeof o), "ra: wrong packet");
				want[RA].pop_front(); sent_ra++; b.progress();
			}
			bool pl_go = b->pl_req_valid_o && pl_ready;
			// Said a cycle later, with the length; the core offers the next buffer only then.
			CHECK_EQ(b->mad_take_o, pl_went, "mad_take");
			if (pl_went) CHECK_EQ(b->mad_len_o, went_len, "length of a MAD that was taken");
			if (pl_went) mad_sent++, mad_in_core++;
			pl_went = pl_go;
			if (pl_go) {
				went_len = unsigned(FIELD(b->pl_req_o, OHCA_PL_REQ_LEN));
				CHECK(b->mad_free_i, "no MAD buffer is free");
				CHECK(!mads.empty(), "a MAD too many");
				auto f = [&](unsigned lsb, unsigned w) { uint64_t v = 0; for (unsigned i = 0; i < w; i++) v |= uint64_t(mads.front().b[(lsb + i) / 8] >> ((lsb + i) % 8) & 1) << i; return v; };
				// MADs that found no buffer were dropped before this one.
				unsigned len;
				for (;;) {
					CHECK(!mads.empty(), "a MAD too many");
					len = unsigned(f(OHCA_RXD_PAY_OFF_LSB, OHCA_RXD_PAY_OFF_WIDTH) + f(OHCA_RXD_PLEN_LSB, OHCA_RXD_PLEN_WIDTH));
					if (f(OHCA_RXD_BASE_LSB, OHCA_RXD_BASE_WIDTH) == FIELD(b->pl_req_o, OHCA_PL_REQ_SRC) && len == FIELD(b->pl_req_o, OHCA_PL_REQ_LEN)) break;
					mads.pop_front();
				}
				CHECK(len <= 512, "MAD of %u bytes", len);
				CHECK(FIELD(b->pl_req_o, OHCA_PL_REQ_MAD) && FIELD(b->pl_req_o, OHCA_PL_REQ_LAST) && !FIELD(b->pl_req_o, OHCA_PL_REQ_EMPTY), "MAD request");
				CHECK_EQ(FIELD(b->pl_req_o, OHCA_PL_REQ_VA), 128 * mad_slot, "MAD address");
				placing.push_back({b.now() + rng.range(1, 30), unsigned(f(OHCA_RXD_SLOT_LSB, OHCA_RXD_SLOT_WIDTH))});
				mads.pop_front();
				b.progress();
			}
			if (b->rel_valid_o) {
				released++;
				b.progress();
				if (rel_mad) { CHECK_EQ(b->rel_slot_o, rel_slot, "slot of a MAD"); mad_done++; }
				else {
					dropped++;
					auto i = drops.find(b->rel_slot_o);
					CHECK(i != drops.end(), "released slot %u of no dropped packet", b->rel_slot_o);
					drops.erase(i);
				}
			} else CHECK(!rel_mad, "the slot of a MAD was not released");
			rel_mad = mad_rsp;
			rel_slot = rsp_slot;
			if (b->rxd_valid_i && b->rxd_ready_o) {
				const Beat &x = src.front();
				auto f = [&](unsigned lsb, unsigned w) { uint64_t v = 0; for (unsigned i = 0; i < w; i++) v |= uint64_t(x.b[(lsb + i) / 8] >> ((lsb + i) % 8) & 1) << i; return v; };
				auto fb = [&](unsigned lsb, unsigned w) { return f(OHCA_RXD_BTH_LSB + lsb, w); };
				unsigned op = unsigned(fb(OHCA_BTH_OPCODE_LSB, 8)), slot = unsigned(f(OHCA_RXD_SLOT_LSB, 6));
				n++;
				if (f(OHCA_RXD_VL15_LSB, 1) && !f(OHCA_RXD_FROM_FW_LSB, 1)) {
					mads.push_back(x);
					drops.insert(slot);          // it may find no buffer; corrected below
					mad_dropped++;
				} else if (fb(OHCA_BTH_TVER_LSB, 4)) { want_counts[OHCA_COUNTER_RX_BTH]++; drops.insert(slot); }
				else if (fb(OHCA_BTH_DESTQP_LSB, 24) == 0xffffff) {
					u64 lid = f(OHCA_RXD_DLID_LSB, 16);
					bool eth = f(OHCA_RXD_ETH_LSB, 1), mlid = !eth && !f(OHCA_RXD_FROM_FW_LSB, 1) && lid >= 0xc000 && lid < 0xffff;
					if ((op == 0x64 || op == 0x65) && f(OHCA_RXD_GRH_V_LSB, 1) && (eth || (mlid && f(OHCA_RXD_GRH_LSB + 120, 8) == 0xff))) want[RS].push_back({x, slot});
					else { want_counts[OHCA_COUNTER_RX_QPN]++; drops.insert(slot); }
				} else if (!f(OHCA_RXD_ETH_LSB, 1) && !f(OHCA_RXD_FROM_FW_LSB, 1) && f(OHCA_RXD_DLID_LSB, 16) >= 0xc000 && f(OHCA_RXD_DLID_LSB, 16) < 0xffff) {
					want_counts[OHCA_COUNTER_RX_QPN]++;
					drops.insert(slot);
				} else if (fb(OHCA_BTH_DESTQP_LSB, 24) >= limit) { want_counts[OHCA_COUNTER_RX_QPN]++; drops.insert(slot); }
				else if (op >= 0x0d && op <= 0x12) want[RA].push_back({x, slot});
				else if (op < 0x20 || op == 0x64 || op == 0x65) want[RS].push_back({x, slot});
				else { want_counts[OHCA_COUNTER_RX_OPCODE]++; drops.insert(slot); }
			}
			src.sample(b->rxd_ready_o);
			mc_sample();
		});
	}
	// Let everything out.
	rs.pace.always(1); ra.pace.always(1); pl.always(1);
	for (unsigned i = 0; i < 200; i++)
		b.cycle([&] {
			b.progress();
			b->rxd_valid_i = 0;
			b->rs_ready_i = rs.drive(); b->ra_ready_i = ra.drive();
			mc_drive();
			b->pl_req_ready_i = pl_ready = true;
			b->mad_free_i = 1;
			mad_rsp = !placing.empty() && placing.front().first <= b.now();
			b->pl_rsp_valid_i = mad_rsp;
			if (mad_rsp) placing.pop_front();
		}, [&] {
			for (unsigned k = 0; k < 64; k++) counts[k] += b->cnt_o >> k & 1;
			if (b->rs_valid_o) { CHECK(!want[RS].empty(), "rs too many"); want[RS].pop_front(); sent_rs++; }
			if (b->ra_valid_o) { CHECK(!want[RA].empty(), "ra too many"); want[RA].pop_front(); sent_ra++; }
			if (b->mad_take_o) mad_sent++;
			if (b->pl_req_valid_o) placing.push_back({b.now() + 5, 0});
			if (b->rel_valid_o) { released++; if (rel_mad) mad_done++; else dropped++; }
			rel_mad = mad_rsp;
			mc_sample();
		});
	CHECK(b->idle_o, "not idle");
	CHECK(want[RS].empty() && want[RA].empty(), "%zu and %zu packets lost", want[RS].size(), want[RA].size());
	CHECK_EQ(sent_rs + sent_ra + released, n, "every packet goes on or is released");
	CHECK_EQ(mad_done, mad_sent, "every MAD taken is released");
	for (unsigned k : {OHCA_COUNTER_RX_BTH, OHCA_COUNTER_RX_QPN, OHCA_COUNTER_RX_OPCODE}) CHECK_EQ(counts[k], want_counts[k], "counter");
	CHECK_EQ(counts[OHCA_COUNTER_RX_VL15_DROP] + mad_done, mad_dropped, "MADs delivered or dropped");
	GOAL(mc_pkts > 50 && mc_lost > 10 && mc_copies > mc_pkts + 50);
	GOAL(sent_rs > 100 && sent_ra > 100 && mad_done > 20 && counts[OHCA_COUNTER_RX_VL15_DROP] > 20);
	printf("# %u packets: %u rs, %u ra, %u MADs, %u dropped; %u multicast, %u copies, %u without members\n", n, sent_rs, sent_ra, mad_done, dropped,
	       mc_pkts, mc_copies, mc_lost);
	return b.finish();
}
