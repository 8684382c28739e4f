// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// What surrounds a receive engine: host memory, ohca_dma_rd with its shared in-order answers, the context write-back channel, context
// memory directory, ring translations, and ohca_place. All with random latencies.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef std::vector<u8> bytes;

// End-to-end credits (IBA 9.7.7.2): what a code of the AETH says, and the largest that says no more than n. 31 is none.
static const u32 kCredits[31] = {0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144,
	8192, 12288, 16384, 24576, 32768};
static inline u32 credit_code_of(u64 n)
{
	u32 code = 0;
	while (code < 30 && kCredits[code + 1] <= n) code++;
	return code;
}

static const u64 ICM_BUS = 0x5500000000ull;   // context memory is one piece of host memory here
static const u64 RING_BUS = 0x6600000000ull;  // MTT-mapped ring space

template <class T> static bytes get_all(const T &s, unsigned bits)
{
	bytes v((bits + 7) / 8);
	tb::get_bytes(s, v.data(), v.size());
	return v;
}
static inline u64 bits_of(const bytes &b, unsigned lsb, unsigned w)
{
	u64 v = 0;
	for (unsigned i = 0; i < w; i++) v |= u64(b[(lsb + i) / 8] >> ((lsb + i) % 8) & 1) << i;
	return v;
}
#define BF(b, name) bits_of(b, name##_LSB, name##_WIDTH)
static inline void put_bits(bytes &b, unsigned lsb, unsigned w, u64 v)
{
	for (unsigned i = 0; i < w; i++) {
		u8 m = u8(1u << ((lsb + i) % 8));
		b[(lsb + i) / 8] = u8((b[(lsb + i) / 8] & ~m) | ((v >> i & 1) ? m : 0));
	}
}
#define PF(b, name, v) put_bits(b, name##_LSB, name##_WIDTH, v)

struct Mem {
	std::unordered_map<u64, u8> m;
	u8 rd(u64 a) const { auto i = m.find(a); return i == m.end() ? 0 : i->second; }
	void wr(u64 a, u8 v) { m[a] = v; }
	void put(u64 a, const void *p, size_t n) { for (size_t i = 0; i < n; i++) m[a + i] = static_cast<const u8 *>(p)[i]; }
	void get(u64 a, void *p, size_t n) const { for (size_t i = 0; i < n; i++) static_cast<u8 *>(p)[i] = rd(a + i); }
	u32 rd32(u64 a) const { u32 v; get(a, &v, 4); return v; }
	void wr32(u64 a, u32 v) { put(a, &v, 4); }
	void wr64(u64 a, u64 v) { put(a, &v, 8); }
};

