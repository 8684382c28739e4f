// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ctx against a memory model: a tiny cache, few numbers, random everything. The truth is the newest content by token order, which with Pass is
// that of each number alone.
// dut: ohca_ctx DW=64 LineBytes=128 Sets=4 Ways=1 Stride=1024 Offset=128 Evicts=4 KeepBits=928
// dut: ohca_ctx DW=128 LineBytes=64 Sets=4 Ways=1 Stride=64 Offset=0 Evicts=8
// dut: ohca_ctx DW=256 LineBytes=128 Sets=2 Ways=2 Stride=1024 Offset=0 Evicts=4
// dut: ohca_ctx DW=64 LineBytes=64 Sets=4 Ways=1 Stride=64 Offset=0 Evicts=2 Fills=2 Depth=4 KeepBits=256
// dut: ohca_ctx DW=512 LineBytes=64 Sets=2 Ways=2 Stride=64 Offset=0 Evicts=32
// dut: ohca_ctx DW=64 LineBytes=128 Sets=4 Ways=1 Stride=1024 Offset=128 KeepBits=928 Small=1 Words=16383 HotBytes=64
// dut: ohca_ctx DW=64 LineBytes=128 Sets=4 Ways=1 Stride=1024 Offset=128 KeepBits=832 Small=1
// dut: ohca_ctx DW=64 LineBytes=64 Sets=8 Ways=1 Stride=64 Offset=0 KeepBits=256 Small=1 Words=231
// dut: ohca_ctx DW=512 LineBytes=128 Sets=8 Ways=1 Stride=1024 Offset=256 Evicts=64 Fills=32 Depth=64
// dut: ohca_ctx DW=64 LineBytes=128 Sets=4 Ways=1 Stride=1024 Offset=128 Evicts=4 KeepBits=928 Pass=1 HotBytes=64
// dut: ohca_ctx DW=256 LineBytes=128 Sets=4 Ways=2 Stride=1024 Offset=0 Evicts=4 Pass=1 Same=1 HotBytes=64
// dut: ohca_ctx DW=64 LineBytes=64 Sets=4 Ways=1 Stride=64 Offset=0 Evicts=2 Fills=2 Depth=4 KeepBits=256 Pass=1
// dut: ohca_ctx DW=512 LineBytes=128 Sets=8 Ways=1 Stride=1024 Offset=256 Evicts=64 Fills=32 Depth=64 Pass=1 Same=2 HotBytes=64
// dut: ohca_ctx DW=64 LineBytes=128 Sets=4 Ways=1 Stride=1024 Offset=128 Evicts=4 KeepBits=928 Pass=1 Same=2 HotBytes=64
#include "Vdut.h"
#include "tb.h"
#include <map>

#ifndef TB_KEEP_BITS
#define TB_KEEP_BITS (8 * TB_LINE_BYTES)
#endif
#ifndef TB_WORDS
#define TB_WORDS 0xffffffffu
#endif
#ifndef TB_SMALL
#define TB_SMALL 0
#endif
#ifndef TB_EVICTS
#define TB_EVICTS 32
#endif
#ifndef TB_PASS
#define TB_PASS 0
#endif
#ifndef TB_SAME
#define TB_SAME 0
#endif

#ifndef TB_HOT_BYTES
#define TB_HOT_BYTES TB_LINE_BYTES
#endif

enum { LINE = TB_LINE_BYTES, HOT = TB_HOT_BYTES, STRIDE = TB_STRIDE, OFFS = TB_OFFSET, LANES = TB_D_W / 8, BEATS = LINE / LANES, KEEP = TB_KEEP_BITS / 8, BASE = 0x40000 };
typedef uint8_t u8;
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<u8> bytes;
static tb::Bench<Vdut> *bench;
static Vdut *d;

struct Line { u8 b[LINE]; };
struct Rd { u64 addr; u64 due; bool late, err; bytes data; unsigned beat = 0; };
struct Wr { bool mine; u64 addr; bytes data; u64 due; bool complete; };
struct Tok { u32 id; u64 token; bool inval, cold; u64 t; };   // cold: the cold half was written before it

#define rng (bench->rng)

