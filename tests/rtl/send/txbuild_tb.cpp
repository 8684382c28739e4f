// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_txbuild against packets put together byte by byte: every opcode, random pieces, alignments, failures, latencies; then its speed. The same for an
// Ethernet port, where packets come in the internal form of docs/roce.md.
// dut: ohca_txbuild DW=64
// dut: ohca_txbuild DW=128
// dut: ohca_txbuild DW=256
// dut: ohca_txbuild DW=512
// dut: ohca_txbuild DW=64 NumVl=4
// dut: ohca_txbuild DW=64 RoCE=0
// dut: ohca_txbuild DW=64 RoCE=0 Compact=1
// dut: ohca_txbuild DW=64 Compact=1
// args: --cycles 4000
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
typedef tb::Value<decltype(Vdut::txp_i)> Txp;
typedef tb::Value<decltype(Vdut::inl_i)> Word;

static tb::Bench<Vdut> *bench_p;
#define b (*bench_p)
static Tables *tab_p;
#define tab (*tab_p)
static tb::Source<Txd> *sd;
static tb::Source<Txp> *sp;
static tb::Source<Word> *sn;
static std::deque<Want> wants;
static bool dma_errors;
static bool bad_addr(u64 a) { return dma_errors && (a >> 12) % 61 == 7; }

struct Piece { bool inl, bad; u64 va; u32 len, key; u8 gone = 0; };      // of a QP that was reset: 1 it says so, 2 its slot does

static void packet(unsigned op, unsigned kind, const std::vector<Piece> &pieces, int grh, bool done, bool vl15 = false, int slot = -1)
{
	auto &r = b.rng;
	Txd t;
	Want w;
	bytes payload;
	for (size_t i = 0; i < pieces.size(); i++) {
		Txp p;
		memset(&p.v, 0, sizeof p.v);
		SET_FIELD(p.v, OHCA_TXP_LAST, i + 1 == pieces.size());
		SET_FIELD(p.v, OHCA_TXP_INL, pieces[i].inl);
		SET_FIELD(p.v, OHCA_TXP_BAD, pieces[i].bad);
		SET_FIELD(p.v, OHCA_TXP_GONE, pieces[i].gone == 1);
		SET_FIELD(p.v, OHCA_TXP_SLOT, pieces[i].gone == 2 || kind == OHCA_TXK_RESP ? 7 : r.below(7));
		SET_FIELD(p.v, OHCA_TXP_VA, pieces[i].va);
		SET_FIELD(p.v, OHCA_TXP_KEY, pieces[i].key);
		SET_FIELD(p.v, OHCA_TXP_LEN, pieces[i].len);
		SET_FIELD(p.v, OHCA_TXP_REMOTE, kind == OHCA_TXK_RESP);
		sp->push(p);
		bool first = !w.err;
		w.gone |= pieces[i].gone;
		w.err |= pieces[i].gone;
		if (pieces[i].bad) {
			w.err = true;
			if (first) { w.status = OHCA_WC_STATUS_LOC_LEN; w.verr = OHCA_VENDOR_ERR_LENGTH; }
			payload.insert(payload.end(), pieces[i].len, 0);       // never seen
		}
		else if (pieces[i].inl) {
			for (u32 at = 0; at < pieces[i].len; at += 16) {
				Word n;
				for (unsigned k = 0; k < 16; k++) {
					u8 x = u8(r.next());
					tb::set_bits(n.v, 8 * k, 8, x);
					if (at + k < pieces[i].len) payload.push_back(x);
				}
				sn->push(n);
			}
		} else {
			for (u32 k = 0; k < pieces[i].len; k++) payload.push_back(va_byte(pieces[i].va + k));
			if (pieces[i].key >> 31) { w.err = true; if (first) { w.status = OHCA_WC_STATUS_LOC_PROT; w.verr = OHCA_VENDOR_ERR_TPT_KEY; } }
			else if (bad_addr(TptModel::bus(pieces[i].va))) { w.err = true; if (first) { w.status = OHCA_WC_STATUS_LOC_PROT; w.verr = OHCA_VENDOR_ERR_DMA; } }
		}
	}
	int chosen = TB_NUM_VL == 1 ? -1 : r.chance(10) ? 15 : int(r.below(TB_NUM_VL));
	describe(r, tab, t.v, w, op, kind, payload, grh, done, vl15, chosen);
	// A slot that is marked, which says nothing of a response.
	if (slot < 0) slot = r.chance(4) ? 63 : int(r.below(63));
	SET_FIELD(t.v, OHCA_TXD_SLOT, slot);
	if (slot == 63 && kind != OHCA_TXK_RESP) w.err = w.gone = true;
	if (TB_NUM_VL > 1) w.words = u32((payload.size() + LANES - 1) / LANES + HDR);
	sd->push(t);
	wants.push_back(w);
}

