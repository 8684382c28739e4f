// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What the tests of the send path share: translations as a client sees them, random addresses, packets as bytes.
#pragma once
#include "../context/models.h"
typedef uint16_t u16;

// One tpt client: answers in request order after a random time. Keys with bit 31 set are refused.
struct TptModel {
	struct T { bool ok; u64 addr, due; };
	tb::Rng &rng;
	unsigned lat_lo = 1, lat_hi = 12;
	std::deque<T> q;
	u64 requests = 0;
	explicit TptModel(tb::Rng &r) : rng(r) {}
	static u64 bus(u64 va) { return (va & ~0xffffull) + 0x5a0000000000ull + ((((va >> 12) * 3) & 15) << 12) + (va & 0xfff); }
	template <class S> void accept(const S &req, u64 now)
	{
		u64 va = FIELD(req, OHCA_TPT_REQ_VA);
		u32 len = u32(FIELD(req, OHCA_TPT_REQ_CHK_LEN));
		CHECK(len >= 1 && (va & 4095) + len <= 4096, "translation of %u at 0x%llx", len, (unsigned long long)va);
		u64 due = now + rng.range(lat_lo, lat_hi);
		if (!q.empty() && due <= q.back().due) due = q.back().due + 1;
		q.push_back({!(FIELD(req, OHCA_TPT_REQ_KEY) >> 31), bus(va), due});
		requests++;
	}
	template <class V, class R> void drive(u64 now, V &valid, R &rsp)
	{
		valid = 0;
		if (q.empty() || q.front().due > now) return;
		valid = 1;
		tb::clear(rsp);
		SET_FIELD(rsp, OHCA_TPT_RSP_OK, q.front().ok);
		SET_FIELD(rsp, OHCA_TPT_RSP_ADDR, q.front().ok ? q.front().addr : rng.next());
		SET_FIELD(rsp, OHCA_TPT_RSP_VERR, q.front().ok ? 0 : OHCA_VENDOR_ERR_TPT_KEY);
		q.pop_front();
	}
};
// Payload by virtual address, as the device must see it.
static inline u8 va_byte(u64 va) { return host_byte(TptModel::bus(va)); }

static inline void put16(bytes &b, u32 v) { b.push_back(u8(v >> 8)); b.push_back(u8(v)); }
static inline void put32(bytes &b, u32 v) { put16(b, v >> 16); put16(b, v & 0xffff); }
static inline void put64(bytes &b, u64 v) { put32(b, u32(v >> 32)); put32(b, u32(v)); }

#ifndef TB_NUM_VL
#define TB_NUM_VL 1
#endif
enum { VLS = TB_NUM_VL };
// The egress rings as those see them who emit descriptors: room that is taken, packets that come with it, VLs that stop at random.
struct Rooms {
	tb::Rng &rng;
	u32 lane, hdr, words, room[8], desc[8], took_w[8] = {}, took_n[8] = {};
	std::deque<u32> ring[8];
	u64 until[8] = {}, stops = 0, mask = 0;    // mask: stopped for as long as it is set
	bool random = false;
	u8 sl2vl[16];
	Rooms(tb::Rng &r, u32 width) : rng(r), lane(width / 8), hdr((108 + lane - 1) / lane), words((width <= 128 ? 16384 : 32768) / lane)
	{
		for (int v = 0; v < 8; v++) { room[v] = words; desc[v] = 64; }
		for (auto &v : sl2vl) v = u8(rng.chance(90) ? rng.below(VLS) : rng.chance(50) ? 15 : VLS + rng.below(15 - VLS));
	}
	u32 vl(u32 sl) const { return VLS == 1 ? 0 : sl2vl[sl] < VLS ? sl2vl[sl] : 15; }
	u32 reserve() const { return 4096 / lane + 2 * hdr; }
	u32 need(u32 plen) const { return hdr + (plen + lane - 1) / lane; }
	u64 map() const { u64 x = 0; for (int i = 0; i < 16; i++) x |= u64(sl2vl[i]) << 4 * i; return x; }
	template <class R, class D> void drive(R &r, D &d) const
	{
		tb::clear(r); tb::clear(d);
		for (unsigned v = 0; v < VLS; v++) { tb::set_bits(r, 13 * v, 13, room[v]); tb::set_bits(d, 8 * v, 8, desc[v]); }
	}
	// vl: its bit; left: what must be left to others
	void take(u32 vl, u32 w, u32 n, u32 left_w, u32 left_n)
	{
		const u32 v = u32(__builtin_ctz(vl));
		CHECK(vl == 1u << v && v < VLS && room[v] >= w + left_w && desc[v] >= n + left_n, "VL %u: took %u words, %u packets of %u, %u", v, w, n, room[v], desc[v]);
		room[v] -= w; desc[v] -= n;
		took_w[v] += w; took_n[v] += n;
	}
	void packet(u32 v, u32 plen)
	{
		if (VLS == 1 || v >= VLS) return;
		CHECK(took_n[v] && took_w[v] >= need(plen), "VL %u: a packet without room", v);
		took_n[v]--; took_w[v] -= need(plen);
		ring[v].push_back(need(plen));
	}
	bool stopped(u32 v, u64 now) const { return now < until[v] || (mask >> v & 1); }
	void step(u64 now)
	{
		if (VLS == 1) return;
		for (unsigned v = 0; v < VLS; v++) {
			if (random && now >= until[v] && rng.below(2500) == 0) { until[v] = now + rng.range(1, 2500); stops++; }
			if (stopped(v, now) || ring[v].empty() || (random && !rng.chance(30))) continue;
			room[v] += ring[v].front(); desc[v]++;
			ring[v].pop_front();
		}
	}
	void check_end() const { for (unsigned v = 0; v < VLS; v++) CHECK(took_w[v] == 0 && took_n[v] == 0, "VL %u: room for %u packets that never came", v, took_n[v]); }
};
