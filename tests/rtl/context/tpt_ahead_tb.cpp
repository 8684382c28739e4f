// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_tpt_ahead: lines read one after the other, at random, in several streams at a time; a table that changes at flushes; errors of the host.
// dut: ohca_tpt_ahead DW=64
// dut: ohca_tpt_ahead DW=128 Slots=2 Fills=2
// dut: ohca_tpt_ahead DW=512 Slots=4 Fills=8
#include "Vdut.h"
#include "tb.h"
#include "models.h"
#include <set>
#ifndef TB_SLOTS
#define TB_SLOTS 8
#endif
#ifndef TB_FILLS
#define TB_FILLS 16
#endif
enum { LANES = TB_D_W / 8, BEATS = 64 / LANES };
static const u64 BASE = 0x7654321000000ull;

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 epoch = 1, served_all = 0;

	// Of each stream: the next line, and where its region ends.
	struct Stream { u64 at, end; };
	struct Asked { u64 line, t, epoch; bool more; unsigned beats; bool bad; };
	for (unsigned mode = 0; mode < 7; mode++) {
		const bool two = mode == 6, one = mode == 0 || two, errs = mode == 3, random = mode == 4, flushes = mode == 2 || mode == 5;
		const unsigned nstreams = one ? 1 : mode == 1 ? TB_SLOTS : TB_SLOTS + 3;
		ReadModel rd(rng, LANES);
		rd.lat_lo = one ? 60 : 1; rd.lat_hi = one ? 60 : 80; rd.gap = one ? 0 : 20; rd.err_permille = errs ? 100 : 0;
		rd.mem = [&](u64 a) { return u8(host_byte(a) + 37 * epoch); };
		std::vector<Stream> streams(nstreams);
		auto region = [&](Stream &s) { s.at = BASE + 64 * rng.below(1 << 16); s.end = s.at + 64 * rng.range(1, 150); };
		for (auto &s : streams) region(s);
		std::deque<Asked> asked;
		std::set<u64> may;              // lines that may be read although nobody has asked yet
		std::deque<u64> flying;         // host reads, in order
		Asked offer{};
		bool offered = false, flush = false, stop = false;
		u64 done = 0, wanted = b.cycles / 20, ahead = 0, demands = 0, quick = 0, lat = 0, errors = 0, pause = 0;
		u64 host = 0;
		d.c_valid_i = d.flush_i = d.h_ready_i = d.h_rsp_valid_i = 0;
		b.reset();
		while (done < wanted) {
			u64 now = b.now();
			b.cycle([&] {
				if (!offered && !flush && !stop && asked.size() < (two ? 2 : one ? 1 : TB_FILLS) && now >= pause && rng.chance(one ? 100 : mode == 5 ? 2 : 30)) {
					Stream &s = streams[rng.below(nstreams)];
					if (s.at >= s.end || (random && rng.chance(99))) region(s);
					offer = Asked{s.at, 0, 0, s.at + 128 < s.end, 0, false};
					s.at += 64;
					offered = true;
				}
				d.c_valid_i = offered;
				tb::set_bits(d.c_i, OHCA_DMA_RD_REQ_ADDR_LSB, OHCA_DMA_RD_REQ_ADDR_WIDTH, offer.line);
				tb::set_bits(d.c_i, OHCA_DMA_RD_REQ_LEN_LSB, OHCA_DMA_RD_REQ_LEN_WIDTH, 64);
				d.more_i = offer.more;
				// Who changes the table asks for nothing meanwhile, says so, and waits until all is idle.
				stop = stop || (flushes && rng.below(200) == 0);
				if (stop && !flush && !offered && asked.empty()) {
					stop = false;
					flush = true;
					epoch++;
				}
				d.flush_i = flush;
				d.h_ready_i = one || rng.chance(70);
				u8 v = 0, l = 0, e = 0;
				rd.drive(now, v, d.h_rsp_data_i, l, e);
				d.h_rsp_valid_i = v; d.h_rsp_last_i = l; d.h_rsp_err_i = e;
				if (v && e) tb::set_bits(d.h_rsp_data_i, 0, 8, rng.next() & 255);       // of what could not be read anything may come
				if (v && l) flying.pop_front();
			}, [&] {
				if (d.idle_o) CHECK(asked.empty() && flying.empty() && !d.h_valid_o, "idle with work under way");
				if (d.h_valid_o && d.h_ready_i) {
					auto *r = rd.accept(d.h_o, now);
					CHECK_EQ(r->len, 64, "a line");
					host++;
					flying.push_back(r->addr);
					bool demand = false;
					for (auto &a : asked) demand |= a.line == r->addr;
					if (!demand) {
						CHECK(may.count(r->addr), "line 0x%llx is read ahead, but not allowed", (unsigned long long)r->addr);
						CHECK(!flush || may.count(r->addr), "read in a flush");
						ahead++;
					} else demands++;
				}
				if (d.c_valid_i && d.c_ready_o) {
					offer.t = now; offer.epoch = epoch;
					asked.push_back(offer);
					// The two that come next may be read, if they are of the same region and page.
					if (offer.more && offer.line % 4096 < 4096 - 128) { may.insert(offer.line + 64); may.insert(offer.line + 128); }
					if (two) pause = (offer.line & 64) ? ~0ull : 0;          // two at a time
					offered = false;
				}
				if (d.c_rsp_valid_o) {
					CHECK(!asked.empty(), "an answer to nobody");
					Asked &a = asked.front();
					bytes got(LANES);
					tb::get_bytes(d.c_rsp_data_o, got.data(), LANES);
					if (d.c_rsp_err_o) { CHECK(errs, "an error from nowhere"); a.bad = true; }
					if (!a.bad)
						for (unsigned i = 0; i < LANES; i++)
							CHECK(got[i] == u8(host_byte(a.line + a.beats * LANES + i) + 37 * a.epoch), "line 0x%llx byte %u of epoch %llu",
							      (unsigned long long)a.line, a.beats * LANES + i, (unsigned long long)a.epoch);
					a.beats++;
					CHECK_EQ(d.c_rsp_last_o, a.beats == BEATS, "last");
					if (d.c_rsp_last_o) {
						u64 l = now - a.t;
						if (one) { lat += l; quick += l <= 3 + BEATS; }
						errors += a.bad;
						// As a cache does that walks through a region: it comes to the next line later.
						if (one && asked.size() == 1) pause = now + 150;
						asked.pop_front();
						done++;
						b.progress();
					}
				}
				if (flush && d.idle_o) { flush = false; may.clear(); b.progress(); }
			});
		}
		for (unsigned i = 0; i < 2000 && !d.idle_o; i++) b.cycle([&] {
			d.c_valid_i = d.flush_i = 0; d.h_ready_i = 1;
			u8 v = 0, l = 0, e = 0;
			rd.drive(b.now(), v, d.h_rsp_data_i, l, e);
			d.h_rsp_valid_i = v; d.h_rsp_last_i = l; d.h_rsp_err_i = e;
		}, [&] {
			if (d.h_valid_o) { rd.accept(d.h_o, b.now()); host++; ahead++; }
		});
		CHECK(d.idle_o, "it becomes idle");
		u64 served = done - std::min(demands, done);       // a line that is asked for twice at a time may be read ahead the second time
		served_all += served;
		if (mode == 1) CHECK(served * 2 > done, "streams are served from here");
		printf("# mode %u: %llu lines, %llu by the host when asked for, %llu read ahead, %llu served from here, %llu errors", mode, (unsigned long long)done,
		       (unsigned long long)demands, (unsigned long long)ahead, (unsigned long long)served, (unsigned long long)errors);
		if (one) printf(", %llu within %u cycles, mean %.1f", (unsigned long long)quick, 3 + BEATS, double(lat) / double(done));
		printf("\n");
		// One stream, also one that needs two lines at a time: all but the first two of a region and of a page.
		if (one) CHECK(quick * 100 > done * (two ? 80 : 90), "a walk is served from here");
		if (one) CHECK(host <= done + done / 20 + 4, "little is read in vain");
		if (random) CHECK(ahead * 20 < done, "nothing is read ahead of random lines");
		if (errs) CHECK(errors > 0, "errors are passed on");
		if (flushes) GOAL(epoch > 3);
	}
	GOAL(served_all > 100);
	return b.finish();
}