struct Profile { const char *name; unsigned ids, lk, out, we, inval, lat_lo, lat_hi, rdy, dma_err, run_len, acklat; };

template <class T> static bytes got_bytes(const T &s, unsigned n)
{
	bytes v(n);
	tb::get_bytes(s, v.data(), n);
	return v;
}
// With Same = 1, what is not written anew is given back as it is.
static void stays()
{
	if (TB_SAME == 1 && !d->out_we_i) { bytes l = got_bytes(d->out_line_o, LINE); tb::set_bytes(d->out_wline_i, l.data(), LINE); }
}
static u64 host_of(u64 dv) { return 0x7700000000ull + dv + ((dv >> 18) << 30); }

// As the cache does it.
static unsigned set_of(u32 id)
{
	unsigned s = 0, w = 0;
	while (1u << w < TB_SETS) w++;
	for (unsigned i = 0; i < 24; i++) s ^= (id >> i & 1) << i % w;
	return s;
}

static u64 total_lat, max_lat;

static void run(const Profile &p, u64 ntok, unsigned limit, bool toggles)
{
	std::map<u64, Line> mem;                  // by bus address
	std::vector<Line> truth(64);
	std::vector<u64> injected(64, 0), failed(64, 0);   // when a fill was made to fail, when a token last came out failed
	std::deque<Tok> toks;
	std::deque<Rd> rds;
	std::deque<Wr> wrs;                       // in global order
	std::deque<std::pair<u64, u64>> icms;     // due, addr
	u64 issued = 0, acked = 0, sent = 0, got = 0;
	std::deque<u64> issue_vis;                // issued becomes visible later
	u64 issued_vis = 0;
	std::map<u64, u32> id_of_addr;
	unsigned burst = 0; u32 burst_id = 0;
	bytes wbuf; std::deque<bytes> wcomplete;
	bool held = false; bytes held_line; u32 held_id = 0; u64 held_tok = 0;
	bool lk_held = false;
	bool asks = false, had = false;           // an edit of the token that is offered: under way, done
	u64 edits = 0; unsigned asked = 0;
	bool unmapped15 = false, cold = false, drain = false;
	std::vector<Line> was(64);                // before the cold half was written
	u64 colds = 0;
	u64 passed = 0;
	total_lat = max_lat = 0;
	for (unsigned i = 0; i < 64; i++) {
		for (auto &b : truth[i].b) b = (u8)rng.next();
		u64 a = host_of(BASE + (u64)i * STRIDE + OFFS);
		mem[a] = truth[i];
		memset(truth[i].b + KEEP, 0, LINE - KEEP);      // what the cache does not keep reads 0
		id_of_addr[a] = i;
	}
	d->lk_valid_i = 0; d->out_ready_i = 0; d->icm_ready_i = 0; d->icm_rsp_valid_i = 0; d->rd_ready_i = 0; d->rd_rsp_valid_i = 0;
	d->wr_ready_i = 0; d->wr_dat_ready_i = 0; d->wr_issued_i = 0; d->wr_acked_i = 0; d->base_i = BASE; d->limit_i = limit;
	bench->reset();
	u64 idle_since = 0, last_progress = bench->now();
	bool sweeping = false; unsigned sweep = 0;
	bool done = false, idle = false;
	while (!done) {
		u64 now = bench->now();
		Line nl;
		bench->progress();
		bench->cycle([&] {
		if (!lk_held) {
			d->lk_valid_i = 0;
			if (sent < ntok) {
				u32 c = rng.below(std::min(p.ids, 14u));
				cold = false;
				// Now and then nothing is looked up until no token is inside: with many under way each number has one.
				drain = HOT < LINE && (drain || rng.below(500) == 0);
				if (HOT < LINE && (drain ? toks.empty() : rng.below(20) == 0) &&
				    std::none_of(toks.begin(), toks.end(), [&](const Tok &t) { return t.id == c; })) {
					// As firmware does it: the cold half in host memory, then the line is dropped.
					u8 *at = mem[host_of(BASE + (u64)c * STRIDE + OFFS)].b;
					was[c] = truth[c];
					for (unsigned i = HOT; i < LINE; i++) at[i] = (u8)rng.next();
					memcpy(truth[c].b + HOT, at + HOT, LINE - HOT);
					memset(truth[c].b + KEEP, 0, LINE - KEEP);
					d->lk_valid_i = 1; d->lk_id_i = c; d->lk_token_i = rng.next() & 0xffffffff; d->lk_inval_i = 1;
					cold = true; drain = false; colds++;
				} else if (!drain && rng.chance(p.lk)) {
					if (!burst) { burst = 1 + (p.run_len ? rng.below(p.run_len) : 0); burst_id = rng.below(p.ids); }
					burst--;
					d->lk_valid_i = 1; d->lk_id_i = p.run_len ? burst_id : rng.below(p.ids);
					d->lk_token_i = rng.next() & 0xffffffff; d->lk_inval_i = rng.chance(p.inval);
					if (rng.below(2000) == 0) { d->lk_id_i = rng.next() & 0xffffff; }
				}
			} else if (sweep < 64 && sweeping) {
				d->lk_valid_i = 1; d->lk_id_i = sweep; d->lk_token_i = sweep; d->lk_inval_i = 1;
			}
		}
		if (sent >= ntok && toks.empty() && !sweeping) { sweeping = true; unmapped15 = false; }
		if (!asks) {
			d->out_edit_i = TB_SMALL && held && !had && rng.chance(30);
			d->out_word_i = rng.below(HOT / 4); d->out_word_data_i = rng.next(); d->out_word_mask_i = rng.chance(30) ? 0 : rng.next();
		}
		d->out_ready_i = !d->out_edit_i && rng.chance(p.out);
		d->out_we_i = rng.chance(sweeping ? 0 : p.we);
		for (unsigned i = 0; i < LINE; i += 8) { u64 r = rng.next(); memcpy(nl.b + i, &r, 8); }
		tb::set_bytes(d->out_wline_i, nl.b, LINE);
		stays();
		d->icm_ready_i = rng.chance(p.rdy);
		d->icm_rsp_valid_i = 0;
		d->icm_rsp_ok_i = rng.next() & 1; d->icm_rsp_addr_i = rng.next();
		if (toggles && rng.below(300) == 0) unmapped15 = !unmapped15;
		if (!icms.empty() && icms.front().first <= now) {
			u64 dv = icms.front().second; icms.pop_front();
			u32 id = (dv - BASE - OFFS) / STRIDE;
			CHECK((dv - BASE - OFFS) % STRIDE == 0 && id < limit, "translation of 0x%llx", (unsigned long long)dv);
			bool ok = id != 14 && !(id == 15 && unmapped15);
			d->icm_rsp_valid_i = 1; d->icm_rsp_ok_i = ok;
			if (ok) d->icm_rsp_addr_i = host_of(dv);
			if (!ok) injected[id] = now;
		}
		d->rd_ready_i = rng.chance(p.rdy);
		d->rd_rsp_valid_i = 0;
		if (!rds.empty() && rds.front().due <= now && rng.chance(p.lat_hi > 50 ? 100 : 80)) {
			Rd &r = rds.front();
			if (r.beat == 0 && r.late && !r.err) { r.data.assign(mem[r.addr].b, mem[r.addr].b + LINE); }
			d->rd_rsp_valid_i = 1;
			tb::set_bytes(d->rd_rsp_data_i, r.data.data() + r.beat * LANES, LANES);
			bool e = r.err && (r.beat == BEATS - 1 || rng.chance(50));
			d->rd_rsp_err_i = e;
			r.beat++;
			d->rd_rsp_last_i = r.beat == BEATS;
			if (r.beat == BEATS) { rds.pop_front(); }
		}
		d->wr_ready_i = rng.chance(p.rdy); d->wr_dat_ready_i = rng.chance(p.rdy);
		// writes of the others in between
		if (rng.below(20) == 0) { wrs.push_back({false, 0, {}, now + rng.range(1, p.acklat), true}); issue_vis.push_back(now + rng.below(3)); issued++; }
		while (!issue_vis.empty() && issue_vis.front() <= now) { issue_vis.pop_front(); issued_vis++; }
		// apply in order, acknowledge
		if (!wrs.empty() && wrs.front().complete && wrs.front().due <= now && acked < issued_vis) {
			Wr &w = wrs.front();
			if (w.mine) { CHECK(id_of_addr.count(w.addr), "write to 0x%llx", (unsigned long long)w.addr); memcpy(mem[w.addr].b, w.data.data(), HOT); }
			acked++; wrs.pop_front();
		}
		d->wr_issued_i = (u32)issued_vis; d->wr_acked_i = (u32)acked;
		}, [&] {
		lk_held = d->lk_valid_i && !d->lk_ready_o;
		if (d->lk_valid_i && d->lk_ready_o) {
			toks.push_back({d->lk_id_i, d->lk_token_i, (bool)d->lk_inval_i, cold && sent < ntok, now});
			if (sent < ntok) sent++; else sweep++;
		}
		if (held && (asks || d->out_edit_done_o)) held_line = got_bytes(d->out_line_o, LINE);     // moves during an edit
		if (held) CHECK(d->out_valid_o && d->out_id_o == held_id && d->out_token_o == held_tok && got_bytes(d->out_line_o, LINE) == held_line, "stalled output changed");
		held = d->out_valid_o && !d->out_ready_i;
		if (d->out_edit_done_o) {
			u32 was, is;
			CHECK(asks, "an edit nobody asked for");
			if (!d->out_err_o) {
				u8 *at = truth[d->out_id_o].b + 4 * d->out_word_i;
				memcpy(&was, at, 4);
				is = (was & ~d->out_word_mask_i) | (d->out_word_data_i & d->out_word_mask_i);
				memcpy(at, &is, 4);
				memset(truth[d->out_id_o].b + KEEP, 0, LINE - KEEP);
				CHECK(d->out_word_o == was, "word %u of id %u: 0x%x, not 0x%x", d->out_word_i, d->out_id_o, d->out_word_o, was);
				held_line = got_bytes(d->out_line_o, LINE);
				CHECK(!memcmp(held_line.data(), truth[d->out_id_o].b, toks.front().cold ? HOT : LINE), "word %u of id %u: the line does not show the edit", d->out_word_i, d->out_id_o);
			}
			had = true; asks = false; edits++;
		} else asks = d->out_edit_i;
		if (!held) had = false;
		if (held) { held_id = d->out_id_o; held_tok = d->out_token_o; held_line = got_bytes(d->out_line_o, LINE); }
		if (d->out_valid_o && d->out_ready_i) {
			auto first = toks.begin();
			while (TB_PASS && first != toks.end() && first->id != d->out_id_o) first++;
			CHECK(first != toks.end(), "token from nowhere");
			Tok t = *first;
			if (first != toks.begin()) passed++;
			toks.erase(first);
			total_lat += now - t.t; if (now - t.t > max_lat) max_lat = now - t.t;
			CHECK(d->out_id_o == t.id && (d->out_token_o & 0xffffffff) == t.token && (bool)d->out_inval_o == t.inval, "token order: got id %u want %u", d->out_id_o, t.id);
			if (t.id >= limit || t.id == 14) CHECK(d->out_err_o, "id %u must fail", t.id);
			else if (d->out_err_o) {
				// Either its own fill failed, or that of a token still inside when it was looked up; never a remembered failure.
				CHECK(injected[t.id] >= t.t || failed[t.id] >= t.t, "id %u failed without a cause", t.id);
				failed[t.id] = now;
			}
			// Bit 0 says why: 0, there is no such number or no memory for it (of 15 for a while only); 1, it could not be read.
			if (d->out_err_o && t.id != 15) CHECK_EQ(got_bytes(d->out_line_o, LINE)[0] & 1, t.id < limit && t.id != 14, "why a context has no content");
			if (!d->out_err_o) {
				bytes l = got_bytes(d->out_line_o, LINE);
				// The token that drops the line may still show the cold half as it was.
				CHECK(!memcmp(l.data(), truth[t.id].b, LINE) ||
				      (t.cold && !memcmp(l.data(), truth[t.id].b, HOT) && !memcmp(l.data() + HOT, was[t.id].b + HOT, LINE - HOT)),
				      "stale content of id %u", t.id);
				if (d->out_we_i) {
					for (unsigned i = 0; i < HOT / 4; i++) if (TB_WORDS >> i & 1) memcpy(truth[t.id].b + 4 * i, nl.b + 4 * i, 4);
					memset(truth[t.id].b + KEEP, 0, LINE - KEEP);
				}
			}
			got++; last_progress = now;
		}
		if (d->icm_valid_o && d->icm_ready_i) icms.push_back({now + 2, d->icm_addr_o});
		if (d->rd_valid_o && d->rd_ready_i) {
			u64 a = tb::get_bits(d->rd_o, 21, 64); CHECK(tb::get_bits(d->rd_o, 8, 13) == LINE, "read length");
			CHECK(id_of_addr.count(a), "read from 0x%llx", (unsigned long long)a);
			Rd r; r.addr = a; r.due = std::max(now + rng.range(p.lat_lo, p.lat_hi), rds.empty() ? 0 : rds.back().due); r.late = rng.chance(50);
			r.data.assign(mem[a].b, mem[a].b + LINE); r.err = !sweeping && rng.below(1000) < p.dma_err;
			if (r.err) {
				injected[id_of_addr[a]] = now;
				for (auto &x : r.data) x = (u8)rng.next();
			}
			rds.push_back(r);
		}
		if (d->wr_valid_o && d->wr_ready_i) {
			CHECK(tb::get_bits(d->wr_o, 0, 13) == HOT, "write length");
			Wr w{true, tb::get_bits(d->wr_o, 13, 64), {}, now + rng.range(1, p.acklat), false};
			if (!wcomplete.empty()) { w.data = wcomplete.front(); wcomplete.pop_front(); w.complete = true; }
			wrs.push_back(w); issued++; issue_vis.push_back(now + 1 + rng.below(2));
		}
		if (d->wr_dat_valid_o && d->wr_dat_ready_i) {
			bytes b = got_bytes(d->wr_dat_o, LANES); wbuf.insert(wbuf.end(), b.begin(), b.end());
			CHECK((bool)d->wr_dat_last_o == (wbuf.size() == HOT), "last of write data");
			if (wbuf.size() == HOT) {
				for (unsigned i = KEEP; i < HOT; i++) CHECK(!wbuf[i], "byte %u is not kept, so it must be written as 0", i);
				bool placed = false;
				for (auto &w : wrs) if (w.mine && !w.complete) { w.data = wbuf; w.complete = true; w.due = now + rng.range(1, p.acklat); placed = true; break; }
				if (!placed) wcomplete.push_back(wbuf);
				wbuf.clear();
			}
		}
		if (asks && ++asked > 2000) CHECK(false, "an edit does not end");
		if (!asks) asked = 0;
		idle = d->idle_o;
		if (!toks.empty() || !rds.empty() || !icms.empty()) CHECK(!idle || (d->lk_valid_i && d->lk_ready_o && toks.size() == 1), "idle with work");
		});
		CHECK(bench->now() - last_progress < 20000 || (sweep >= 64 && toks.empty()), "hang: %llu of %llu tokens", (unsigned long long)got, (unsigned long long)sent);
		if (sweep >= 64 && toks.empty()) {
			if (idle) { if (++idle_since > 50) done = true; } else { idle_since = 0; CHECK(bench->now() - last_progress < 20000, "never idle"); }
		}
	}
	GOAL(!TB_SMALL || edits || p.out == 100);
	CHECK(!TB_PASS || passed, "no token passed another");
	GOAL(HOT == LINE || colds);
	for (unsigned i = 0; i < limit && i < 64; i++) if (i != 14) {
		u64 a = host_of(BASE + (u64)i * STRIDE + OFFS);
		CHECK(!memcmp(mem[a].b, truth[i].b, KEEP), "id %u not written back", i);
	}
}

