// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_txmux: two random sources; descriptors keep their order per source, pieces follow in the order of the descriptors, requests do not starve.
// dut: ohca_txmux
// dut: ohca_txmux NumVl=4 DW=512
// dut: ohca_txmux Compact=1
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "send_models.h"
#ifndef TB_COMPACT
#define TB_COMPACT 0
#endif

struct D { u32 src, seq, plen, vl; };
struct P { u32 src, seq; bool last; };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	tb::Source<D> d0(&b.rng), d1(&b.rng);
	tb::Source<P> p0(&b.rng), p1(&b.rng);
	tb::Pace pd(&b.rng), pp(&b.rng);
	tb::Source<D> *d[2] = { &d0, &d1 };
	tb::Source<P> *p[2] = { &p0, &p1 };
	u32 made[2] = {}, seen[2] = {}, run = 0, longest = 0;
	u64 count = 0, pieces = 0, put = 0, takes = 0, yielded = 0, twice = 0;
	u32 wants = 0, came_vl = 0, came_len = 0, owed[VLS] = {}, quiet[VLS];
	std::fill(quiet, quiet + VLS, 7);
	bool came = false;                 // a response of a VL, in the last cycle
	std::deque<D> open;
	bool idle = false, waiting = false, stalled = false;
	std::vector<u8> held;
	auto step = [&] {
		b.cycle([&] {
			b->resp_txd_valid_i = d0.drive(); b->sq_txd_valid_i = d1.drive();
			b->resp_txp_valid_i = p0.drive(); b->sq_txp_valid_i = p1.drive();
			auto put = [&](auto &sig, const D &x) { tb::clear(sig); SET_FIELD(sig, OHCA_TXD_QPN, x.src << 20 | x.seq); SET_FIELD(sig, OHCA_TXD_PLEN, x.plen); SET_FIELD(sig, OHCA_TXD_VL, x.vl); };
			auto putp = [&](auto &sig, const P &x) { tb::clear(sig); SET_FIELD(sig, OHCA_TXP_PD, x.src << 20 | x.seq); SET_FIELD(sig, OHCA_TXP_LAST, x.last); };
			if (b->resp_txd_valid_i) put(b->resp_txd_i, d0.front());
			if (b->sq_txd_valid_i) put(b->sq_txd_i, d1.front());
			if (b->resp_txp_valid_i) putp(b->resp_txp_i, p0.front());
			if (b->sq_txp_valid_i) putp(b->sq_txp_i, p1.front());
			b->txd_ready_i = pd.go(); b->txp_ready_i = pp.go();
			b->want_i = wants; b->sq_tk_vl_i = unsigned(b.rng.chance(5)) << b.rng.below(VLS);
		}, [&] {
			waiting = b->sq_txd_valid_i;
			const bool some = b->resp_txd_valid_i || b->sq_txd_valid_i;
			CHECK(!b->idle_o || (!some && put == count + pieces), "idle with %llu descriptors and pieces inside", (unsigned long long)(put - count - pieces));
			put += (b->resp_txd_valid_i && b->resp_txd_ready_o) + (b->sq_txd_valid_i && b->sq_txd_ready_o) + (b->resp_txp_valid_i && b->resp_txp_ready_o) +
			       (b->sq_txp_valid_i && b->sq_txp_ready_o);
			// Room is taken with each response of a VL, and with nothing else; after those of a VL whose requests wait they yield to as many of these.
			if (VLS > 1) {
				u32 yields = 0;
				for (unsigned v = 0; v < VLS; v++) yields |= u32(owed[v] != 0) << v;
				CHECK_EQ(b->yield_o, yields, "who yields");
				CHECK_EQ(b->tk_vl_o, unsigned(came) << came_vl, "VLs whose room is taken");
				if (came) { CHECK_EQ(b->tk_words_o, 2 + (came_len + 63) / 64, "room"); takes++; }
				bool took = came, data = came_len != 0;
				u32 vl = came_vl;
				came_vl = u32(FIELD(b->resp_txd_i, OHCA_TXD_VL)), came_len = u32(FIELD(b->resp_txd_i, OHCA_TXD_PLEN));
				came = b->resp_txd_valid_i && b->resp_txd_ready_o && came_vl < VLS;
				for (unsigned v = 0; v < VLS; v++) {
					const bool more = took && vl == v, less = b->sq_tk_vl_i >> v & 1;
					if (quiet[v] == 7) owed[v] = 0;
					else if (more && !less && owed[v] < (data ? 3u : 1u)) { owed[v]++; yielded++; twice += owed[v] > 1; }
					else if (less && !(more && data) && owed[v]) owed[v]--;
					quiet[v] = wants >> v & 1 ? 0 : std::min(7u, quiet[v] + 1);
				}
				if (b.rng.below(50) == 0) wants = u32(b.rng.bits(VLS));
			}
			std::vector<u8> cur(sizeof(b->txd_o));
			// What only requests have comes from the request that waits, also beside a response, which has no use for it.
			auto txd = b->txd_o;
			if (u32(FIELD(b->txd_o, OHCA_TXD_QPN)) >> 20 == 0) {
				SET_FIELD(txd, OHCA_TXD_IDX, 0); SET_FIELD(txd, OHCA_TXD_WROP, 0); SET_FIELD(txd, OHCA_TXD_SLOT, 0); SET_FIELD(txd, OHCA_TXD_SIGNALED, 0); SET_FIELD(txd, OHCA_TXD_VA, 0);
				SET_FIELD(txd, OHCA_TXD_RKEY, 0); SET_FIELD(txd, OHCA_TXD_DMALEN, 0); SET_FIELD(txd, OHCA_TXD_IMM, 0); SET_FIELD(txd, OHCA_TXD_QKEY, 0);
			}
			tb::get_bytes(txd, cur.data(), cur.size());
			if (stalled) CHECK(b->txd_valid_o && cur == held, "a stalled descriptor changed");
			stalled = b->txd_valid_o && !b->txd_ready_i; held = cur;
			if (b->txd_valid_o && b->txd_ready_i) {
				b.progress();
				u32 q = u32(FIELD(b->txd_o, OHCA_TXD_QPN)), s = q >> 20, seq = q & 0xfffff;
				CHECK(s < 2 && seq == (seen[s]++ & 0xfffff), "order of source %u", s);
				count++;
				if (FIELD(b->txd_o, OHCA_TXD_PLEN)) open.push_back({ s, seq, 1, 0 });
				run = (s == 0 && waiting) ? run + 1 : 0;
				longest = std::max(longest, run);
				CHECK(run <= 9, "requests starve");
			}
			if (b->txp_valid_o && b->txp_ready_i) {
				b.progress();
				pieces++;
				CHECK(!open.empty(), "piece before its descriptor");
				CHECK_EQ(FIELD(b->txp_o, OHCA_TXP_PD), open.front().src << 20 | open.front().seq, "piece order");
				if (FIELD(b->txp_o, OHCA_TXP_LAST)) open.pop_front();
			}
			if (b->resp_txd_valid_i) d0.sample(b->resp_txd_ready_o);
			if (b->sq_txd_valid_i) d1.sample(b->sq_txd_ready_o);
			if (b->resp_txp_valid_i) p0.sample(b->resp_txp_ready_o);
			if (b->sq_txp_valid_i) p1.sample(b->sq_txp_ready_o);
			idle = b->idle_o;
		});
	};
	tb::clear(b->resp_txd_i); tb::clear(b->sq_txd_i);        // requests' fields are not switched
	b.reset();
	unsigned share = 50, quiet_for = 0;
	while (b.now() < b.cycles) {
		if (b.rng.below(500) == 0) share = unsigned(b.rng.below(101));
		u32 s = b.rng.chance(share);
		// Now and then one after the other, so that nothing else keeps it awake.
		if (b.rng.below(1000) == 0) quiet_for = unsigned(b.rng.below(400));
		if (quiet_for) quiet_for--;
		if (quiet_for ? b.rng.below(40) == 0 : d[s]->q.size() < 6) {
			D x = { s, made[s]++ & 0xfffff, b.rng.chance(60) ? u32(b.rng.range(1, 4096)) : 0, b.rng.chance(90) ? u32(b.rng.below(VLS)) : 15 };
			d[s]->push(x);
			if (x.plen) for (u64 n = b.rng.range(1, 3); n; n--) p[s]->push({ s, x.seq, n == 1 });
		}
		step();
	}
	while (!d0.done() || !d1.done() || !p0.done() || !p1.done()) step();
	for (int i = 0; i < 200 && !idle; i++) step();
	CHECK(idle && open.empty(), "not idle at the end");
	CHECK(VLS == 1 || (takes > 1000 && yielded > 10), "room taken %llu times, %llu yields", (unsigned long long)takes, (unsigned long long)yielded);
	// Word by word a response comes after any request that waits.
	GOAL(longest >= (TB_COMPACT ? 1 : 8) && (VLS == 1 || twice > 10));
	printf("# %llu packets, %llu pieces, at most %u responses before a waiting request\n", (unsigned long long)count, (unsigned long long)pieces, longest);
	return b.finish();
}
