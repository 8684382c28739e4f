// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_tokens: random tokens with everything that belongs to them, taken by S and R at any time, some of them with an
// answer: each reader sees every token once, in order and whole, answers are what the token, its path and R's verdict
// make of them, and the promises are counted. Compact: offers that come late, change until they are whole, or are
// dropped; and what R has taken stays while it is held.
// dut: ohca_rs_tokens InFlight=16 JobDepth=16
// dut: ohca_rs_tokens InFlight=32 JobDepth=128 RoCE=0
// dut: ohca_rs_tokens InFlight=64 JobDepth=64
// dut: ohca_rs_tokens InFlight=16 JobDepth=16 Compact=1 RoCE=0
// dut: ohca_rs_tokens InFlight=32 JobDepth=64 Compact=1
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#ifdef TB_COMPACT
static const bool compact = true;
#else
static const bool compact = false;
#endif
#ifdef TB_RO_C_E
static const bool roce = TB_RO_C_E;
#else
static const bool roce = true;
#endif
#define RT(t, f) bits_of(t, OHCA_RS_RTOK_##f##_LSB, OHCA_RS_RTOK_##f##_WIDTH)

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	enum { N = TB_IN_FLIGHT };
	struct Token { bytes st, rt, path; u32 tid; u64 same, since; };
	std::deque<Token> s, r;
	std::deque<bytes> jobs;
	std::deque<u64> job_since;
	tb::Pace ip(&rng), sp(&rng), rp(&rng), jp(&rng);
	Token t{};
	bytes held;
	u32 resv = 0, ahead = 0, late = 0, hold = 0, mild = 0, calm = 0;
	enum { NONE, AHEAD, OFFER } state = NONE;
	bool drop = false, keep_one = false, room = false, known = false, fits = false;
	u64 n = 0, drops = 0, answers = 0, full = 0, longest = 0, offered = 0;
	auto clip = [](bytes &v, unsigned bits) { for (unsigned i = bits; i < 8 * v.size(); i++) put_bits(v, i, 1, 0); };
	auto fresh = [&] {
		t.st = rng.bytes((OHCA_RS_STOK_BITS + 7) / 8); t.rt = rng.bytes((OHCA_RS_RTOK_BITS + 7) / 8);
		t.path = rng.bytes((OHCA_RS_PATH_BITS + 7) / 8);
		clip(t.st, OHCA_RS_STOK_BITS); clip(t.rt, OHCA_RS_RTOK_BITS); clip(t.path, OHCA_RS_PATH_BITS);
		if (!roce) {                             // what an InfiniBand path does not have is not kept
			bytes av((OHCA_AV_BITS + 7) / 8);
			auto keep = [&](unsigned lsb, unsigned w) {
				for (unsigned i = 0; i < w; i++) put_bits(av, lsb + i, 1, bits_of(t.path, OHCA_RS_PATH_AV_LSB + lsb + i, 1));
			};
			keep(OHCA_AV_DGID_LSB, OHCA_AV_DGID_WIDTH); keep(OHCA_AV_FLOW_LABEL_LSB, OHCA_AV_FLOW_LABEL_WIDTH);
			keep(OHCA_AV_PATH_BITS_LSB, OHCA_AV_PATH_BITS_WIDTH); keep(OHCA_AV_SGID_INDEX_LSB, OHCA_AV_SGID_INDEX_WIDTH);
			keep(OHCA_AV_TCLASS_LSB, OHCA_AV_TCLASS_WIDTH); keep(OHCA_AV_HOP_LIMIT_LSB, OHCA_AV_HOP_LIMIT_WIDTH);
			keep(OHCA_AV_IPD_LSB, OHCA_AV_IPD_WIDTH); keep(OHCA_AV_GRH_LSB, OHCA_AV_GRH_WIDTH);
			keep(OHCA_AV_SL_LSB, OHCA_AV_SL_WIDTH); keep(OHCA_AV_DLID_LSB, OHCA_AV_DLID_WIDTH);
			for (unsigned i = 0; i < OHCA_AV_BITS; i++) put_bits(t.path, OHCA_RS_PATH_AV_LSB + i, 1, bits_of(av, i, 1));
		}
		// What S shares with R.
		PF(t.st, OHCA_RS_STOK_KEY, RT(t.rt, RKEY)); PF(t.st, OHCA_RS_STOK_VA, RT(t.rt, VA)); PF(t.st, OHCA_RS_STOK_CHK_LEN, RT(t.rt, LEN));
		PF(t.st, OHCA_RS_STOK_PRIV, BF(t.path, OHCA_RS_PATH_PRIV)); PF(t.st, OHCA_RS_STOK_PD, BF(t.path, OHCA_RS_PATH_PD));
		PF(t.st, OHCA_RS_STOK_BASE, BF(t.path, OHCA_RS_PATH_BASE)); PF(t.st, OHCA_RS_STOK_PAY_OFF, BF(t.path, OHCA_RS_PATH_PAY_OFF));
	};
	auto flags = [&] {                           // these may change until it is whole
		for (unsigned i = OHCA_RS_RTOK_SLOT_LSB + OHCA_RS_RTOK_SLOT_WIDTH; i < OHCA_RS_RTOK_BITS; i++) put_bits(t.rt, i, 1, rng.bits(1));
		t.tid = u32(rng.below(N)); t.same = rng.bits(N);
		PF(t.rt, OHCA_RS_RTOK_RESV, jobs.size() + resv < TB_JOB_DEPTH && rng.chance(70));
	};
	d.ahead_i = d.known_i = d.drop_i = d.push_valid_i = d.push_last_i = d.s_pop_i = d.r_pop_i = d.r_hold_i = d.rjob_ready_i = d.r_job_i = 0;
	d.keep_one_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		bool push = false, last = false, spop = false, rpop = false, job = false, jr = false;
		bytes jres((OHCA_RS_JRES_BITS + 7) / 8);
		b.cycle([&] {
			if (mild) mild--;
			else if (rng.chance(1)) mild = u32(rng.range(50, 300));
			drop = false;
			if (state == NONE && feed && r.size() < N && s.size() < N && (mild || ip.go())) {
				fresh();
				state = compact && rng.chance(60) ? AHEAD : OFFER;
				ahead = u32(rng.below(12)); late = compact ? u32(rng.below(10)) : 0;
				offered = b.now();
				if (state == AHEAD && !ahead) state = OFFER;
			} else if (state == AHEAD) {
				if (rng.chance(5)) { drop = true; state = NONE; drops++; }
				else if (!--ahead) state = OFFER;
			}
			if (state == OFFER && compact && late) {
				late--;
				if (rng.chance(2)) { drop = true; state = NONE; drops++; }
			}
			last = state == OFFER && !late;
			if (state != NONE) flags();
			d.ahead_i = state == AHEAD; d.known_i = state == OFFER; d.drop_i = drop;
			push = last;
			d.push_valid_i = push; d.push_last_i = last;
			d.tid_i = t.tid; d.same_i = t.same;
			if (!t.st.empty()) {
				tb::set_bytes(d.st_i, t.st.data(), t.st.size()); tb::set_bytes(d.rt_i, t.rt.data(), t.rt.size());
				tb::set_bytes(d.path_i, t.path.data(), t.path.size());
			}
			d.r_hold_i = hold > 0;
			keep_one = rng.chance(30);
			d.keep_one_i = keep_one;
			rng.fill(jres); clip(jres, OHCA_RS_JRES_BITS);
			tb::set_bytes(d.r_jres_i, jres.data(), jres.size());
			jr = mild || jp.go();
			d.rjob_ready_i = jr;
			d.s_pop_i = d.r_pop_i = d.r_job_i = 0;
			d.eval();
			spop = d.s_valid_o && (mild || sp.go()); rpop = d.r_valid_o && !hold && (mild || rp.go());
			job = rpop && !r.empty() && RT(r.front().rt, RESV) && rng.chance(80);
			d.s_pop_i = spop; d.r_pop_i = rpop; d.r_job_i = job;
		}, [&] {
			const u64 now = b.now();
			calm = mild && !hold ? calm + 1 : 0;
			CHECK_EQ(d.jobs_any_o, !jobs.empty(), "an answer waits");
			CHECK_EQ(d.jobs_o, jobs.size() + resv, "answers and promises");
			if (known) CHECK_EQ(d.job_room_o, room, "one may be promised");
			fits = jobs.size() + resv < TB_JOB_DEPTH - keep_one;
			if (calm > 20 && !compact) {
				CHECK(d.s_valid_o || s.empty() || s.front().since + 1 >= now, "S sees it late");
				CHECK(d.r_valid_o || r.empty() || r.front().since + 1 >= now, "R sees it late");
				CHECK(d.rjob_valid_o || jobs.empty() || job_since.front() + 1 >= now, "the answer is late");
			}
			if (d.r_valid_o && !hold) {
				CHECK(!r.empty(), "R: a token too many");
				CHECK(get_all(d.r_o, OHCA_RS_RTOK_BITS) == r.front().rt, "R: the token");
				CHECK_EQ(d.r_tid_o, r.front().tid, "R: number"); CHECK_EQ(d.r_same_o, r.front().same, "R: of its QP");
			}
			if (hold) { CHECK(get_all(d.r_o, OHCA_RS_RTOK_BITS) == held, "what is held stays"); hold--; }
			if (d.rjob_valid_o && jr) {
				CHECK(!jobs.empty(), "an answer too many");
				CHECK(get_all(d.rjob_o, OHCA_RJOB_BITS) == jobs.front(), "the answer");
				jobs.pop_front(); job_since.pop_front();
				b.progress();
			}
			if (spop) {
				CHECK(!s.empty(), "S: a token too many");
				CHECK(get_all(d.s_o, OHCA_RS_STOK_BITS) == s.front().st, "S: the token");
				CHECK_EQ(d.s_tid_o, s.front().tid, "S: number"); CHECK_EQ(d.s_same_o, s.front().same, "S: of its QP");
				s.pop_front();
				b.progress();
			}
			if (rpop) {
				const Token x = r.front();
				r.pop_front();
				resv -= RT(x.rt, RESV) != 0;
				if (job) {
					CHECK(d.job_ready_o, "no room for an answer that was promised");
					bytes j((OHCA_RJOB_BITS + 7) / 8);
					PF(j, OHCA_RJOB_KIND, BF(jres, OHCA_RS_JRES_READ) ? OHCA_RJK_READ : OHCA_RJK_ACK);
					PF(j, OHCA_RJOB_NAK, BF(jres, OHCA_RS_JRES_NAK)); PF(j, OHCA_RJOB_QPN, RT(x.rt, QPN)); PF(j, OHCA_RJOB_PSN, RT(x.rt, PSN));
					PF(j, OHCA_RJOB_AETH, BF(jres, OHCA_RS_JRES_SYND) << 24 | ((RT(x.rt, MSN) + BF(jres, OHCA_RS_JRES_DONE)) & 0xffffff));
					PF(j, OHCA_RJOB_VA, RT(x.rt, VA)); PF(j, OHCA_RJOB_RKEY, RT(x.rt, RKEY)); PF(j, OHCA_RJOB_LEN, RT(x.rt, LEN));
					PF(j, OHCA_RJOB_PD, BF(x.path, OHCA_RS_PATH_PD)); PF(j, OHCA_RJOB_PRIV, BF(x.path, OHCA_RS_PATH_PRIV));
					PF(j, OHCA_RJOB_MTU, BF(x.path, OHCA_RS_PATH_MTU)); PF(j, OHCA_RJOB_MIGREQ, 1);
					PF(j, OHCA_RJOB_PKEY_INDEX, RT(x.rt, PKEY_INDEX)); PF(j, OHCA_RJOB_DQPN, BF(x.path, OHCA_RS_PATH_DQPN));
					PF(j, OHCA_RJOB_LIM, BF(jres, OHCA_RS_JRES_LIM));
					for (unsigned i = 0; i < OHCA_AV_BITS; i++) put_bits(j, OHCA_RJOB_AV_LSB + i, 1, bits_of(x.path, OHCA_RS_PATH_AV_LSB + i, 1));
					jobs.push_back(j); job_since.push_back(now);
					answers++;
				}
				if (compact && rng.chance(20)) { hold = u32(rng.range(1, 8)); held = x.rt; }
				b.progress();
			}
			if (push && d.push_ready_o && (last || !compact)) {
				t.since = now;
				s.push_back(t); r.push_back(t);
				resv += RT(t.rt, RESV) != 0;
				if (mild) longest = std::max(longest, now - offered);
				state = NONE;
				n++;
			} else if (push) CHECK(compact || r.size() >= N || s.size() >= N, "a token does not get in");
			room = fits;
			known = true;
			full += jobs.size() + resv == TB_JOB_DEPTH;
			if (s.empty() && r.empty() && state == NONE) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	state = NONE;
	mild = 0;
	d.drop_i = 1;
	for (int i = 0; i < 4000; i++) { mild = 2; step(false); }
	CHECK(s.empty() && r.empty() && jobs.empty() && !resv, "something is left");
	printf("# %llu tokens, at most %llu cycles on offer in calm phases, %llu answers, %llu dropped, %llu cycles without a place\n",
		(unsigned long long)n, (unsigned long long)longest, (unsigned long long)answers, (unsigned long long)drops, (unsigned long long)full);
	GOAL(n > 1000 && answers > 400 && (!compact || drops > 20) && (TB_JOB_DEPTH > 16 || full > 50));
	return b.finish();
}
