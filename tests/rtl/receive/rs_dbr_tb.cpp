// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_dbr: reads of doorbell records that somebody waits for and others, answered at random: those that wait get
// every answer in order, contexts get that of every other read, and of those that somebody waited for unless much is
// on its way to contexts. While nobody holds it up every read leaves a cycle after it was asked for, and an answer is there a cycle later.
// dut: ohca_rs_dbr DW=64 InFlight=16
// dut: ohca_rs_dbr DW=512 InFlight=32
// dut: ohca_rs_dbr DW=64 InFlight=16 Compact=1
// args: --cycles 40000
#include "Vdut.h"
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
	enum { LANES = TB_D_W / 8, WAITS = compact ? 1 : TB_IN_FLIGHT - 4, MANY = compact ? 12 : 28 };
	struct Read { u64 addr; u32 qpn; bool wait; u64 since; };
	struct Answer { bool err; u32 qpn, pi; bool must; u64 since; };
	std::deque<Read> asked, way;                // not read yet; on the way
	std::deque<Answer> vf, ctx;
	tb::Pace ap(&rng), rp(&rng), dp(&rng), vp(&rng), pp(&rng);
	u32 waits = 0, mild = 0, calm = 0, stop = 0;                 // stop: contexts take nothing
	u64 n = 0, bg = 0, dropped = 0, refreshed = 0, quick = 0, shut = 0;
	bool ask = false, rsp = false;
	Read a{}, first{};
	u32 pi = 0;
	bool err = false;
	d.ask_i = d.rd_ready_i = d.rd_rsp_valid_i = d.vf_ready_i = d.pi_ready_i = 0;
	b.reset();
	b.idle(2);
	auto step = [&](bool feed) {
		bool rr = false, vr = false, pr = false;
		b.cycle([&] {
			if (stop) stop--, mild = 0;
			else if (feed && rng.chance(1)) stop = u32(rng.range(50, 300));
			if (mild) mild--;
			else if (!stop && rng.chance(1)) mild = u32(rng.range(30, 150));
			a = Read{rng.bits(64), u32(rng.bits(24)), rng.chance(50), 0};
			d.eval();
			ask = feed && !ask && (mild || ap.go());              // every second cycle at most
			if (a.wait) ask = ask && waits < WAITS && d.ready_o;
			else { shut += ask && !d.bg_room_o; ask = ask && d.bg_room_o; }
			d.ask_i = ask; d.wait_i = a.wait; d.addr_i = a.addr; d.qpn_i = a.qpn;
			rsp = !way.empty() && way.front().since < b.now() && (mild || dp.go());
			err = rng.chance(10);
			pi = u32(rng.bits(16));
			bytes data = rng.bytes(LANES);
			if (rsp) {
				first = way.front();
				put_bits(data, 32 * u32(first.addr / 4 % (LANES / 4)), 32, u64(rng.bits(16)) << 16 | pi);
			}
			tb::set_bytes(d.rd_rsp_data_i, data.data(), data.size());
			d.rd_rsp_valid_i = rsp; d.rd_rsp_last_i = rsp || rng.chance(50); d.rd_rsp_err_i = err;
			rr = mild || rp.go(); vr = mild || vp.go(); pr = !stop && (mild || pp.go());
			d.rd_ready_i = rr; d.vf_ready_i = vr; d.pi_ready_i = pr;
		}, [&] {
			const u64 now = b.now();
			calm = mild ? calm + 1 : 0;
			bool owes = !asked.empty() || !way.empty();
			for (const Answer &x : ctx) owes = owes || x.must;
			CHECK(!d.idle_o || !owes, "idle");
			CHECK(d.idle_o || owes || !ctx.empty(), "never idle");
			if (calm > 60) {
				CHECK_EQ(d.rd_valid_o, !asked.empty() && asked.front().since < now, "a read leaves at once");
				CHECK_EQ(d.vf_valid_o, !vf.empty() && vf.front().since < now, "an answer is there at once");
				quick += d.rd_valid_o;
			}
			if (calm > 60 && way.size() + asked.size() < 3) CHECK(d.bg_room_o || !asked.empty() || compact, "room when nothing is under way");
			if (d.rd_valid_o && rr) {
				CHECK(!asked.empty(), "a read too many");
				Read r = asked.front();
				asked.pop_front();
				CHECK_EQ(FIELD(d.rd_o, OHCA_DMA_RD_REQ_ADDR), r.addr & ~3ull, "address");
				CHECK_EQ(FIELD(d.rd_o, OHCA_DMA_RD_REQ_LEN), 4, "length");
				r.since = now;
				way.push_back(r);
				n++;
			}
			if (d.vf_valid_o && vr) {
				CHECK(!vf.empty(), "an answer too many");
				CHECK_EQ(d.vf_err_o, vf.front().err, "error");
				CHECK_EQ(d.vf_pi_o, vf.front().pi, "index");
				vf.pop_front();
				waits--;
				b.progress();
			}
			const size_t much = ctx.size();
			if (d.pi_valid_o && pr) {
				auto is = [&](const Answer &x) { return x.qpn == d.pi_qpn_o && x.pi == d.pi_o && x.err == d.pi_err_o; };
				while (!ctx.empty() && !ctx.front().must && !is(ctx.front())) { dropped++; ctx.pop_front(); }
				CHECK(!ctx.empty() && is(ctx.front()), "index for a context");
				if (!ctx.front().must) refreshed++;
				ctx.pop_front();
				b.progress();
			}
			if (rsp) {
				way.pop_front();
				if (first.wait) vf.push_back({err, first.qpn, pi, true, now});
				else bg--;
				// Those that were waited for may be left out when there is much for contexts.
				const bool leave = first.wait && much + bg > MANY;
				if (!leave) ctx.push_back({err, first.qpn, pi, true, now});
				else ctx.push_back({err, first.qpn, pi, false, now});
			}
			if (ask) {
				a.since = now;
				asked.push_back(a);
				if (a.wait) waits++; else bg++;
			}
			while (d.idle_o && !ctx.empty() && !ctx.front().must) { dropped++; ctx.pop_front(); }
			if (asked.empty() && way.empty()) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	for (int i = 0; i < 2000; i++) { mild = 2; step(false); }
	while (!ctx.empty() && !ctx.front().must) ctx.pop_front();
	CHECK(asked.empty() && way.empty() && vf.empty() && ctx.empty(), "something is left");
	printf("# %llu reads, %llu at once; %llu times no room for another; of those in a crowd %llu were left out, %llu not\n",
		(unsigned long long)n, (unsigned long long)quick, (unsigned long long)shut, (unsigned long long)dropped, (unsigned long long)refreshed);
	GOAL(n > 3000 && quick > 100 && shut > 500 && dropped > 20);
	return b.finish();
}