// Throughput: cycles for n tokens with everything ready. Slow: the bus takes a beat of write-backs
// in eight cycles, and nine tokens of ten are for two numbers in sets of their own.
static double measure(const char *name, unsigned ids, unsigned we, unsigned lat, u64 n, bool slow = false)
{
	std::deque<std::pair<u64, u64>> icms; std::deque<std::pair<u64, unsigned>> rds; std::deque<u64> lk, wr;
	d->lk_valid_i = 0;
	bench->reset();
	d->limit_i = 1 << 24; d->out_ready_i = 1; d->icm_ready_i = 1; d->rd_ready_i = 1; d->wr_ready_i = 1; d->wr_dat_ready_i = 1; d->lk_inval_i = 0; d->out_edit_i = 0;
	u64 c = 0, out = 0, t0 = 0, lat_sum = 0, seq = 0; u32 issued = 0, acked = 0;
	for (; out < n + 200 && c < 10000000; c++) {
		bench->progress();
		bench->cycle([&] {
		d->lk_valid_i = 1; d->out_we_i = rng.chance(we);
		stays();
		d->wr_ready_i = d->wr_dat_ready_i = !slow || c % 8 == 0;
		d->lk_id_i = ids <= 16 ? seq % ids : rng.below(ids);
		if (slow && rng.chance(90)) d->lk_id_i = seq & 1;
		else while (slow && set_of(d->lk_id_i) < 2 && TB_SETS > 2) d->lk_id_i = rng.below(ids);
		d->icm_rsp_valid_i = !icms.empty() && icms.front().first <= c;
		if (d->icm_rsp_valid_i) { d->icm_rsp_ok_i = 1; d->icm_rsp_addr_i = icms.front().second; icms.pop_front(); }
		d->rd_rsp_valid_i = 0;
		if (!rds.empty() && rds.front().first <= c) { d->rd_rsp_valid_i = 1; d->rd_rsp_err_i = 0; d->rd_rsp_last_i = ++rds.front().second == BEATS; if (d->rd_rsp_last_i) rds.pop_front(); }
		if (!wr.empty() && wr.front() <= c) { wr.pop_front(); acked++; }
		d->wr_issued_i = issued; d->wr_acked_i = acked;
		}, [&] {
		if (d->lk_ready_o) { lk.push_back(c); seq++; }
		if (d->out_valid_o) { if (out == 200) { t0 = c; lat_sum = 0; } lat_sum += c - lk.front(); lk.pop_front(); out++; }
		if (d->icm_valid_o) icms.push_back({c + 2, d->icm_addr_o});
		if (d->rd_valid_o) rds.push_back({c + lat, 0});
		if (d->wr_valid_o && d->wr_ready_i) { issued++; wr.push_back(c + lat); }
		});
	}
	CHECK(out >= n + 200, "%s: stuck", name);
	double per = double(c - 1 - t0) / n;
	printf("# %s: %.2f cycles a token, mean latency %.1f\n", name, per, double(lat_sum) / n);
	if (ids <= 4) CHECK(per <= (TB_SMALL ? 11.0 : 2.0), "%s: %.2f cycles a token", name, per);
	return per;
}

