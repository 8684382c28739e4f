// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rs_commit with Compact: a token goes only when all who get a part of it have room, a cycle after that, two later if a place was lost; what it does is the
// table's (ohca_rs_decide, which has a test of its own), by the rooms of the cycle before its turn, and stands still from known_o on. An answer
// is promised only if there was a place for it in the cycle before; a packet that had one and lost it is dropped.
// dut: ohca_rs_commit_top
// args: --cycles 60000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#define LS(f, v) PF(lk, OHCA_RS_LOOK_##f, v)

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	u64 n = 0, pushed = 0, lost = 0, refused = 0, waited = 0, idle = 2, ready_since = 0, stood = 0;
	u32 kind = 0;
	bool act = false, job = true, few = false, dbr = true;                 // job, few, dbr: of the cycle before the turn
	bool w = true, st = true, dr = true, busy = false, room = true, before = true, gone = false, go = false;
	auto fill = [&](unsigned bits) {
		bytes v((bits + 7) / 8);
		rng.fill(v);
		for (unsigned i = bits; i < 8 * v.size(); i++) put_bits(v, i, 1, 0);
		return v;
	};
	auto draw = [&] {
		bytes cx = fill(OHCA_RSC_BITS), lk = fill(OHCA_RS_LOOK_BITS), p = fill(OHCA_RXD_BITS), fx = fill(OHCA_RS_FIX_BITS);
		kind = rng.chance(70) ? u32(OHCA_RS_KIND_PKT) : u32(rng.below(8));
		PF(cx, OHCA_RSC_STATE, rng.chance(80) ? OHCA_QP_STATE_RTS : OHCA_QP_STATE_ERR);
		put_bits(p, OHCA_RXD_BTH_LSB + OHCA_BTH_OPCODE_LSB, 5, rng.below(13));
		const bool dg = rng.chance(20), is_new = rng.chance(70);
		LS(DG, dg); LS(CONN, !dg); LS(MSG, dg); LS(IS_NEW, is_new); LS(IS_DUP, !is_new && rng.chance(80)); LS(VALID, rng.chance(90));
		LS(PKEY_OK, 1); LS(NONE, rng.chance(30));
		d.kind_i = kind; d.pay_i = u32(rng.bits(26)); d.was_i = OHCA_QP_STATE_RTS;
		tb::set_bytes(d.cx_i, cx.data(), cx.size()); tb::set_bytes(d.look_i, lk.data(), lk.size());
		tb::set_bytes(d.p_i, p.data(), p.size()); tb::set_bytes(d.fix_i, fx.data(), fx.size());
	};
	draw();
	d.act_i = 0; d.job_room_i = 1; d.rd_few_i = 0; d.dbr_room_i = 1; d.rel_busy_i = 0; d.w_ready_i = d.st_ready_i = d.dbr_ready_i = 1;
	b.reset();
	while (b.now() < b.cycles) {
		b.cycle([&] {
			if (!act && idle) idle--;
			else if (!act) {
				act = true; gone = false; stood = 0; ready_since = 0;
				job = room; few = d.rd_few_i; dbr = d.dbr_room_i;
				w = rng.chance(60); st = rng.chance(30); dr = rng.chance(60); busy = kind == OHCA_RS_KIND_PKT && rng.chance(20);
			} else {
				w = w || rng.chance(30); st = st || rng.chance(30); dr = dr || rng.chance(30); busy = busy && !rng.chance(30);
			}
			before = room;
			room = room ? !rng.chance(act ? 6 : 20) : rng.chance(30);
			d.act_i = act; d.job_room_i = room; d.rd_few_i = rng.chance(30); d.dbr_room_i = rng.chance(70);
			d.w_ready_i = w; d.st_ready_i = st; d.dbr_ready_i = dr; d.rel_busy_i = busy;
			d.was_few_i = few; d.was_dbr_i = dbr;
			d.eval();
			go = d.fire_o;
		}, [&] {
			if (!act) {
				CHECK(!go, "a token goes that is not there");
				return;
			}
			stood++;
			const bool all = w && st && dr && !busy && room;
			if (!all) ready_since = 0;
			else if (!ready_since) ready_since = stood;
			// Both from flops: what is decided, and that there is room; and once more where a place was lost.
			if (ready_since) CHECK(stood <= std::max<u64>(ready_since, 2) + 1 + 2 * gone, "it stands though all have room");
			if (d.known_o && stood > 2 && !gone) CHECK(d.same_o >> (job ? 1 : 0) & 1, "what was decided changes");
			if (go) {
				CHECK(stood > 2, "it goes before it is decided");
				CHECK(!d.push_o || (w && st && (dr || !d.wait_o)), "no room for its parts");
				CHECK(!busy, "its slot cannot be told");
				CHECK((job && d.same_o >> 1 & 1) || ((!job || gone) && (d.same_o & 1)), "what it does");
				CHECK(!d.push_o || !d.resv_o || before, "an answer without a place");
				lost += gone && !d.push_o; refused += !job; pushed += d.push_o; waited += stood > 6;
				n++;
				act = false;
				idle = rng.range(1, 4);              // the context of the next one comes in between
				draw();
				b.progress();
			}
			gone = gone || !room;
		});
	}
	printf("# %llu tokens, %llu on their way, %llu waited, %llu without a place, %llu lost one\n", (unsigned long long)n, (unsigned long long)pushed,
		(unsigned long long)waited, (unsigned long long)refused, (unsigned long long)lost);
	GOAL(n > 3000 && pushed > 1500 && lost > 50 && refused > 300 && waited > 300);
	return b.finish();
}
