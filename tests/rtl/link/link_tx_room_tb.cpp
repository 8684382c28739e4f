// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_room: two takers that look at what is shown, one of them long before it takes, packets that end used,
// dropped, and shorter than what they took, words and descriptors that leave or are flushed, and packets of the
// management core. The room shown is to the word what a ledger of all reservations says; nobody's take finds less than
// it was shown; the management core's packet leaves room for the longest answers, is let through when there is room for
// a while, and is dropped only where a VL is stuck. In the end everything is free again.
// dut: ohca_link_tx_room DataWidth=64 NumVl=4 QWords=2048 Descs=64 StuckCycles=300
// dut: ohca_link_tx_room DataWidth=64 NumVl=2 QWords=2048 Descs=32 StuckCycles=300
// dut: ohca_link_tx_room DataWidth=512 NumVl=8 QWords=512 Descs=64 StuckCycles=300
// args: --cycles 120000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
enum { VLS = TB_NUM_VL, Q = TB_Q_WORDS, DESCS = TB_DESCS, LANES = TB_DATA_WIDTH / 32, BYTES = TB_DATA_WIDTH / 8,
	STUCK = TB_STUCK_CYCLES,
	HDR = (108 + BYTES - 1) / BYTES, LONGEST = 4096 / BYTES + HDR, ANSWERS = 4096 / BYTES + 2 * HDR, SEEN = 6 };