// One engine's surroundings. N read clients: 0 context, 1 ring, 2 doorbell record.
template <class V> struct Host {
	static const unsigned LANES = TB_D_W / 8;
	tb::Rng &rng;
	V *d;
	Mem mem;
	unsigned lat_lo = 5, lat_hi = 60;
	std::function<bool(u64)> bad_read = [](u64) { return false; };
	u64 reads[3] = {0, 0, 0};
	std::function<void(u64, u32)> on_record;    // the answer to a read of a doorbell record goes out

	struct Rd { unsigned c; u64 addr, due; unsigned len, beats, at; };
	std::deque<Rd> rds;
	struct Icm { u64 due, addr; };
	std::deque<Icm> icms;
	struct Tpt { u64 due, addr; u32 tag; bool ok; };
	std::deque<Tpt> tpts;
	struct Wr { u64 addr; unsigned len; };
	std::deque<Wr> wr_reqs;
	bytes wr_data;
	std::deque<bytes> wr_done;
	std::deque<u64> acks;
	u32 issued = 0, acked = 0;
	u64 quiet = 0;

	Host(tb::Rng &r, V *dut) : rng(r), d(dut) {}

	template <class T> void take_read(unsigned c, const T &req, u64 now)
	{
		Rd r;
		r.c = c;
		r.addr = FIELD(req, OHCA_DMA_RD_REQ_ADDR);
		r.len = unsigned(FIELD(req, OHCA_DMA_RD_REQ_LEN));
		CHECK(r.len >= 1 && r.len <= 4096 && (r.addr & 4095) + r.len <= 4096, "client %u: read of %u at 0x%llx", c, r.len, (unsigned long long)r.addr);
		r.beats = unsigned((r.addr % LANES + r.len + LANES - 1) / LANES);
		r.at = 0;
		r.due = now + rng.range(lat_lo, lat_hi);
		rds.push_back(r);
		reads[c]++;
	}
	bool busy() const { return !rds.empty() || !icms.empty() || !tpts.empty() || !wr_reqs.empty() || !acks.empty(); }

	template <bool HasDbr> void drive(u64 now)
	{
		// reads: one answer bus, in the order of the requests
		BITS(d->ctx_i, OHCA_CTX_RSP_RD_RSP_VALID) = 0;
		BITS(d->ring_i, OHCA_FETCH_RSP_RD_RSP_VALID) = 0;
		if constexpr (HasDbr) BITS(d->dbr_rd_i, OHCA_HRD_RSP_VALID) = 0;
		if (!rds.empty() && rds.front().due <= now && !rng.chance(15)) {
			Rd &r = rds.front();
			u64 a = r.addr / LANES * LANES + u64(r.at) * LANES;
			u8 v[LANES];
			for (unsigned i = 0; i < LANES; i++) v[i] = (a + i < r.addr || a + i >= r.addr + r.len) ? u8(rng.next()) : mem.rd(a + i);
			tb::set_bytes(d->rd_rsp_data_i, v, LANES);
			BITS(d->rd_rsp_i, OHCA_HRD_BEAT_ERR) = bad_read(r.addr);
			r.at++;
			BITS(d->rd_rsp_i, OHCA_HRD_BEAT_LAST) = r.at == r.beats;
			if (r.c == 0) BITS(d->ctx_i, OHCA_CTX_RSP_RD_RSP_VALID) = 1;
			if (r.c == 1) BITS(d->ring_i, OHCA_FETCH_RSP_RD_RSP_VALID) = 1;
			if constexpr (HasDbr) {
				if (r.c == 2) BITS(d->dbr_rd_i, OHCA_HRD_RSP_VALID) = 1;
				if (r.c == 2 && on_record) on_record(r.addr, mem.rd32(r.addr));
			}
			if (r.at == r.beats) rds.pop_front();
		}
		BITS(d->ctx_i, OHCA_CTX_RSP_RD_READY) = !rng.chance(20);
		BITS(d->ring_i, OHCA_FETCH_RSP_RD_READY) = !rng.chance(20);
		if constexpr (HasDbr) BITS(d->dbr_rd_i, OHCA_HRD_RSP_READY) = !rng.chance(20);
		// context memory: two cycles after the grant
		BITS(d->ctx_i, OHCA_CTX_RSP_ICM_READY) = !rng.chance(20);
		BITS(d->ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID) = 0;
		if (!icms.empty() && icms.front().due <= now) {
			BITS(d->ctx_i, OHCA_CTX_RSP_ICM_RSP_VALID) = 1;
			BITS(d->ctx_i, OHCA_CTX_RSP_ICM_RSP_OK) = 1;
			BITS(d->ctx_i, OHCA_CTX_RSP_ICM_RSP_ADDR) = ICM_BUS + icms.front().addr;
			icms.pop_front();
		}
		// ring translations
		BITS(d->ring_i, OHCA_FETCH_RSP_TPT_READY) = !rng.chance(20);
		BITS(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_VALID) = 0;
		if (!tpts.empty() && tpts.front().due <= now) {
			BITS(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_VALID) = 1;
			SET_FIELD(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_OK, tpts.front().ok);
			SET_FIELD(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_VERR, tpts.front().ok ? 0 : OHCA_VENDOR_ERR_TPT_INVALID);
			SET_FIELD(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_ADDR, RING_BUS + tpts.front().addr);
			SET_FIELD(d->ring_i, OHCA_FETCH_RSP_TPT_RSP_TAG, tpts.front().tag);
			tpts.pop_front();
		}
		BITS(d->ctx_i, OHCA_CTX_RSP_WR_READY) = !rng.chance(30);
		BITS(d->ctx_i, OHCA_CTX_RSP_DAT_READY) = !rng.chance(30);
		while (!acks.empty() && acks.front() <= now) { acks.pop_front(); acked++; }
		BITS(d->wr_cnt_i, OHCA_HWR_CNT_ISSUED) = issued;
		BITS(d->wr_cnt_i, OHCA_HWR_CNT_ACKED) = acked;
	}
	template <bool HasDbr> void sample(u64 now)
	{
		if (BITS(d->ctx_o, OHCA_CTX_REQ_RD_VALID) && BITS(d->ctx_i, OHCA_CTX_RSP_RD_READY)) take_read(0, PART(d->ctx_o, OHCA_CTX_REQ_RD), now);
		if (BITS(d->ring_o, OHCA_FETCH_REQ_RD_VALID) && BITS(d->ring_i, OHCA_FETCH_RSP_RD_READY)) take_read(1, PART(d->ring_o, OHCA_FETCH_REQ_RD), now);
		if constexpr (HasDbr) if (BITS(d->dbr_rd_o, OHCA_HRD_REQ_VALID) && BITS(d->dbr_rd_i, OHCA_HRD_RSP_READY)) take_read(2, PART(d->dbr_rd_o, OHCA_HRD_REQ_REQ), now);
		if (BITS(d->ctx_o, OHCA_CTX_REQ_ICM_VALID) && BITS(d->ctx_i, OHCA_CTX_RSP_ICM_READY)) icms.push_back({now + 2, BITS(d->ctx_o, OHCA_CTX_REQ_ICM_ADDR)});
		if (BITS(d->ring_o, OHCA_FETCH_REQ_TPT_VALID) && BITS(d->ring_i, OHCA_FETCH_RSP_TPT_READY)) {
			CHECK(FIELD(d->ring_o, OHCA_FETCH_REQ_TPT_MTT_OP), "ring translation must be an mtt_op");
			tpts.push_back({now + rng.range(2, 9), FIELD(d->ring_o, OHCA_FETCH_REQ_TPT_VA), u32(FIELD(d->ring_o, OHCA_FETCH_REQ_TPT_TAG)), true});
		}
		if (BITS(d->ctx_o, OHCA_CTX_REQ_WR_VALID) && BITS(d->ctx_i, OHCA_CTX_RSP_WR_READY)) {
			wr_reqs.push_back({FIELD(d->ctx_o, OHCA_CTX_REQ_WR_ADDR), unsigned(FIELD(d->ctx_o, OHCA_CTX_REQ_WR_LEN))});
			issued++;
		}
		if (BITS(d->ctx_o, OHCA_CTX_REQ_DAT_VALID) && BITS(d->ctx_i, OHCA_CTX_RSP_DAT_READY)) {
			u8 v[LANES];
			tb::get_bytes(d->ctx_dat_o, v, LANES);
			wr_data.insert(wr_data.end(), v, v + LANES);
			if (BITS(d->ctx_o, OHCA_CTX_REQ_DAT_LAST)) { wr_done.push_back(wr_data); wr_data.clear(); }
		}
		while (!wr_reqs.empty() && !wr_done.empty()) {
			CHECK_EQ(wr_done.front().size(), wr_reqs.front().len, "write-back length");
			mem.put(wr_reqs.front().addr, wr_done.front().data(), wr_done.front().size());
			acks.push_back(now + rng.range(1, 30));
			wr_reqs.pop_front();
			wr_done.pop_front();
		}
	}
};

