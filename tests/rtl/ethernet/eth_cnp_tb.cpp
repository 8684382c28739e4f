// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_eth_cnp: marks at random among responses. Each line of QPs has its pace, to the tick and over jumps of time; a mark that finds the block free and its
// line rested is answered; responses pass unchanged and in order; a CNP goes where its mark came from, with the DSCP and priority that are set,
// and in the queue that its priority has. With several queues it goes by the room that its queue had in the cycle before it stands.
// dut: ohca_eth_cnp
// dut: ohca_eth_cnp NumVl=4
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "../send/send_models.h"
#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif

struct R { u32 seq; };
struct Mark { u32 qpn, dqpn, pkey, tclass, sl; u64 tick; };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	tb::Source<R> resp(&b.rng);
	tb::Pace out(&b.rng), ce(&b.rng);
	bool en = true, known[64] = {}, stalled = false, pending = false, idle = false;
	u64 last[64] = {}, now = b.rng.bits(40), cnps = 0, young = 0, passed = 0, missed = 0, noroom = 0, sl2vl = 0;
	u32 dscp = 0, pcp = 0, gap = 4, made = 0, seen = 0, looking = 0, room = 0;
	bool dropping = false, too_young = false;
	Mark m{}, p{};
	std::vector<u8> held(sizeof(b->txd_o));
	auto step = [&](bool quiet) {
		b.cycle([&] {
			now += b.rng.below(400) ? 1 : b.rng.below(2) ? b.rng.below(2048) : b.rng.bits(26);
			b->now_i = now;
			tb::clear(b->cnp_i);
			SET_FIELD(b->cnp_i, OHCA_ETH_CNP_EN, en);
			SET_FIELD(b->cnp_i, OHCA_ETH_CNP_DSCP, dscp);
			SET_FIELD(b->cnp_i, OHCA_ETH_CNP_PCP, pcp);
			SET_FIELD(b->cnp_i, OHCA_ETH_CNP_GAP, gap);
			b->sl2vl_i = sl2vl;
			room = u32(b.rng.bits(TB_NUM_VL) | b.rng.bits(TB_NUM_VL));
			b->room_i = room;
			b->txd_valid_i = resp.drive();
			if (b->txd_valid_i) {
				tb::clear(b->txd_i);
				SET_FIELD(b->txd_i, OHCA_TXD_QPN, resp.front().seq & 0xffffff);
				SET_FIELD(b->txd_i, OHCA_TXD_DQPN, ~resp.front().seq & 0xffffff);
				SET_FIELD(b->txd_i, OHCA_TXD_BTH_OP, 0x11);	// RC ACK
			}
			b->txd_ready_i = out.go();
			b->ce_valid_i = !quiet && ce.go();
			if (b->ce_valid_i) {
				// eight lines, three QPs on each: some share a pace
				m = { u32(b.rng.below(8) * 9 + b.rng.below(3) * 64), u32(b.rng.bits(24)), u32(b.rng.bits(4)), u32(b.rng.bits(8)), u32(b.rng.bits(4)), 0 };
				tb::clear(b->ce_i);
				SET_FIELD(b->ce_i, OHCA_RJOB_QPN, m.qpn);
				SET_FIELD(b->ce_i, OHCA_RJOB_DQPN, m.dqpn);
				SET_FIELD(b->ce_i, OHCA_RJOB_PKEY_INDEX, m.pkey);
				// within the address vector: every field but these two must come through
				tb::set_bits(b->ce_i, OHCA_RJOB_AV_LSB + OHCA_AV_TCLASS_LSB, OHCA_AV_TCLASS_WIDTH, m.tclass);
				tb::set_bits(b->ce_i, OHCA_RJOB_AV_LSB + OHCA_AV_SL_LSB, OHCA_AV_SL_WIDTH, m.sl);
				tb::set_bits(b->ce_i, OHCA_RJOB_AV_LSB + OHCA_AV_DLID_LSB, OHCA_AV_DLID_WIDTH, m.dqpn & 0xffff);
			}
		}, [&] {
			u64 tick = now >> 8;
			bool busy = pending || dropping;
			u32 vl = TB_NUM_VL > 1 ? u32(sl2vl >> (4 * pcp) & 15) : 0;
			dropping = false;
			std::vector<u8> cur(sizeof(b->txd_o));
			tb::get_bytes(b->txd_o, cur.data(), cur.size());
			if (stalled) CHECK(b->txd_valid_o && cur == held, "a stalled descriptor changed");
			stalled = b->txd_valid_o && !b->txd_ready_i;
			held = cur;
			bool count = b->cnt_o >> OHCA_COUNTER_CNP_TX & 1;
			if (b->txd_valid_o && b->txd_ready_i) {
				b.progress();
				if (FIELD(b->txd_o, OHCA_TXD_BTH_OP) == OHCA_BTH_OP_CNP) {
					CHECK(pending && !looking, "a CNP that no mark asked for");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_QPN), p.qpn, "QP");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_DQPN), p.dqpn, "destination QP");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_PKEY_INDEX), p.pkey, "P_Key");
					// Annex A17.9.3: SE, M, PadCnt and TVer are 0, and so are AckReq and PSN.
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_MIGREQ) | FIELD(b->txd_o, OHCA_TXD_SE) | FIELD(b->txd_o, OHCA_TXD_ACKREQ) |
						 FIELD(b->txd_o, OHCA_TXD_PSN), 0, "bits of a CNP's BTH");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_PLEN), 0, "payload");
					CHECK_EQ(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + OHCA_AV_TCLASS_LSB, OHCA_AV_TCLASS_WIDTH), dscp << 2, "DSCP");
					CHECK_EQ(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + OHCA_AV_SL_LSB, OHCA_AV_SL_WIDTH), pcp, "priority");
					CHECK_EQ(tb::get_bits(b->txd_o, OHCA_TXD_AV_LSB + OHCA_AV_DLID_LSB, OHCA_AV_DLID_WIDTH), p.dqpn & 0xffff, "path");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_VL), vl, "queue");
					CHECK(count, "not counted");
					pending = false;
					cnps++;
				} else {
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_QPN), seen & 0xffffff, "order of responses");
					CHECK_EQ(FIELD(b->txd_o, OHCA_TXD_DQPN), ~seen & 0xffffff, "a response's content");
					CHECK(!count, "a response counted as a CNP");
					seen++, passed++;
				}
			} else {
				CHECK(!count, "counted without a CNP");
			}
			if (b->txd_valid_i) resp.sample(b->txd_ready_o);
			// The cycle after a mark was taken decides by the tick of that cycle, the next one acts.
			const u32 l = p.qpn & 63;
			if (looking == 2) {
				looking = 1;
				too_young = known[l] && ((tick - last[l]) & 0xffffff) < gap;
			} else if (looking) {
				looking = 0;
				if (too_young) {
					young++;
					pending = false;
				} else {
					known[l] = true;
					last[l] = tick;
					if (TB_NUM_VL > 1 && vl < TB_NUM_VL && !(room >> vl & 1)) {
						noroom++;
						pending = false;
						dropping = true;	// it takes another cycle
					}
				}
			} else if (b->ce_valid_i && en) {
				if (!busy) {
					p = m;
					pending = true;
					looking = 2;
				} else {
					missed++;
				}
			}
			if (!en) memset(known, 0, sizeof known);
			idle = b->idle_o;
			CHECK(!idle || !pending || looking, "idle with a CNP to send");
		});
	};
	b->ce_valid_i = b->txd_valid_i = 0;
	b.reset();
	while (b.now() < b.cycles) {
		if (b.rng.below(1500) == 0) {
			// new settings when nothing is under way, as firmware cannot tell
			while (pending) step(true);
			if (b.rng.chance(50)) {			// switched off for a moment: all old times are forgotten
				en = false;
				for (int i = 0; i < 4; i++) step(true);
			}
			en = b.rng.chance(80);
			dscp = u32(b.rng.bits(6)), pcp = u32(b.rng.bits(3));
			// queues that exist, and now and then one that does not
			sl2vl = 0;
			for (int i = 0; i < 16; i++) sl2vl |= (b.rng.below(4) ? b.rng.below(4) : b.rng.bits(4)) << (4 * i);
			step(true);
			gap = u32(b.rng.below(3) ? b.rng.below(12) : b.rng.bits(16));
		}
		if (resp.q.size() < 4) resp.push({ made++ });
		step(false);
	}
	while (pending || !resp.done()) step(true);
	step(true);
	CHECK(idle && seen == made, "not idle at the end, or responses lost");
	printf("# %llu CNPs, %llu marks too early, %llu while one was worked on, %llu without room, %llu responses\n", (unsigned long long)cnps,
	       (unsigned long long)young, (unsigned long long)missed, (unsigned long long)noroom, (unsigned long long)passed);
	GOAL(cnps > 100 && young > 100 && missed > 100 && (TB_NUM_VL == 1 || noroom > 100));
	return b.finish();
}
