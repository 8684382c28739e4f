// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_rx_mcast: groups come and go while packets are looked up. Each packet must be named once for each member of its group as the table was then, the
// last one marked; its slot must be released once, after all copies; releases of other slots go through.
// dut: ohca_rx_mcast
// dut: ohca_rx_mcast Words=1024 Slots=16
// dut: ohca_rx_mcast Words=4096
// args: --cycles 60000
#include "Vdut.h"
#include <algorithm>
#include <array>
#include <map>
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

typedef uint32_t u32;
typedef std::array<u32, 4> Mgid;             // dwords 0 to 3, first byte in [31:24]

#ifndef TB_WORDS
#define TB_WORDS 2048
#endif
#ifndef TB_SLOTS
#define TB_SLOTS 64
#endif
static const unsigned kHeads = TB_WORDS / 16, kNodes = TB_WORDS / 8;

static u32 hash(const Mgid &m)
{
	u32 h = m[0] ^ m[1] ^ m[2] ^ m[3];
	h ^= h >> 16;
	return ((h ^ h >> 8) & 0xff) % kHeads;
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &r = b.rng;
	std::vector<u32> table(TB_WORDS);            // as written
	std::deque<std::pair<u32, u32>> writes;      // to do: address, value
	std::deque<u32> reads;
	std::map<Mgid, std::vector<u32>> groups;     // as the table is when the writes are done

	// Few MGIDs, half of them with the same hash, some of which differ only in their first dword.
	std::vector<Mgid> mgids;
	for (unsigned i = 0; i < 24; i++) {
		Mgid m = {0xff12401b, u32(r.bits(8)), 0, u32(r.bits(32))};
		if (i % 8 == 3) { m = mgids[0]; m[0] ^= 0x10001 * i; }
		else if (i & 1) { m = mgids[0]; m[0] ^= i << 20; m[2] ^= i << 20; if (i % 4 == 1) { m[2] ^= i << 20; m[1] ^= i << 20; } }
		mgids.push_back(m);
	}
	auto node_mgid = [&](u32 n) { return Mgid{table[8 * n + 4], table[8 * n + 3], table[8 * n + 2], table[8 * n + 1]}; };
	auto wr = [&](u32 a, u32 v) { table[a] = v; writes.push_back({a, v}); };
	std::vector<bool> used(kNodes);
	auto attach = [&](const Mgid &m, u32 qpn) {
		u32 h = hash(m);
		groups[m].push_back(qpn);
		for (u32 n = table[h]; n; n = table[8 * n])
			if (node_mgid(n) == m)
				for (u32 k = 5; k < 8; k++)
					if (!(table[8 * n + k] >> 31)) { wr(8 * n + k, 1u << 31 | qpn); return; }
		u32 n = kHeads / 8;
		do n = kHeads / 8 + u32(r.below(kNodes - kHeads / 8)); while (used[n]);
		used[n] = true;
		wr(8 * n, table[h]);
		for (u32 k = 0; k < 4; k++) wr(8 * n + 4 - k, m[k]);
		u32 at = 5 + u32(r.below(3));
		for (u32 k = 5; k < 8; k++) wr(8 * n + k, k == at ? 1u << 31 | qpn : 0);
		wr(h, n);
	};
	auto detach = [&](const Mgid &m, u32 qpn) {
		auto &v = groups[m];
		v.erase(std::find(v.begin(), v.end(), qpn));
		u32 prev = hash(m);
		for (u32 n = table[prev]; n; prev = 8 * n, n = table[8 * n])
			if (node_mgid(n) == m)
				for (u32 k = 5; k < 8; k++)
					if (table[8 * n + k] == (1u << 31 | qpn)) {
						wr(8 * n + k, 0);
						if (!(table[8 * n + 5] | table[8 * n + 6] | table[8 * n + 7])) { wr(prev, table[8 * n]); used[n] = false; }
						return;
					}
		FAIL("the model lost a member");
	};

	// The packet that is offered, what it may get, and what it got. Members that are being changed may be in it or not.
	bool go = false;
	Mgid mgid{};
	unsigned slot = 0;
	std::vector<u32> got;
	struct Rel { uint64_t at; unsigned slot; };
	std::vector<Rel> rel;                        // to come
	std::map<unsigned, unsigned> out;            // slot: copies not released; + 1000 while the packet is offered
	std::deque<unsigned> due;                    // slots that must come out, in this order
	bool acc = false, wait = false, is_read = false, ready = false, rel_now = false;
	unsigned rel_slot = 0, packets = 0, copies = 0, none = 0, accs = 0, freed = 0, many = 0;
	std::vector<bool> busy(TB_SLOTS);
	u32 acc_addr = 0, acc_val = 0;

	// What the table says now, by the dwords that have been written.
	std::vector<u32> real(TB_WORDS);
	std::vector<bool> known(TB_WORDS);
	auto members = [&](const Mgid &m) {
		std::vector<u32> v;
		for (u32 n = real[hash(m)]; n; n = real[8 * n])
			if (Mgid{real[8 * n + 4], real[8 * n + 3], real[8 * n + 2], real[8 * n + 1]} == m)
				for (u32 k = 5; k < 8; k++) if (real[8 * n + k] >> 31) v.push_back(real[8 * n + k] & 0xffffff);
		return v;
	};

	b->go_i = b->ready_i = b->none_ready_i = b->rel_valid_i = b->acc_valid_i = 0;
	b.reset();
	for (u32 h = 0; h < kHeads; h++) writes.push_back({h, 0});
	for (uint64_t c = 0; c < b.cycles || go || acc || wait || !rel.empty() || !due.empty(); c++) {
		if (writes.size() < 4 && c < b.cycles) {
			const Mgid &m = mgids[r.below(mgids.size())];
			auto &v = groups[m];
			unsigned total = 0;
			for (auto &g : groups) total += unsigned(g.second.size());
			if (r.chance(3)) reads.push_back(u32(r.below(TB_WORDS + 2)));
			if (r.chance(20)) {
				if (!v.empty() && (r.chance(45) || v.size() > 9)) detach(m, v[r.below(v.size())]);
				else if (total < 120) { u32 q; do q = u32(r.bits(24)); while (std::find(v.begin(), v.end(), q) != v.end()); attach(m, q); }
			}
		}
		b.cycle([&] {
			if (c < b.cycles && !acc && !wait && (!writes.empty() || !reads.empty()) && r.chance(30)) {
				acc = true;
				is_read = !reads.empty();
				acc_addr = is_read ? reads.front() : writes.front().first;
				acc_val = is_read ? 0 : writes.front().second;
				if (is_read) reads.pop_front(); else writes.pop_front();
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_PART, OHCA_CTX_PART_MCAST);
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_INVAL, 0);
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_NUM, acc_addr);
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_DW, 0);
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_WDATA, acc_val);
				SET_FIELD(b->acc_i, OHCA_CTX_ACC_WMASK, is_read ? 0 : ~0u);
			}
			b->acc_valid_i = acc;
			if (!go && c > 2 * TB_WORDS && c < b.cycles && r.chance(30)) {
				unsigned s = unsigned(r.below(TB_SLOTS));
				if (!busy[s]) {
					busy[s] = true;
					// Some packets are no multicast packets: only their release passes here.
					if (r.chance(30)) { out[s] = 1; rel.push_back({c + r.range(3, 40), s}); }
					else {
						go = true;
						slot = s;
						mgid = r.chance(90) ? mgids[r.below(mgids.size())] : Mgid{0xff120000, 1, 2, u32(r.bits(32))};
						got.clear();
						out[s] = 1000;
					}
				}
			}
			b->go_i = go;
			b->slot_i = slot;
			uint8_t w[16];
			for (int k = 0; k < 16; k++) w[15 - k] = uint8_t(mgid[k / 4] >> (24 - 8 * (k % 4)));
			tb::set_bytes(b->mgid_i, w, 16);
			b->ready_i = ready = r.chance(60);
			b->none_ready_i = r.chance(60);
			rel_now = false;
			for (size_t k = 0; k < rel.size() && !rel_now; k++)
				if (rel[k].at <= c) { rel_now = true; rel_slot = rel[k].slot; rel.erase(rel.begin() + long(k)); }
			b->rel_valid_i = rel_now;
			b->rel_slot_i = rel_slot;
		}, [&] {
			if (!go) b.progress();
			if (b->rel_valid_o) {
				CHECK(!due.empty() && b->rel_slot_o == due.front(), "slot %u is released", b->rel_slot_o);
				busy[due.front()] = false;
				due.pop_front();
				freed++;
			}
			if (rel_now && --out[rel_slot] == 0) { due.push_back(rel_slot); }
			if (b->acc_valid_i && b->acc_ready_o) { acc = false; wait = true; }
			if (b->acc_rsp_valid_o) {
				CHECK(wait, "an answer to nothing");
				CHECK(b->acc_err_o == (acc_addr >= TB_WORDS), "error of dword %u", acc_addr);
				if (is_read && acc_addr < TB_WORDS && known[acc_addr]) CHECK(b->acc_rdata_o == real[acc_addr], "dword %u", acc_addr);
				if (!is_read) { real[acc_addr] = acc_val; known[acc_addr] = true; }
				wait = false;
				accs++;
			}
			bool end = false;
			if (b->valid_o) CHECK(go, "a copy of nothing");
			if (b->valid_o && ready) {
				got.push_back(b->qpn_o);
				b.progress();
				out[slot]++;
				rel.push_back({c + r.range(3, r.chance(5) ? 300 : 40), slot});
				end = b->last_o;
			}
			if (b->none_o && b->none_ready_i) { CHECK(go && got.empty(), "no member after all"); end = true; none++; }
			if (end) {
				// No access is answered while a packet is looked up, so this is how the table was all the time.
				auto want = members(mgid);
				std::sort(want.begin(), want.end());
				std::sort(got.begin(), got.end());
				CHECK(want == got, "%zu members instead of %zu", got.size(), want.size());
				packets++;
				copies += unsigned(got.size());
				if (got.size() > 3) many++;
				go = false;
				out[slot] -= 1000;
				if (got.empty()) busy[slot] = false;     // ohca_rxdispatch releases it
			}
		});
	}
	// What was taken in the last cycle still shows.
	b->go_i = b->rel_valid_i = b->acc_valid_i = 0;
	for (unsigned k = 0; k < 4; k++) b.cycle([] {}, [] {});
	CHECK(b->idle_o, "not idle");
	GOAL(packets > 300 && none > 20 && many > 20 && accs > 300);
	printf("# %u packets, %u copies, %u without members, %u with more than three; %u accesses, %u releases\n", packets, copies, none, many, accs, freed);
	return b.finish();
}