// One token after the other for numbers in the cache, and now and then one for a number that is not, while the host takes long: how many pass it, and
// whether it comes out soon after its fill although they never cease.
static void measure_pass(unsigned we)
{
	enum { N = 20, GAP = 700, LAT = 500, RES = 2 };
	std::deque<std::pair<u64, u64>> icms; std::deque<std::pair<u64, unsigned>> rds; std::deque<u64> wr;
	u64 c = 0, asked = 0, got = 0, passed = 0, since = 0, filled = 0; u32 issued = 0, acked = 0, want = 0, far = RES;
	bool waits = false, far_in = false;
	d->lk_valid_i = 0;
	bench->reset();
	d->limit_i = 1 << 24; d->out_ready_i = 1; d->icm_ready_i = 1; d->rd_ready_i = 1; d->wr_ready_i = 1; d->wr_dat_ready_i = 1; d->lk_inval_i = 0; d->out_edit_i = 0;
	for (; got < N && c < 3 * N * GAP; c++) {
		bench->progress();
		bench->cycle([&] {
		if (c % GAP == GAP - 1 && c > 2 * LAT && !waits && !far_in) {
			// 0 and 1 are in sets of their own; what is far takes a third set, with a victim each time.
			far = TB_SETS * (2 + unsigned(asked % 8));
			while (set_of(far) != RES % TB_SETS) far++;
			far_in = true;
		}
		d->lk_valid_i = 1; d->lk_id_i = far_in ? far : want; d->lk_token_i = far_in; d->out_we_i = rng.chance(we);
		stays();
		d->icm_rsp_valid_i = !icms.empty() && icms.front().first <= c;
		if (d->icm_rsp_valid_i) { d->icm_rsp_ok_i = 1; d->icm_rsp_addr_i = icms.front().second; icms.pop_front(); }
		d->rd_rsp_valid_i = 0;
		if (!rds.empty() && rds.front().first <= c) {
			d->rd_rsp_valid_i = 1; d->rd_rsp_err_i = 0; d->rd_rsp_last_i = ++rds.front().second == BEATS;
			if (d->rd_rsp_last_i) { rds.pop_front(); filled = c; }
		}
		if (!wr.empty() && wr.front() <= c) { wr.pop_front(); acked++; }
		d->wr_issued_i = issued; d->wr_acked_i = acked;
		}, [&] {
		if (d->lk_ready_o) {
			if (far_in) { far_in = false; waits = true; asked++; since = c; passed = 0; }
			else want ^= 1;
		}
		if (d->out_valid_o) {
			if (d->out_token_o & 1) {
				CHECK(waits, "token from nowhere");
				waits = false; got++;
				CHECK(passed >= LAT / 2, "%llu tokens in %llu cycles passed a miss", (unsigned long long)passed, (unsigned long long)(c - since));
				CHECK(c - filled <= 150, "a miss came out %llu cycles after its fill", (unsigned long long)(c - filled));
			} else if (waits) passed++;
		}
		if (d->icm_valid_o) icms.push_back({c + 2, d->icm_addr_o});
		if (d->rd_valid_o) rds.push_back({c + LAT, 0});
		if (d->wr_valid_o) { issued++; wr.push_back(c + LAT); }
		});
	}
	CHECK(got == N, "stuck behind a miss");
	printf("# hits beside a miss of %u cycles: %llu passed it\n", LAT, (unsigned long long)passed);
}

