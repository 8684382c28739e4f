// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_sq_emit: turns of random classes with one to five jobs, in any turn that is free. Every descriptor and every
// piece is what its job and its turn say, those of a class in order, no descriptor before the turn's end was told, and
// none without room of its VL; both emitters say once that they are through with a turn.
// dut: ohca_sq_emit
// dut: ohca_sq_emit DW=64 NumVl=4 Turns=64
// dut: ohca_sq_emit Compact=1
// args: --cycles 80000
#include "Vdut.h"
#include "tb.h"
#include "send_models.h"
#ifndef TB_TURNS
#define TB_TURNS 16
#endif
enum { SHARED = VLS > 1, CLASSES = SHARED ? VLS + 1 : 1 };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Desc { u32 turn, gen, qpn, dqpn, pkey, psn, plen, idx; };
	struct Piece { u32 turn, gen, len, pd; u64 va; };
	struct Turn { bool busy = false, h = false, w = false; u32 gen = 0, told = 0; };      // how often it was used, and its end told
	struct Job { u32 row, psn, npk, bytes, offset, nsge; bool mark, last; };
	std::deque<Desc> descs[CLASSES];
	std::deque<Piece> pieces[CLASSES];
	Turn turns[TB_TURNS];
	std::vector<bytes> rows(TB_TURNS, bytes(256, 0));
	std::deque<Job> jobs;                        // of the turn that is being planned
	u32 turn = 0, cls = 0, qpn = 0, pd = 0, dqpn = 0, pkey = 0, mtu_sh = 8, held[CLASSES] = {};
	bool open = false;
	Rooms rooms(rng, 64);
	rooms.random = true;
	tb::Pace dp(&rng), pp(&rng), jp(&rng), tp(&rng);
	bool row_on = false, dat_on = false;
	u32 row_t = 0, row_r = 0, dat_t = 0, dat_w = 0;
	u64 n = 0, nd = 0, np = 0, early = 0, marks = 0, slots = 0;
	auto put = [&](bytes &r, unsigned o, u64 v, unsigned k) { for (unsigned i = 0; i < k; i++) r[o + i] = u8(v >> 8 * i); };
	d.com_en_i = d.job_valid_i = d.end_i = d.gone_i = 0;
	b.reset();
	auto step = [&](bool feed) {
		bool com = false, job = false, end = false;
		Job j{};
		b.cycle([&] {
			if (row_on) for (int k = 0; k < 16; k++) { u32 v; memcpy(&v, &rows[row_t][64 * row_r + 4 * k], 4); d.row_i[k] = v; }
			if (dat_on) for (int k = 0; k < 4; k++) { u32 v; memcpy(&v, &rows[dat_t][16 * dat_w + 4 * k], 4); d.dat_i[k] = v; }
			turn = open ? turn : u32(rng.below(TB_TURNS));
			cls = open ? cls : u32(rng.below(CLASSES));
			// As many turns as ohca_sq_turns would give a class.
			if (!open && feed && !turns[turn].busy && held[cls] < (SHARED ? 12 : TB_TURNS) && tp.go()) {
				com = open = true;
				turns[turn].busy = true; turns[turn].h = turns[turn].w = false; turns[turn].gen++;
				held[cls]++;
				qpn = u32(rng.bits(24)); dqpn = u32(rng.bits(24)); pkey = u32(rng.bits(16)); pd = u32(rng.bits(24)) << 8 >> 8; mtu_sh = u32(rng.range(8, 12));
				pd = (pd & ~15u) | cls;
				tb::clear(d.com_i);
				SET_FIELD(d.com_i, OHCA_SQ_COM_QPN, qpn); SET_FIELD(d.com_i, OHCA_SQ_COM_DQPN, dqpn); SET_FIELD(d.com_i, OHCA_SQ_COM_PKEY_INDEX, pkey);
				SET_FIELD(d.com_i, OHCA_SQ_COM_QTYPE, OHCA_QP_TYPE_RC); SET_FIELD(d.com_i, OHCA_SQ_COM_MTU_SH, mtu_sh);
				u32 k = 1 + u32(rng.below(4)), psn = u32(rng.bits(24));
				bool mark = rng.chance(30);
				rng.fill(rows[turn]);
				for (u32 i = 0; i < k; i++) {
					u32 len = rng.chance(20) ? 0 : u32(rng.below(3u << mtu_sh)) + 1, npk = len ? (len + (1u << mtu_sh) - 1) >> mtu_sh : 1;
					u64 va = rng.bits(40) << 12;
					u8 head[32] = {};
					struct { u32 w[8]; } h{};
					VlWide<8> c;
					for (int x = 0; x < 8; x++) c[x] = 0;
					SET_FIELD(c, OHCA_WQE_CTRL_OPCODE, OHCA_WR_OP_RDMA_WRITE); SET_FIELD(c, OHCA_WQE_CTRL_NSGE, 1); SET_FIELD(c, OHCA_WQE_CTRL_IDX, u16(psn + i));
					SET_FIELD(c, OHCA_WQE_CTRL_LENGTH, len);
					for (int x = 0; x < 8; x++) h.w[x] = c[x];
					memcpy(head, &h, 32);
					memcpy(&rows[turn][64 * i], head, 32);
					put(rows[turn], 64 * i + 32, va, 8); put(rows[turn], 64 * i + 40, 1u << 20, 4); put(rows[turn], 64 * i + 44, turn, 4);
					jobs.push_back({i, psn, npk, len, 0, 1, false, i + 1 == k && !mark});
					for (u32 x = 0; x < npk; x++) {
						u32 rest = len - (x << mtu_sh), pl = std::min(rest, 1u << mtu_sh);
						descs[cls].push_back({turn, turns[turn].gen, qpn, dqpn, pkey, (psn + x) & 0xffffff, pl, u16(psn + i)});
						if (len) pieces[cls].push_back({turn, turns[turn].gen, pl, pd, va + (u64(x) << mtu_sh)});
					}
					psn = (psn + npk) & 0xffffff;
				}
				if (mark) { jobs.push_back({0, psn, 0, 0, 0, 0, true, true}); marks++; }
			} else if (open && !jobs.empty() && jp.go()) {
				job = true;
				j = jobs.front();
				end = j.last && (j.mark || rng.chance(50));
			}
			if (!job && open && jobs.empty()) end = true;
			if (!open) end = rng.chance(20);          // another token's
			d.com_en_i = com; d.com_turn_i = turn;
			d.job_valid_i = job; d.end_i = end;
			tb::clear(d.job_i);
#define S(f, x) SET_FIELD(d.job_i, OHCA_SQ_JOB_##f, x)
			S(CLS, SHARED ? cls : 0);
			if (job) {
				S(TURN, turn); S(ROW, j.row); S(PSN, j.psn); S(NPK, j.npk); S(NSGE, j.nsge); S(BYTES, j.bytes); S(MTU_SH, mtu_sh); S(PD, pd); S(LAST, j.last);
			}
			d.txd_ready_i = dp.go(); d.txp_ready_i = pp.go(); d.inl_ready_i = 1; d.row_busy_i = 0;
			rooms.drive(d.room_i, d.desc_i);
			d.eval();
			d.row_go_i = d.row_en_o;
			d.eval();
		}, [&] {
			row_on = d.row_en_o; row_t = d.row_turn_o; row_r = d.row_at_o;
			dat_on = d.dat_en_o; dat_t = d.dat_turn_o; dat_w = d.dat_at_o;
			CHECK(!d.inl_valid_o, "inline data from nowhere");
			if (d.tk_vl_o) rooms.take(d.tk_vl_o, d.tk_words_o, d.tk_n_o, 0, 0);
			rooms.step(b.now());
#define T(f) u32(FIELD(d.txd_o, OHCA_TXD_##f))
			if (d.desc_o) {
				CHECK(d.txd_valid_o && !d.desc_gone_o, "a slot without a descriptor");
				CHECK_EQ(T(SLOT), slots++ % 64, "slot of a descriptor");
			}
			if (d.txd_valid_o && d.txd_ready_i) {
				CHECK_EQ(slots, nd + 1, "a descriptor without a slot of its own");
				u32 c = !SHARED ? 0 : T(VL) == 15 ? u32(VLS) : T(VL);
				CHECK(c < CLASSES && !descs[c].empty(), "a descriptor from nowhere");
				Desc x = descs[c].front();
				descs[c].pop_front();
				CHECK(turns[x.turn].told >= x.gen, "a descriptor before the turn's report");
				CHECK_EQ(T(QPN), x.qpn, "QP"); CHECK_EQ(T(DQPN), x.dqpn, "destination"); CHECK_EQ(T(PKEY_INDEX), x.pkey, "P_Key"); CHECK_EQ(T(PSN), x.psn, "PSN");
				CHECK_EQ(T(PLEN), x.plen, "payload"); CHECK_EQ(T(IDX), x.idx, "WQE");
				rooms.packet(T(VL), x.plen);
				nd++;
				b.progress();
			}
			if (d.txp_valid_o && d.txp_ready_i) {
				u32 c = u32(FIELD(d.txp_o, OHCA_TXP_PD)) & 15;
				CHECK(c < CLASSES && !pieces[c].empty(), "a piece from nowhere");
				Piece x = pieces[c].front();
				pieces[c].pop_front();
				CHECK_EQ(FIELD(d.txp_o, OHCA_TXP_LEN), x.len, "length"); CHECK_EQ(FIELD(d.txp_o, OHCA_TXP_VA), x.va, "address");
				CHECK_EQ(FIELD(d.txp_o, OHCA_TXP_PD), x.pd, "PD"); CHECK_EQ(FIELD(d.txp_o, OHCA_TXP_KEY), x.turn, "key");
				if (SHARED) CHECK(turns[x.turn].told >= x.gen, "a piece before the turn is through");
				early += turns[x.turn].told < x.gen;
				np++;
				b.progress();
			}
			auto ended = [&](u32 t, bool Turn::*f, const char *who) {
				CHECK(turns[t].busy && !(turns[t].*f), "%s: turn %u is through twice", who, t);
				turns[t].*f = true;
			};
			if (d.h_end_o) ended(d.h_turn_o, &Turn::h, "headers");
			if (d.w_end_o) ended(d.w_turn_o, &Turn::w, "payload");
			if (job) jobs.pop_front();
			if (end && open && jobs.empty()) { turns[turn].told = turns[turn].gen; open = false; n++; }
			if (open && com) b.progress();
			for (u32 t = 0; t < TB_TURNS; t++) if (turns[t].busy && turns[t].h && turns[t].w) {
				CHECK(turns[t].told == turns[t].gen, "turn %u is through before its end", t);
				turns[t].busy = false;
			}
			// A class's places are free again when its queues are empty, or turns came back.
			for (u32 c = 0; c < CLASSES; c++) if (descs[c].empty() && pieces[c].empty() && !(open && cls == c)) held[c] = 0;
		});
	};
	while (b.now() < b.cycles) step(true);
	while (open) step(false);
	for (u32 i = 0; i < 40000; i++) {
		bool any = false;
		for (u32 c = 0; c < CLASSES; c++) any |= !descs[c].empty() || !pieces[c].empty();
		for (auto &t : turns) any |= t.busy;
		if (!any) break;
		b.progress();
		step(false);
	}
	for (u32 c = 0; c < CLASSES; c++) CHECK(descs[c].empty() && pieces[c].empty(), "class %u: something is left", c);
	for (int i = 0; i < 20; i++) step(false);
	CHECK(d.idle_o, "it does not come to rest");
	rooms.check_end();
	printf("# %llu turns, %llu of them closed by a mark, %llu descriptors, %llu pieces, %llu of them before the report\n", (unsigned long long)n,
		(unsigned long long)marks, (unsigned long long)nd, (unsigned long long)np, (unsigned long long)early);
	GOAL(n > 300 && marks > 50 && nd > 1000 && np > 800 && (SHARED || early > 20));
	return b.finish();
}
