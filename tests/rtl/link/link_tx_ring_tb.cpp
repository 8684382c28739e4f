// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_tx_ring: packets for all rings, good ones and such as fail (marked bad, another length than PktLen says,
// too long, refused, their ring closed in the middle), read and dropped in any order of the rings. Each good packet's
// descriptor comes in its ring's order with length, destination, and the CRCs as they are computed here, its words are
// what was written; of the others nothing comes, and their room is there again. Loopback and VL15 are filled until they
// stop the writer, and with one VL its ring, too.
// dut: ohca_link_tx_ring QueueBytes=16384 Descs=32
// dut: ohca_link_tx_ring NumVl=1 QueueBytes=8192 Descs=16
// dut: ohca_link_tx_ring DataWidth=512 NumVl=2 QueueBytes=16384 Descs=32
// args: --cycles 100000
#include "Vdut.h"
#include "tb.h"
#include "ibpkt.h"
typedef uint32_t u32;
typedef uint64_t u64;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_NUM_VL
#define TB_NUM_VL 4
#endif
enum { BYTES = TB_DATA_WIDTH / 8, VLS = TB_NUM_VL, QS = VLS + 2, LOOP = VLS, VL15 = VLS + 1, DW = 11 + 16 + 8 + 1 + 48,
	WORDS = TB_QUEUE_BYTES / BYTES, DESCS = TB_DESCS };

