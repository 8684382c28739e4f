// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_hold: contexts of all kinds of tokens, held for any time, while the cache already offers the next (Compact: goes
// on offering this one). What is held is what came; an access has changed its word of the hot half, and no other bit; everything is
// there after exactly as many cycles as the header says.
// dut: ohca_rs_hold
// dut: ohca_rs_hold Compact=1
// args: --cycles 40000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { WORDS = 28, HOT = OHCA_QPC_HOT_BYTES / 4, PAY = compact ? 32 : 69 };
	bytes cx, next, pay((PAY + 7) / 8), acc((OHCA_CTX_ACC_BITS + 7) / 8), want;
	u32 kind = 0, qpn = 0, dw = 0, mask = 0, data = 0, old = 0, edit_at = 0, was = 0, edit_old = 0;
	bool err = false, there = false, gsi = false;
	int age = -1;                               // cycles since it was taken, -1: it is not
	u64 n = 0, kinds[8] = {}, changed = 0, gsis = 0, waited = 0;
	tb::Pace ip(&rng), ep(&rng);
	d.in_valid_i = d.end_i = d.edit_done_i = 0;
	b.reset();
	while (b.now() < b.cycles) {
		bool end = false, ready = false;
		b.cycle([&] {
			if (!there && age < 0 && ip.go()) {
				there = true;
				cx = rng.bytes(OHCA_RSC_BITS / 8);
				kind = u32(rng.chance(30) ? u64(OHCA_RS_KIND_ACC) : rng.below(8)); qpn = u32(rng.bits(24)); err = rng.chance(10);
				dw = u32(rng.below(32)); data = u32(rng.bits(32)); mask = u32(rng.chance(30) ? 0xffffffff : rng.bits(32));
				if (rng.chance(20) && dw < HOT) data = u32(bits_of(cx, 32 * dw, 32)) ^ (rng.chance(50) ? 0 : 1u << rng.below(32));
				gsi = kind == OHCA_RS_KIND_PKT && rng.chance(40);
				PF(cx, OHCA_RSC_QTYPE, gsi ? OHCA_QP_TYPE_GSI : OHCA_QP_TYPE_RC);
				for (auto &x : pay) x = u8(rng.bits(8));
				if (!compact) { put_bits(pay, 0, 32, mask); put_bits(pay, 32, 32, data); put_bits(pay, 64, 5, dw); }
				PF(acc, OHCA_CTX_ACC_DW, dw); PF(acc, OHCA_CTX_ACC_WDATA, data); PF(acc, OHCA_CTX_ACC_WMASK, mask);
				edit_at = u32(rng.range(1, 12)); edit_old = u32(rng.bits(32));
			}
			const bool mine = there || (compact && age >= 0);
			d.in_valid_i = mine;
			d.in_qpn_i = mine ? qpn : u32(rng.bits(24)); d.in_err_i = mine && err;
			bytes t((PAY + 3 + 7) / 8), line = mine ? cx : rng.bytes(OHCA_RSC_BITS / 8);
			for (unsigned i = 0; i < PAY; i++) put_bits(t, i, 1, bits_of(pay, i, 1));
			put_bits(t, PAY, 3, mine ? kind : rng.below(8));
			tb::set_bytes(d.in_token_i, t.data(), t.size()); tb::set_bytes(d.in_i, line.data(), line.size());
			tb::set_bytes(d.acc_i, acc.data(), acc.size());
			d.edit_done_i = compact && age >= 0 && kind == OHCA_RS_KIND_ACC && age == int(edit_at);
			// The cache makes the change.
			if (d.edit_done_i && dw < HOT) put_bits(cx, 32 * dw, 32, (bits_of(cx, 32 * dw, 32) & ~u64(mask)) | (data & mask));
			d.edit_old_i = edit_old;
			d.eval();
			ready = d.ready_o;
			end = ready && ep.go();
			d.end_i = end;
		}, [&] {
			CHECK_EQ(d.idle_o, age < 0, "idle");
			CHECK_EQ(d.load_o, age < 0 && there, "it is taken");
			if (age >= 0) {
				const bool a = kind == OHCA_RS_KIND_ACC;
				const int when = a ? (compact ? int(edit_at) + 1 : 5) : gsi ? 2 : 1;
				CHECK_EQ(ready, age >= when, "when it is ready");
				CHECK_EQ(d.edit_o, compact && a && age < when, "the cache makes the change");
				if (ready) {
					want = cx;
					for (unsigned i = 32 * WORDS; i < OHCA_RSC_BITS; i++) put_bits(want, i, 1, 0);
					if (a && !compact && dw < HOT) put_bits(want, 32 * dw, 32, (bits_of(cx, 32 * dw, 32) & ~u64(mask)) | (data & mask));
					CHECK(get_all(d.cx_o, OHCA_RSC_BITS) == want, "the context");
					CHECK_EQ(d.kind_o, kind, "kind"); CHECK_EQ(d.qpn_o, qpn, "QP"); CHECK_EQ(d.err_o, err, "none");
					CHECK_EQ(d.was_o, was, "the state before");
					if (!a || !compact) {
						bytes p = get_all(d.pay_o, PAY);
						for (unsigned i = 0; i < PAY; i++) CHECK_EQ(bits_of(p, i, 1), bits_of(pay, i, 1), "what came with it");
					}
					if (a) {
						CHECK_EQ(d.acc_dw_o, dw, "which word"); CHECK_EQ(d.acc_wdata_o, data, "data"); CHECK_EQ(d.acc_mask_o, mask, "mask");
						CHECK_EQ(d.acc_old_o, compact ? edit_old : dw < HOT ? old : 0, "as it was");
						if (!compact) CHECK_EQ(d.acc_chg_o, dw < HOT && ((old ^ data) & mask), "it changed");
						changed += d.acc_chg_o;
					}
					waited += !end;
				}
				if (end) { kinds[kind]++; gsis += gsi; n++; b.progress(); }
			}
			if (age >= 0) age = end ? -1 : age + 1;
			else if (there) {
				age = 1;
				there = false;
				was = u32(bits_of(cx, OHCA_RSC_STATE_LSB, OHCA_RSC_STATE_WIDTH));
				old = dw < HOT ? u32(bits_of(cx, 32 * dw, 32)) : 0;
			}
			if (age < 0 && !there) b.progress();
		});
	}
	printf("# %llu tokens, %llu to QP1, %llu words changed, held on for %llu cycles\n", (unsigned long long)n, (unsigned long long)gsis,
		(unsigned long long)changed, (unsigned long long)waited);
	for (u64 k : kinds) GOAL(k > 100);
	GOAL(n > 2000 && gsis > 50 && (compact || changed > 200) && waited > 500);
	return b.finish();
}
