// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_in: what comes out is what went in, bit by bit and in order, but for plain ACKs that had a plain ACK of their QP right behind them. Nothing is offered
// to a sink that is not ready. A job is there a cycle later, a job a cycle goes through a sink that is always ready, and none gives way then.
// dut: ohca_resp_in
// args: --cycles 30000
#include "Vdut.h"
#include "tb.h"
#include "resp_job.h"

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &r = b.rng;
	std::deque<Rjob> in;                       // taken, not seen yet
	Rjob job;
	bool offer = false, ready = false;
	u32 qps = 2, gives = 50, takes = 50;
	u64 n_out = 0, n_merged = 0, n_other = 0, n_fast = 0, fast_since = 0;
	auto qpn = [](const Rjob &j) { return FIELD(j.v, OHCA_RJOB_QPN); };
	auto plain = [](const Rjob &j) { return FIELD(j.v, OHCA_RJOB_KIND) == OHCA_RJK_ACK && !FIELD(j.v, OHCA_RJOB_NAK); };
	auto same = [](const Rjob &x, const VlWide<(OHCA_RJOB_BITS + 31) / 32> &y) {
		for (u32 i = 0; i < OHCA_RJOB_BITS; i += 32) { const u32 n = std::min<u32>(32, OHCA_RJOB_BITS - i); if (tb::get_bits(x.v, i, n) != tb::get_bits(y, i, n)) return false; }
		return true;
	};
	const u32 base = u32(r.bits(24));
	d.valid_i = d.ready_i = 0;
	b.reset();
	auto seen = [&] { return n_merged > 500 && n_other > 500 && n_fast > 500; };
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen()) || offer || !in.empty()) {
		const bool feed = b.now() < b.cycles || !seen();
		b.cycle([&] {
			if (r.below(300) == 0) {
				qps = u32(r.range(1, 4)); gives = r.chance(30) ? 100 : u32(r.range(1, 100)); takes = r.chance(30) ? 100 : u32(r.range(1, 100));
				fast_since = b.now() + 20;
			}
			if (!offer && feed && r.chance(gives)) {
				job = random_rjob(r);
				// one bit makes another QP
				SET_FIELD(job.v, OHCA_RJOB_QPN, base ^ (r.chance(50) ? 0u : 1u << r.below(qps) * 7));
				if (r.chance(80)) SET_FIELD(job.v, OHCA_RJOB_KIND, OHCA_RJK_ACK);
				SET_FIELD(job.v, OHCA_RJOB_NAK, r.chance(15));
				offer = true;
			}
			d.valid_i = offer; d.job_i = job.v;
			ready = r.chance(feed ? takes : 100);
			d.ready_i = ready;
		}, [&] {
			CHECK(!d.valid_o || ready, "offered to a sink that is not ready");
			CHECK_EQ(d.idle_o, in.empty(), "idle");
			if (takes == 100 && b.now() > fast_since) {
				CHECK(d.ready_o, "a job waits though the sink does not");
				CHECK_EQ(d.valid_o, !in.empty(), "a job is not there in the next cycle");
				n_fast += d.valid_o && offer;
			}
			if (d.valid_o) {
				u32 passed = 0;
				while (in.size() > 1 && !same(in[0], d.job_o)) {
					CHECK(plain(in[0]) && plain(in[1]) && qpn(in[0]) == qpn(in[1]), "a job is lost that nothing took the place of");
					in.pop_front();
					passed++;
				}
				CHECK(!in.empty() && same(in[0], d.job_o), "another job");
				CHECK(!passed || takes != 100 || b.now() <= fast_since, "one gives way though none waits");
				n_merged += passed;
				n_other += in.size() > 1 && qpn(in[0]) != qpn(in[1]);
				in.pop_front();
				n_out++;
				b.progress();
			}
			if (offer && d.ready_o) { in.push_back(job); offer = false; }
			if (in.empty() && !offer) b.progress();
		});
	}
	printf("# %llu jobs, %llu gave way\n", (unsigned long long)n_out, (unsigned long long)n_merged);
	GOAL(seen());
	return b.finish();
}
