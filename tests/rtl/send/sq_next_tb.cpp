// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_next: random contexts and tokens of every kind; the whole line against what is worked out here, field by
// field. Numbers of feedback are equal to those of the context, next to them, half of their range apart, or random.
// dut: ohca_sq_next_top
// dut: ohca_sq_next_top Compact=1
// args: --cycles 40000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
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
	u64 seen[6] = {}, fbs[8] = {}, behinds = 0, parts = 0, states = 0, plans = 0, flushes = 0, gone = 0;
	auto near = [&](u64 x, unsigned w) {
		u64 r = rng.chance(40) ? x : rng.chance(50) ? x + rng.below(5) - 2 : rng.chance(40) ? x + (1ull << (w - 1)) + rng.below(3) - 1 : rng.bits(w);
		return r & ((1ull << w) - 1);
	};
#define L(f) FIELD(d.line_i, OHCA_SQC_##f)
#define B(f) FIELD(d.fb_i, OHCA_SQ_FB_##f)
#define P(f) FIELD(d.plan_i, OHCA_SQ_PLAN_##f)
	while (b.now() < b.cycles) {
		for (unsigned i = 0; i < OHCA_SQC_BITS; i += 32) tb::set_bits(d.line_i, i, 32, rng.bits(32));
		for (unsigned i = 0; i < OHCA_SQ_FB_BITS; i++) tb::set_bits(d.fb_i, i, 1, rng.bits(1));
		for (unsigned i = 0; i < OHCA_CTX_ACC_BITS; i++) tb::set_bits(d.acc_i, i, 1, rng.bits(1));
		for (unsigned i = 0; i < OHCA_SQ_PLAN_BITS; i++) tb::set_bits(d.plan_i, i, 1, rng.bits(1));
		static const u32 st[] = {OHCA_QP_STATE_RTS, OHCA_QP_STATE_RTS, OHCA_QP_STATE_SQD, OHCA_QP_STATE_SQE, OHCA_QP_STATE_ERR,
			OHCA_QP_STATE_RTR};
		u32 state = st[rng.below(6)], was = st[rng.below(6)], kind = u32(rng.below(6));
		bool alive = state == OHCA_QP_STATE_RTS || state == OHCA_QP_STATE_SQD;
		u32 type = rng.chance(60) ? u32(OHCA_QP_TYPE_RC) : rng.chance(50) ? u32(OHCA_QP_TYPE_UD) : rng.chance(50) ? u32(OHCA_QP_TYPE_SMI) : u32(OHCA_QP_TYPE_GSI);
		SET_FIELD(d.line_i, OHCA_SQC_STATE, state); SET_FIELD(d.line_i, OHCA_SQC_QTYPE, type);
		SET_FIELD(d.line_i, OHCA_SQC_RD_SAFE, near(L(RD_DONE), 8));
		static const u32 fk[] = {OHCA_FBK_PROGRESS, OHCA_FBK_PROGRESS, OHCA_FBK_RESTART, OHCA_FBK_RNR_WAIT, OHCA_FBK_ERROR, OHCA_FBK_READS};
		u32 fb = fk[rng.below(6)];
		SET_FIELD(d.fb_i, OHCA_SQ_FB_KIND, fb);
		SET_FIELD(d.fb_i, OHCA_SQ_FB_UNA_PSN, near(rng.chance(50) ? L(UNA_PSN) : L(SKIP) ? L(SKIP_PSN) : L(PSN), 24));
		SET_FIELD(d.fb_i, OHCA_SQ_FB_PSN, near(B(UNA_PSN), 24)); SET_FIELD(d.fb_i, OHCA_SQ_FB_LSN, near(L(LSN), 24));
		SET_FIELD(d.fb_i, OHCA_SQ_FB_RD_DONE, near(rng.chance(50) ? L(RD_DONE) : L(RD_SAFE), 8));
		bool behind = rng.chance(30), state_new = rng.chance(50), stale = rng.chance(30), moves = rng.chance(50), flush = rng.chance(30);
		bool fetch = !flush && rng.chance(50), planned = (kind == OHCA_SQ_KIND_T2 || kind == OHCA_SQ_KIND_DB) && rng.chance(60);
		u32 fetched = 1 + u32(rng.below(4)), db_pi = u32(rng.bits(16));
		if (planned) stale = false;
		d.kind_i = kind; d.behind_i = behind; d.was_i = was; d.state_new_i = state_new; d.stale_i = stale; d.moves_i = moves;
		d.db_pi_i = db_pi; d.flush_i = flush; d.fetch_i = fetch; d.fetched_i = fetched; d.planned_i = planned;

		VlWide<32> n;
		for (int i = 0; i < 32; i++) n[i] = d.line_i[i];
#define N(f, v) SET_FIELD(n, OHCA_SQC_##f, v)
		auto anew = [&](u64 at) { N(FETCH, at); N(GEN, (L(GEN) + 1) & 255); };
		if (planned) {
			if (kind == OHCA_SQ_KIND_DB) N(PI, db_pi);
			N(PSN, P(PSN)); N(SENT_PSN, P(SENT_PSN)); N(SSN, P(SSN)); N(NEXT, P(NEXT)); N(IN_MSG, P(IN_MSG)); N(OFFSET, P(OFFSET));
			N(SKIP, P(SKIP)); N(RD_ISSUED, P(RD_ISSUED)); N(ACKREQ_CNT, P(ACKS)); N(FENCE_WAIT, P(FENCE_WAIT));
			N(CREDIT_WAIT, P(CREDIT_WAIT)); N(WINDOW_WAIT, P(WINDOW_WAIT));
			if (P(ERR)) { N(ERR_VALID, 1); N(ERR_IDX, P(NEXT)); }
			if (kind == OHCA_SQ_KIND_DB) N(FETCH, P(NEXT));
			if (P(STOP)) anew(P(NEXT));
			plans++;
		} else switch (kind) {
		case OHCA_SQ_KIND_FB: {
			if (!alive) break;
			fbs[fb]++;
			if (fb == OHCA_FBK_READS) {
				if (((B(RD_DONE) - L(RD_SAFE)) & 255) <= ((L(RD_DONE) - L(RD_SAFE)) & 255)) { N(RD_SAFE, B(RD_DONE)); N(FENCE_WAIT, 0); }
				break;
			}
			N(RD_DONE, B(RD_DONE)); N(LSN_VALID, B(LSN_VALID)); N(LSN, B(LSN));
			if (B(RD_SAFE)) N(RD_SAFE, B(RD_DONE));
			bool back = fb == OHCA_FBK_RESTART || (fb == OHCA_FBK_PROGRESS && behind);
			if (fb == OHCA_FBK_PROGRESS) {
				u32 into = u32(B(UNA_PSN) - (L(SKIP) ? L(SKIP_PSN) : L(PSN))) & 0xffffff;
				N(UNA_PSN, B(UNA_PSN));
				if (B(RD_DONE) != L(RD_DONE)) N(FENCE_WAIT, 0);
				if (B(UNA_PSN) != L(UNA_PSN)) N(WINDOW_WAIT, 0);
				if (!B(LSN_VALID) || B(LSN) != L(LSN) || B(UNA_PSN) == L(PSN)) N(CREDIT_WAIT, 0);
				if (behind) { N(PSN, B(PSN)); N(SKIP_PSN, B(UNA_PSN)); behinds++; }
				else if (into && into < 0x800000) { N(SKIP, 1); N(SKIP_PSN, B(UNA_PSN)); parts++; }
			}
			if (fb == OHCA_FBK_RESTART) { N(PSN, B(UNA_PSN)); N(UNA_PSN, B(PSN)); N(SKIP_PSN, B(PSN)); N(RNR_WAIT, 0); }
			if (back) {
				N(NEXT, B(IDX)); N(SKIP, B(UNA_PSN) != B(PSN)); N(SSN, B(SSN)); N(IN_MSG, 0); N(OFFSET, 0); N(RD_ISSUED, B(RD_DONE));
				N(FENCE_WAIT, 0); N(CREDIT_WAIT, 0); N(WINDOW_WAIT, 0); N(ACKREQ_CNT, 15);
				anew(B(IDX));
			}
			if (fb == OHCA_FBK_RNR_WAIT) { N(RNR_WAIT, 1); anew(L(NEXT)); }
			if (fb == OHCA_FBK_ERROR) { N(STATE, type == OHCA_QP_TYPE_RC ? OHCA_QP_STATE_ERR : OHCA_QP_STATE_SQE); anew(L(NEXT)); }
			break;
		}
		case OHCA_SQ_KIND_ACC: {
			if (state_new) {
				anew(L(NEXT));
				if (was == OHCA_QP_STATE_RTR) N(SENT_PSN, L(PSN));
				if (was == OHCA_QP_STATE_SQE) N(ERR_VALID, 0);
				states++;
			}
			u32 dw = u32(FIELD(d.acc_i, OHCA_CTX_ACC_DW)), m = u32(FIELD(d.acc_i, OHCA_CTX_ACC_WMASK)), v = u32(FIELD(d.acc_i, OHCA_CTX_ACC_WDATA));
			if (!compact && dw < OHCA_QPC_HOT_BYTES / 4) n[dw] = (n[dw] & ~m) | (v & m);
			break;
		}
		case OHCA_SQ_KIND_T2: if (!stale) { anew(L(NEXT)); gone++; } break;
		case OHCA_SQ_KIND_DB: if (moves) N(PI, db_pi); break;
		case OHCA_SQ_KIND_T1:
			N(IN_RUNQ, 0);
			if (flush) { N(NEXT, L(PI)); N(FETCH, L(PI)); N(IN_MSG, 0); N(SKIP, 0); flushes++; }
			if (fetch) N(FETCH, (L(FETCH) + fetched) & 0xffff);
			break;
		default: break;
		}
		seen[kind]++;
		b.cycle([&] { d.eval(); }, [&] {
			for (unsigned i = 0; i < 32; i++)
				CHECK(d.next_o[i] == n[i], "dword %u: %08x, should be %08x, kind %u feedback %u planned %d", i, d.next_o[i], n[i], kind, fb, planned);
			b.progress();
		});
	}
	printf("# %llu plans, %llu progress behind what is next, %llu into it, %llu changes of the state, %llu flushed, %llu batches thrown away\n",
		(unsigned long long)plans, (unsigned long long)behinds, (unsigned long long)parts, (unsigned long long)states,
		(unsigned long long)flushes, (unsigned long long)gone);
	for (u64 k : seen) GOAL(k > 1000);
	GOAL(plans > 1000 && behinds > 200 && parts > 100 && states > 500 && flushes > 300 && gone > 200);
	GOAL(fbs[OHCA_FBK_RESTART] > 200 && fbs[OHCA_FBK_RNR_WAIT] > 200 && fbs[OHCA_FBK_ERROR] > 200 && fbs[OHCA_FBK_READS] > 200);
	return b.finish();
}