// The same beside numbers that come back after they were evicted, written: right after, or when the eviction is about to
// be made and another set has had one in between. They wait for their fill, and for no write-back.
static void measure_back(bool between)
{
	enum { N = 20, LAT = 800, GAP = 5 * LAT, RES = 2, FAR = TB_WAYS + 1, BESIDE = 60 };
	std::deque<std::pair<u64, u64>> icms; std::deque<std::pair<u64, unsigned>> rds; std::deque<u64> wr;
	u64 c = 0, asked = 0, beside = 0, got = 0, passed = 0, since = 0, waited = 0; u32 issued = 0, acked = 0, want = 0, far[FAR], other[FAR];
	const u64 least = LAT - 50, most = LAT + LAT / 4;
	for (unsigned i = 0; i < FAR; i++) {
		for (far[i] = i ? far[i - 1] + 1 : TB_SETS * 2; set_of(far[i]) != RES % TB_SETS; ) far[i]++;
		for (other[i] = i ? other[i - 1] + 1 : TB_SETS * 2; set_of(other[i]) != (RES + 1) % TB_SETS; ) other[i]++;
	}
	d->lk_valid_i = 0;
	bench->reset();
	d->limit_i = 1 << 24; d->out_ready_i = 1; d->icm_ready_i = 1; d->rd_ready_i = 1; d->wr_ready_i = 1; d->wr_dat_ready_i = 1;
	d->lk_inval_i = 0; d->out_edit_i = 0; d->out_we_i = 1;
	for (; got < 2 * N && c < 2 * N * GAP; c++) {
		// Two of them, one after the other.
		bool now_far = c / GAP > asked / 2 && (!between || !(asked & 1) || c % GAP >= LAT - BESIDE / 2);
		bool now_other = between && c / GAP > beside && c % GAP >= LAT - BESIDE && !now_far;
		bench->progress();
		bench->cycle([&] {
		d->lk_valid_i = 1; d->lk_id_i = now_far ? far[asked % FAR] : now_other ? other[beside % FAR] : want;
		d->lk_token_i = now_far ? 1 : now_other ? 2 : 0;
		d->icm_rsp_valid_i = !icms.empty() && icms.front().first <= c;
		if (d->icm_rsp_valid_i) { d->icm_rsp_ok_i = 1; d->icm_rsp_addr_i = icms.front().second; icms.pop_front(); }
		d->rd_rsp_valid_i = 0;
		if (!rds.empty() && rds.front().first <= c) {
			d->rd_rsp_valid_i = 1; d->rd_rsp_err_i = 0; d->rd_rsp_last_i = ++rds.front().second == BEATS;
			if (d->rd_rsp_last_i) rds.pop_front();
		}
		if (!wr.empty() && wr.front() <= c) { wr.pop_front(); acked++; }
		d->wr_issued_i = issued; d->wr_acked_i = acked;
		}, [&] {
		if (d->lk_ready_o) {
			if (now_far) { if (asked++ & 1) { since = c; passed = 0; } }
			else if (now_other) beside++;
			else want ^= 1;
		}
		if (d->out_valid_o && !(d->out_token_o & 1)) passed++;
		else if (d->out_valid_o && got++ & 1 && got > 2 * FAR) {
			waited = c - since;
			CHECK(waited >= least && waited <= most, "it waits for its own fill: %llu cycles%s",
			      (unsigned long long)waited, between ? " beside another's" : "");
			CHECK(passed * 5 >= waited * 2, "%llu tokens in %llu cycles passed a number that is being written back",
			      (unsigned long long)passed, (unsigned long long)waited);
		}
		if (d->icm_valid_o) icms.push_back({c + 2, d->icm_addr_o});
		if (d->rd_valid_o) rds.push_back({c + LAT, 0});
		if (d->wr_valid_o) { issued++; wr.push_back(c + LAT); }
		});
	}
	CHECK(got == 2 * N && (!between || beside >= N - 1), "stuck behind a write-back");
	printf("# hits beside a number that comes back%s: %llu in %llu cycles passed it\n", between ? " beside another's eviction" : "",
	       (unsigned long long)passed, (unsigned long long)waited);
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	bench = &b;
	d = b.dut.get();
	u64 n = b.cycles / 2;
	const Profile ps[] = {
		//  name        ids lk  out we inv lat       rdy err run ack
		{ "mixed",      16, 70, 70, 50, 3, 1, 30,    70, 0,  0, 40 },
		{ "fast",       16, 100,100,50, 1, 1, 4,     100,0,  0, 5 },
		{ "runs",       16, 90, 60, 70, 2, 5, 60,    80, 0,  6, 100 },
		{ "few",        5,  100,100,60, 2, 1, 10,    100,0,  2, 300 },
		{ "errors",     16, 80, 80, 50, 5, 1, 40,    80, 100,0, 40 },
		{ "slow-out",   16, 100,10, 50, 3, 1, 20,    90, 10, 0, 20 },
		{ "slow-host",  24, 100,100,90, 1, 100, 300, 30, 5,  0, 400 },
		{ "readonly",   16, 100,90, 0,  1, 1, 20,    100,0,  0, 10 },
		{ "back",       16, 100,100,80, 3, 1, 10,    100,200,0, 400 },   // a number comes back before its eviction is written
	};
	for (auto &p : ps) {
		run(p, p.lat_lo >= 100 ? n / 10 : n, 20, !strcmp(p.name, "errors"));
	}
	measure("hits, 4 numbers in turn", 4, 50, 125, 5000);
	measure("hits, one number", 1, 50, 125, 5000);
	measure("random of 65536, no writes, 125-cycle host", 65536, 0, 125, 3000);
	measure("random of 65536, all written, 125-cycle host", 65536, 100, 125, 3000);
	measure("random of four times the lines, all written, 125-cycle host", 4 * TB_SETS * TB_WAYS, 100, 125, 3000);
	double beside = measure("two numbers beside one in ten of 65536, all written, slow writes, 125-cycle host", 65536, 100, 125, 3000, true);
	if (TB_PASS && TB_EVICTS >= 64) CHECK(beside <= 2.1, "what comes next waits for a write-back: %.2f cycles a token", beside);
	if (TB_PASS) {
		measure_pass(0);
		measure_pass(100);
		for (unsigned between = 0; TB_EVICTS >= 4 && between < 2; between++) measure_back(between);
	}
	return b.finish();
}
