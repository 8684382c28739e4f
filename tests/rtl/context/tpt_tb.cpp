// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_tpt against a reference in 128-bit arithmetic: random tables, requests near every limit, errors of the host, invalidation.
// dut: ohca_tpt DW=64 MptLines=8 MttLines=8 Depth=8
// dut: ohca_tpt DW=64 MptLines=8 MttLines=8 Small=1
// dut: ohca_tpt DW=64 MptLines=8 MttLines=8 Small=1 Rings=39
// dut: ohca_tpt DW=128 MptLines=4 MttLines=16 Fills=4
// dut: ohca_tpt DW=512 MptLines=64 MttLines=256
// dut: ohca_tpt DW=256 MptLines=16 MttLines=4 Fills=2 NumClients=2
#include "Vdut.h"
#include "tb.h"
#include "models.h"
#include <set>
#ifndef TB_NUM_CLIENTS
#define TB_NUM_CLIENTS 6
#endif
#ifndef TB_SMALL
#define TB_SMALL 0
#endif
#ifndef TB_MTT_LINES
#define TB_MTT_LINES 512
#endif
#ifndef TB_RINGS
#define TB_RINGS 0
#endif
enum { N = TB_NUM_CLIENTS, LANES = TB_D_W / 8, MPTS = 5000, MTTS = 8192 };
typedef unsigned __int128 u128;

struct Mpt { bool valid, phys, priv_only, lw, rw, rr, free; u8 key, shift; u32 pd; u64 start, length; u32 mtt; };
struct Req { bool mtt_op, lw, rw, rr, priv; u32 pd, key; u64 va; u32 chk; u8 tag; };
struct Res { bool ok; unsigned verr; u64 addr; };
static const u64 MPT_BASE = 0x40000, MTT_BASE = 0x100000, BUS = 0x123400000000ull;

struct Tables {
	std::vector<Mpt> mpt{MPTS};
	std::vector<u64> mtt = std::vector<u64>(MTTS);
};