struct Packet { u32 vl, took; };
struct Take { bool on; u32 vl, words, n, wait; std::vector<u32> each; };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	// The ledger: words and descriptors that nobody has taken, as the module is to show them in this cycle.
	int room[VLS], desc[VLS];
	int later_room[VLS] = {}, later_desc[VLS] = {};          // come back a cycle later
	int last_room[VLS] = {};                                 // ... and words another one, with what was flushed
	int flushing[VLS] = {};
	std::vector<Packet> open;                                // taken, not ended
	// words of each packet that lies there; that is being read
	std::deque<u32> ring[VLS], reading[VLS];
	Take t0 = {}, t1 = {};
	u32 idle[VLS] = {};
	bool stuck[VLS] = {}, stopped[VLS] = {}, more = true;
	// The management core's packet
	bool mg = false, mg_host = false, mg_first = true, mg_pass = false, mg_dead = false, asked[2] = {};
	u32 since[2] = {};                                       // words that answers took in the last two cycles
	u32 mg_vl = 0, mg_len = 0, mg_left = 0, mg_wait = 0, mg_good = 0;
	u64 takes = 0, answers = 0, mgs = 0, drops = 0, flushes = 0, unused = 0, hidden = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng) {
		for (u32 v = 0; v < VLS; v++) { room[v] = Q; desc[v] = DESCS; }
	}

	bool charged() const { return mg_vl < VLS && !mg_host; }
	u32 mg_words() const { return mg_len > (4096 + 120) / 4 ? u32(LONGEST) : (mg_len + LANES - 1) / LANES; }
	u32 shown(u32 v) { return u32(tb::get_bits(b->room_o, 13 * v, 13)); }
	u32 shown_desc(u32 v) { return u32(tb::get_bits(b->desc_o, 8 * v, 8)); }

	void cycle() {
		// Takers. The first takes within SEEN cycles and leaves room for answers; the second says that it will
		// when there is room for any, and takes when it likes.
		u32 busy = b.now() / 1500 % 3;                 // it fills the rings, hardly, and not at all
		if (!t0.on && more && rng.chance(busy == 2 ? 30 : 3 * busy)) {
			u32 v = u32(rng.below(VLS));
			int have = int(shown(v)) - ANSWERS, nd = int(shown_desc(v)) - 3;
			if (have > 0 && nd > 0) {
				t0 = {true, v, 0, 0, u32(rng.below(SEEN + 1)), {}};
				for (u32 k = u32(rng.range(1, 16)); k && nd > 0; k--, nd--) {
					u32 w = u32(rng.range(1, rng.chance(60) ? 16 : LONGEST));
					if (rng.chance(5)) w = u32(have);
					if (w > LONGEST) w = LONGEST;
					if (int(w) > have || !have) break;
					have -= int(w);
					t0.words += w; t0.n++;
					t0.each.push_back(w);
				}
				t0.on = t0.n > 0;
			}
		}
		if (!t1.on && more && rng.chance(10)) {
			u32 v = u32(rng.below(VLS));
			u32 w = t0.on && t0.vl == v ? t0.words : 0, n = w ? t0.n : 0;
			u32 takes_words = rng.chance(15) ? u32(LONGEST) : u32(rng.range(1, 24));
			if (shown(v) >= ANSWERS + w && shown_desc(v) >= 2 + n)
				t1 = {true, v, takes_words, 1, u32(rng.below(100)), {}};
		}
		bool k0 = t0.on && !t0.wait, k1 = t1.on && !t1.wait;
		b->tk0_vl_i = k0 << t0.vl; b->tk0_words_i = t0.words; b->tk0_n_i = t0.n;
		b->tk1_vl_i = k1 << t1.vl; b->tk1_words_i = t1.words;
		if (t0.on && t0.wait) t0.wait--;
		if (t1.on && t1.wait) t1.wait--;

		// A packet ends.
		b->end_valid_i = 0;
		int back_room[VLS] = {}, back_desc[VLS] = {};
		std::vector<std::pair<u32, u32>> came;
		if (!open.empty() && rng.chance(40)) {
			size_t i = rng.below(open.size());
			Packet p = open[i];
			open.erase(open.begin() + long(i));
			u32 w = u32(rng.chance(60) ? p.took : rng.range(1, p.took));
			u32 dw = w * LANES - u32(rng.below(LANES));
			bool used = rng.chance(80);
			b->end_valid_i = 1; b->end_vl_i = p.vl; b->end_used_i = used; b->end_took_i = p.took;
			b->end_len_i = dw;
			back_room[p.vl] += int(p.took) - (used ? int(w) : 0);
			if (used) came.push_back({p.vl, w});
			else { back_desc[p.vl]++; unused++; }
		} else if (rng.chance(30)) { b->end_vl_i = rng.below(16); b->end_took_i = rng.below(512); }
		// What leaves: a descriptor, then its words; or all at once when the ring is closed.
		u32 wait = 0, read = 0, pop = 0, flushed = 0, fwords = 0;
		for (u32 v = 0; v < VLS; v++) if (!ring[v].empty()) wait |= 1u << v;
		u32 v = u32(rng.below(VLS));
		for (u32 x = 0; x < VLS; x++) if (flushing[x]) {
			flushed = 1u << x;
			fwords = u32(flushing[x]);
			flushing[x] = 0;
		}
		if ((wait >> v & 1) && !stopped[v] && rng.chance(50)) {
			pop = 1u << v;
			u32 w = ring[v].front();
			ring[v].pop_front();
			back_desc[v]++;
			if (rng.chance(8)) { flushing[v] = int(w); flushes++; }
			else reading[v].push_back(w);
		}
		for (u32 x = 0; x < VLS; x++) {
			if (reading[x].empty() || rng.chance(20)) continue;
			read |= 1u << x;
			back_room[x]++;
			if (!--reading[x].front()) reading[x].pop_front();
		}
		b->wait_i = wait; b->read_i = read; b->pop_i = pop; b->flushed_i = flushed;
		b->flush_words_i = flushed ? fwords : u32(rng.below(4096));

		// The management core
		if (!mg && more && rng.chance(20)) {
			mg = mg_first = true;
			mg_pass = mg_dead = false;
			mg_host = rng.chance(10);
			mg_vl = u32(rng.chance(15) ? 15 : rng.below(VLS));
			mg_len = u32(rng.chance(50) ? rng.range(6, 72) : rng.range(6, 1055));
			if (rng.chance(5)) mg_len = u32(rng.range(1055, 2047));
			mg_left = u32(rng.range(1, 5));
			mg_wait = mg_good = 0;
		}
		bool valid = mg && (mg_first ? (mg_wait || rng.chance(50)) : rng.chance(80));
		b->mg_valid_i = valid; b->mg_vl_i = mg_vl; b->mg_host_i = mg_host; b->mg_pktlen_i = mg_len;
		b->mg_last_i = mg_left == 1;
		b->eval();                                     // it is taken only where it is shown
		b->mgo_ready_i = b->mgo_valid_o && rng.chance(80);
		bool asks = valid && mg_first && charged() && !mg_pass, fire = false;
		b.cycle([] {}, [&] {
			bool out = b->mgo_valid_o, ready = b->mg_ready_o;
			fire = valid && ready;
			CHECK(!out || valid, "a packet from nowhere");
			if (valid && (!charged() || (!mg_first && !mg_dead)))
				CHECK(out, "a packet that needs no room, or has it, waits");
			if (out) CHECK_EQ(ready, b->mgo_ready_i, "ready of the management core's packet");
			if (out && asks) {                         // it took its room in the cycle before
				CHECK_EQ(b->mgo_words_o, mg_words(), "room of a packet of the management core");
				room[mg_vl] -= int(mg_words());
				desc[mg_vl]--;
				// It looked two cycles ago; answers may have taken theirs since.
				CHECK(room[mg_vl] + int(since[0] + since[1]) >= ANSWERS,
					"a packet of the management core leaves %d words for answers", room[mg_vl]);
				mg_pass = true;
				mgs++;
			}
			if (fire && !out && mg_first) {            // it is dropped
				CHECK(charged() && stuck[mg_vl],
					"a packet is dropped that needs no room, or whose VL is not stuck");
				mg_dead = true;
				drops++;
			}
			CHECK_EQ(b->mg_drop_o, fire && mg_dead && mg_left == 1, "the end of a dropped packet");
			bool hide = asked[0] || asked[1];
			for (u32 x = 0; x < VLS; x++) {
				CHECK(room[x] >= 0 && desc[x] >= 0, "VL %u: more was taken than there is", x);
				if (shown(x) || !hide) CHECK_EQ(shown(x), room[x], "words nobody has taken");
				else if (room[x]) hidden++;
				CHECK_EQ(shown_desc(x), desc[x], "descriptors nobody has taken");
				CHECK_EQ(b->stuck_o >> x & 1, stuck[x], "a VL that is stuck");
			}
		});
		b.progress();
		if (asks) {
			mg_wait++;
			mg_good = room[mg_vl] >= int(mg_words()) + ANSWERS && desc[mg_vl] >= 3 ? mg_good + 1 : 0;
			CHECK(mg_pass || mg_dead || mg_good < 90,
				"a packet of the management core waits though there is room");
		}
		since[1] = since[0];
		since[0] = k1 && t1.vl == mg_vl ? t1.words : 0;
		asked[1] = asked[0];
		asked[0] = asks && !mg_dead;
		if (fire) {
			mg_first = false;
			if (!--mg_left) {
				mg = false;
				if (mg_pass) open.push_back({mg_vl, mg_words()});
			}
		}
		// What counts from the next cycle on: what was taken now, words that were flushed a cycle before or came
		// back two before, packets that came back one before.
		for (u32 x = 0; x < VLS; x++) {
			room[x] += last_room[x];
			last_room[x] = later_room[x] + ((flushed >> x & 1) ? int(fwords) : 0);
			desc[x] += later_desc[x];
			later_room[x] = back_room[x];
			later_desc[x] = back_desc[x];
			stuck[x] = idle[x] == STUCK;
			if (!(wait >> x & 1) || (pop >> x & 1)) idle[x] = 0;
			else if (idle[x] < STUCK) idle[x]++;
			if (rng.chance(1) && rng.chance(more ? 15 : 100)) stopped[x] = more && rng.chance(35);
		}
		if (k0) {
			room[t0.vl] -= int(t0.words);
			desc[t0.vl] -= int(t0.n);
			for (u32 w : t0.each) open.push_back({t0.vl, w});
			t0.on = false;
			takes++;
		}
		if (k1) {
			room[t1.vl] -= int(t1.words);
			desc[t1.vl]--;
			open.push_back({t1.vl, t1.words});
			t1.on = false;
			answers++;
		}
		for (auto &c : came) ring[c.first].push_back(c.second);
	}

	void test() {
		b->tk0_vl_i = b->tk1_vl_i = b->mg_valid_i = b->mgo_ready_i = 0;
		b->end_valid_i = b->wait_i = b->read_i = b->pop_i = b->flushed_i = 0;
		b.reset();
		for (u32 v = 0; v < VLS; v++) CHECK_EQ(shown(v), 0, "words shown right behind a reset");
		b.cycle([] {}, [] {});
		for (u64 i = 0; i < b.cycles; i++) cycle();
		more = false;
		for (u32 i = 0; i < 60000; i++) cycle();
		for (u32 v = 0; v < VLS; v++) CHECK(room[v] == Q && desc[v] == DESCS && shown(v) == Q,
			"VL %u: %d words free in the end", v, room[v]);
		CHECK(!mg, "a packet of the management core waits");
		GOAL(takes > 100 && answers > 100);
		GOAL(mgs > 50);
		GOAL(drops > 0);
		GOAL(flushes > 10 && unused > 20 && hidden > 100);
		printf("# %llu and %llu times taken, %llu packets of the management core, %llu dropped\n",
			(unsigned long long)takes, (unsigned long long)answers,
			(unsigned long long)mgs, (unsigned long long)drops);
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
