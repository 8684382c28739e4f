// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_resp_jobs: jobs written to and read from random places against a model; what was read stays until the next one is read. Of an InfiniBand port's path what only
// Ethernet has comes back as 0.
// dut: ohca_resp_jobs
// dut: ohca_resp_jobs Depth=16 RoCE=0
// dut: ohca_resp_jobs Depth=16 Compact=1
// dut: ohca_resp_jobs Depth=64 Compact=1 RoCE=0
// args: --cycles 30000
#include "Vdut.h"
#ifndef TB_RO_C_E
#define TB_RO_C_E 1
#endif
#include "tb.h"
#include "resp_job.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif
#ifndef TB_DEPTH
#define TB_DEPTH 512
#endif

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &r = b.rng;
	std::vector<Rjob> mem(TB_DEPTH);
	std::vector<bool> there(TB_DEPTH);
	struct { bool any = false; Rjob job; u64 from; } out;              // what was read, and when it is there
	u32 places = TB_DEPTH, writes = 50, reads = 50;
	u64 n_read = 0, n_stay = 0, n_near = 0, n_pass = 0, last_we = 0, last_re = 0;
	u32 last_place = 0;
	auto seen = [&] { return n_read > 2000 && n_stay > 2000 && n_near > 50 && n_pass > 50; };
	d.we_i = d.re_i = 0;
	b.reset();
	Rjob in;
	while (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen())) {
		bool we = false, re = false;
		u32 wa = 0, ra = 0;
		b.progress();
		b.cycle([&] {
			if (r.below(200) == 0) { places = u32(r.range(2, r.chance(50) ? 4 : TB_DEPTH)); writes = u32(r.range(1, 100)); reads = u32(r.range(1, 100)); }
			// Compact: a job stays for the cycle behind its write.
			if (!TB_COMPACT || !last_we || b.now() != last_we + 1) in = random_rjob(r);
			wa = u32(r.below(places)); ra = u32(r.below(places));
			we = r.chance(writes) && (!TB_COMPACT || b.now() > last_we + 1);
			re = there[ra] && !(we && wa == ra) && r.chance(reads) && (!TB_COMPACT || b.now() > last_re + 1);
			d.we_i = we; d.waddr_i = wa; d.job_i = in.v;
			d.re_i = re; d.raddr_i = ra;
		}, [&] {
			if (out.any && b.now() >= out.from) {
				check_rjob(d.job_o, out.job, TB_RO_C_E, "the job read");
				n_stay += b.now() > out.from;
			}
			if (re) {
				out.any = true; out.job = mem[ra]; out.from = b.now() + (TB_COMPACT ? 3 : 1);
				n_read++;
				n_near += last_we && b.now() == last_we + 1 && ra == last_place;       // the one just written
				last_re = b.now();
			}
			if (we) {
				n_pass += last_re && b.now() == last_re + (re ? 0 : 1);               // beside a read, or just behind it
				mem[wa] = in; there[wa] = true;
				last_we = b.now(); last_place = wa;
			}
		});
	}
	printf("# %llu jobs read, %llu of them in the cycle behind their write, and looked at %llu times later\n", (unsigned long long)n_read, (unsigned long long)n_near,
	       (unsigned long long)n_stay);
	GOAL(seen());
	return b.finish();
}