static Res reference(const Tables &t, const Req &r, u32 mpt_limit)
{
	auto bad = [](unsigned v) { return Res{false, v, 0}; };
	u64 page;
	unsigned shift = 12;
	if (r.mtt_op) {
		page = r.va >> 12;
	} else {
		u32 i = r.key >> 8;
		if (i >= mpt_limit || i >= 4096) return bad(OHCA_VENDOR_ERR_TPT_KEY);     // chunk 1 of the table is not mapped
		const Mpt &m = t.mpt[i];
		if (!m.valid || m.free || m.key != (r.key & 255)) return bad(OHCA_VENDOR_ERR_TPT_KEY);
		if (m.priv_only) { if (!r.priv) return bad(OHCA_VENDOR_ERR_TPT_ACCESS); }
		else if (m.pd != r.pd) return bad(OHCA_VENDOR_ERR_TPT_PD);
		if ((r.lw && !m.lw) || (r.rw && !m.rw) || (r.rr && !m.rr)) return bad(OHCA_VENDOR_ERR_TPT_ACCESS);
		if (u128(r.va) + r.chk > u128(1) << 64) return bad(OHCA_VENDOR_ERR_TPT_BOUNDS);
		if (m.phys) return Res{true, 0, r.va};
		if (r.va < m.start) return bad(OHCA_VENDOR_ERR_TPT_BOUNDS);
		if (m.shift < 12 || m.shift > 47) return bad(OHCA_VENDOR_ERR_TPT_INVALID);
		if (u128(r.va) + r.chk > u128(m.start) + m.length) return bad(OHCA_VENDOR_ERR_TPT_BOUNDS);
		if (!r.chk) return Res{true, 0, r.va};
		shift = m.shift;
		u64 pg = (r.va >> shift) - (m.start >> shift);
		if (pg >> 32) return bad(OHCA_VENDOR_ERR_TPT_INVALID);
		page = pg + m.mtt;
	}
	if (page >= MTTS || !(t.mtt[page] & 1)) return bad(OHCA_VENDOR_ERR_TPT_INVALID);
	u64 mask = (1ull << shift) - 1;
	return Res{true, 0, (t.mtt[page] & ~0xfffull & ~mask) | (r.va & mask)};
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	b.stuck_after = 20000;
	Tables now_t, old_t;
	int verr_was = -1;                                       // of the answer a cycle before
	auto random_mpt = [&](Mpt &m) {
		static const u8 shifts[] = {12, 12, 12, 13, 16, 21, 30, 47};
		m.valid = !rng.chance(5); m.phys = rng.chance(10); m.priv_only = rng.chance(10); m.free = rng.chance(2);
		m.lw = rng.chance(80); m.rw = rng.chance(80); m.rr = rng.chance(80); m.key = u8(rng.below(3)); m.pd = u32(rng.bits(24));
		m.shift = rng.chance(3) ? u8(rng.below(64)) : shifts[rng.below(8)];
		unsigned pages = unsigned(rng.range(1, 64));
		m.mtt = u32(rng.chance(3) ? rng.next() : rng.below(MTTS / 8 - 8) * 8);
		m.start = rng.chance(10) ? 0ull - (rng.below(1ull << m.shift) + (u64(pages - 1) << m.shift)) : rng.next() >> rng.range(8, 20);
		m.length = rng.chance(5) ? rng.next() : (u64(pages) << m.shift) - (m.start & ((1ull << (m.shift & 63)) - 1));
		if (rng.chance(20)) m.length = rng.below(10000);
	};
	for (auto &m : now_t.mpt) random_mpt(m);
	for (auto &e : now_t.mtt) e = (rng.next() & 0x0000fffffffff000ull) | !rng.chance(10);
	old_t = now_t;
	auto mem = [&](u64 a) -> u8 {
		a -= BUS;
		if (a >= MTT_BASE) return u8(now_t.mtt.at((a - MTT_BASE) / 8) >> (8 * (a & 7)));
		const Mpt &m = now_t.mpt.at((a - MPT_BASE) / 64);
		u32 w[16] = {u32(m.valid | m.phys << 1 | m.priv_only << 2 | m.lw << 3 | m.rw << 4 | m.rr << 5 | m.free << 7 | m.key << 8 | (m.shift & 63) << 16), m.pd,
			     u32(m.start), u32(m.start >> 32), u32(m.length), u32(m.length >> 32), m.mtt};
		for (int i = 7; i < 16; i++) w[i] = u32(a * 77 + i);
		return ((u8 *)w)[a & 63];
	};
	const u32 mpt_limit = 4500;
	u64 n = TB_SMALL ? b.cycles / 10 : b.cycles * 2;          // one at a time
	u64 n_all = n;
	for (unsigned mode = 0; mode < 5; mode++) {
		bool single = mode == 4, fast = mode >= 3, errs = mode == 2, inval = mode == 1;
		ReadModel rd[2] = {ReadModel(rng, LANES), ReadModel(rng, LANES)};
		for (auto &r : rd) { r.mem = mem; r.err_permille = errs ? 100 : 0; r.gap = fast ? 0 : 20; r.lat_hi = fast ? 2 : 60; }
		std::vector<tb::Source<Req>> src;
		for (unsigned i = 0; i < N; i++) { src.emplace_back(&rng); if (fast) src.back().pace.always(1); }
		u64 fills = 0;
		struct Pend { Req r; u64 t; };
		std::deque<Pend> pend[N];
		struct Icm { u64 due, addr; unsigned c; };
		std::deque<Icm> icm;
		bool offered = false;         // single: a request waits for its grant
		unsigned shown = 0;           // clients whose request is on the wires
		n = single ? 2000 : n_all;
		u64 done = 0, oks = 0, t0 = 0, lat = 0, lat_n = 0, lat_min = ~0ull, grants = 0;
		unsigned verrs[32] = {};
		bool inv = false, inv_mtt = false, inv_all = false; u32 inv_num = 0, inv_last = 0;
		u64 walks = 0, walk_busy = 0;
		if (mode == 3)                  // four regions and the rings' 32 entries, no two on one line of the cache
			for (u32 i = 0; i < 4; i++) {
				Mpt &m = now_t.mpt[10 + i];
				m.mtt = 128 * (i + 1);
				if (m.shift <= 47) m.length = std::min<u64>(m.length, u64(64) << m.shift);
			}
		d.req_valid_i = 0; d.inv_valid_i = 0; d.icm_ready_i = d.icm_rsp_valid_i = d.rd_ready_i = d.rd_rsp_valid_i = 0;
		d.mpt_base_i = MPT_BASE; d.mtt_base_i = MTT_BASE; d.mpt_limit_i = mpt_limit; d.mtt_limit_i = MTTS;
		b.reset();
		verr_was = -1;
		t0 = b.now();
		unsigned hot = fast ? 4 : 40;
		while (done < n) {
			u64 now = b.now();
			b.cycle([&] {
				for (unsigned i = 0; i < N; i++) {
					if (src[i].q.empty()) {
						Req r;
						u32 k = u32(rng.below(hot)) + 10;
						if (!fast && rng.chance(3)) k = u32(rng.below(MPTS));
						if (!fast && rng.chance(1)) k = u32(rng.next() & 0xffffff);
						const Mpt &m = now_t.mpt[k < MPTS ? k : 0];
						r.mtt_op = rng.chance(20) || TB_RINGS >> i & 1;
						r.lw = rng.chance(20); r.rw = rng.chance(20); r.rr = rng.chance(20); r.priv = rng.chance(30);
						r.pd = rng.chance(90) ? m.pd : m.pd ^ 1u << rng.below(24);
						r.key = k << 8 | (rng.chance(90) ? m.key : u8(m.key ^ 1u << rng.below(8)));
						switch (rng.below(6)) {
						case 0: r.va = m.start - rng.below(3); r.chk = u32(rng.below(20)); break;
						case 1: r.va = m.start + m.length - rng.below(20); r.chk = u32(rng.below(20)); break;
						case 2: r.va = m.start + (m.length ? rng.below(m.length) : 0); r.chk = rng.chance(30) ? u32(rng.next()) : u32(rng.below(4096)); break;
						case 3: r.va = m.start + rng.below(1 << 20); r.chk = u32(rng.below(m.length > 0xffffffffull ? 0xffffffffull : m.length + 2)); break;
						case 4: r.va = m.start + (m.length ? rng.below(m.length) : 0); r.chk = u32(m.start + m.length - r.va) + u32(rng.below(2)); break;
						default: r.va = rng.chance(5) ? rng.next() : m.start + (m.length ? rng.below(m.length) : 0); r.chk = u32(rng.below(2));
						}
						if (r.mtt_op) { r.va = rng.below(u64(MTTS) << 12) >> (fast ? 8 : 0); if (!fast && rng.chance(3)) r.va = rng.next() >> rng.below(40); }
						r.tag = u8(rng.next());
						src[i].push(r);
					}
					bool one = true;
					for (auto &q : pend) one &= q.empty();
					if (single && !offered && (i || !one || !rng.chance(20))) { d.req_valid_i &= ~(1u << i); continue; }
					if (!src[i].drive()) { d.req_valid_i &= ~(1u << i); continue; }
					d.req_valid_i |= 1u << i;
					offered = true;
					if (shown >> i & 1) continue;
					shown |= 1u << i;
					const Req &r = src[i].front();
					const unsigned o = i * OHCA_TPT_REQ_BITS;
#define PUT(F, v) tb::set_bits(d.req_i, o + OHCA_TPT_REQ_##F##_LSB, OHCA_TPT_REQ_##F##_WIDTH, v)
					PUT(MTT_OP, r.mtt_op); PUT(NEED_LW, r.lw); PUT(NEED_RW, r.rw); PUT(NEED_RR, r.rr); PUT(PRIV, r.priv); PUT(PD, r.pd);
					PUT(KEY, r.key); PUT(VA, r.va); PUT(CHK_LEN, r.chk); PUT(TAG, r.tag);
				}
				if (inval && !inv && rng.below(200) == 0) {      // change a table, then say so
					old_t = now_t;
					inv = true; inv_mtt = rng.chance(50);
					inv_all = inv_mtt && rng.chance(40);
					if (inv_mtt && !inv_all) {           // lines of eight entries that are in use, all of which change
						inv_num = u32(now_t.mpt[rng.below(hot) + 10].mtt % MTTS / 8 + rng.below(4)) % (MTTS / 8);
						inv_last = u32(rng.range(inv_num & 63, rng.chance(50) ? 63 : std::min(63u, (inv_num & 63) + 3)));
						for (u32 i = inv_num * 8; i < ((inv_num & ~63u) + inv_last + 1) * 8; i++) now_t.mtt[i] = (rng.next() & 0x0000fffffffff000ull) | rng.chance(90);
						walks++;
						for (auto &q : pend) if (!q.empty()) { walk_busy++; break; }
					}
					else if (inv_mtt) { for (int i = 0; i < 200; i++) now_t.mtt[rng.below(MTTS)] = (rng.next() & 0x0000fffffffff000ull) | rng.chance(90); }
					else { inv_num = u32(rng.below(hot)) + 10; random_mpt(now_t.mpt[inv_num]); }
				}
				d.inv_valid_i = inv; d.inv_mtt_i = inv_mtt; d.inv_all_i = inv_all; d.inv_num_i = inv_num; d.inv_last_i = u8(inv_last);
				d.icm_ready_i = fast ? 3 : u8(rng.below(4));
				d.icm_rsp_valid_i = 0;
				if (!icm.empty() && icm.front().due <= now) {
					Icm x = icm.front(); icm.pop_front();
					d.icm_rsp_valid_i = u8(1u << x.c);
					d.icm_rsp_ok_i = x.addr < MPT_BASE + 4096 * 64 || x.addr >= MTT_BASE;
					d.icm_rsp_addr_i = d.icm_rsp_ok_i ? BUS + x.addr : rng.next();
				}
				d.rd_ready_i = fast ? 3 : u8(rng.below(4));
				d.rd_rsp_valid_i = 0;
				unsigned c = unsigned(rng.below(2));
				u8 v = 0, l = 0, e = 0;
				rd[c].drive(now, v, d.rd_rsp_data_i, l, e);
				d.rd_rsp_valid_i = u8(v << c); d.rd_rsp_last_i = l; d.rd_rsp_err_i = e;
			}, [&] {
				int verr_now = -1;
				if (d.rsp_valid_o) {
					unsigned c = unsigned(__builtin_ctz(d.rsp_valid_o));
					CHECK((d.rsp_valid_o & (d.rsp_valid_o - 1)) == 0 && !pend[c].empty(), "answer to nobody");
					Req r = pend[c].front().r;
					u64 l = now - pend[c].front().t;
					pend[c].pop_front();
					lat += l; lat_n++;
					if (l < lat_min) lat_min = l;
					Res g{bool(FIELD(d.rsp_o, OHCA_TPT_RSP_OK)), unsigned(FIELD(d.rsp_o, OHCA_TPT_RSP_VERR)), FIELD(d.rsp_o, OHCA_TPT_RSP_ADDR)};
					if (!(TB_RINGS >> c & 1)) CHECK_EQ(FIELD(d.rsp_o, OHCA_TPT_RSP_TAG), r.tag, "tag");
					Res w = reference(now_t, r, mpt_limit), w2 = reference(inv ? old_t : now_t, r, mpt_limit);
					auto same = [&](const Res &x) { return x.ok == g.ok && x.verr == g.verr && (!g.ok || x.addr == g.addr); };
					bool torn = inv && (inv_mtt || r.key >> 8 == inv_num);      // changed under way: anything may come
					bool good = torn || same(w) || same(w2) || (errs && !g.ok && g.verr == OHCA_VENDOR_ERR_DMA);
					CHECK(good, "key %08x va %llx chk %x mtt_op %d: got ok %d verr %u addr %llx, want ok %d verr %u addr %llx", r.key, (unsigned long long)r.va, r.chk, r.mtt_op, g.ok, g.verr,
					      (unsigned long long)g.addr, w.ok, w.verr, (unsigned long long)w.addr);
					done++;
					oks += g.ok;
					verrs[g.verr & 31]++;
					b.progress();
					verr_now = int(g.verr);
				}
				int told = TB_SMALL ? verr_now : verr_was;      // of an answer, or -1: in its cycle (Small), or in the next
				u64 cnt = d.cnt_o;
				if (told < 0) CHECK_EQ(cnt, 0, "counters");
				else {
					CHECK_EQ(cnt >> OHCA_COUNTER_TPT_KEY & 1, told == OHCA_VENDOR_ERR_TPT_KEY, "counter");
					CHECK_EQ(cnt >> OHCA_COUNTER_TPT_PD & 1, told == OHCA_VENDOR_ERR_TPT_PD, "counter");
				}
				verr_was = verr_now;
				if (d.inv_valid_i && d.inv_ready_o) {
					for (auto &q : pend) CHECK(q.empty(), "invalidate before every answer");
					inv = false;
					b.progress();
				}
				bool any = false;
				for (unsigned i = 0; i < N; i++) {
					if (d.req_valid_i >> i & 1 && d.req_ready_o >> i & 1) {
						CHECK(!any, "two grants"); any = true; grants++; offered = false; shown &= ~(1u << i);
						pend[i].push_back({src[i].front(), now});
					}
					if (d.req_valid_i >> i & 1) src[i].sample(d.req_ready_o >> i & 1);
				}
				for (unsigned c = 0; c < 2; c++) {
					u8 v = u8(d.icm_valid_o >> c & 1);
					if (v && (d.icm_ready_i >> c & 1)) {
						bool clash = false;
						for (auto &x : icm) clash |= x.due == now + 2;      // the directory grants one a cycle
						icm.push_back({clash ? now + 3 : now + 2, tb::get_bits(d.icm_addr_o, 40 * c, 40), c});
					}
					if ((d.rd_valid_o >> c & 1) && (d.rd_ready_i >> c & 1)) {
						struct { u32 w[3]; } dummy; (void)dummy;
						VlWide<3> q;
						for (unsigned i = 0; i < 85; i += 5) tb::set_bits(q, i, 5, tb::get_bits(d.rd_o, c * 85 + i, 5));
						auto *r = rd[c].accept(q, now);
						CHECK_EQ(r->len, 64, "fill length");
						fills++;
					}
				}
				bool busy = false;
				for (auto &q : pend) busy |= !q.empty();
				if (d.quiet_o && busy) for (unsigned i = 0; i < N; i++) CHECK(pend[i].empty() || (pend[i].size() == 1 && pend[i][0].t == now), "quiet with work");
			});
		}
		printf("# mode %u: %llu answers, %.0f %% ok, verr", mode, (unsigned long long)done, 100.0 * double(oks) / double(done));
		for (unsigned i = 0; i < 32; i++) if (verrs[i]) printf(" %u:%u", i, verrs[i]);
		printf("; %llu fills, %.2f requests a cycle, latency min %llu mean %.1f\n", (unsigned long long)fills, double(done) / double(b.now() - t0), (unsigned long long)lat_min, double(lat) / double(lat_n));
		if (inval) GOAL(walks > 3 && walk_busy > 2);
		if (mode == 0) for (unsigned v : {OHCA_VENDOR_ERR_TPT_KEY, OHCA_VENDOR_ERR_TPT_BOUNDS, OHCA_VENDOR_ERR_TPT_ACCESS, OHCA_VENDOR_ERR_TPT_PD, OHCA_VENDOR_ERR_TPT_INVALID}) GOAL(verrs[v]);
		if (mode == 3 && TB_MTT_LINES >= 256) {
			CHECK(fills < 100, "%llu fills where all fits", (unsigned long long)fills);
			CHECK(double(done) / double(b.now() - t0) > 0.98, "hits must sustain one a cycle");
		}
		if (single) CHECK(lat_min <= (TB_SMALL ? 7 : 9), "a hit takes %llu cycles", (unsigned long long)lat_min);
	}
#define PUT_ALL(client, r) do { const unsigned o = (client) * OHCA_TPT_REQ_BITS; PUT(MTT_OP, r.mtt_op); PUT(NEED_LW, r.lw); PUT(NEED_RW, r.rw); PUT(NEED_RR, r.rr); \
		PUT(PRIV, r.priv); PUT(PD, r.pd); PUT(KEY, r.key); PUT(VA, r.va); PUT(CHK_LEN, r.chk); PUT(TAG, r.tag); } while (0)
	// Lines that are dropped are those of the range: of what lies in the cache the others stay, and are not read again.
	{
		const u32 lines = std::min(TB_MTT_LINES, 64), from = 64 * 3;
		ReadModel rd[2] = {ReadModel(rng, LANES), ReadModel(rng, LANES)};
		std::deque<std::pair<u64, u64>> icm;
		u64 reads = 0;
		std::vector<u32> lines_read;
		for (auto &r : rd) { r.mem = mem; r.gap = 5; r.lat_hi = 30; }
		d.req_valid_i = 0; d.inv_valid_i = 0; d.icm_ready_i = d.rd_ready_i = 3; d.icm_rsp_valid_i = d.rd_rsp_valid_i = 0;
		b.reset();
		bool keys = false;
		auto step = [&](bool want_inv) {       // until the invalidation is done or there is an answer, which it returns
			for (;;) {
				bool end = false;
				Res g{};
				u64 now = b.now();
				b.cycle([&] {
					d.icm_rsp_valid_i = 0;
					if (!icm.empty() && icm.front().first <= now) {
						d.icm_rsp_valid_i = icm.front().second < MTT_BASE ? 1 : 2; d.icm_rsp_ok_i = 1; d.icm_rsp_addr_i = BUS + icm.front().second;
						icm.pop_front();
					}
					u8 v = 0, l = 0, e = 0;
					unsigned c = rd[0].q.empty() ? 1 : 0;
					rd[c].drive(now, v, d.rd_rsp_data_i, l, e);
					d.rd_rsp_valid_i = u8(v << c); d.rd_rsp_last_i = l; d.rd_rsp_err_i = e;
				}, [&] {
					if (d.rsp_valid_o) {
						end = true;
						CHECK(!want_inv, "an answer to nobody");
						g = Res{bool(FIELD(d.rsp_o, OHCA_TPT_RSP_OK)), unsigned(FIELD(d.rsp_o, OHCA_TPT_RSP_VERR)), FIELD(d.rsp_o, OHCA_TPT_RSP_ADDR)};
					} else {
						CHECK_EQ(d.cnt_o, 0, "counters");
					}
					if (want_inv && d.inv_ready_o) end = true;
					if (d.icm_valid_o & 2) icm.push_back({now + 2, tb::get_bits(d.icm_addr_o, 40, 40)});
					CHECK(keys || !(d.icm_valid_o & 1), "a memory key is looked for");
					if (d.icm_valid_o & 1) icm.push_back({now + 2, tb::get_bits(d.icm_addr_o, 0, 40)});
					if (d.rd_valid_o & 1) {
						VlWide<3> q;
						for (unsigned i = 0; i < 85; i += 5) tb::set_bits(q, i, 5, tb::get_bits(d.rd_o, i, 5));
						rd[0].accept(q, now);
					}
					if (d.rd_valid_o & 2) {
						VlWide<3> q;
						for (unsigned i = 0; i < 85; i += 5) tb::set_bits(q, i, 5, tb::get_bits(d.rd_o, 85 + i, 5));
						lines_read.push_back(u32((rd[1].accept(q, now)->addr - BUS - MTT_BASE) / 64));
						reads++;
					}
				});
				b.progress();
				if (end) return g;
			}
		};
		auto ask = [&](u32 line) {             // one entry of the line
			Req r{};
			r.mtt_op = true;
			r.va = (u64(line) * 8 + rng.below(8)) << 12 | rng.below(4096);
			const unsigned o = 0;
			PUT(MTT_OP, 1); PUT(NEED_LW, 0); PUT(NEED_RW, 0); PUT(NEED_RR, 0); PUT(PRIV, 0); PUT(PD, 0); PUT(KEY, 0); PUT(VA, r.va); PUT(CHK_LEN, 1); PUT(TAG, 0);
			d.req_valid_i = 1;
			for (bool granted = false; !granted; b.progress()) b.cycle([&] { d.icm_rsp_valid_i = d.rd_rsp_valid_i = 0; }, [&] { granted = d.req_ready_o & 1; });
			d.req_valid_i = 0;
			Res g = step(false);
			return std::make_pair(r, g);
		};
		auto drop = [&](bool all, u32 first, u32 last, u32 block) {
			d.inv_valid_i = 1; d.inv_mtt_i = 1; d.inv_all_i = all; d.inv_num_i = first; d.inv_last_i = u8(last & 63); d.inv_block_i = u8(block);
			step(true);
			d.inv_valid_i = 0;
			b.cycle([] {}, [] {});
		};
		for (unsigned n = 0; n < 40; n++) {
			u32 first = u32(rng.below(lines)), last = u32(rng.range(first, rng.chance(50) ? first : lines - 1));
			bool other = n % 4 == 3;           // lines that are not there, of the same sets
			for (auto &e : now_t.mtt) e |= 1;
			for (u32 l = 0; l < lines; l++) ask(from + l);
			Tables was = now_t;
			u64 want = reads;
			for (auto &e : now_t.mtt) e = (rng.next() & 0x0000fffffffff000ull) | 1;
			drop(false, (other ? from + 64 : from) + first, (other ? from + 64 : from) + last, 0);
			CHECK_EQ(reads, want, "dropping reads nothing");
			for (u32 i = 0; i < lines; i++) {
				u32 l = n & 1 ? i : lines - 1 - i;
				bool gone = !other && l >= first && l <= last;
				auto [r, g] = ask(from + l);
				Res w = reference(gone ? now_t : was, r, mpt_limit);
				want += gone;
				CHECK(g.ok && g.addr == w.addr, "line %u with %u to %u dropped: got ok %d addr %llx, want %llx", l, first, last, g.ok, (unsigned long long)g.addr, (unsigned long long)w.addr);
				CHECK_EQ(reads, want, "lines that were dropped are read again, and no others");
			}
			drop(true, 0, 0, 0);
		}
		// Blocks: as many lines are named as there are sets, and what is there of the block goes with them, and of others nothing.
		u64 went = 0, stayed = 0;
		for (unsigned n = 0; n < 60; n++) {
			unsigned log = 0;
			while ((TB_MTT_LINES >> log) > 1) log++;
			std::vector<int> there(TB_MTT_LINES, -1);
			for (auto &e : now_t.mtt) e |= 1;
			for (unsigned i = 0; i < std::min(2 * TB_MTT_LINES, 200); i++) {
				u32 l = u32(rng.below(MTTS / 8)), set = 0;
				for (unsigned k = 0; k < 24; k += log) set ^= l >> k & (TB_MTT_LINES - 1);
				ask(l);
				there[set] = int(l);
			}
			const unsigned k = unsigned(rng.range(log, 10));
			const u32 block = u32(rng.below(MTTS / 8)) >> k << k, names = std::max<u32>(TB_MTT_LINES, std::min(64u, 1u << k));
			const Tables was = now_t;
			u64 want = reads;
			for (auto &e : now_t.mtt) e = (rng.next() & 0x0000fffffffff000ull) | 1;
			for (u32 l = block; l < block + names; l += 64) drop(false, l, std::min(l + 63, block + names - 1), k);
			CHECK_EQ(reads, want, "dropping a block reads nothing");
			for (int l : there) if (l >= 0) {
				const bool gone = u32(l) >> k == block >> k;
				auto [r, g] = ask(u32(l));
				Res w = reference(gone ? now_t : was, r, mpt_limit);
				want += gone; went += gone; stayed += !gone;
				CHECK(g.ok && g.addr == w.addr, "line %d with the block of 2^%u lines from %u on dropped: got ok %d addr %llx, want %llx", l, k, block, g.ok, (unsigned long long)g.addr, (unsigned long long)w.addr);
				CHECK_EQ(reads, want, "lines of the block are read again, and no others");
			}
			drop(true, 0, 0, 0);
		}
		GOAL(went > 30 && stayed > 30);
		// A region that is walked through: lines are read ahead, but none beyond its last. What was read ahead and not used is forgotten with the rest.
		u64 walked = 0, few = 0;
		keys = true;
		for (unsigned n = 0; n < (TB_SMALL ? 0 : 60); n++) {
			const u32 k = 20 + n % 7;
			Mpt &m = now_t.mpt[k];
			m = Mpt{};
			m.valid = m.lw = true;
			m.shift = u8(12 + rng.below(4));
			u32 pages = u32(rng.range(1, 200));
			m.mtt = u32(rng.below((MTTS - 256) / 8) * 8);
			m.start = (rng.next() >> 20 << m.shift) + (rng.chance(50) ? 0 : rng.below(1 << m.shift));
			m.length = (u64(pages) << m.shift) - (m.start & ((1u << m.shift) - 1)) - (rng.chance(50) ? 0 : rng.below(1 << m.shift));
			if (!m.length) m.length = 1;
			d.inv_valid_i = 1; d.inv_mtt_i = 0; d.inv_num_i = k;
			step(true);
			d.inv_valid_i = 0;
			b.cycle([] {}, [] {});
			const u32 last = u32(((m.start + m.length - 1) >> m.shift) - (m.start >> m.shift)), left = rng.chance(50) ? last : u32(rng.below(last + 1));
			for (unsigned pass = 0; pass < 2; pass++) {          // the second time to its end, with another table
				const u32 stop = pass ? last : left;
				for (auto &e : now_t.mtt) e = (rng.next() & 0x0000fffffffff000ull) | 1;
				drop(true, 0, 0, 0);
				lines_read.clear();
				for (u32 page = 0; page <= stop; page++) {
					Req r{};
					r.lw = true;
					r.key = k << 8;
					r.va = page ? ((m.start >> m.shift) + page) << m.shift : m.start;
					r.chk = 1;
					PUT_ALL(0, r);
					d.req_valid_i = 1;
					for (bool granted = false; !granted; b.progress()) b.cycle([&] { d.icm_rsp_valid_i = d.rd_rsp_valid_i = 0; }, [&] { granted = d.req_ready_o & 1; });
					d.req_valid_i = 0;
					Res g = step(false), w = reference(now_t, r, mpt_limit);
					CHECK(g.ok && w.ok && g.addr == w.addr, "page %u of %u: got ok %d verr %u addr %llx, want ok %d %llx", page, last + 1, g.ok, g.verr, (unsigned long long)g.addr, w.ok,
					      (unsigned long long)w.addr);
					for (u32 l : lines_read) CHECK(l >= m.mtt / 8 && l <= (m.mtt + last) / 8, "line %u is read, of a region with %u to %u", l, m.mtt / 8, (m.mtt + last) / 8);
				}
				std::set<u32> once(lines_read.begin(), lines_read.end());
				CHECK_EQ(once.size(), lines_read.size(), "a line is read once");
				u32 used = (m.mtt + stop) / 8 - m.mtt / 8 + 1;
				CHECK(lines_read.size() >= used && lines_read.size() <= used + 2, "%zu lines read for %u", lines_read.size(), used);
				walked += used > 3 && stop < last;
				few += lines_read.size() > used;
			}
		}
		// A READ request has the line behind its first one read, too, if what it wants to read reaches into that, and nothing beyond its region.
		u64 both = 0, single = 0;
		for (unsigned n = 0; n < (TB_SMALL ? 0 : 60); n++) {
			const u32 k = 30 + n % 7;
			Mpt &m = now_t.mpt[k];
			m = Mpt{};
			m.valid = m.rr = m.lw = true;
			m.shift = u8(12 + rng.below(4));
			const u32 pages = u32(rng.range(1, 40));
			m.mtt = u32(rng.below((MTTS - 256) / 8) * 8);
			m.start = (rng.next() >> 20 << m.shift) + (rng.chance(50) ? 0 : rng.below(1 << m.shift));
			m.length = (u64(pages) << m.shift) - (m.start & ((1u << m.shift) - 1));
			d.inv_valid_i = 1; d.inv_mtt_i = 0; d.inv_num_i = k;
			step(true);
			d.inv_valid_i = 0;
			b.cycle([] {}, [] {});
			for (auto &e : now_t.mtt) e = (rng.next() & 0x0000fffffffff000ull) | 1;
			drop(true, 0, 0, 0);
			lines_read.clear();
			auto line_of = [&](u64 va) { return u32(((va >> m.shift) - (m.start >> m.shift) + m.mtt) / 8); };
			Req r{};
			r.rr = rng.chance(80); r.lw = !r.rr;
			r.key = k << 8;
			r.va = m.start + rng.below(m.length);
			const u64 most = m.start + m.length - r.va;
			r.chk = u32(rng.range(1, std::min<u64>(most, 20ull << m.shift)));
			// To the last byte of the line, and to the first one of the next.
			const u64 line_end = (((((r.va >> m.shift) - (m.start >> m.shift)) | 7) + 1 + (m.start >> m.shift)) << m.shift) - r.va;
			if (rng.chance(50) && line_end < most) r.chk = u32(line_end + rng.below(2));
			PUT_ALL(0, r);
			d.req_valid_i = 1;
			for (bool granted = false; !granted; b.progress()) b.cycle([&] { d.icm_rsp_valid_i = d.rd_rsp_valid_i = 0; }, [&] { granted = d.req_ready_o & 1; });
			d.req_valid_i = 0;
			Res g = step(false), w = reference(now_t, r, mpt_limit);
			CHECK(g.ok && w.ok && g.addr == w.addr, "a READ: ok %d verr %u", g.ok, g.verr);
			drop(false, MTTS / 8 - 1, MTTS / 8 - 1, 0);             // done when all is quiet
			const bool wants = r.rr && line_of(r.va + r.chk - 1) > line_of(r.va);
			std::set<u32> got(lines_read.begin(), lines_read.end());
			CHECK(got.count(line_of(r.va)), "the line that is needed");
			CHECK_EQ(got.count(line_of(r.va) + 1), wants, "the next line is read for a READ that needs it");
			for (u32 l : got) CHECK(l <= line_of(m.start + m.length - 1), "line %u is read, of a region with up to %u", l, line_of(m.start + m.length - 1));
			both += wants; single += !wants;
		}
		if (!TB_SMALL) GOAL(both > 10 && single > 10);
		if (!TB_SMALL) GOAL(walked > 5);
		if (!TB_SMALL) CHECK(few > 5, "%llu regions with a line read ahead in vain", (unsigned long long)few);
	}
	return b.finish();
}