static std::vector<Piece> cut(u64 va, u32 len, unsigned max_pieces)
{
	std::vector<Piece> v;
	auto &r = b.rng;
	while (len) {
		u32 n = max_pieces > 1 && r.chance(60) ? u32(r.range(1, len)) : len;
		if (r.chance(40) && n > 80) n = u32(r.range(1, 80));
		if (v.size() + 1 < max_pieces && r.chance(30)) va = r.next() & 0xffffffffffull;
		n = std::min<u32>(n, 4096 - (va & 4095));
		v.push_back({false, false, va, n, u32(r.next()) & 0x7fffffff});
		va += n;
		len -= n;
	}
	return v;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> bench(argc, argv, 100);
	bench_p = &bench;
	Tables tables(bench.rng);
	tab_p = &tables;
	tb::Source<Txd> src_d(&b.rng);
	tb::Source<Txp> src_p(&b.rng);
	tb::Source<Word> src_n(&b.rng);
	sd = &src_d; sp = &src_p; sn = &src_n;
	tb::Pace out_pace(&b.rng), tpt_pace(&b.rng), rd_pace(&b.rng), up_pace(&b.rng);
	TptModel tpt(b.rng);
	ReadModel rd(b.rng, LANES);
	rd.force_err = bad_addr;
	tab.config(b->cfg_i);

	std::deque<Want> ups, rerrs;
	bytes got;
	u64 beats = 0, first_out = 0, last_out = 0;
	bool idle = false;
	// What was translated before a mark has been read when draining_o falls.
	u64 good = 0, read = 0, mark = 0, marks = 0, gones = 0, local_errs = 0, want_errs = 0;
	std::deque<bool> slot_gone;                 // of the pieces in front of translation
	bool marked = false;
	struct Beat { u8 d[LANES]; u64 keep; u8 last, err, vl, ipd, sum, pad; u16 words; };
	tb::Sink<Beat> sink(&b.rng, "out");
	auto finish_packets = [&] {                    // packets without a beat
		while (!wants.empty() && wants.front().nopkt) {
			if (wants.front().done && !wants.front().gone) ups.push_back(wants.front());
			wants.pop_front();
		}
	};
	auto step = [&] {
		b.cycle([&] {
			b->txd_valid_i = src_d.drive();
			if (b->txd_valid_i) b->txd_i = src_d.front().v;
			b->txp_valid_i = src_p.drive();
			if (b->txp_valid_i) b->txp_i = src_p.front().v;
			b->inl_valid_i = src_n.drive();
			if (b->inl_valid_i) b->inl_i = src_n.front().v;
			sink.pace = out_pace;
			b->out_ready_i = sink.drive();
			out_pace = sink.pace;
			b->tpt_ready_i = tpt_pace.go();
			b->rd_ready_i = rd_pace.go();
			b->up_ready_i = up_pace.go();
			b->rerr_ready_i = up_pace.go();
			tpt.drive(b.now(), b->tpt_rsp_valid_i, b->tpt_rsp_i);
			CData last = 0;
			rd.drive(b.now(), b->rd_rsp_valid_i, b->rd_rsp_data_i, last, b->rd_rsp_err_i);
			read += b->rd_rsp_valid_i && last;
			b->drain_i = !marked && b.rng.chance(1);
			b->eval();
			b->pkey_i = tab.pkeys[b->pkey_idx_o & 31];     // combinational tables
			tab.answer(b->gid_idx_o, b->gid_i, b->eth_gid_i);
		}, [&] {
			finish_packets();
			if (src_d.sample(b->txd_ready_o)) b.progress();
			src_n.sample(b->inl_ready_o);
			local_errs += b->cnt_o >> OHCA_COUNTER_TX_LOCAL_ERR & 1;
			if (b->tpt_valid_o && b->tpt_ready_i) {
				tpt.accept(b->tpt_o, b.now());
				CHECK(!slot_gone.empty(), "a translation that nobody needs");
				good += !slot_gone.front() && !(FIELD(b->tpt_o, OHCA_TPT_REQ_KEY) >> 31);
				slot_gone.pop_front();
			}
			if (b->txp_valid_i && b->txp_ready_o && !FIELD(b->txp_i, OHCA_TXP_INL) && !FIELD(b->txp_i, OHCA_TXP_BAD))
				slot_gone.push_back(FIELD(b->txp_i, OHCA_TXP_SLOT) == 7 && !FIELD(b->txp_i, OHCA_TXP_REMOTE));
			if (src_p.sample(b->txp_ready_o)) b.progress();
			if (marked && !b->draining_o) {
				CHECK(read >= mark, "drained, but %llu of %llu pieces were read", (unsigned long long)read, (unsigned long long)mark);
				marked = false;
				marks++;
			}
			if (b->drain_i) {
				marked = true;
				mark = good;
			}
			if (b->rd_valid_o && b->rd_ready_i) rd.accept(b->rd_o, b.now());
			Beat beat;
			memset(&beat, 0, sizeof beat);
			tb::get_bytes(b->out_data_o, beat.d, LANES);
			beat.keep = b->out_keep_o; beat.last = b->out_last_o; beat.err = b->out_err_o; beat.vl = b->out_vl_o; beat.ipd = b->out_ipd_o;
			beat.sum = b->out_sum_o; beat.words = b->out_words_o;
			if (sink.sample(b->out_valid_o, beat)) {
				b.progress();
				if (!beats) first_out = b.now();
				beats++;
				last_out = b.now();
				unsigned n = __builtin_popcountll(beat.keep);
				CHECK_EQ(beat.keep, tb::keep_mask(n), "keep without holes");
				CHECK(n, "an empty beat");
				CHECK(beat.last || n == LANES, "a beat in the middle is not full");
				CHECK(beat.last || !beat.err);
				CHECK(!wants.empty(), "packet from nowhere");
				got.insert(got.end(), beat.d, beat.d + n);
				for (unsigned i = n; i < LANES; i++) CHECK(!beat.d[i] || !beat.last, "lane behind the end is not zero");
				if (beat.last) {
					Want &w = wants.front();
					CHECK_EQ(beat.err, w.err || w.drop, "err");
					CHECK_EQ(beat.vl, w.vl, "vl");
					CHECK_EQ(beat.ipd, w.ipd, "ipd");
					CHECK_EQ(beat.words, w.words, "room that was taken");
					CHECK_EQ(beat.sum, w.csum, "checksums to be filled in");
					if (!w.err && !w.pkt.empty()) {
						CHECK_EQ(got.size(), w.pkt.size(), "packet length");
						for (size_t i = 0; i < got.size(); i++)
							CHECK(got[i] == w.pkt[i], "byte %zu of %zu: got %02x want %02x", i, got.size(), got[i], w.pkt[i]);
					}
					want_errs += w.err && !w.gone;
					if (w.err && w.resp) rerrs.push_back(w);
					else if (!w.resp && !w.gone && (w.err || w.done)) ups.push_back(w);
					wants.pop_front();
					finish_packets();
					got.clear();
				}
			}
			if (b->up_valid_o && b->up_ready_i) {
				// The report may come a few cycles before its packet's last beat.
				b.progress();
				finish_packets();
				Want w;
				if (!ups.empty()) { w = ups.front(); ups.pop_front(); }
				else {
					auto it = wants.begin();
					while (it != wants.end() && (it->resp || it->gone || !(it->err || it->done))) ++it;
					CHECK(it != wants.end() && it - wants.begin() < 8, "report from nowhere");
					w = *it;
					it->done = it->err ? it->done : false;
					if (it->err) it->resp = true, it->status = 0xff;   // reported already
				}
				CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_KIND), w.err ? OHCA_UPK_LOCAL_ERR : OHCA_UPK_UD_DONE, "up.kind");
				CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_QPN), w.qpn, "up.qpn");
				CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_IDX), w.idx, "up.idx");
				if (w.err) {
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_STATUS), w.status, "up.status");
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_VERR), w.verr, "up.verr");
				} else {
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_WROP), w.wrop, "up.wrop");
					CHECK_EQ(FIELD(b->up_o, OHCA_RA_UP_SIGNALED), w.sig, "up.signaled");
				}
			}
			while (!rerrs.empty() && rerrs.front().status == 0xff) rerrs.pop_front();
			if (b->rerr_valid_o && b->rerr_ready_i) {
				Want w;
				if (!rerrs.empty()) { w = rerrs.front(); rerrs.pop_front(); }
				else {
					auto it = wants.begin();
					while (it != wants.end() && (!it->resp || !it->err || it->status == 0xff)) ++it;
					CHECK(it != wants.end() && it - wants.begin() < 8, "rerr from nowhere");
					w = *it;
					it->status = 0xff;
				}
				CHECK_EQ(b->rerr_qpn_o, w.qpn, "rerr.qpn");
				CHECK_EQ(b->rerr_psn_o, w.psn, "rerr.psn");
			}
			idle = b->idle_o;
		});
	};
	auto drain = [&] {
		auto open = [&] { unsigned n = 0; for (auto &w : rerrs) n += w.status != 0xff; return n; };
		while (!wants.empty() || !ups.empty() || open()) step();
		for (int i = 0; i < 20; i++) { b.progress(); step(); }
		CHECK(idle, "not idle at the end");
	};
	b->gone_i = 0x80;
	b->desc_gone_i = 1ull << 63;
	b.reset();

	static const u8 with_pay[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0xa, 0xb, 0x16, 0x17, 0x64, 0x65 };
	static const u8 resp_pay[] = { 0xd, 0xe, 0xf, 0x10 };
	for (u64 i = 0; i < b.cycles * (TB_RO_C_E ? 2 : 1); i++) {
		if (i == b.cycles || (tab.ethernet && i % 512 == 0)) {      // and the other link layer, with and without ECT
			drain();
			tab.ethernet = true;
			tab.ect = !tab.ect;
			tab.config(b->cfg_i);
		}
		dma_errors = true;
		bool resp = b.rng.chance(25), vl15 = !resp && b.rng.chance(5);
		u32 len = b.rng.chance(20) ? 0 : b.rng.chance(60) ? u32(b.rng.range(1, 200)) : u32(b.rng.range(1, 4096));
		std::vector<Piece> p;
		u64 va = b.rng.next() & 0xffffffffffull;
		if (!resp && len && len <= 224 && b.rng.chance(50)) p.push_back({true, false, b.rng.next(), len, 0});
		else p = cut(va, len, b.rng.chance(50) ? 1 : 14);
		if (!p.empty() && b.rng.chance(4)) p[b.rng.below(p.size())].key |= 0x80000000;
		if (p.size() && !resp && b.rng.chance(3)) { Piece z = {false, true, b.rng.next(), p.back().len, 0}; if (!p.back().inl) p.back() = z; }
		if (p.size() && !resp && b.rng.chance(5)) {
			Piece &z = p[b.rng.below(p.size())];
			if (!z.inl) { z.gone = z.bad || b.rng.chance(50) ? 1 : 2; z.bad |= z.gone == 1; gones++; }
		}
		if (b.rng.chance(3) && !resp) { packet(0x64, OHCA_TXK_NOPKT, {}, 0, true); continue; }
		unsigned op = resp ? (len ? resp_pay[b.rng.below(4)] : tab.ethernet && b.rng.chance(30) ? 0x81 : 0x11) : len ? with_pay[b.rng.below(sizeof with_pay)] : b.rng.chance(50) ? 0x0c : 0x04;
		packet(op, resp ? OHCA_TXK_RESP : OHCA_TXK_REQ, p, b.rng.chance(40), !resp && (op >> 5) == 3, vl15);
		while (wants.size() > 60) step();
	}
	drain();
	CHECK_EQ(local_errs, want_errs, "packets with an error that is counted");
	GOAL(marks > 20 && gones > 50);
	tab.ethernet = false;
	tab.config(b->cfg_i);

	// A link that stands still does not hold up the reads: more small pieces than fit, and a drain ends all the same.
	dma_errors = false;
	for (unsigned round = 0; round < 5; round++) {
		out_pace.always(0);
		for (unsigned i = 0; i < 12; i++) {
			std::vector<Piece> p;
			u64 va = b.rng.next() & 0xffffffff00ull;
			for (unsigned k = 0; k < 14; k++) p.push_back({false, false, va + 8 * k, 1 + u32(b.rng.below(4)), 1});
			packet(0x04, OHCA_TXK_REQ, p, 0, false);
		}
		for (int i = 0; i < 2000; i++) { b.progress(); step(); }
		u64 before = marks, asked = good;
		for (int i = 0; i < 2000 && marks < before + 2; i++) { b.progress(); step(); }
		CHECK(marks >= before + 2, "a drain waits for the link");
		CHECK(asked > 8 && good == asked, "%llu translations", (unsigned long long)asked);
		out_pace.always(1);
		drain();
	}

	// Reports that nobody takes: packets wait, and no report is lost.
	for (unsigned round = 0; round < 5; round++) {
		up_pace.always(0);
		for (unsigned i = 0; i < 12; i++) packet(0x64, OHCA_TXK_REQ, {}, 0, true);
		for (int i = 0; i < 1000; i++) { b.progress(); step(); }
		up_pace.always(-1);
		drain();
	}

	// QPs that are reset while their packets wait for the link, the first one's half out: none of them leaves, and nobody is told of it; of the others all is.
	for (unsigned round = 0; round < 20; round++) {
		const u64 out = beats + b.rng.below(1000 / LANES);
		out_pace.always(1);
		for (unsigned i = 0; i < 8; i++) packet(0x64, OHCA_TXK_REQ, cut(b.rng.next() & 0xffffffff00ull, 2000 + u32(b.rng.below(2000)), 2), 0, true, false, int(i));
		while (beats < out) step();
		out_pace.always(0);
		for (int i = 0; i < 1000; i++) { b.progress(); step(); }
		CHECK_EQ(wants.size(), 8, "packets before the link moves");
		u32 which = u32(b.rng.bits(8)), i = 0;
		for (auto &w : wants) { if (which >> i & 1) w.err = w.gone = true; i++; }
		b->desc_gone_i = b->desc_gone_i | which;
		for (int k = 0; k < 2; k++) { b.progress(); step(); }
		out_pace.always(1);
		drain();
		b->desc_gone_i = 1ull << 63;
	}

	// Speed: everything ready, quick memory.
	for (auto *q : { &out_pace, &tpt_pace, &rd_pace, &up_pace }) q->always(1);
	src_d.pace.always(1); src_p.pace.always(1); src_n.pace.always(1);
	rd.gap = 0; rd.lat_lo = rd.lat_hi = 20; tpt.lat_lo = tpt.lat_hi = 6;
	tab.sl2vl = 0;
	tab.config(b->cfg_i);
	dma_errors = false;
	auto measure = [&](const char *what, unsigned n, double limit, std::function<void()> one) {
		u64 total = 0;
		beats = 0;
		for (unsigned i = 0; i < n; i++) one();
		for (auto &w : wants) total += (w.pkt.size() + LANES - 1) / LANES;
		u64 t0 = b.now();
		while (!wants.empty()) step();
		double per = double(last_out - first_out + 1) / n;
		printf("# %s: %.2f cycles a packet of %.2f beats, first beat %llu cycles after its descriptor\n", what, per, double(total) / n,
		       (unsigned long long)(first_out - t0));
		drain();
		CHECK(per <= limit, "%s: too slow", what);
		return first_out - t0;
	};
	// With Compact no header follows in the cycle of the last one's end; what the link appends to a packet takes as long.
	const double next = 0.1 + TB_COMPACT;
	unsigned beats4k = (4096 + 20 + LANES - 1) / LANES;
	measure("4096 bytes, aligned", 40, beats4k + 1.8, [&] { packet(0x01, OHCA_TXK_REQ, {{false, false, 0x4000000, 4096, 1}}, 0, false); });
	measure("4096 bytes, odd address", 40, beats4k + 2.8, [&] {
		packet(0x01, OHCA_TXK_REQ, {{false, false, 0x4000003, 4093, 1}, {false, false, 0x5001000, 3, 1}}, 0, false); });
	measure("header only", 100, (36 + LANES - 1) / LANES + next, [&] { packet(0x0c, OHCA_TXK_REQ, {}, 0, false); });
	measure("8 bytes inline WRITE", 200, 36 / LANES + 3.1, [&] { packet(0x0a, OHCA_TXK_REQ, {{true, false, 0, 8, 0}}, 0, false); });
	u64 lat = measure("one 8-byte inline WRITE", 2, 100, [&] { packet(0x0a, OHCA_TXK_REQ, {{true, false, 0, 8, 0}}, 0, false); });
	CHECK(lat <= 12, "latency %llu", (unsigned long long)lat);
	if (TB_RO_C_E) {
		tab.ethernet = true;
		tab.config(b->cfg_i);
		for (auto &a : tab.attrs) a.type = OHCA_GID_TYPE_ROCE_V2_IPV6;
		unsigned beats_e = (4096 + 88 + LANES - 1) / LANES;
		measure("Ethernet, 4096 bytes, odd address", 40, beats_e + 2.8, [&] {
			packet(0x01, OHCA_TXK_REQ, {{false, false, 0x4000003, 4093, 1}, {false, false, 0x5001000, 3, 1}}, 0, false); });
		measure("Ethernet, header only", 100, (104 + LANES - 1) / LANES + next, [&] { packet(0x0c, OHCA_TXK_REQ, {}, 0, false); });
		lat = measure("Ethernet, one 8-byte inline WRITE", 2, 100, [&] { packet(0x0a, OHCA_TXK_REQ, {{true, false, 0, 8, 0}}, 0, false); });
		CHECK(lat <= 12, "latency %llu", (unsigned long long)lat);
	}
	return b.finish();
}
