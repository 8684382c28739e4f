// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_out: packets and flow-control packets onto a wire that stalls, while the port goes Down and comes up
// again. What is on the wire is each packet whole, in order, the flow-control packets between them and before what has
// not begun; of a packet that was chosen before the port went Down nothing comes, and of one that had begun all.
// Blocks, spacing and counters are those of what went.
// dut: ohca_link_tx_out
// dut: ohca_link_tx_out DataWidth=512 NumVl=8 RateW=1
// args: --cycles 60000
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
enum { BYTES = TB_DATA_WIDTH / 8, VLS = TB_NUM_VL };

struct Beat { uint8_t data[64]; u64 keep; u32 last, kind; };
struct Packet { std::vector<Beat> beats; u32 len, ring, mcast, ipd, rate, epoch; };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	std::deque<Packet> in;
	std::deque<Beat> want;
	tb::Sink<Beat> wire;
	bool en = true, was_en = true, eth = false, valid = false, killed = false, mid = false, old = false, fc = false;
	u32 at = 0, epoch = 0, hold = 0;
	uint8_t fc_data[64] = {};
	struct { bool pkt, mcast, discard, fc, wait; u32 dw; } told = {};
	u64 packets = 0, drops = 0, fcs = 0, cut = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), wire(&b.rng, "wire") {}

	void packet() {
		Packet p;
		p.len = u32(rng.chance(60) ? rng.range(5, 20) : rng.range(5, 1054));
		p.ring = u32(rng.below(VLS + 2)); p.mcast = u32(rng.below(2));
		p.ipd = u32(rng.chance(50) ? 0 : rng.range(1, 255)); p.rate = u32(rng.below(2)); p.epoch = epoch;
		u32 n = 4 * p.len + 6;
		for (u32 o = 0; o < n; o += BYTES) {
			Beat x = {};
			u32 k = std::min<u32>(BYTES, n - o);
			for (u32 i = 0; i < k; i++) x.data[i] = uint8_t(rng.next());
			x.keep = tb::keep_mask(k);
			x.last = o + BYTES >= n;
			p.beats.push_back(x);
		}
		in.push_back(p);
	}
	void cycle(bool more) {
		if (more && in.size() < 3 && rng.chance(30)) packet();
		if (rng.chance(1)) en = !more || rng.chance(60);
		if (!more) en = true;
		if (!valid) valid = !in.empty() && rng.chance(85);
		if (!fc && more && rng.chance(8)) {
			fc = true;
			for (u32 i = 0; i < 6; i++) fc_data[i] = uint8_t(rng.next());
		}
		const Packet none = {{Beat{}}, 0, 0, 0, 0, 0, 0};
		const Packet &p = valid || at ? in.front() : none;
		const Beat &x = p.beats[at];
		bool first = at == 0, waits = rng.chance(30), lost = rng.chance(5);
		b->en_i = en; b->eth_i = eth; b->valid_i = valid;
		tb::set_bytes(b->data_i, x.data, BYTES);
		b->keep_i = decltype(+b->keep_i)(x.keep);
		b->last_i = x.last; b->len_i = p.len; b->ring_i = p.ring; b->mcast_i = p.mcast;
		b->rated_i = p.ipd != 0; b->rate_i = p.rate; b->ipd_i = p.ipd; b->epoch_i = p.epoch;
		b->fc_valid_i = fc; b->fc_old_i = old;
		tb::set_bytes(b->fc_data_i, fc_data, 6);
		b->lost_i = lost; b->waits_i = waits;
		b->tx_ready_i = wire.drive();
		b.cycle([] {}, [&] {
			CHECK_EQ(b->epoch_o, epoch, "epoch");
			CHECK_EQ(FIELD(b->stat_o, OHCA_PORT_TX_STAT_PKT), told.pkt, "a packet has left");
			if (told.pkt) {
				CHECK_EQ(FIELD(b->stat_o, OHCA_PORT_TX_STAT_MCAST), told.mcast, "it is multicast");
				CHECK_EQ(FIELD(b->stat_o, OHCA_PORT_TX_STAT_DW), told.dw, "its dwords");
			}
			CHECK_EQ(b->cnt_o >> OHCA_COUNTER_TX_PKTS & 1, told.pkt, "counter of packets");
			CHECK_EQ(b->cnt_o >> OHCA_COUNTER_TX_DROP & 1, told.discard, "counter of drops");
			CHECK_EQ(b->cnt_o >> OHCA_COUNTER_TX_WAIT & 1, told.wait, "counter of waiting");
			CHECK_EQ(FIELD(b->stat_o, OHCA_PORT_TX_STAT_FC), told.fc, "a flow-control packet has left");
			Beat y = {};
			tb::get_bytes(b->tx_data_o, y.data, BYTES);
			y.keep = b->tx_keep_o; y.last = b->tx_last_o; y.kind = b->tx_kind_o;
			if (wire.sample(b->tx_valid_o, y)) {
				CHECK(!want.empty(), "a beat that nobody gave");
				for (u32 i = 0; i < BYTES; i++) if (!(y.keep >> i & 1)) y.data[i] = 0;
				CHECK(!memcmp(&y, &want.front(), sizeof y), "another beat on the wire");
				want.pop_front();
				b.progress();
			}
			told = {};
			if (b->fc_send_o) {
				CHECK(fc && en && !old && !mid, "a flow-control packet goes where it may not");
				Beat z = {};
				memcpy(z.data, fc_data, 6);
				z.keep = 0x3f; z.last = 1; z.kind = 1;
				want.push_back(z);
				fc = false;
				told.fc = true;
				fcs++;
			}
			bool fire = valid && b->ready_o, kill = first ? !en || p.epoch != epoch : killed;
			if (fire && !kill) CHECK(mid || !b->fc_valid_i || !en, "a packet begins before flow control");
			bool sent = fire && !kill;
			CHECK_EQ(b->begin_o, sent && first, "a packet begins");
			if (sent && first) {
				for (u32 v = 0; v < VLS; v++) CHECK_EQ(b->begin_vl_o >> v & 1, p.ring == v, "its VL");
				CHECK_EQ(b->begin_blocks_o, (4 * p.len + 6 + 63) / 64, "its blocks");
			}
			// Cycles on the wire, from the first in which it is there, times ipd: ipd is what is shown with it.
			u32 total = (first ? 0 : hold) + p.ipd;
			if (valid || !first) hold = total & 0x800000 ? 0x800000 : total;
			CHECK_EQ(b->left_o, fire && x.last && p.ipd, "a rated packet has left");
			if (b->left_o) {
				CHECK_EQ(b->left_rate_o, p.rate, "its place");
				CHECK_EQ(b->left_hold_o, total, "its cycles times ipd");
			}
			told.pkt = sent && x.last; told.mcast = p.mcast; told.dw = eth ? p.len - 2 : p.len + 1;
			told.discard = lost || (fire && x.last && kill);
			told.wait = waits && !sent;
			old = sent && first;
			if (fire) {
				killed = kill;
				if (sent) { Beat z = x; z.kind = 0; want.push_back(z); mid = !x.last; }
				if (!sent && x.last) drops++;
				if (sent && x.last) packets++;
				if (sent && x.last && !en) cut++;
			}
			if (was_en && !en) epoch ^= 1;
			was_en = en;
			if (!fire) return;
			valid = false;
			if (x.last) { at = 0; in.pop_front(); } else at++;
		});
	}
	void test() {
		b->valid_i = b->fc_valid_i = b->en_i = 0; b->tx_ready_i = 0; b->lost_i = b->waits_i = 0;
		b->eth_i = 0;
		b.reset();
		was_en = false;
		// Until it has seen all of it, as that is luck.
		auto seen = [&] { return packets > 200 && drops > 10 && fcs > 50 && cut > 0; };
		while (b.now() < b.cycles || (!seen() && b.now() < 100 * b.cycles)) {
			for (u32 i = 0; i < 3000; i++) cycle(true);
			for (u32 i = 0; i < 3000 && (!in.empty() || !want.empty() || fc); i++) cycle(false);
			CHECK(in.empty() && want.empty(), "a packet waits for ever");
			eth = rng.chance(30);
		}
		GOAL(seen());
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
