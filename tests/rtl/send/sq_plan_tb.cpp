// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_plan: batches of one to four WQEs of every kind of QP, state and stride, with numbers at the edges of what
// holds a WQE up, and with tokens between them that are not planned after all. A model works the plan out WQE by WQE:
// every job, what the context becomes, why it ended, and the cycle in which, with the first header read ahead or not.
// dut: ohca_sq_plan
// dut: ohca_sq_plan BudgetSh=12 Turns=8
// dut: ohca_sq_plan NumVl=4 Turns=64
// args: --cycles 250000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif
#ifndef TB_TURNS
#define TB_TURNS 16
#endif
#ifndef TB_BUDGET_SH
#define TB_BUDGET_SH 15
#endif
enum { VL = TB_NUM_VL, SHARED = VL > 1, M24 = 0xffffff };
static bool before(u32 a, u32 x) { return ((a - x) & M24) >= 0x800000; }
static u32 packets(u32 len, u32 sh) { return len ? u32((u64(len) + (1u << sh) - 1) >> sh) : 1; }
static u32 budget(u32 sh) { return sh + 6 > TB_BUDGET_SH ? 1u << (TB_BUDGET_SH - sh) : 64; }

struct Wqe { u32 op, len, nsge, cls; bool fence, inl, bad; u16 idx; VlWide<8> head; };
struct Job { u32 row, cls, psn, npk, acks, nsge, offset, bytes; bool nopkt, inl, last, mark; u64 at; };
struct Ctx {                                 // what the plan reads, and moves on
	u32 state, type, code, stride, max_rd, psn, sent, ssn, lsn, una, skip_psn, offset, acks, rd_issued, rd_done, rd_safe;
	u16 next, err_idx;
	bool in_msg, skip, lsn_valid, err_valid;
	bool rc() const { return type == OHCA_QP_TYPE_RC; }
	u32 sh() const { return code >= 2 && code <= 5 ? 7 + code : 8; }
};
struct Plan {
	Ctx c;
	bool fence = false, credit = false, window = false, stop = false, err = false, sent = false, ackreq = false, park = false;
	u32 park_cls = 0;
	bool set = false;                        // the class was chosen here
	u32 cls = 0;
	std::vector<Job> jobs;
	u64 done = 0;                            // the cycle of done_o, the first behind begin_i is 1
	const char *why = "through";
};

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	std::vector<u32> rows(TB_TURNS * 4 * 8), read(8);
	enum { WHYS = 13 };
	static const char *const whys[WHYS] = {"through", "failed before", "refused", "budget", "drained", "another class", "parked",
		"fence", "reads", "credits", "window", "part", "half of a READ"};
	u64 plans = 0, none = 0, aheads = 0, gone = 0, cuts = 0, marks = 0, seen[WHYS] = {}, silent = 0;
	u64 clash_cls = 0, adm = 0, clash = 0;

	// The definition: WQE by WQE.
	auto work_out = [&](Ctx c, const std::vector<Wqe> &q, bool ahead, u32 cls) {
		Plan p;
		u32 sh = c.sh(), left = budget(sh);
		bool classed = c.rc(), closed = false;
		u64 t = ahead ? 1 : 2;
		p.cls = cls;
		for (u32 k = 0; k < q.size(); k++, t++) {
			const Wqe &w = q[k];
			bool last = k + 1 == q.size(), rd = w.op == OHCA_WR_OP_RDMA_READ, again = before(c.psn, c.sent);
			auto stop = [&](const char *why) { p.stop = true; p.why = why; };
			auto job = [&](u32 npk, bool all, u32 bytes, bool no) {
				Job j{};
				j.row = k << (c.stride - 6) & 3; j.cls = SHARED ? p.cls : 0; j.psn = c.psn; j.npk = npk; j.acks = c.acks;
				j.nopkt = no; j.inl = w.inl; j.nsge = w.nsge; j.offset = c.in_msg ? c.offset : 0;
				j.bytes = rd || no ? 0 : bytes & 0xffff; j.at = t;
				left -= npk;
				closed = j.last = !all || last || !left;
				p.jobs.push_back(j);
			};
			auto through = [&](bool sends) {
				c.next++; c.ssn = (c.ssn + 1) & M24; c.in_msg = false; c.offset = 0;
				if (sends) c.acks = 0;
			};
			auto moved = [&](u32 n) {
				c.psn = (c.psn + n) & M24;
				if (before(c.sent, c.psn)) c.sent = c.psn;
			};
			if (c.err_valid && c.next == c.err_idx) { stop("failed before"); break; }
			if (w.bad) { p.err = true; stop("refused"); break; }
			if (!c.rc()) {
				bool no = w.len > (1u << sh);
				if (!left) { stop("budget"); break; }
				if (c.state == OHCA_QP_STATE_SQD) { stop("drained"); break; }
				if (SHARED && classed && w.cls != p.cls) { stop("another class"); break; }
				if (SHARED && !classed && (clash || !(adm >> w.cls & 1))) {
					p.park = true; p.park_cls = u32(clash ? clash_cls : w.cls);
					stop("parked");
					break;
				}
				p.set |= !classed; classed = true; p.cls = w.cls;
				silent += no;
				job(1, true, w.len, no);
				moved(no ? 0 : 1);
				through(true);
				continue;
			}
			u32 rem = w.len - (c.in_msg ? c.offset : 0), tr = packets(rem, sh) & M24;
			if (c.skip) {
				u32 gap = (c.skip_psn - c.psn) & M24;
				t++;
				if (gap >= tr) {
					gone++;
					c.rd_issued = (c.rd_issued + rd) & 255;
					moved(tr);
					through(false);
					continue;
				}
				t++;
				c.skip = false;
				if (gap) {
					cuts++;
					c.offset = (c.in_msg ? c.offset : 0) + (gap << sh);
					c.in_msg = true; c.psn = c.skip_psn;
					rem -= gap << sh; tr -= gap;
					again = before(c.psn, c.sent);
				} else again = before(c.psn, c.sent);
			}
			u32 out = (c.psn - c.una) & M24, unsafe = (c.rd_issued - c.rd_safe) & 255, rds = (c.rd_issued - c.rd_done) & 255;
			bool snd = w.op == OHCA_WR_OP_SEND || w.op == OHCA_WR_OP_SEND_IMM || w.op == OHCA_WR_OP_RDMA_WRITE_IMM;
			if (!c.in_msg && c.state == OHCA_QP_STATE_SQD && !again) { stop("drained"); break; }
			if (!c.in_msg && w.fence && unsafe) { p.fence = true; stop("fence"); break; }
			if (rd && (rds >= c.max_rd || unsafe >= 128)) { p.fence = true; stop("reads"); break; }
			if (!c.in_msg && snd && c.lsn_valid && before(c.lsn, c.ssn) && out) { p.credit = true; stop("credits"); break; }
			if ((out >= 0x400000 && out <= 0x800000) || (rd && tr > 0x400000 && out)) {
				p.window = true;
				stop(out >= 0x400000 ? "window" : "half of a READ");
				break;
			}
			if (!left) { stop("budget"); break; }
			p.sent = true;
			u32 most = left;
			if (rd || tr <= left) {
				if (rd) c.rd_issued = (c.rd_issued + 1) & 255;
				p.ackreq = true;
				job(rd ? 1 : tr, true, rem, false);
				moved(tr);
				through(true);
			} else {
				p.ackreq |= c.acks + most >= 16;
				job(most, false, most << sh, false);
				c.offset = (c.in_msg ? c.offset : 0) + (most << sh);
				c.in_msg = true; c.acks = (c.acks + most) & 15;
				moved(most);
				stop("part");
				break;
			}
		}
		p.done = p.stop ? t : t - 1;
		if (!p.jobs.empty() && !closed) {
			Job j{};
			j.mark = j.last = true; j.cls = SHARED ? p.cls : 0; j.at = p.done + 1;
			p.jobs.push_back(j);
			marks++;
		}
		p.c = c;
		return p;
	};

	auto near = [&](u32 x, u32 mask) {
		switch (rng.below(4)) {
		case 0: return x & mask;
		case 1: return u32(x + rng.below(5) - 2) & mask;
		case 2: return u32(x - rng.below(40)) & mask;
		default: return u32(rng.next()) & mask;
		}
	};
	// A context and a batch of its.
	Ctx c{};
	std::vector<Wqe> q;
	u32 turn = 0, cls = 0, words = 0;
	bool pushed = false, go = false;
	u64 sl2vl = 0;
	auto fresh = [&] {
		c.type = rng.chance(75) ? OHCA_QP_TYPE_RC : rng.chance(80) ? OHCA_QP_TYPE_UD : OHCA_QP_TYPE_GSI;
		c.state = rng.chance(85) ? OHCA_QP_STATE_RTS : OHCA_QP_STATE_SQD;
		c.code = u32(rng.chance(90) ? 1 + rng.below(5) : rng.below(8));
		pushed = c.rc() && rng.chance(30);
		c.stride = 6 + u32(pushed ? 0 : rng.below(3));
		c.max_rd = 1 + u32(rng.below(16));
		c.psn = u32(rng.bits(24)); c.sent = rng.chance(60) ? c.psn : near(c.psn, M24);
		c.una = rng.chance(70) ? u32(c.psn - rng.below(20)) & M24 : near(c.psn - (rng.chance(50) ? 0x400000 : 0x800000), M24);
		c.ssn = u32(rng.bits(24)); c.lsn = rng.chance(50) ? u32(c.ssn + rng.below(6)) & M24 : near(c.ssn, M24);
		c.rd_issued = u32(rng.bits(8));
		c.rd_done = u32(c.rd_issued - (rng.chance(70) ? 0 : rng.below(18))) & 255;
		c.rd_safe = u32(c.rd_done - (rng.chance(70) ? 0 : rng.chance(50) ? rng.below(3) : rng.below(140))) & 255;
		c.next = u16(rng.bits(16)); c.lsn_valid = rng.chance(50); c.acks = u32(rng.bits(4));
		c.err_valid = rng.chance(20); c.err_idx = u16(c.next + rng.below(5));
		c.skip = c.rc() && rng.chance(25);
		c.skip_psn = u32(c.psn + rng.below(rng.chance(50) ? 12 : 200)) & M24;
		c.in_msg = c.rc() && rng.chance(20); c.offset = 0;
		u32 n = pushed ? 1 : 1 + u32(rng.below(c.stride == 6 ? 4 : c.stride == 7 ? 2 : 1)), sh = c.sh();
		turn = u32(rng.below(TB_TURNS)); cls = u32(SHARED ? rng.below(VL + 1) : 0);
		words = pushed ? u32(rng.below(17)) : n << (c.stride - 4);
		sl2vl = rng.next();
		adm = rng.chance(50) ? ~0ull : rng.next(); clash = rng.chance(20); clash_cls = rng.below(VL + 1);
		adm &= (1ull << (SHARED ? VL + 1 : 1)) - 1;
		q.clear();
		u32 same_sl = u32(rng.bits(4));
		for (u32 k = 0; k < n; k++) {
			Wqe w{};
			static const u32 ops[] = {OHCA_WR_OP_SEND, OHCA_WR_OP_SEND_IMM, OHCA_WR_OP_RDMA_WRITE, OHCA_WR_OP_RDMA_WRITE_IMM,
				OHCA_WR_OP_RDMA_READ};
			w.op = ops[rng.below(c.rc() ? 5 : 2)];
			u32 space = (pushed ? 64 : 1u << c.stride) - (c.rc() ? 32 : 64);
			w.inl = w.op != OHCA_WR_OP_RDMA_READ && space && rng.chance(20);
			w.len = w.inl ? u32(rng.below(space + 1)) : rng.chance(65) ? u32(rng.below(4u << sh)) : rng.chance(60) ?
				u32(rng.below(200u << sh)) : rng.chance(50) ? budget(sh) << sh : rng.chance(60) ? u32(rng.bits(31)) : 0x80000000u;
			w.nsge = !w.inl && space >= 16 ? 1 + u32(rng.below(space / 16)) : 0;
			if (!w.inl && !w.nsge) w.len = 0;
			w.fence = rng.chance(15);
			w.idx = u16(c.next + k);
			w.bad = rng.chance(4);
			if (!k && c.in_msg) {
				if (w.len < 2) c.in_msg = false;
				else c.offset = u32(rng.below((w.len - 1) >> sh) + ((w.len - 1) >> sh ? 1 : 0)) << sh;
				if (!c.offset) c.in_msg = false;
			}
			for (u32 i = 0; i < 8; i++) w.head[i] = 0;
			SET_FIELD(w.head, OHCA_WQE_CTRL_OPCODE, w.op); SET_FIELD(w.head, OHCA_WQE_CTRL_INL, w.inl);
			SET_FIELD(w.head, OHCA_WQE_CTRL_NSGE, w.nsge); SET_FIELD(w.head, OHCA_WQE_CTRL_FENCE, w.fence);
			SET_FIELD(w.head, OHCA_WQE_CTRL_IDX, u16(w.idx ^ (w.bad ? 0x10 : 0))); SET_FIELD(w.head, OHCA_WQE_CTRL_LENGTH, w.len);
			if (!c.rc()) {
				u32 sl = rng.chance(60) ? same_sl : u32(rng.bits(4)), vl = u32(sl2vl >> 4 * sl & 15);
				tb::set_bits(w.head, OHCA_WQE_UD_AV_LSB + OHCA_AV_SL_LSB, 4, sl);
				w.cls = !SHARED ? 0 : vl >= VL ? VL : vl;
			}
			for (u32 i = 0; i < 8; i++) rows[(turn * 4 + ((k << (c.stride - 6)) & 3)) * 8 + i] = w.head[i];
			q.push_back(w);
		}
		go = rng.chance(85);
	};
	auto show = [&] {
		SET_FIELD(d.line_i, OHCA_SQC_QTYPE, c.type); SET_FIELD(d.line_i, OHCA_SQC_STATE, c.state);
		SET_FIELD(d.line_i, OHCA_SQC_MTU, c.code); SET_FIELD(d.line_i, OHCA_SQC_LOG_STRIDE, c.stride);
		SET_FIELD(d.line_i, OHCA_SQC_MAX_RD, c.max_rd); SET_FIELD(d.line_i, OHCA_SQC_PSN, c.psn);
		SET_FIELD(d.line_i, OHCA_SQC_SENT_PSN, c.sent); SET_FIELD(d.line_i, OHCA_SQC_SSN, c.ssn);
		SET_FIELD(d.line_i, OHCA_SQC_LSN, c.lsn); SET_FIELD(d.line_i, OHCA_SQC_UNA_PSN, c.una);
		SET_FIELD(d.line_i, OHCA_SQC_SKIP_PSN, c.skip_psn); SET_FIELD(d.line_i, OHCA_SQC_OFFSET, c.offset);
		SET_FIELD(d.line_i, OHCA_SQC_RD_ISSUED, c.rd_issued); SET_FIELD(d.line_i, OHCA_SQC_RD_DONE, c.rd_done);
		SET_FIELD(d.line_i, OHCA_SQC_RD_SAFE, c.rd_safe); SET_FIELD(d.line_i, OHCA_SQC_NEXT, c.next);
		SET_FIELD(d.line_i, OHCA_SQC_ERR_IDX, c.err_idx); SET_FIELD(d.line_i, OHCA_SQC_ERR_VALID, c.err_valid);
		SET_FIELD(d.line_i, OHCA_SQC_IN_MSG, c.in_msg); SET_FIELD(d.line_i, OHCA_SQC_SKIP, c.skip);
		SET_FIELD(d.line_i, OHCA_SQC_LSN_VALID, c.lsn_valid); SET_FIELD(d.line_i, OHCA_SQC_ACKREQ_CNT, c.acks);
	};

	d.ahead_valid_i = d.begin_i = d.go_i = d.hold_i = 0;
	b.reset();
	bool reads = false;
	u32 read_at = 0;
	auto cycle = [&](auto drive, auto look) {
		b.cycle([&] {
			for (u32 i = 0; i < 8; i++) tb::set_bits(d.row_i, 32 * i, 32, reads ? rows[read_at * 8 + i] : read[i]);
			if (reads) for (u32 i = 0; i < 8; i++) read[i] = rows[read_at * 8 + i];
			drive();
			d.eval();
		}, [&] {
			look();
			reads = d.row_en_o;
			read_at = d.row_o;
		});
	};
	while (b.now() < b.cycles) {
		// The token is on its way, or here at once.
		fresh();
		u32 wait = u32(rng.chance(50) ? 0 : rng.below(4));
		bool ahead = false;
		for (u32 i = 0; i < wait; i++) {
			bool tell = rng.chance(50), hold = rng.chance(20);
			cycle([&] {
				d.ahead_valid_i = tell; d.ahead_turn_i = turn; d.hold_i = hold;
				d.begin_i = d.go_i = 0;
			}, [&] {
				CHECK(!d.job_valid_o && !d.done_o && !d.cls_set_o, "something without a plan");
				CHECK(d.row_en_o == (tell && !hold && !ahead), "a header is read ahead");
				ahead = ahead || (tell && !hold);
			});
		}
		aheads += ahead;
		Plan p = work_out(c, q, ahead, cls);
		u64 t = 0, job = 0;
		bool end = false;
		show();
		d.turn_i = turn; d.n_i = u32(q.size()); d.words_i = words; d.pushed_i = pushed; d.cls_i = cls; d.sl2vl_i = sl2vl;
		d.clash_i = clash; d.clash_cls_i = clash_cls; d.adm_i = adm;
		cycle([&] { d.begin_i = 1; d.go_i = go; d.ahead_valid_i = rng.chance(50); d.ahead_turn_i = turn; d.hold_i = rng.chance(50); },
			[&] { CHECK(!d.job_valid_o && !d.done_o, "a job as the plan begins"); });
		d.ahead_valid_i = 0;
		b.progress();
		if (!go) { none++; continue; }
		for (t = 1; !end; t++) {
			cycle([&] { d.begin_i = d.go_i = 0; }, [&] {
				CHECK_EQ(d.done_o, t == p.done, p.why);
				CHECK_EQ(d.ask_o, SHARED && !c.rc() && t <= p.done, "its class is asked for");
				bool is = job < p.jobs.size() && p.jobs[job].at == t;
				CHECK_EQ(d.job_valid_o, is, p.why);
				CHECK_EQ(d.cls_set_o, p.set && !job && is, "the turn has a class");
				if (d.cls_set_o) CHECK_EQ(d.cls_o, p.cls, "which");
				if (is) {
					const Job &j = p.jobs[job++];
#define J(f, v) CHECK_EQ(FIELD(d.job_o, OHCA_SQ_JOB_##f), u64(v), #f)
					J(TURN, turn); J(LAST, j.last); J(NPK, j.npk); J(CLS, j.cls); J(BYTES, j.bytes);
					if (!j.mark) {
						J(ROW, j.row); J(PSN, j.psn); J(ACKS, j.acks); J(NOPKT, j.nopkt); J(UD, !c.rc()); J(INL, j.inl);
						J(NSGE, j.nsge); J(OFFSET, j.offset); J(MTU_SH, c.sh()); J(PRIV, FIELD(d.line_i, OHCA_SQC_PRIV));
						J(PD, FIELD(d.line_i, OHCA_SQC_PD));
					}
				}
				end = t == p.done + 1;
				if (!end) return;
#define P(f, v) CHECK_EQ(FIELD(d.plan_o, OHCA_SQ_PLAN_##f), u64(v), #f)
				P(PSN, p.c.psn); P(SENT_PSN, p.c.sent); P(SSN, p.c.ssn); P(NEXT, p.c.next); P(IN_MSG, p.c.in_msg);
				P(SKIP, p.c.skip); P(RD_ISSUED, p.c.rd_issued); P(ACKS, p.c.acks); P(STOP, p.stop); P(ERR, p.err);
				P(FENCE_WAIT, p.fence); P(CREDIT_WAIT, p.credit); P(WINDOW_WAIT, p.window); P(JOBS, !p.jobs.empty());
				P(AGAIN, before(p.c.psn, p.c.sent)); P(SENT, p.sent); P(PARK, p.park);
				if (p.c.in_msg) P(OFFSET, p.c.offset);
				if (p.sent) P(ACKREQ, p.ackreq);
				if (p.park) P(PARK_CLS, p.park_cls);
				CHECK_EQ(d.start_o, c.next, "where it began");
				if (p.err) CHECK_EQ(d.verr_o, OHCA_VENDOR_ERR_WQE_IDX, "why it is refused");
			});
		}
		CHECK_EQ(job, p.jobs.size(), "jobs");
		for (int i = 0; i < WHYS; i++) seen[i] += !strcmp(whys[i], p.why);
		plans++;
		// Behind it, a cycle more where it is refused: what it came to stays.
		for (u32 i = 0; p.err && i < 1; i++)
			cycle([] {}, [&] { P(NEXT, p.c.next); P(ERR, 1); CHECK(!d.job_valid_o && !d.done_o, "it goes on"); });
		b.progress();
	}
	for (int i = 0; i < WHYS; i++) printf("# %s: %llu\n", whys[i], (unsigned long long)seen[i]);
	printf("# %llu plans, %llu with a header read ahead, %llu tokens without, %llu WQEs stepped over, %llu cut, %llu marks, "
		"%llu beyond the MTU\n", (unsigned long long)plans, (unsigned long long)aheads, (unsigned long long)none,
		(unsigned long long)gone, (unsigned long long)cuts, (unsigned long long)marks, (unsigned long long)silent);
	for (int i = 0; i < WHYS; i++) GOAL(seen[i] > 15 || (!SHARED && (i == 5 || i == 6)));
	GOAL(plans > 10000 && aheads > 2000 && none > 1000 && gone > 500 && cuts > 300 && marks > 500 && silent > 100);
	return b.finish();
}
