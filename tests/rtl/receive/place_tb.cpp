// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_place: what was accepted, in that order, is what reaches the host: bytes, refusals and answers, at every alignment; all of a packet
// or nothing, and nothing of one that follows a refused one.
// dut: ohca_place DW=64 BufBytes=8192
// dut: ohca_place DW=64 BufBytes=16384 Compact=1
// dut: ohca_place DW=128 BufBytes=16384
// dut: ohca_place DW=256 BufBytes=65536 Depth=8 Pieces=32
// dut: ohca_place DW=512 BufBytes=65536
// include: tests/rtl/context
#include "Vdut.h"
#include "tb.h"
#include "models.h"

#ifndef TB_PIECES
#define TB_PIECES 64
#endif
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
enum { L = TB_D_W / 8, BUF = TB_BUF_BYTES };
struct Piece { bool last, empty, bad, mad, check, rw, rr, priv, id_v, chain; u32 id, prev, pd, key; u64 va; u32 chk; u32 src, len, qpn; };
struct Ev { int kind; u64 addr; bytes data; unsigned cli; bool ok; unsigned verr; u32 qpn = 0; };      // kind 0 write, 1 answer, 2 MAD dword
struct Tq { u64 due; bool ok; unsigned verr; u64 addr; };

static bool translate(u64 va, u64 &addr, unsigned &verr)
{
	u64 p = va >> 12;
	if (p % 13 == 5) { verr = OHCA_VENDOR_ERR_TPT_ACCESS; return false; }
	if (p % 13 == 6) { verr = OHCA_VENDOR_ERR_TPT_BOUNDS; return false; }
	verr = 0;
	addr = ((p * 0x9e3779b97ull & 0xffffffffffull) << 12) | (va & 4095);
	return true;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	bytes rb = rng.bytes(BUF);
	for (unsigned mode = 0; mode < 7; mode++) {
		// 0, 1 random; 2 aligned 4 KiB; 3 4 KiB, other alignment; 4 64-byte pieces; 5 small pieces, one beat; 6 latency of one piece
		bool fast = mode >= 2, single = mode == 6;
		u64 n = fast ? (single ? 200 : 1500) : b.cycles / 10;
		std::vector<tb::Source<Piece>> src;
		for (int i = 0; i < 3; i++) { src.emplace_back(&rng); if (fast) src.back().pace.always(1); }
		tb::Pace wrdy(&rng), drdy(&rng), trdy(&rng);
		if (fast) { wrdy.always(1); drdy.always(1); trdy.always(1); }
		std::deque<Ev> want;
		struct TW { Piece p; };
		std::deque<std::array<u64, 6>> tpt_want;      // va, chk, flags, pd, key
		std::deque<Tq> tq;
		std::deque<std::array<u64, 3>> reqs;          // accepted write requests whose data is to come
		bytes cur;
		bool failed = false, stalled_w = false, stalled_d = false; u64 swa = 0; bytes sda; unsigned fail_verr = 0, mad_at = 0;
		int left[3] = {};
		Piece who[3] = {};                            // numbers of the packet being sent
		bool refused[2][64] = {}, named[2][64] = {}, big[3] = {};
		std::vector<Ev> hold;                         // writes of the packet being accepted
		unsigned kept = 0;
		bool draining = false, drain_was = false;
		u64 n_chain = 0, n_flood = 0, n_bad = 0, n_drained = 0, in_packets = 0, out_packets = 0, marked = 0;
		bool first_piece = true;
		u64 sent = 0, answered = 0, beats = 0, pieces = 0, t0 = 0, lat = 0;
		u64 accept_at = 0, first_wr = 0;
		u32 rb_next = 0; bool rb_was = false;
		d.req_valid_i = d.tpt_ready_i = d.tpt_rsp_valid_i = d.wr_ready_i = d.wr_dat_ready_i = 0;
		b.reset();
		t0 = b.now();
		bool waiting = false;
		while (answered < n) {
			u64 now = b.now();
			b.cycle([&] {
				// the buffer answers one cycle later
				if (rb_was) tb::set_bytes(d.rb_data_i, rb.data() + rb_next * L, L);
				else { bytes junk = rng.bytes(L); tb::set_bytes(d.rb_data_i, junk.data(), L); }
				for (unsigned i = 0; i < 3; i++) {
					if (src[i].q.empty() && (sent < n || left[i]) && (!fast || i == 0) && (!single || !waiting)) {
						Piece p{};
						if (!left[i]) {
							big[i] = !fast && i != 2 && rng.chance(5);
							left[i] = int(fast ? 1 : i == 2 ? 1 : big[i] ? rng.range(TB_PIECES - 4, TB_PIECES + 4) : rng.range(1, 5));
							sent++; waiting = true;
							who[i].id_v = i != 2 && rng.chance(90); who[i].id = u32(rng.below(8) * 9); who[i].prev = u32(rng.below(8) * 9); who[i].chain = i != 2 && named[i][who[i].prev] && rng.chance(70);
							who[i].qpn = u32(rng.bits(24));
							if (fast && i != 2) { who[i].id_v = true; who[i].id = u32(sent % 2); who[i].prev = 1 - who[i].id; who[i].chain = sent > 1; }
						}
						p = who[i];
						p.last = --left[i] == 0;
						p.bad = p.last && !fast && i != 2 && rng.chance(5);
						p.mad = i == 2;
						p.empty = !fast && !p.mad && rng.chance(5);
						p.check = !fast && !p.mad && rng.chance(5);
						p.rw = rng.chance(50); p.rr = p.check && !p.rw; p.priv = rng.chance(50);
						p.pd = u32(rng.bits(24)); p.key = u32(rng.next());
						p.va = rng.next() & 0xffffffffffffull;
						if (rng.chance(60)) p.va = (p.va & ~0xfffull) * 13 / 13 + rng.below(4096);
						p.src = u32(rng.below(BUF));
						p.len = u32(rng.chance(50) ? rng.below(4 * L + 2) : rng.chance(50) ? rng.below(300) : rng.range(0, 4096));
						if (rng.chance(20)) p.va = (p.va | 0xfff) - rng.below(p.len + 1);     // near the end of a page
						p.chk = rng.chance(50) ? p.len + u32(rng.below(100000)) : u32(rng.below(p.len + 1));
						if (big[i]) { p.len = u32(rng.range(1, 60)); p.va &= ~4095ull; p.empty = p.check = p.rr = false; while ((p.va >> 12) % 13 == 5 || (p.va >> 12) % 13 == 6) p.va += 4096; }
						if (p.mad) { p.va = 128 * rng.below(4); p.len = 4 * u32(rng.range(0, 128)); }
						if (fast) {
							while ((p.va >> 12) % 13 == 5 || (p.va >> 12) % 13 == 6) p.va += 4096;
							p.va &= ~4095ull;
							p.len = mode <= 3 ? 4096 : mode == 4 ? 64 : 8;
							p.src = u32(rng.below(BUF / L)) * L;
							if (mode == 3) p.src += 3;
							if (mode >= 4) { p.va += 64 * rng.below(60) + (rng.chance(50) ? 0 : 4); }
						}
						src[i].push(p);
					}
					d.req_valid_i = u8((d.req_valid_i & ~(1u << i)) | unsigned(src[i].drive()) << i);
					if (!(d.req_valid_i >> i & 1)) continue;
					const Piece &p = src[i].front();
					const unsigned o = i * OHCA_PL_REQ_BITS;
#define PUT(F, v) tb::set_bits(d.req_i, o + OHCA_PL_REQ_##F##_LSB, OHCA_PL_REQ_##F##_WIDTH, v)
					PUT(LAST, p.last); PUT(EMPTY, p.empty); PUT(MAD, p.mad); PUT(CHECK_ONLY, p.check); PUT(NEED_RW, p.rw); PUT(NEED_RR, p.rr); PUT(PRIV, p.priv);
					PUT(BAD, p.bad); PUT(ID_V, p.id_v); PUT(ID, p.id); PUT(CHAIN, p.chain); PUT(PREV, p.prev);
					PUT(PD, p.pd); PUT(KEY, p.key); PUT(VA, p.va); PUT(CHK_LEN, p.chk); PUT(SRC, p.src); PUT(LEN, p.len); PUT(QPN, p.qpn);
				}
				d.tpt_ready_i = trdy.go();
				d.tpt_rsp_valid_i = 0;
				if (!tq.empty() && tq.front().due <= now) {
					d.tpt_rsp_valid_i = 1;
					SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_OK, tq.front().ok); SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_VERR, tq.front().verr);
					SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_ADDR, tq.front().addr);
					tq.pop_front();
				}
				d.wr_ready_i = wrdy.go();
				d.wr_dat_ready_i = drdy.go();
				d.drain_i = rng.chance(3);
			}, [&] {
				CHECK_EQ(d.draining_o, draining, "draining");          // a flop
				draining = d.drain_i || drain_was || out_packets < marked;
				n_drained += d.draining_o;
				drain_was = d.drain_i;                                  // a mark counts a cycle later
				// accepted pieces: what must follow
				for (unsigned i = 0; i < 3; i++) {
					if (!(d.req_valid_i >> i & 1)) continue;
					Piece p = src[i].front();
					if (!src[i].sample(d.req_ready_o >> i & 1)) continue;
					accept_at = now;
					pieces++;
					in_packets += first_piece;
					first_piece = p.last;
					if (!failed && p.chain && i < 2 && refused[i][p.prev]) { failed = true; fail_verr = OHCA_VENDOR_ERR_FLUSH; n_chain++; }
					if (p.mad) {
						for (u32 k = 0; k < p.len; k += 4) {
							Ev e{2, (p.va + k / 4) & 511, bytes(4), i, true, 0};
							for (unsigned j = 0; j < 4; j++) e.data[j] = rb[(p.src + k + j) % BUF];
							want.push_back(e);
						}
					} else if (!p.empty) {
						u32 len = p.check ? 0 : p.len, chk = p.check ? p.chk : std::max(p.chk, p.len), off = 0;
						do {
							u32 part = std::min<u32>(len - off, 4096 - u32((p.va + off) & 4095));
							u64 flags = u64(!p.rw && !p.rr) | u64(p.rw) << 1 | u64(p.rr) << 2 | u64(p.priv) << 3;
							tpt_want.push_back({p.va + off, std::max(chk > off ? chk - off : 0, part), flags, p.pd, p.key, 0});
							u64 addr = 0; unsigned verr;
							bool ok = translate(p.va + off, addr, verr);
							if (!ok && !failed) { failed = true; fail_verr = verr; }
							bool end = p.last && off + part >= len;
							if (!failed && part && !end && kept == TB_PIECES - 1) { failed = true; fail_verr = OHCA_VENDOR_ERR_LENGTH; n_flood++; }
							if (!failed && part) {
								Ev e{0, addr, bytes(part), i, true, 0, p.qpn};
								for (u32 j = 0; j < part; j++) e.data[j] = rb[(p.src + off + j) % BUF];
								hold.push_back(e);
								kept++;
							}
							off += part;
						} while (off < len);
					}
					if (!failed && p.bad) { failed = true; fail_verr = OHCA_VENDOR_ERR_FLUSH; n_bad++; }
					if (p.last) {
						if (!failed) want.insert(want.end(), hold.begin(), hold.end());
						want.push_back({1, 0, {}, i, !failed, failed ? fail_verr : 0});
						if (i < 2 && p.id_v) { refused[i][p.id] = failed; named[i][p.id] = true; }
						failed = false;
						hold.clear();
						kept = 0;
					}
				}
				if (d.tpt_valid_o && d.tpt_ready_i) {
					CHECK(!tpt_want.empty(), "translation from nowhere");
					auto t = tpt_want.front();
					tpt_want.pop_front();
					u64 flags = FIELD(d.tpt_o, OHCA_TPT_REQ_NEED_LW) | FIELD(d.tpt_o, OHCA_TPT_REQ_NEED_RW) << 1 | FIELD(d.tpt_o, OHCA_TPT_REQ_NEED_RR) << 2 | FIELD(d.tpt_o, OHCA_TPT_REQ_PRIV) << 3;
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_VA), t[0], "va");
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_CHK_LEN), t[1], "chk_len");
					CHECK_EQ(flags, t[2], "rights");
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_PD), t[3], "pd");
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_KEY), t[4], "key");
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_MTT_OP), 0, "mtt_op");
					Tq r{now + (fast ? 8 : rng.range(1, 40)), false, 0, rng.next()};
					r.ok = translate(t[0], r.addr, r.verr);
					tq.push_back(r);
				}
				auto front = [&]() -> Ev & { CHECK(!want.empty(), "output from nowhere"); return want.front(); };
				if (stalled_w) CHECK(d.wr_valid_o && FIELD(d.wr_o, OHCA_DMA_WR_REQ_ADDR) == swa, "stalled request changed");
				stalled_w = d.wr_valid_o && !d.wr_ready_i; swa = FIELD(d.wr_o, OHCA_DMA_WR_REQ_ADDR);
				if (stalled_d) CHECK(d.wr_dat_valid_o && got_bytes(d.wr_dat_o, L) == sda, "stalled data changed");
				stalled_d = d.wr_dat_valid_o && !d.wr_dat_ready_i;
				if (stalled_d) sda = got_bytes(d.wr_dat_o, L);
				// An answer comes in the cycle after its packet's last beat, so before a beat of this one.
				if (d.rsp_valid_o) {
					Ev &e = front();
					CHECK(e.kind == 1, "answer, but event %d is due", e.kind);
					CHECK_EQ(d.rsp_valid_o, 1u << e.cli, "client");
					CHECK_EQ(FIELD(d.rsp_o, OHCA_PL_RSP_OK), e.ok, "ok");
					CHECK_EQ(FIELD(d.rsp_o, OHCA_PL_RSP_VERR), e.verr, "verr");
					want.pop_front();
					answered++;
					if (single) { lat += now - accept_at; waiting = false; }
					b.progress();
				}
				bool data_now = d.wr_dat_valid_o && d.wr_dat_ready_i;
				if (data_now) {
					Ev &e = front();
					CHECK(e.kind == 0, "data, but event %d is due", e.kind);
					CHECK(!reqs.empty(), "data before its request");
					CHECK(reqs.front()[0] == e.addr && reqs.front()[1] == e.data.size(), "request 0x%llx+%llu, want 0x%llx+%zu", (unsigned long long)reqs.front()[0],
					      (unsigned long long)reqs.front()[1], (unsigned long long)e.addr, e.data.size());
					CHECK_EQ(reqs.front()[2], e.qpn, "whose write it is");
					bytes v = got_bytes(d.wr_dat_o, L);
					unsigned skip = cur.empty() ? unsigned(e.addr % L) : 0;
					unsigned take = unsigned(std::min<size_t>(L - skip, e.data.size() - cur.size()));
					cur.insert(cur.end(), v.begin() + skip, v.begin() + skip + take);
					beats++;
					bool last = cur.size() == e.data.size();
					CHECK_EQ(d.wr_dat_last_o, last, "last");
					if (last) {
						for (size_t i = 0; i < cur.size(); i++) CHECK(cur[i] == e.data[i], "byte %zu of %zu at 0x%llx: %02x, want %02x", i, cur.size(), (unsigned long long)e.addr, cur[i], e.data[i]);
						cur.clear();
						reqs.pop_front();
						want.pop_front();
					}
					b.progress();
				}
				if (d.wr_valid_o && d.wr_ready_i) {
					u64 a = FIELD(d.wr_o, OHCA_DMA_WR_REQ_ADDR), l = FIELD(d.wr_o, OHCA_DMA_WR_REQ_LEN);
					CHECK(l >= 1 && (a & 4095) + l <= 4096, "write of %llu at 0x%llx", (unsigned long long)l, (unsigned long long)a);
					reqs.push_back({a, l, d.wr_qpn_o});
					if (single) { first_wr += now - accept_at; }
				}
				if (d.mad_we_o) {
					Ev &e = front();
					CHECK(e.kind == 2, "MAD data, but event %d is due", e.kind);
					CHECK_EQ(d.mad_addr_o, e.addr, "MAD address");
					u32 w; memcpy(&w, e.data.data(), 4);
					CHECK_EQ(d.mad_data_o, w, "MAD data");
					want.pop_front();
					mad_at++;
					b.progress();
				}
				if (!want.empty() || !hold.empty()) CHECK(!d.idle_o || accept_at == now, "idle with work");
				out_packets += d.rsp_valid_o != 0;
				if (d.drain_i) marked = in_packets;
				rb_was = d.rb_en_o; rb_next = d.rb_addr_o;
				CHECK(!rb_was || rb_next < BUF / L, "buffer address");
			});
		}
		CHECK(want.empty() && reqs.empty() && tpt_want.empty(), "left over");
		if (!fast) printf("# %llu refused for the one before, %llu for too many pieces, %llu otherwise\n", (unsigned long long)n_chain, (unsigned long long)n_flood, (unsigned long long)n_bad);
		GOAL(fast || n_drained);
		if (!fast) GOAL(n_chain > 5 && n_bad && n_flood);
		double per = double(b.now() - t0) / double(n);
		const char *names[] = {"", "", "4 KiB aligned", "4 KiB unaligned", "64 bytes", "8 bytes", "one at a time"};
		if (single) printf("# %d bits, %s: write request after %.1f cycles, answer after %.1f (translation 8)\n", int(TB_D_W), names[mode], double(first_wr) / double(n), double(lat) / double(n));
		else if (fast) printf("# %d bits, %s: %.2f cycles a piece, %.2f beats a piece\n", int(TB_D_W), names[mode], per, double(beats) / double(n));
		if (mode == 2) CHECK(per < 4096 / L + 1, "not one beat a cycle");
		if (mode == 3) CHECK(per < 4096 / L + 3, "not one beat a cycle");
		if (mode == 5) CHECK(per <= (TB_COMPACT ? 4 : 3), "small pieces take %.2f cycles", per);
	}
	return b.finish();
}
