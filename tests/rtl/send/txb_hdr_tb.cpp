// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_txb_hdr: the headers of every opcode on both link layers, byte by byte, taken a beat at a time with pauses, or their
// last words without a shift; what is known of each packet besides.
// dut: ohca_txb_hdr DW=64
// dut: ohca_txb_hdr DW=64 RoCE=0
// dut: ohca_txb_hdr DW=64 NumVl=2 Compact=1
// dut: ohca_txb_hdr DW=512
// dut: ohca_txb_hdr DW=512 NumVl=4
// args: --cycles 60000
// include: tests/rtl/ethernet
#include "Vdut.h"
#include "tb.h"
#include "txb_packet.h"

#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
enum { LANES = TB_D_W / 8, HDR = ((TB_RO_C_E ? 108 : 80) + LANES - 1) / LANES };
typedef tb::Value<decltype(Vdut::txd_i)> Txd;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 100);
	auto &r = b.rng;
	Tables tab(r);
	tab.config(b->cfg_i);
	struct Item { Want w; bytes hdr; u32 plen, slot; };
	u64 gone = 0, gone_before = 0, gones = 0;    // marks of slots, in the cycle before
	std::deque<Item> want;
	tb::Source<Txd> src(&r);
	tb::Pace take(&r);
	bytes got;
	u64 packets = 0, drops = 0, kept = 0, back = 0;
	bool was_done = false, done_before = false;          // in the cycle before; in that before it
	static const u8 ops[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0xc, 0xd, 0xe, 0xf, 0x10, 0x11, 0x16, 0x17, 0x64, 0x65, 0x81 };
	auto push = [&] {
		Txd t;
		Item i;
		unsigned op = ops[r.below(sizeof ops)];
		bool vl15 = r.chance(5), none = op == 0x0c || op == 0x11 || op == 0x81;
		unsigned kind = unsigned(r.below(3));
		i.plen = none || r.chance(20) ? 0 : u32(r.chance(50) ? r.range(1, 64) : r.range(1, 4096));
		int chosen = TB_NUM_VL == 1 ? -1 : r.chance(10) ? 15 : int(r.below(TB_NUM_VL));
		describe(r, tab, t.v, i.w, op, kind, bytes(i.plen), r.chance(40), r.chance(50), vl15, chosen);
		i.slot = u32(r.bits(6));
		SET_FIELD(t.v, OHCA_TXD_SLOT, i.slot);
		i.hdr = i.w.pkt;
		if (!i.hdr.empty()) i.hdr.resize(i.hdr.size() - ((i.plen + 3) & ~3u));
		src.push(t);
		want.push_back(i);
	};
	b->txd_valid_i = b->hdr_shift_i = b->hdr_done_i = 0;
	b.reset();
	u64 turn = 0;
	while (b.now() < b.cycles || !want.empty()) {
		if (b.now() < b.cycles && want.size() < 40 && turn < 400) { push(); turn++; }
		if (want.empty() && turn >= 400) {         // the other link layer, with and without ECT
			turn = 0;
			if (TB_RO_C_E) {
				tab.ethernet = r.chance(60);
				tab.ect = r.chance(50);
				tab.config(b->cfg_i);
			}
		}
		b.cycle([&] {
			b->txd_valid_i = src.drive();
			if (b->txd_valid_i) b->txd_i = src.front().v;
			b->hdr_shift_i = b->hdr_done_i = 0;
			gone_before = gone;
			if (r.chance(10)) gone = r.next() & r.next();
			b->gone_i = gone;
			b->eval();
			b->pkey_i = tab.pkeys[b->pkey_idx_o & 31];
			tab.answer(b->gid_idx_o, b->gid_i, b->eth_gid_i);
			b->eval();
			if (!b->hdr_valid_o || !take.go()) return;
			u32 left = b->hdr_left_o * 4;
			b->hdr_done_i = left <= LANES;
			// The last words may be looked at and left in their place.
			b->hdr_shift_i = !b->hdr_done_i || r.chance(50);
			kept += b->hdr_done_i && !b->hdr_shift_i;
		}, [&] {
			if (src.sample(b->txd_ready_o)) b.progress();
			if ((TB_COMPACT ? done_before : was_done) && b->hdr_valid_o) back++;
			CHECK(!TB_COMPACT || !was_done || !b->hdr_valid_o, "a header in the cycle behind the last one");
			done_before = was_done;
			was_done = b->hdr_done_i;
			if (!b->hdr_valid_o) return;
			CHECK(!want.empty(), "a header from nowhere");
			Item &i = want.front();
#define INFO(f) FIELD(b->hdr_info_o, OHCA_TXH_##f)
			// In every cycle, as a header of one beat is looked at in its first one.
			CHECK_EQ(INFO(GONE), i.w.kind != OHCA_TXK_RESP && (gone_before >> i.slot & 1), "a QP that was reset");
			if (!b->hdr_shift_i && !b->hdr_done_i) return;
			b.progress();
			u8 d[LANES];
			tb::get_bytes(b->hdr_o, d, LANES);
			u32 n = std::min<u32>(LANES, b->hdr_left_o * 4);
			CHECK(n, "an empty header");
			if (!i.hdr.empty()) CHECK_EQ(b->hdr_left_o * 4, i.hdr.size() - got.size(), "bytes left");
			got.insert(got.end(), d, d + n);
			if (!b->hdr_done_i) return;
			if (!i.hdr.empty()) {
				CHECK_EQ(got.size(), i.hdr.size(), "length");
				for (size_t k = 0; k < got.size(); k++)
					CHECK(got[k] == i.hdr[k], "byte %zu of %zu: got %02x want %02x", k, got.size(), got[k], i.hdr[k]);
			}
			CHECK_EQ(INFO(KIND), i.w.kind, "kind"); CHECK_EQ(INFO(DONE), i.w.done, "done"); CHECK_EQ(INFO(QPN), i.w.qpn, "QP");
			CHECK_EQ(INFO(IDX), i.w.idx, "index"); CHECK_EQ(INFO(WROP), i.w.wrop, "opcode");
			CHECK_EQ(INFO(SIGNALED), i.w.sig, "signaled"); CHECK_EQ(INFO(PSN), i.w.psn, "PSN");
			CHECK_EQ(INFO(DROP), i.w.drop, "drop"); CHECK_EQ(INFO(VL), i.w.vl, "VL"); CHECK_EQ(INFO(IPD), i.w.ipd, "IPD");
			CHECK_EQ(INFO(WORDS), TB_NUM_VL > 1 ? (i.plen + LANES - 1) / LANES + HDR : 0, "room");
			CHECK_EQ(INFO(CSUM), i.w.csum, "checksums");
			CHECK_EQ(INFO(SLOT), i.slot, "slot");
			gones += INFO(GONE);
			CHECK_EQ(b->hdr_pay_o, i.plen != 0, "payload");
			packets++;
			drops += i.w.drop;
			want.pop_front();
			got.clear();
		});
	}
	for (int i = 0; i < 6; i++) b.cycle([&] { b->hdr_shift_i = b->hdr_done_i = 0; b->txd_valid_i = 0; }, [&] {
		if (i == 5) CHECK(b->idle_o, "not idle at the end");
	});
	GOAL(packets > 2000 && drops > 20 && kept > 100 && gones > 100);
	CHECK(back > packets / 8, "%llu of %llu headers came as soon as they can", (unsigned long long)back, (unsigned long long)packets);
	return b.finish();
}
