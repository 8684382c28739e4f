// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_turns: turns are taken, get a class or none, come back unused or end in either order, up to three in a cycle. None is offered while it is busy, none is lost;
// after some quiet cycles counts, admission by class and clashes are what a model says of the turns that are busy.
// dut: ohca_sq_turns Turns=16 Many=12
// dut: ohca_sq_turns Turns=64 NumVl=4 Many=32 Own=6 OwnX=2 Pool=36 RoomW=600 RoomN=20
// dut: ohca_sq_turns Turns=64 NumVl=8 Many=32 Own=6 OwnX=2 Pool=12 RoomW=600 RoomN=20
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include <algorithm>
typedef uint64_t u64;
typedef uint32_t u32;
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#define TB_OWN 0
#define TB_OWN_X 0
#define TB_POOL 0
#define TB_ROOM_W 0
#define TB_ROOM_N 0
#endif
enum { N = TB_TURNS, VLS = TB_NUM_VL, CLS = VLS > 1 ? VLS + 1 : 1 };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Turn { bool busy, h, w; int cls; u32 hash; } t[N] = {};
	u32 room[8] = {}, desc[8] = {}, level = 50, quiet = 0, used = 0;
	u64 takes = 0, both = 0, frees = 0, full = 0, clashes = 0, apart = 0, refused = 0, waits = 0;
	bool take = false, he = false, we = false, fr = false, set = false, ask = false, asked = false;
	u32 ht = 0, wt = 0, at = 0, cls = 0, hash = 0, ask_cls = 0, asked_hash = 0;
	auto some = [&](auto ok) { u32 c[N], k = 0; for (u32 i = 0; i < N; i++) if (t[i].busy && ok(t[i])) c[k++] = i; return k ? int(c[rng.below(k)]) : -1; };
	auto drive = [&](bool go) {
		d.take_i = d.h_end_i = d.w_end_i = d.free_i = d.set_i = 0;
		take = he = we = fr = set = false;
		at = u32(rng.below(N));
		if (go) {
			int x = some([](Turn &s) { return !s.h && s.cls != -2; });
			if ((he = x >= 0 && rng.chance(level))) ht = u32(x);
			x = rng.chance(40) && he && !t[ht].w ? int(ht) : some([](Turn &s) { return !s.w && s.cls != -2; });
			if ((we = x >= 0 && rng.chance(level))) wt = u32(x);
			x = some([](Turn &s) { return !s.h && !s.w; });
			if (x >= 0 && !(he && int(ht) == x) && !(we && int(wt) == x)) {
				at = u32(x);
				if (VLS > 1 && t[at].cls == -2 && rng.chance(70)) set = true;
				else if (VLS > 1 && t[at].cls == -2 && rng.chance(20)) t[at].cls = -1;       // it will end without one
				else fr = rng.chance(level / 2);
			}
			take = d.any_o && rng.chance(100 - level);
		}
		cls = u32(rng.below(CLS));
		if (rng.chance(60)) cls = 0;
		hash = u32(rng.below(40));
		d.take_i = take; d.h_end_i = he; d.h_turn_i = ht; d.w_end_i = we; d.w_turn_i = wt;
		d.at_i = at; d.free_i = fr; d.set_i = set; d.set_cls_i = cls; d.hash_i = hash;
		ask = !go;
		d.ask_i = ask;
		ask_cls = u32(rng.below(CLS));
		d.ask_cls_i = ask_cls;
		tb::clear(d.room_i); tb::clear(d.desc_i);
		for (unsigned v = 0; v < VLS; v++) { tb::set_bits(d.room_i, 13 * v, 13, room[v]); tb::set_bits(d.desc_i, 8 * v, 8, desc[v]); }
	};
	auto look = [&] {
		if (d.any_o) CHECK(!t[d.turn_o].busy, "turn %u is offered, and busy", unsigned(d.turn_o));
		if (VLS > 1 && t[at].busy && t[at].cls >= 0) CHECK_EQ(u32(d.cls_o), u32(t[at].cls), "class of a turn");
		if (VLS > 1 && asked && quiet > 8) {
			u32 other = 0;
			for (auto &s : t) if (s.busy && s.cls >= 0 && s.hash == asked_hash && u32(s.cls) != ask_cls) other |= 1u << s.cls;
			CHECK_EQ(bool(d.clash_o), bool(other), "clash");
			if (other) CHECK(other >> d.clash_cls_o & 1, "class of the clash");
			clashes += bool(other);
		}
		if (quiet > 8) {
			u32 held[CLS] = {}, extra = 0, adm = 0, over = 0, moves = 0;
			for (auto &s : t) if (s.busy && s.cls >= 0) held[s.cls]++;
			u32 still = 0;                     // held by VLs without room
			for (auto &s : t) if (s.busy && s.cls >= 0 && s.cls < VLS && VLS > 1) still += room[s.cls] < TB_ROOM_W || desc[s.cls] < TB_ROOM_N;
			apart += used >= TB_MANY && used < TB_MANY + still;
			CHECK_EQ(bool(d.any_o), used < N, "a turn is free");
			CHECK_EQ(bool(d.idle_o), used == 0, "idle");
			bool pool_all = false;
			if (VLS > 1) {
				for (u32 c = 0; c < CLS; c++) {
					u32 own = c == VLS ? TB_OWN_X : TB_OWN;
					if (held[c] >= own) { over |= 1u << c; extra += held[c] - own; }
				}
				for (u32 v = 0; v < VLS; v++) moves |= u32(room[v] >= TB_ROOM_W && desc[v] >= TB_ROOM_N) << v;
				adm = ~over & ((1u << CLS) - 1);
				if (extra < TB_POOL) adm |= moves | 1u << VLS;
				CHECK_EQ(u32(d.adm_o), adm, "who may have another turn");
				pool_all = extra >= TB_POOL - 2 && (over & moves);
				refused += adm != (1u << CLS) - 1;
				waits += pool_all && used < TB_MANY + still && used + 1 < N;
			}
			CHECK_EQ(bool(d.push_o), used < TB_MANY + still && used + 1 < N && !pool_all, "a pushed WQE may have the turn");
		}
		asked = ask; asked_hash = hash;
		if (take) { CHECK(d.any_o, "bench"); Turn &s = t[d.turn_o]; s = { true, false, false, VLS > 1 ? -2 : -1, 0 }; used++; takes++; full += used == N; }
		if (set) { t[at].cls = int(cls); t[at].hash = hash; }
		if (fr) { t[at].busy = false; used--; frees++; }
		both += he && we && ht == wt;
		auto end = [&](u32 i) { if (t[i].busy && t[i].h && t[i].w) { t[i].busy = false; used--; } };
		if (he) t[ht].h = true;
		if (we) t[wt].w = true;
		if (he) end(ht);
		if (we) end(wt);
		b.progress();
	};
	drive(false);
	b.reset();
	while (b.now() < b.cycles) {
		if (rng.below(300) == 0) level = u32(rng.range(5, 60));
		bool go = quiet == 0;
		if (go ? rng.below(40) == 0 : quiet > 16) {
			quiet = go ? 1 : 0;
			for (unsigned v = 0; v < VLS; v++) { room[v] = u32(rng.chance(70) ? 2000 : rng.below(1200)); desc[v] = u32(rng.chance(80) ? 64 : rng.below(40)); }
		} else if (!go) quiet++;
		b.cycle([&] { drive(quiet == 0); }, look);
	}
	printf("# %llu turns, %llu with both ends at once, %llu unused, %llu times all busy, %llu clashes, %llu times a class refused, %llu times the pool was taken\n",
	       (unsigned long long)takes, (unsigned long long)both, (unsigned long long)frees, (unsigned long long)full, (unsigned long long)clashes,
	       (unsigned long long)refused, (unsigned long long)waits);
	GOAL(takes > 2000 && both > 100 && frees > 100 && full > 3 && (VLS == 1 || (clashes > 50 && refused > 50 && apart > 10)));
	// All end; then all can be taken, one a cycle.
	for (quiet = 0; used;) { level = 100; b.cycle([&] { drive(true); }, look); }
	for (quiet = 1; quiet < 16; quiet++) b.cycle([&] { drive(false); }, look);
	quiet = 0;
	for (u32 i = 0; i < N; i++) b.cycle([&] { drive(false); d.take_i = take = true; }, look);
	CHECK_EQ(used, u32(N), "turns that can be taken one after the other");
	return b.finish();
}
