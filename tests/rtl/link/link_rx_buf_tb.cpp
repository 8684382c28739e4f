// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_link_rx_buf: packets of all lengths, also longer and shorter than what they need, whose slots come back in any
// order and several at once. The room and the slots shown are in every cycle what a ledger says, what was stored of a
// packet is read as long as its slot is held, and no packet reaches into another.
// dut: ohca_link_rx_buf BufBytes=8192
// dut: ohca_link_rx_buf Slots=16 BufBytes=8192 NumRel=1
// dut: ohca_link_rx_buf DataWidth=512 BufBytes=16384
// args: --cycles 100000
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<uint8_t> Bytes;
#ifndef TB_DATA_WIDTH
#define TB_DATA_WIDTH 64
#endif
#ifndef TB_BUF_BYTES
#define TB_BUF_BYTES 32768
#endif
#ifndef TB_SLOTS
#define TB_SLOTS 64
#endif
#ifndef TB_NUM_REL
#define TB_NUM_REL 4
#endif
enum { B = TB_DATA_WIDTH / 8, WORDS = TB_BUF_BYTES / B, SLOTS = TB_SLOTS, RELS = TB_NUM_REL };

struct Packet {
	u32 slot = 0, base = 0, need = 0, beats = 0;
	std::vector<Bytes> data;                     // what is stored
	bool ended = false, back = false, done = false;              // its slot is given back; that is seen
};

struct Rig {
	tb::Bench<Vdut> b;
	tb::Rng &rng;
	tb::Pace in, out;
	std::deque<Packet> held;                     // oldest first; the last one may still be coming
	u32 tail = 0, slot = 0;
	int room = WORDS, slots = SLOTS, freed = 0, freed_words = 0;
	bool freed_v = false;
	u32 at = 0;
	bool coming = false;
	u64 n = 0, reads = 0, full_slots = 0, full_room = 0, reordered = 0, together = 0;
	Bytes want;
	bool reading = false;
	u32 most = 0, keep = 0;
	Rig(int argc, char **argv) : b(argc, argv), rng(b.rng), in(&rng), out(&rng) {}

	void cycle(bool more) {
		Packet fresh;
		Bytes beat = rng.bytes(B);
		bool fire = false, begins = false;
		u32 released = 0;
		std::vector<Packet *> back;
		bool was = reading;
		Bytes expect = want;
		b.cycle([&] {
			// A beat
			if (!coming && more) {
				fresh.need = rng.chance(5) ? 0 : u32(rng.range(1, most));
				fresh.beats = rng.chance(70) ? fresh.need + 1 : u32(rng.range(1, most + 2));
				if (int(fresh.need) > room) full_room++;
				else if (slots <= 0) full_slots++;
				else begins = in.go();
				fresh.slot = slot;
				fresh.base = tail;
			}
			fire = begins || (coming && in.go());
			b->fire_i = fire;
			b->first_i = begins || (!coming && rng.chance(50));
			b->need_i = begins ? fresh.need : u32(rng.bits(11));
			b->idx_i = begins ? 0 : at;
			tb::set_bytes(b->data_i, beat.data(), B);
			// Slots come back
			b->rel_valid_i = 0;
			for (u32 i = 0; i < RELS && held.size() > (more ? keep : 0); i++) {
				tb::set_bits(b->rel_slot_i, 6 * i, 6, rng.bits(6));
				if (!out.go()) continue;
				Packet &p = held[rng.below(held.size())];
				if (!p.ended || p.back) continue;
				p.back = true;
				back.push_back(&p);
				released++;
				reordered += &p != &held[0];
				b->rel_valid_i = b->rel_valid_i | 1u << i;
				tb::set_bits(b->rel_slot_i, 6 * i, 6, p.slot);
			}
			together += released > 1;
			// A word is read
			b->rd_en_i = 0;
			reading = false;
			if (!held.empty() && rng.chance(60)) {
				Packet &p = held[rng.below(held.size())];
				if (p.ended && !p.back && !p.data.empty()) {
					u32 i = u32(rng.below(p.data.size()));
					b->rd_en_i = 1;
					b->rd_addr_i = (p.base + i) % WORDS;
					want = p.data[i];
					reading = true;
					reads++;
				}
			}
		}, [&] {
			CHECK_EQ(b->room_o, room, "room");
			CHECK_EQ(b->slot_ok_o, slots > 0, "a slot is free");
			bool reclaim = !held.empty() && held[0].done;
			CHECK_EQ(b->idle_o, !reclaim && !freed_v, "idle");
			if (fire) {
				const Packet &p = begins ? fresh : held.back();
				CHECK_EQ(b->slot_o, p.slot, "slot");
				CHECK_EQ(b->base_o, p.base, "base");
			}
			if (was) {
				Bytes got(B);
				tb::get_bytes(b->rd_data_o, got.data(), B);
				CHECK(got == expect, "a word that was not stored there");
			}
			// What the next cycle shows
			room += freed_words;
			freed_v = reclaim;
			freed_words = reclaim ? int(held[0].need) : 0;
			if (reclaim) { slots++; held.pop_front(); n++; b.progress(); }
			for (auto &p : held) p.done = p.back;
			if (begins) {
				room -= int(fresh.need);
				slots--;
				slot = (slot + 1) % SLOTS;
				tail = (tail + fresh.need) % WORDS;
				at = 0;
				held.push_back(fresh);
				coming = true;
			}
			if (fire) {
				Packet &p = held.back();
				if (at < p.need) p.data.push_back(beat);
				if (++at == p.beats) { p.ended = true; coming = false; }
			}
		});
	}
	int run() {
		b->fire_i = 0; b->rel_valid_i = 0; b->rd_en_i = 0;
		b.reset();
		while (b.now() < b.cycles) {
			most = rng.chance(50) ? 2 : WORDS / (rng.chance(60) ? 8 : 4);
			keep = rng.chance(50) ? SLOTS : u32(rng.below(4));
			for (u64 to = b.now() + rng.range(50, most > 2 ? 4 * WORDS : 1500); b.now() < to;) {
				if (held.size() <= keep) b.progress();
				cycle(true);
			}
			while (coming || !held.empty() || freed_v) cycle(false);
			CHECK_EQ(room + freed_words, WORDS, "all of it is free again");
		}
		GOAL(n > 500 && reads > 1000 && full_slots && full_room && reordered > 50 && (RELS == 1 || together > 20));
		return b.finish();
	}
};

int main(int argc, char **argv) { return Rig(argc, argv).run(); }