// ohca_place as one client sees it. Keys whose low byte is 0xbd fail; what is written lands in `wrote` by key and address: all of a packet
// or nothing, and nothing of one that is chained to a refused one.
template <class V> struct Place {
	tb::Rng &rng;
	V *d;
	tb::Pace pace;
	struct Rsp { u64 due; bool ok; u32 verr; };
	std::deque<Rsp> rsps;
	bool failed = false, begun = false;
	signed char refused[64];                    // packets by id: -1 not known
	std::vector<std::pair<std::pair<u32, u64>, u32>> hold;
	u64 chained = 0, passed_on = 0;             // packets that name another one, and that were refused for it
	u32 verr = 0;
	std::map<std::pair<u32, u64>, u32> wrote;   // (key, va) -> receive-buffer address
	std::map<u32, u64> checked;                 // key -> READs checked
	u64 packets = 0, pieces = 0;
	unsigned lat_lo = 3, lat_hi = 40;
	bool ready = false;
	std::function<void(const bytes &)> watch;   // every piece, as it comes
	std::function<void(const bytes &, bool)> outcome; // every piece, when its packet is written (true) or refused
	std::vector<bytes> packet;

	Place(tb::Rng &r, V *dut) : rng(r), d(dut), pace(&r) { memset(refused, -1, sizeof refused); }
	static bool bad_key(u32 key) { return (key & 0xff) == 0xbd; }
	void drive(u64 now)
	{
		ready = pace.go();
		d->pl_req_ready_i = ready;
		d->pl_rsp_valid_i = 0;
		if (!rsps.empty() && rsps.front().due <= now) {
			d->pl_rsp_valid_i = 1;
			SET_FIELD(d->pl_rsp_i, OHCA_PL_RSP_OK, rsps.front().ok);
			SET_FIELD(d->pl_rsp_i, OHCA_PL_RSP_VERR, rsps.front().verr);
			rsps.pop_front();
		}
	}
	void sample(u64 now)
	{
		if (!(d->pl_req_valid_o && ready)) return;
		bytes q = get_all(d->pl_req_o, OHCA_PL_REQ_BITS);
		if (watch) watch(q);
		packet.push_back(q);
		pieces++;
		u32 key = u32(BF(q, OHCA_PL_REQ_KEY));
		u64 va = BF(q, OHCA_PL_REQ_VA);
		unsigned len = unsigned(BF(q, OHCA_PL_REQ_LEN)), src = unsigned(BF(q, OHCA_PL_REQ_SRC));
		u64 chk = BF(q, OHCA_PL_REQ_CHK_LEN);
		CHECK(!BF(q, OHCA_PL_REQ_MAD), "MAD");
		CHECK(!BF(q, OHCA_PL_REQ_BAD) || BF(q, OHCA_PL_REQ_LAST), "bad, but not last");
		if (!begun && BF(q, OHCA_PL_REQ_CHAIN)) {
			int r = refused[BF(q, OHCA_PL_REQ_PREV)];
			CHECK(r >= 0, "chained to packet %u, which never was", unsigned(BF(q, OHCA_PL_REQ_PREV)));
			chained++;
			if (r) { failed = true; verr = OHCA_VENDOR_ERR_FLUSH; passed_on++; }
		}
		begun = true;
		if (!BF(q, OHCA_PL_REQ_EMPTY)) {
			CHECK(len >= 1 && len <= 4096, "piece of %u", len);
			CHECK(chk >= len, "check of %llu for %u", (unsigned long long)chk, len);
			CHECK_EQ(BF(q, OHCA_PL_REQ_PD), key >> 16, "pd of the key");
			if (bad_key(key) && !failed) { failed = true; verr = OHCA_VENDOR_ERR_TPT_KEY; }
			if (BF(q, OHCA_PL_REQ_CHECK_ONLY)) {
				CHECK(BF(q, OHCA_PL_REQ_NEED_RR) && !BF(q, OHCA_PL_REQ_NEED_RW), "READ check");
				checked[key]++;
			} else if (!failed) {
				CHECK(!BF(q, OHCA_PL_REQ_NEED_RR), "write with read access");
				for (unsigned i = 0; i < len; i++) hold.push_back({{key, va + i}, src + i});
			}
		}
		if (BF(q, OHCA_PL_REQ_LAST)) {
			u64 due = now + rng.range(lat_lo, lat_hi);
			if (!rsps.empty() && rsps.back().due > due) due = rsps.back().due;
			if (BF(q, OHCA_PL_REQ_BAD) && !failed) { failed = true; verr = OHCA_VENDOR_ERR_FLUSH; }
			if (!failed) for (auto &w : hold) wrote[w.first] = w.second;
			rsps.push_back({due, !failed, verr});
			if (BF(q, OHCA_PL_REQ_ID_V)) refused[BF(q, OHCA_PL_REQ_ID)] = failed;
			failed = begun = false;
			if (outcome) for (auto &b : packet) outcome(b, rsps.back().ok);
			hold.clear();
			packet.clear();
			verr = 0;
			packets++;
		}
	}
};
