// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_scatter: a READ's scatter list, of random entries, some of them empty, and responses anywhere in it. The
// pieces are those that a model finds byte by byte; a list that is too short, words that end early and words that could
// not be fetched refuse the packet behind the pieces that fit, with their reason.
// dut: ohca_ra_scatter
// dut: ohca_ra_scatter Slow=1
// args: --cycles 150000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"

struct Sge { u64 addr; u32 len, key; };

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	struct Piece { u64 va; u32 key, len, src; bool last, bad; };
	std::deque<Piece> want;
	std::vector<bytes> words;
	tb::Pace wp(&rng), pp(&rng);
	u64 packets = 0, pieces = 0, bad[3] = {}, empty = 0, steps = 0, moved = 0;
	u32 at = 0, pd = 0, qpn = 0, e = 0, priv = 0, chain = 0;
	bool done = false, was_bad = false;
	u32 status = 0, verr = 0;
	std::deque<bytes> held;
	d.start_i = d.word_valid_i = d.pl_ready_i = 0;
	b.reset();
	auto step = [&](bool start) {
		b.cycle([&] {
			d.start_i = start;
			d.begun_i = at >= 2;
			d.end_i = at >= words.size();
			bool v = at < words.size() && wp.go();
			d.word_valid_i = v;
			if (v) tb::set_bytes(d.word_i, words[at].data(), words[at].size());
			d.pl_ready_i = pp.go();
		}, [&] {
			steps++;
			if (d.word_valid_i && d.word_ready_o) { at++; moved++; b.progress(); }
			if (d.done_o) {
				CHECK(!done, "done twice");
				done = true; was_bad = d.bad_o; status = d.status_o; verr = d.verr_o;
			}
			if (d.pl_valid_o && d.pl_ready_i) {
				bytes p = get_all(d.pl_o, OHCA_PL_REQ_BITS);
				CHECK(!want.empty(), "a piece too many");
				Piece w = want.front();
				want.pop_front();
				CHECK_EQ(BF(p, OHCA_PL_REQ_LAST), w.last, "last"); CHECK_EQ(BF(p, OHCA_PL_REQ_BAD), w.bad, "refused");
				CHECK_EQ(BF(p, OHCA_PL_REQ_EMPTY), w.bad, "no bytes");
				if (!w.bad) {
					CHECK_EQ(BF(p, OHCA_PL_REQ_VA), w.va, "address"); CHECK_EQ(BF(p, OHCA_PL_REQ_KEY), w.key, "key");
					CHECK_EQ(BF(p, OHCA_PL_REQ_LEN), w.len, "length"); CHECK_EQ(BF(p, OHCA_PL_REQ_SRC), w.src, "source");
					CHECK_EQ(BF(p, OHCA_PL_REQ_CHK_LEN), w.len, "length to be checked");
				}
				CHECK_EQ(BF(p, OHCA_PL_REQ_PD), pd, "PD"); CHECK_EQ(BF(p, OHCA_PL_REQ_QPN), qpn, "QP");
				CHECK_EQ(BF(p, OHCA_PL_REQ_PRIV), priv, "privilege"); CHECK_EQ(BF(p, OHCA_PL_REQ_ID), e, "number");
				CHECK_EQ(BF(p, OHCA_PL_REQ_PREV), e, "the one before"); CHECK_EQ(BF(p, OHCA_PL_REQ_CHAIN), chain, "chain");
				CHECK(BF(p, OHCA_PL_REQ_ID_V) && !BF(p, OHCA_PL_REQ_CHECK_ONLY) && !BF(p, OHCA_PL_REQ_MAD), "kind");
				pieces++;
				b.progress();
			}
		});
	};
	while (b.now() < b.cycles) {
		// A WQE of 64, 128 or 256 bytes: two words, then the list, then what nobody looks at.
		u32 n = 4u << rng.below(3), nsge = u32(rng.range(0, n - 2)), cap = rng.chance(50) ? 40 : 5000, total = 0;
		std::vector<Sge> list(nsge);
		for (auto &g : list) {
			g = Sge{rng.bits(64), rng.chance(20) ? 0 : u32(rng.range(1, cap)), u32(rng.bits(32))};
			total += g.len;
			empty += !g.len;
		}
		if (nsge && rng.chance(10)) { list.back().len = 0x80000000u - u32(rng.below(100)); total = 0x40000000; }
		u32 from = u32(rng.below(3));                  // words that were taken before
		u32 len = u32(rng.range(1, rng.chance(50) ? 64 : 4096)), skip = u32(rng.below(total + 10));
		if (total > len && rng.chance(60)) skip = u32(rng.below(total - len + 1));
		u32 src = u32(rng.bits(20)), cut = rng.chance(10) ? u32(rng.range(from, n)) : n,
			err = rng.chance(10) ? u32(rng.range(from, n - 1)) : n;
		if (err < cut) cut = err + 1; else err = n;
		words.clear();
		for (u32 i = 0; i < cut; i++) {
			bytes w((OHCA_RING_WORD_BITS + 7) / 8);
			for (auto &x : w) x = u8(rng.bits(8));
			PF(w, OHCA_RING_WORD_LAST, i + 1 == cut); PF(w, OHCA_RING_WORD_ERR, i == err);
			PF(w, OHCA_RING_WORD_VERR, i == err ? OHCA_VENDOR_ERR_FLUSH : 0);
			if (i >= 2 && i - 2 < nsge) {
				const Sge &g = list[i - 2];
				put_bits(w, OHCA_RING_WORD_DATA_LSB, 64, g.addr);
				put_bits(w, OHCA_RING_WORD_DATA_LSB + 64, 32, g.len);
				put_bits(w, OHCA_RING_WORD_DATA_LSB + 96, 32, g.key);
			}
			words.push_back(w);
		}
		at = from;
		pd = u32(rng.bits(24)); qpn = u32(rng.bits(24)); e = u32(rng.bits(6)); priv = u32(rng.bits(1));
		chain = u32(rng.bits(1));
		bytes q((OHCA_RA_QP_BITS + 7) / 8);
		PF(q, OHCA_RA_QP_PD, pd); PF(q, OHCA_RA_QP_QPN, qpn); PF(q, OHCA_RA_QP_PRIV, priv);
		tb::set_bytes(d.qp_i, q.data(), q.size());
		d.e_i = e; d.chain_i = chain; d.skip_i = skip; d.bytes_i = len; d.nsge_i = nsge; d.src_i = src;
		// What is to come of it.
		u32 left = len, s = src, pass = skip, why = 0;
		for (u32 i = 0; left; i++) {
			u32 word = 2 + i;
			if (err < n && err <= std::min(word, 1 + nsge) && (err >= 2 || from <= err)) { why = 2; break; }
			if (i == nsge || word >= cut) { why = 1; break; }
			u32 use = list[i].len > pass ? std::min(list[i].len - pass, left) : 0;
			if (use) want.push_back({list[i].addr + pass, list[i].key, use, s, use == left, false});
			pass = list[i].len > pass ? 0 : pass - list[i].len;
			left -= use;
			s = (s + use) & 0xfffff;
		}
		if (left) want.push_back({0, 0, 0, 0, true, true});
		bad[why] += left != 0;
		done = false;
		step(true);
		d.skip_i = u32(rng.bits(32)); d.bytes_i = u32(rng.bits(13)); d.nsge_i = u32(rng.bits(4)); d.src_i = u32(rng.bits(20));
		while (!done) step(false);
		CHECK_EQ(was_bad, left != 0, "refused");
		if (left) {
			CHECK_EQ(status, why == 2 ? OHCA_WC_STATUS_LOC_QP_OP : OHCA_WC_STATUS_LOC_LEN, "status");
			CHECK_EQ(verr, why == 2 ? OHCA_VENDOR_ERR_FLUSH : OHCA_VENDOR_ERR_LENGTH, "cause");
		} else CHECK(at - 2 <= nsge, "words behind the list were taken");
		while (!want.empty()) step(false);
		for (u64 i = rng.below(3); i; i--) step(false);
		packets++;
	}
	printf("# %llu packets, %llu pieces, %llu empty entries; refused: %llu list too short, %llu not fetched\n",
		(unsigned long long)packets, (unsigned long long)pieces, (unsigned long long)empty, (unsigned long long)bad[1],
		(unsigned long long)bad[2]);
	GOAL(packets > 2000 && pieces > 2000 && bad[1] > 300 && bad[2] > 30 && empty > 500);
	return b.finish();
}
