// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_txb_join: packets cut into fragments that lie anywhere in their beats, given in the order in which the builder gives
// them. The beats that leave are full but the last, in 4-byte words, zero behind the last byte; one a cycle if nothing waits.
// dut: ohca_txb_join DW=64
// dut: ohca_txb_join DW=128
// dut: ohca_txb_join DW=512
// args: --cycles 100000
#include "Vdut.h"
#include "tb.h"
#include <algorithm>

typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
enum { LANES = TB_D_W / 8 };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 100);
	auto &r = b.rng;
	struct Op { u8 d[LANES]; u32 amt, f, cnt; bool emit, last, err; u32 side; };
	struct Beat { u8 d[LANES]; u32 n, cnt, side; bool last, err; };
	std::deque<Op> ops;
	std::deque<Beat> want;
	tb::Pace give(&r), ready(&r);
	u64 packets = 0, tails = 0, stalled = 0, beats = 0;
	auto push = [&] {
		u32 len = u32(r.chance(50) ? r.range(1, 3 * LANES) : r.range(1, 6 * LANES)), at = 0, f = 0, side = u32(r.bits(23));
		bool err = r.chance(10);
		std::vector<u8> data(len);
		for (auto &x : data) x = u8(r.bits(8));
		while (at < len) {
			u32 n = u32(std::min<u64>(len - at, r.chance(40) ? LANES : r.range(1, LANES))), off = u32(r.below(LANES - n + 1));
			Op o;
			for (auto &x : o.d) x = u8(r.bits(8));
			memcpy(o.d + off, &data[at], n);
			o.amt = (off - f) & (LANES - 1); o.f = f; o.side = side;
			at += n;
			bool end = at == len;
			o.emit = f + n >= LANES || end;
			o.last = end && f + n <= LANES;
			o.err = o.last && err;
			o.cnt = o.last ? f + n : LANES;
			ops.push_back(o);
			f = end && f + n <= LANES ? 0 : (f + n) % LANES;
			if (end && !o.last) {              // what is left leaves alone
				for (auto &x : o.d) x = u8(r.bits(8));
				o.amt = u32(r.below(LANES)); o.f = f; o.cnt = f; o.emit = o.last = true; o.err = err;
				ops.push_back(o);
				tails++;
			}
		}
		for (at = 0; at < len; at += LANES) {
			Beat w;
			memset(w.d, 0, sizeof w.d);
			w.cnt = std::min<u32>(LANES, len - at);
			memcpy(w.d, &data[at], w.cnt);
			w.n = (w.cnt + 3) & ~3u;
			w.last = at + LANES >= len;
			w.err = w.last && err;
			w.side = side;
			want.push_back(w);
		}
		packets++;
	};
	b->op_valid_i = b->out_ready_i = 0;
	b.reset();
	while (b.now() < b.cycles || !want.empty()) {
		if (b.now() < b.cycles && ops.size() < 40) push();
		b.cycle([&] {
			b->op_valid_i = !ops.empty() && give.go();
			if (b->op_valid_i) {
				const Op &o = ops.front();
				tb::set_bytes(b->op_data_i, o.d, LANES);
				b->op_amt_i = o.amt; b->op_f_i = o.f; b->op_cnt_i = o.cnt;
				b->op_emit_i = o.emit; b->op_last_i = o.last; b->op_err_i = o.err; b->op_side_i = o.side;
			}
			b->out_ready_i = ready.go();
		}, [&] {
			CHECK_EQ(b->step_o, !b->out_valid_o || b->out_ready_i, "step");
			stalled += b->op_valid_i && !b->step_o;
			if (b->op_valid_i && b->step_o) { ops.pop_front(); b.progress(); }
			if (!b->out_valid_o) return;
			CHECK(!want.empty(), "a beat from nowhere");
			const Beat &w = want.front();
			u8 d[LANES];
			tb::get_bytes(b->out_data_o, d, LANES);
			CHECK_EQ(b->out_keep_o, tb::keep_mask(w.n), "keep");
			CHECK(!memcmp(d, w.d, LANES), "data");
			CHECK_EQ(b->out_last_o, w.last, "last"); CHECK_EQ(b->out_side_o, w.side, "side");
			if (w.last) CHECK_EQ(b->out_err_o, w.err, "err");
			else CHECK(!b->out_err_o, "an error in the middle");
			if (b->out_ready_i) { want.pop_front(); beats++; b.progress(); }
		});
	}
	for (int i = 0; i < 4; i++) b.cycle([&] { b->op_valid_i = 0; b->out_ready_i = 1; }, [&] { if (i == 3) CHECK(b->idle_o, "not idle at the end"); });
	GOAL(packets > 1000 && tails > 100 && stalled > 1000);
	printf("# %llu packets, %llu beats\n", (unsigned long long)packets, (unsigned long long)beats);
	return b.finish();
}