struct Packet { ib::Bytes p; u32 ring, ipd; bool both, host, ok, err, good; };

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	std::deque<Packet> in, lies[QS];
	tb::Pace pace;
	u32 at = 0, serial = 0, words[QS] = {}, count[QS] = {}, open = (1u << QS) - 1, drop = 0, dropped = 0;
	bool valid = false, gone = false;
	// What is being read: of the wire's rings one, and of loopback.
	struct Read { bool on; u32 ring, at; Packet p; bool due; u32 due_at; } rd = {}, lp = {};
	u64 good = 0, bad = 0, multi = 0, full = 0, within = 0, drops = 0, closed = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), pace(&b.rng) {}

	static u32 beats(const ib::Bytes &p) { return u32((p.size() + BYTES - 1) / BYTES); }
	void packet() {
		Packet x;
		ib::Fields f;
		x.ring = u32(rng.chance(20) ? VL15 : rng.chance(25) ? LOOP : rng.below(VLS));
		x.both = x.ring < VLS && rng.chance(15);
		f.vl = x.ring == VL15 ? 15 : x.ring == LOOP ? u32(rng.below(VLS)) : x.ring;
		f.dlid = uint16_t(rng.below(65536));
		f.grh = rng.chance(20);
		// Rings that stop the writer do so for want of descriptors, or of words.
		f.payload = u32(rng.chance(x.ring < VLS ? 75 : 40) ? rng.below(64) : rng.below(x.ring == VL15 ? 430 : 4000));
		x.p = ib::build(rng, f, ++serial);
		x.ok = rng.chance(90); x.err = rng.chance(10); x.host = rng.chance(20); x.ipd = u32(rng.below(256));
		x.good = x.ok && !x.err;
		bool other = false;
		if (rng.chance(6)) { x.p[5] = uint8_t(x.p[5] + rng.range(1, 255)); other = true; }
		else if (rng.chance(6) && x.p.size() > 24) { x.p.resize(x.p.size() - 4); other = true; }
		else if (rng.chance(3)) {                  // PktLen is right, but it is too long
			while (x.p.size() < (x.ring == VL15 ? 512 + 8u : 4096 + 124 + 8u)) x.p.push_back(uint8_t(rng.next()));
			u32 len = u32(x.p.size() / 4 + 1);
			x.p[4] = uint8_t((x.p[4] & 0xf8) | len >> 8); x.p[5] = uint8_t(len);
			other = true;
		}
		if (other) x.good = false;
		// Whoever sends on a data VL has taken room of it: its words and a descriptor.
		u32 q = x.ring;
		if (VLS > 1 && q < VLS && (words[q] + beats(x.p) > WORDS || count[q] + 3 > DESCS)) return;
		if (x.ok) for (u32 i : {q, x.both ? u32(LOOP) : q}) {
			words[i] += beats(x.p);
			count[i]++;
			if (!x.both) break;
		}
		in.push_back(x);
	}
	void free(u32 q, const Packet &x) { words[q] -= beats(x.p); count[q]--; }
	void cycle(bool more, u32 reads) {
		if (more && in.size() < 4) packet();
		if (more && rng.chance(1)) open ^= 1u << rng.below(VLS);
		if (!more || rng.chance(3)) open = (1u << QS) - 1;
		if (!valid) valid = !in.empty() && pace.go();
		// A ring that is closed takes with it what is half in.
		b->open_i = open; b->valid_i = valid;
		const Packet none = {ib::Bytes(8), 0, 0, false, false, false, false, false};
		const Packet &x = valid ? in.front() : none;
		u32 o = at * BYTES, n = u32(std::min<size_t>(BYTES, x.p.size() - o));
		bool last = o + n == x.p.size();
		uint8_t d[64] = {};
		memcpy(d, &x.p[o], n);
		tb::set_bytes(b->data_i, d, BYTES);
		b->keep_i = decltype(+b->keep_i)(tb::keep_mask(n));
		b->dw_i = n / 4; b->dw1_i = n / 4 + 1; b->last_i = last; b->err_i = x.err && last; b->ipd_i = x.ipd;
		bool first = at == 0;
		u32 ring = first ? x.ring : u32(rng.below(QS));
		b->host_i = first && x.host; b->ring_i = ring; b->ok_i = first && x.ok; b->size_i = first;
		b->rings_i = 1u << ring | (first ? x.both : ring < VLS && rng.chance(15)) << LOOP;
		// Readers
		b->drop_i = drop; b->drop_words_i = dropped;
		drop = 0;
		u32 pop = 0;
		for (u32 i = 0; i < QS; i++) {
			if (!(b->have_o >> i & 1) || !rng.chance(reads)) continue;
			if (i == LOOP ? lp.on : rd.on || (pop & ~(1u << LOOP))) continue;
			pop |= 1u << i;
		}
		b->pop_i = pop;
		bool r = rd.on && rng.chance(85), l = lp.on && rng.chance(85);
		b->rd_en_i = r; b->rd_ring_i = rd.ring; b->lp_en_i = l;
		b.cycle([] {}, [&] {
			if (rd.due) compare(rd, b->rd_data_o);
			if (lp.due) compare(lp, b->lp_data_o);
			for (u32 i = 0; i < QS; i++) if (pop >> i & 1) take(i);
			for (auto *y : {&rd, &lp}) {
				bool en = y == &rd ? r : l;
				y->due = en;
				y->due_at = y->at;
				if (!en) continue;
				if (++y->at == beats(y->p.p)) { y->on = false; free(y->ring, y->p); }
			}
			bool ready = b->ready_o;
			if (valid && !ready) { full++; within += !first; }
			CHECK_EQ(b->end_o, valid && ready && last, "the end of a packet");
			if (b->end_o) {
				bool g = x.good && !gone;
				CHECK_EQ(b->end_good_o, g, "is it good");
				CHECK_EQ(b->end_len_o, x.p.size() / 4, "its length");
				CHECK_EQ(b->end_host_o, x.host, "is it for the host");
				CHECK_EQ(b->end_vl_o, x.p[0] >> 4, "its VL");
				CHECK_EQ(b->end_used_o, g && x.ring < VLS, "does it lie in its VL's ring");
				CHECK(b->busy_o || first, "idle within a packet");
			}
			// A ring that is closed while a packet is half in: from the next beat on.
			bool fired = valid && ready, in_it = !in.empty() && (at || fired) && !(fired && last);
			if (in_it && !(open >> in.front().ring & 1) && in.front().ok && !gone) { gone = true; closed++; }
			if (valid && ready) {
				b.progress();
				valid = false;
				at++;
				if (!last) return;
				bool g = x.good && !gone;
				(g ? good : bad)++;
				if (g) {
					lies[x.ring].push_back(x);
					if (x.both) { lies[LOOP].push_back(x); multi++; }
				} else if (x.ok) {
					free(x.ring, x);
					if (x.both) free(LOOP, x);
				}
				gone = false;
				at = 0;
				in.pop_front();
			}
		});
	}
	template <class S> void compare(Read &y, S &s) {
		uint8_t d[64];
		tb::get_bytes(s, d, BYTES);
		u32 o = y.due_at * BYTES, n = u32(std::min<size_t>(BYTES, y.p.p.size() - o));
		CHECK(!memcmp(d, &y.p.p[o], n), "ring %u: another word", y.ring);
	}
	void take(u32 q) {
		CHECK(!lies[q].empty(), "ring %u: a packet from nowhere", q);
		Packet x = lies[q].front();
		lies[q].pop_front();
		ib::Bytes w = ib::with_crcs(x.p);
		u64 crc = 0;
		for (u32 i = 0; i < 6; i++) crc |= u64(w[x.p.size() + i]) << 8 * i;
		CHECK_EQ(tb::get_bits(b->desc_o, DW * q, 48), crc, "VCRC, ICRC");
		CHECK_EQ(tb::get_bits(b->desc_o, DW * q + 48, 1), x.host, "host");
		CHECK_EQ(tb::get_bits(b->desc_o, DW * q + 49, 8), x.ipd, "ipd");
		CHECK_EQ(tb::get_bits(b->desc_o, DW * q + 57, 16), u32(x.p[2] << 8 | x.p[3]), "dlid");
		CHECK_EQ(tb::get_bits(b->desc_o, DW * q + 73, 11), x.p.size() / 4, "length");
		if (q != LOOP && rng.chance(15)) {
			drop = 1u << q;
			dropped = beats(x.p);
			free(q, x);
			drops++;
			return;
		}
		Read &y = q == LOOP ? lp : rd;
		y.on = true; y.ring = q; y.at = 0; y.p = x;
	}
	void test() {
		b->valid_i = b->pop_i = b->rd_en_i = b->lp_en_i = b->drop_i = 0; b->open_i = open;
		b.reset();
		while (b.now() < b.cycles) {
			u32 reads = b.now() / 20000 % 2 ? 60 : 0;        // the rings fill, or not
			for (u32 i = 0; i < (reads ? 3000u : 12000u); i++) { cycle(true, reads); b.progress(); }
			for (u32 i = 0; i < 40000; i++) {
				cycle(false, 60);
				b.progress();
				bool rest = !in.empty() || rd.on || lp.on || drop;
				for (auto &q : lies) rest |= !q.empty();
				if (!rest) break;
			}
			for (u32 i = 0; i < 12; i++) cycle(false, 60);
			CHECK(in.empty() && !b->have_o && !b->busy_o, "a packet stays");
			for (u32 q = 0; q < QS; q++) CHECK(!words[q] && !count[q] && lies[q].empty(), "ring %u", q);
		}
		printf("# %llu good, %llu bad, %llu for two rings, %llu cycles full (%llu in a packet), %llu dropped, %llu cut\n",
			(unsigned long long)good, (unsigned long long)bad, (unsigned long long)multi,
			(unsigned long long)full, (unsigned long long)within, (unsigned long long)drops,
			(unsigned long long)closed);
		GOAL(good > 150 && bad > 40 && multi > 5 && full > 10 && within > 0 && drops > 5 && closed > 0);
	}
};

int main(int argc, char **argv)
{
	Rig g(argc, argv);
	g.test();
	return g.b.finish();
}
