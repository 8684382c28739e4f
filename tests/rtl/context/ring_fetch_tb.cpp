// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ring_fetch: every request gives its words in order, but those that are passed by, or ends in exactly one error word; nothing is asked for without room.
// dut: ohca_ring_fetch DW=64
// dut: ohca_ring_fetch DW=64 Single=1
// dut: ohca_ring_fetch DW=128 Depth=4
// dut: ohca_ring_fetch DW=256
// dut: ohca_ring_fetch DW=512
// dut: ohca_ring_fetch DW=512 BufBytes=512 Depth=16
// dut: ohca_ring_fetch DW=512 BufBytes=512 Depth=16 Stage=1
// dut: ohca_ring_fetch DW=512 BufBytes=32768 Depth=32
#include "Vdut.h"
#include "tb.h"
#include "models.h"
#ifndef TB_BUF_BYTES
#define TB_BUF_BYTES 4096
#endif
#ifndef TB_DEPTH
#define TB_DEPTH 8
#endif
enum { LANES = TB_D_W / 8 };

struct Req { bool mtt; u64 buf; u32 offset, len; };
struct Want { Req r; u64 addr; unsigned nwords, got = 0; int fail; bool dma_err = false; };   // fail: verr expected at once, or -1

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	for (unsigned mode = 0; mode < 4; mode++) {
		bool fast = mode == 3;
		ReadModel rd(rng, LANES);
		rd.gap = fast ? 0 : 20;
		rd.lat_lo = rd.lat_hi = 60;
		if (!fast) rd.lat_lo = 1;
		rd.err_permille = mode == 1 ? 100 : 0;
		tb::Source<Req> src(&rng);
		struct W { bytes v; };
		tb::Sink<VlWide<5>> sink(&rng, "word");
		tb::Pace rdy(&rng), tready(&rng);
		if (fast) { src.pace.always(1); sink.pace.always(1); rdy.always(1); tready.always(1); }
		std::deque<Want> want;
		struct T { u64 due, va; unsigned seq; };
		std::deque<T> tq;
		std::deque<Want *> unread;        // accepted, its host read not yet seen
		u64 n = b.cycles / 8, sent = 0, done = 0, words = 0, t0 = 0;
		unsigned outstanding_beats = 0, passed = 0;
		d.req_valid_i = d.word_ready_i = d.pass_i = d.tpt_ready_i = d.tpt_rsp_valid_i = d.rd_ready_i = d.rd_rsp_valid_i = 0;
		b.reset();
		std::map<u64, bool> bad_page;
		t0 = b.now();
		while (done < n) {
			u64 now = b.now();
			b.cycle([&] {
				if (src.done() && sent < n) {
					Req r;
					r.mtt = mode == 3 ? rng.chance(50) : rng.chance(60);
					r.buf = (rng.next() & 0xfffffffff000ull) | (rng.below(256) * 16);
					r.offset = u32(rng.below(1 << 12)) * 16;
					r.len = u32(rng.chance(70) || fast ? 64 * rng.range(1, 4) : 16 * rng.range(1, 256));
					u64 s = r.buf + r.offset;
					if (fast || !rng.chance(5)) {   // mostly inside its page
						if (r.len > 4096) r.len = 4096;
						while ((s & 4095) + r.len > 4096) r.len -= 16;
					}
					if (!fast && rng.chance(1)) r.len += 3;
					if (!fast && rng.chance(1)) r.len = 0;
					src.push(r);
				}
				d.req_valid_i = src.drive();
				if (d.req_valid_i) {
					const Req &r = src.front();
					SET_FIELD(d.req_i, OHCA_RING_REQ_BUF_MTT, r.mtt); SET_FIELD(d.req_i, OHCA_RING_REQ_BUF, r.buf);
					SET_FIELD(d.req_i, OHCA_RING_REQ_OFFSET, r.offset); SET_FIELD(d.req_i, OHCA_RING_REQ_LEN, r.len);
				}
				d.word_ready_i = sink.drive();
				d.pass_i = !fast && rng.chance(25);
				d.rd_ready_i = rdy.go();
				d.tpt_ready_i = tready.go();
				d.tpt_rsp_valid_i = 0;
				if (!tq.empty() && tq.front().due <= now) {
					u64 va = tq.front().va;
					bool ok = (va >> 12) % 16 != 3;
					d.tpt_rsp_valid_i = 1;
					SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_OK, ok);
					SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_VERR, ok ? 0 : OHCA_VENDOR_ERR_TPT_INVALID);
					SET_FIELD(d.tpt_rsp_i, OHCA_TPT_RSP_ADDR, va ^ 0x5a5000000000ull);
					tq.pop_front();
				}
				rd.drive(now, d.rd_rsp_valid_i, d.rd_rsp_data_i, d.rd_rsp_last_i, d.rd_rsp_err_i);
				if (d.rd_rsp_valid_i) outstanding_beats--;
			}, [&] {
				if (d.req_valid_i && d.req_ready_o) {
					Req r = src.front();
					u64 s = r.buf + r.offset;
					Want w{r, (s & ~15ull) ^ (r.mtt ? 0x5a5000000000ull : 0), r.len / 16, 0, -1};
					if ((s & 4095) + r.len > 4096 || r.len == 0 || r.len % 16 || (s & (LANES - 1) & ~15u) + r.len > TB_BUF_BYTES) w.fail = OHCA_VENDOR_ERR_LENGTH;
					else if (r.mtt && (s >> 12) % 16 == 3) w.fail = OHCA_VENDOR_ERR_TPT_INVALID;
					want.push_back(w);
					sent++;
				}
				src.sample(d.req_ready_o);
				if (d.tpt_valid_o && d.tpt_ready_i) {
					CHECK_EQ(FIELD(d.tpt_o, OHCA_TPT_REQ_MTT_OP), 1, "mtt_op");
					tq.push_back({now + (fast ? 5 : rng.range(1, 30)), FIELD(d.tpt_o, OHCA_TPT_REQ_VA), 0});
				}
				if (d.rd_valid_o && d.rd_ready_i) {
					auto *r = rd.accept(d.rd_o, now);
					outstanding_beats += r->beats;
					bool found = false;
					for (auto &w : want) if (w.fail < 0 && !w.nwords) {} else if (w.fail < 0 && w.addr == r->addr && w.r.len == r->len && !(w.r.offset & 1)) { w.r.offset |= 1; w.dma_err = r->err; found = true; break; }
					CHECK(found, "read of %u at 0x%llx was not asked for", r->len, (unsigned long long)r->addr);
				}
				VlWide<5> word = d.word_o;
				if (FIELD(d.word_o, OHCA_RING_WORD_ERR)) for (unsigned i = 0; i < 4; i++) word[i] = 0;     // its data may be anything, also change
				if (sink.sample(d.word_valid_o, word)) {
					CHECK(!want.empty(), "word from nowhere");
					Want &w = want.front();
					bool err = FIELD(d.word_o, OHCA_RING_WORD_ERR), last = FIELD(d.word_o, OHCA_RING_WORD_LAST);
					unsigned verr = FIELD(d.word_o, OHCA_RING_WORD_VERR);
					b.progress();
					words++;
					if (w.fail >= 0) {
						CHECK(err && last && verr == unsigned(w.fail) && w.got == 0, "verr %u, want %d", verr, w.fail);
					} else if (err) {
						CHECK(w.dma_err && last && verr == OHCA_VENDOR_ERR_DMA, "unexpected error %u, mode %u mtt %d buf %llx off %x len %u", verr, mode, w.r.mtt, (unsigned long long)w.r.buf, w.r.offset, w.r.len);
					} else {
						bytes v(16);
						tb::get_bytes(d.word_o, v.data(), 16);
						for (unsigned i = 0; i < 16; i++) CHECK_EQ(v[i], host_byte(w.addr + 16 * w.got + i), "byte");
						CHECK_EQ(last, w.got + 1 == w.nwords, "last");
						CHECK(!last || !w.dma_err, "a failed read ended well");
						// Those behind it in its beat.
						unsigned beat = unsigned(w.addr / 16) + w.got, end = w.got + 1;
						if (LANES > 16) end = std::min(w.nwords, w.got + LANES / 16 - beat % (LANES / 16));
						CHECK_EQ(d.pass_last_o, end == w.nwords, "last of its beat");
						if (LANES >= 16) {
							bytes whole(LANES);
							tb::get_bytes(d.beat_o, whole.data(), LANES);
							for (unsigned i = 16 * w.got; i < 16 * end; i++) CHECK_EQ(whole[(w.addr + i) % LANES], host_byte(w.addr + i), "beat");
						}
						if (d.pass_i) {
							passed += end - w.got - 1;
							last = end == w.nwords;
							w.got = end - 1;
						}
					}
					CHECK(!err || d.pass_last_o, "an error ends it");
					w.got++;
					if (last) { want.pop_front(); done++; }
				}
				CHECK(!d.idle_o || want.empty() || (want.size() == 1 && d.req_valid_i), "idle with work");
			});
		}
		GOAL(LANES <= 16 || fast || passed > 20);
		if (fast) printf("# DW %d: %.2f words a cycle\n", int(TB_D_W), double(words) / double(b.now() - t0));
		for (int i = 0; i < 400; i++) b.cycle([&] { d.req_valid_i = 0; rd.drive(b.now(), d.rd_rsp_valid_i, d.rd_rsp_data_i, d.rd_rsp_last_i, d.rd_rsp_err_i); b.progress(); }, [&] { CHECK(!d.word_valid_o, "word from nowhere"); });
		CHECK(d.idle_o, "not idle");
	}
	return b.finish();
}
