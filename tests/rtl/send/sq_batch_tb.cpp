// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_batch: rings of every size and stride, anywhere in memory, near their ends and the ends of pages: as many WQEs
// as fit, counted here one by one.
// dut: ohca_sq_batch
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 seen[5] = {}, why[4] = {};
	while (b.now() < b.cycles) {
		for (unsigned i = 0; i < OHCA_SQC_BITS; i += 32) tb::set_bits(d.line_i, i, 32, rng.bits(32));
		u32 stride = 6 + u32(rng.below(3)), size = u32(rng.below(16)), slots = 1u << size;
		bool in_msg = rng.chance(15), mtt = rng.chance(50);
		u64 buf = rng.bits(52) << 12 | (rng.chance(60) ? rng.bits(12) & ~63ull : rng.bits(12));
		u16 fetch = u16(rng.bits(16)), pi = u16(fetch + 1 + rng.below(6));
		if (rng.chance(30)) fetch = u16((fetch | (slots - 1)) - rng.below(4));
		if (rng.chance(30)) {                       // near the end of a page
			u64 at = buf + (u64(fetch & (slots - 1)) << stride);
			fetch = u16(fetch + ((4096 - (at & 4095)) >> stride) - rng.below(5));
		}
		pi = u16(fetch + 1 + rng.below(6));
		SET_FIELD(d.line_i, OHCA_SQC_LOG_STRIDE, stride); SET_FIELD(d.line_i, OHCA_SQC_LOG_SIZE, size);
		SET_FIELD(d.line_i, OHCA_SQC_IN_MSG, in_msg); SET_FIELD(d.line_i, OHCA_SQC_BUF_MTT, mtt);
		SET_FIELD(d.line_i, OHCA_SQC_BUF, buf); SET_FIELD(d.line_i, OHCA_SQC_FETCH, fetch); SET_FIELD(d.line_i, OHCA_SQC_PI, pi);
		u32 slot = fetch & (slots - 1), n = 1;
		u64 at = (buf & 4095) + (u64(slot) << stride), page = at / 4096;
		for (; n < 4; n++) {
			if (in_msg || (n + 1) << stride > 256) { why[0]++; break; }
			if (u16(fetch + n) == pi) { why[1]++; break; }
			if (slot + n == slots) { why[2]++; break; }
			if ((at + ((n + 1) << stride) - 1) / 4096 != page) { why[3]++; break; }
		}
		seen[n]++;
		b.cycle([] {}, [] {});
		b.cycle([] {}, [&] {
			CHECK_EQ(d.n_o, n, "WQEs");
			CHECK_EQ(FIELD(d.req_o, OHCA_RING_REQ_LEN), n << stride, "bytes");
			CHECK_EQ(FIELD(d.req_o, OHCA_RING_REQ_OFFSET), u64(slot) << stride, "where");
			CHECK_EQ(FIELD(d.req_o, OHCA_RING_REQ_BUF), buf, "ring"); CHECK_EQ(FIELD(d.req_o, OHCA_RING_REQ_BUF_MTT), mtt, "mapped");
			b.progress();
		});
	}
	printf("# one %llu, two %llu, three %llu, four %llu; ended by the rows %llu, by what is posted %llu, by the ring %llu, by the page %llu\n",
		(unsigned long long)seen[1], (unsigned long long)seen[2], (unsigned long long)seen[3], (unsigned long long)seen[4],
		(unsigned long long)why[0], (unsigned long long)why[1], (unsigned long long)why[2], (unsigned long long)why[3]);
	for (int i = 1; i < 5; i++) GOAL(seen[i] > 300);
	for (u64 w : why) GOAL(w > 300);
	return b.finish();
}
