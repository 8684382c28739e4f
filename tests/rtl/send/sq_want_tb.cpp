// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_want: every answer against the definition, of the context as the token leaves it, which is worked out here
// field by field. Numbers are equal, next to each other, at the edge of what may be fetched ahead, half of their range
// apart or random.
// dut: ohca_sq_want
// dut: ohca_sq_want Ahead=8
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_AHEAD
#define TB_AHEAD 32
#endif

struct Ctx {
	u32 state, stride, psn, sent, skip_psn, una;
	u16 pi, next, fetch, err_idx;
	bool in_msg, skip, rnr, fence, credit, window, err_valid;
	bool alive() const { return state == OHCA_QP_STATE_RTS || state == OHCA_QP_STATE_SQD; }
};

// The definition.
static bool want(const Ctx &c)
{
	if (c.state == OHCA_QP_STATE_SQE || c.state == OHCA_QP_STATE_ERR) return c.next != c.pi;
	if (!c.alive() || c.stride < 6 || c.stride > 8) return false;
	if (c.rnr || c.fence || c.credit || c.window) return false;
	if (c.fetch == c.pi || (c.err_valid && c.fetch == c.err_idx)) return false;
	if (u16(c.fetch - c.next) >= TB_AHEAD || (c.in_msg && c.fetch != c.next)) return false;
	bool again = ((c.psn - c.sent) & 0xffffff) >= 0x800000;
	return c.state == OHCA_QP_STATE_RTS || c.in_msg || c.skip || again;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { AS_IS, THROWN, RUNG, BEHIND, FETCHED, PLANNED, FB };
	static const char *name[] = {"as it is", "thrown away", "rung", "behind", "fetched", "planned", "progress", "restart",
		"rnr_wait", "error", "sqd", "reads"};
	u64 seen[12][2] = {};
	auto see = [&](int k, bool got, bool is, const Ctx &c) {
		CHECK(got == is, "%s: %d, should be %d: state %u next %x fetch %x pi %x err %d %x psn %x sent %x in_msg %d skip %d",
		      name[k], got, is, c.state, c.next, c.fetch, c.pi, c.err_valid, c.err_idx, c.psn, c.sent, c.in_msg, c.skip);
		seen[k][is]++;
	};
	auto near = [&](u64 x, unsigned w) -> u32 {
		u64 r;
		switch (rng.below(8)) {
		case 0: case 1: r = x; break;
		case 2: case 3: r = x + rng.below(5) - 2; break;
		case 4: r = x + rng.below(TB_AHEAD + 4); break;
		case 5: r = x + TB_AHEAD + rng.below(5) - 2; break;
		case 6: r = x + (1ull << (w - 1)) + rng.below(5) - 2; break;
		default: r = rng.bits(w);
		}
		return u32(r & ((1ull << w) - 1));
	};
	auto ahead = [&](u16 x) {
		return u16(rng.chance(70) ? x + rng.below(rng.chance(50) ? 6 : TB_AHEAD + 2) : near(x, 16));
	};
	Ctx c{}, last{};
	bool fetching = false;
	u32 step = 1;
	for (u64 n = 0; n < 40000; n++) {
		static const u32 states[] = {OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_SQD,
			OHCA_QP_STATE_SQD, OHCA_QP_STATE_SQE, OHCA_QP_STATE_ERR, OHCA_QP_STATE_RTR};
		for (unsigned i = 0; i < OHCA_SQC_BITS; i += 32) tb::set_bits(d.line_i, i, 32, rng.bits(32));
		for (unsigned i = 0; i < OHCA_SQ_FB_BITS; i++) tb::set_bits(d.fb_i, i, 1, rng.bits(1));
		c.state = states[rng.below(8)];
		c.stride = rng.chance(95) ? 6 + u32(rng.below(3)) : u32(rng.below(16));
		c.next = u16(rng.bits(16)); c.fetch = ahead(c.next); c.pi = ahead(c.fetch);
		c.err_idx = rng.chance(50) ? ahead(c.fetch) : u16(near(c.next, 16));
		c.psn = u32(rng.bits(24)); c.sent = near(c.psn, 24); c.una = near(c.psn, 24); c.skip_psn = near(c.psn, 24);
		c.in_msg = rng.chance(20); c.skip = rng.chance(20); c.err_valid = rng.chance(30);
		c.rnr = rng.chance(6); c.fence = rng.chance(20); c.credit = rng.chance(20); c.window = rng.chance(20);
		if (rng.chance(50)) c.fence = c.credit = c.window = false;
		u32 rd_done = u32(rng.bits(8)), rd_safe = near(rd_done, 8), lsn = u32(rng.bits(24));
		SET_FIELD(d.line_i, OHCA_SQC_STATE, c.state);
		SET_FIELD(d.line_i, OHCA_SQC_LOG_STRIDE, c.stride);
		SET_FIELD(d.line_i, OHCA_SQC_PI, c.pi);
		SET_FIELD(d.line_i, OHCA_SQC_NEXT, c.next);
		SET_FIELD(d.line_i, OHCA_SQC_FETCH, c.fetch);
		SET_FIELD(d.line_i, OHCA_SQC_ERR_IDX, c.err_idx);
		SET_FIELD(d.line_i, OHCA_SQC_PSN, c.psn);
		SET_FIELD(d.line_i, OHCA_SQC_SENT_PSN, c.sent);
		SET_FIELD(d.line_i, OHCA_SQC_UNA_PSN, c.una);
		SET_FIELD(d.line_i, OHCA_SQC_SKIP_PSN, c.skip_psn);
		SET_FIELD(d.line_i, OHCA_SQC_IN_MSG, c.in_msg);
		SET_FIELD(d.line_i, OHCA_SQC_SKIP, c.skip);
		SET_FIELD(d.line_i, OHCA_SQC_ERR_VALID, c.err_valid);
		SET_FIELD(d.line_i, OHCA_SQC_RNR_WAIT, c.rnr);
		SET_FIELD(d.line_i, OHCA_SQC_FENCE_WAIT, c.fence);
		SET_FIELD(d.line_i, OHCA_SQC_CREDIT_WAIT, c.credit);
		SET_FIELD(d.line_i, OHCA_SQC_WINDOW_WAIT, c.window);
		SET_FIELD(d.line_i, OHCA_SQC_RD_DONE, rd_done);
		SET_FIELD(d.line_i, OHCA_SQC_RD_SAFE, rd_safe);
		SET_FIELD(d.line_i, OHCA_SQC_LSN, lsn);

		// What the token brings.
		u16 db_pi = rng.chance(50) ? ahead(c.fetch) : u16(near(c.pi, 16));
		u32 kind = u32(rng.below(6)), f_una = rng.chance(50) ? near(c.una, 24) : near(c.skip ? c.skip_psn : c.psn, 24);
		u32 f_psn = rng.chance(50) ? near(f_una, 24) : near(c.sent, 24), f_rdd = near(rng.chance(60) ? rd_done : rd_safe, 8);
		u32 f_lsn = near(lsn, 24);
		u16 f_idx = rng.chance(60) ? u16(near(c.next, 16)) : rng.chance(50) ? u16(near(c.pi, 16)) : u16(near(c.err_idx, 16));
		bool f_lsnv = rng.chance(70);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_KIND, kind);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_IDX, f_idx);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_UNA_PSN, f_una);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_PSN, f_psn);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_LSN_VALID, f_lsnv);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_LSN, f_lsn);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_RD_DONE, f_rdd);
		Ctx p = c;
		p.next = rng.chance(50) ? c.next : u16(near(c.fetch, 16)); p.psn = u32(rng.bits(24)); p.sent = near(p.psn, 24);
		p.in_msg = rng.chance(20); p.skip = rng.chance(20); p.fence = rng.chance(10); p.credit = p.window = false;
		p.pi = rng.chance(50) ? c.pi : u16(near(p.next, 16));
		bool drop = rng.chance(50);
		if (drop) p.fetch = p.next;
		d.db_pi_i = db_pi;
		d.plan_next_i = p.next; d.plan_again_i = ((p.psn - p.sent) & 0xffffff) >= 0x800000; d.plan_in_msg_i = p.in_msg;
		d.plan_skip_i = p.skip; d.plan_wait_i = p.fence; d.plan_drop_i = drop; d.plan_pi_i = p.pi; d.step_i = step;
		// What is asked of the cycle before; then what is there for the second cycle.
		b.progress();
		b.cycle([] {}, [&] {
			if (!fetching) return;
			last.fetch = u16(last.fetch + step);
			see(FETCHED, d.fetched_o, want(last), last);
		});
		b.cycle([] {}, [&] {
			Ctx x = c;
			see(AS_IS, d.as_is_o, want(x), c);
			x.fetch = c.next;
			see(THROWN, d.thrown_o, want(x), c);
			x = c; x.pi = db_pi;
			see(RUNG, d.rung_o, want(x), c);
			bool behind = int16_t(f_idx - c.next) > 0 || u16(f_idx - c.next) == 0x8000;
			see(BEHIND, d.behind_o, behind, c);
			if (!c.alive()) return;
			see(PLANNED, d.planned_o, want(p), p);
			x = c;
			u32 gone = (f_una - (c.skip ? c.skip_psn : c.psn)) & 0xffffff;
			switch (kind) {
			case OHCA_FBK_PROGRESS:
				if (f_rdd != rd_done) x.fence = false;
				if (f_una != c.una) x.window = false;
				if (!f_lsnv || f_lsn != lsn || f_una == c.psn) x.credit = false;
				if (behind) {
					x.next = x.fetch = f_idx; x.psn = f_psn; x.skip = f_una != f_psn;
					x.in_msg = x.fence = x.credit = x.window = false;
				} else if (gone && gone < 0x800000) x.skip = true;
				break;
			case OHCA_FBK_RESTART:
				x.next = x.fetch = f_idx; x.psn = f_una; x.skip = f_una != f_psn;
				x.in_msg = x.rnr = x.fence = x.credit = x.window = false;
				break;
			case OHCA_FBK_RNR_WAIT: x.rnr = true; x.fetch = x.next; break;
			case OHCA_FBK_ERROR: x.state = OHCA_QP_STATE_ERR; x.fetch = x.next; break;
			case OHCA_FBK_READS: if (((f_rdd - rd_safe) & 255) <= ((rd_done - rd_safe) & 255)) x.fence = false; break;
			default: break;
			}
			see(FB + int(kind), d.fb_o, want(x), x);
		});
		// Then it may be fetched: not beyond pi, and what is sent in part alone.
		fetching = c.alive() && want(c);
		last = c;
		u32 most = c.in_msg ? 1 : u16(c.pi - c.fetch) < 4 ? u16(c.pi - c.fetch) : 4;
		step = fetching ? 1 + u32(rng.below(most)) : 1 + u32(rng.below(4));
	}
	for (int k = 0; k < 12; k++) {
		printf("# %s: %llu no, %llu yes\n", name[k], (unsigned long long)seen[k][0], (unsigned long long)seen[k][1]);
		GOAL(seen[k][0] > 30 && (seen[k][1] > 100 || k == FB + OHCA_FBK_RNR_WAIT));
	}
	return b.finish();
}
