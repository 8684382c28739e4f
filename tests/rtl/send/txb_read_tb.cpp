// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_txb_read: the bytes of random packets, piece by piece, from host memory and from the inline stream, at all
// alignments; pieces that are refused, cannot be read or say that the list ended, or whose QP is
// reset before they are translated; what a mark waits for while nobody takes.
// dut: ohca_txb_read DW=64
// dut: ohca_txb_read DW=64 Compact=1 Pieces=16 BufBytes=8192
// dut: ohca_txb_read DW=128
// dut: ohca_txb_read DW=512
// args: --cycles 120000
#include "Vdut.h"
#include "tb.h"
#include "send_models.h"

enum { LANES = TB_D_W / 8 };
typedef tb::Value<decltype(Vdut::txp_i)> Txp;
typedef tb::Value<decltype(Vdut::inl_i)> Word;
static bool bad_addr(u64 a) { return (a >> 12) % 61 == 7; }

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv, 100);
	auto &r = b.rng;
	TptModel tpt(r);
	ReadModel rd(r, LANES);
	rd.force_err = bad_addr;
	struct Packet { bytes data; bool err = false, is_short = false, gone = false; u32 verr = 0; };
	struct Slot { u8 at; bool gone; };         // of a piece; gone: its QP is reset before it is translated
	std::deque<Slot> slots;
	Slot inside = { 0, false };                // of the piece that is looked at
	std::deque<bool> asked;                    // of the pieces in front of translation: gone
	u64 pieces = 0, goners[2] = {};
	std::deque<Packet> want;
	Packet got;
	tb::Source<Txp> sp(&r);
	tb::Source<Word> sn(&r);
	tb::Pace take(&r), tp(&r), rp(&r);
	u64 packets = 0, errors[4] = {}, words = 0, good = 0, read = 0, mark = 0, marks = 0, under = 0, still = 0, halted = 0;
	bool marked = false;
	struct { bool any = false; Txp t; } was;   // the piece in front of translation
	auto push = [&] {
		Packet w;
		u32 n = u32(r.chance(60) ? 1 : r.range(1, 14));
		bool inline_all = r.chance(30);
		auto fail = [&](u32 verr, bool s) { if (!w.err) { w.err = true; w.verr = verr; w.is_short = s; } };
		for (u32 i = 0; i < n; i++) {
			Txp t;
			tb::clear(t.v);
			bool inl = inline_all || (n > 1 && r.chance(10)), bad = !inl && r.chance(3);
			u64 va = r.bits(40);
			u32 len = u32(r.chance(60) ? r.range(1, 80) : r.range(1, inl ? 224 : 4096)), key = u32(r.bits(31));
			if (!inl) len = std::min<u32>(len, 4096 - (va & 4095));
			if (!inl && r.chance(2)) key |= 0x80000000u;
			bool gone = !inl && r.chance(3), says = gone && bad && r.chance(50), remote = !inl && !gone && r.chance(20);
			slots.push_back({ u8(pieces++ % 8), gone && !says });
			SET_FIELD(t.v, OHCA_TXP_SLOT, slots.back().at); SET_FIELD(t.v, OHCA_TXP_GONE, says); SET_FIELD(t.v, OHCA_TXP_REMOTE, remote);
			SET_FIELD(t.v, OHCA_TXP_LAST, i + 1 == n); SET_FIELD(t.v, OHCA_TXP_BAD, bad);
			SET_FIELD(t.v, OHCA_TXP_INL, inl); SET_FIELD(t.v, OHCA_TXP_VA, va); SET_FIELD(t.v, OHCA_TXP_KEY, key);
			SET_FIELD(t.v, OHCA_TXP_LEN, len);
			sp.push(t);
			if (inl) for (u32 at = 0; at < len; at += 16) {
				Word x;
				for (u32 k = 0; k < 16; k++) {
					u8 v = u8(r.bits(8));
					tb::set_bits(x.v, 8 * k, 8, v);
					if (at + k < len) w.data.push_back(v);
				}
				sn.push(x);
				words++;
			} else if (gone) {
				fail(bad ? u32(OHCA_VENDOR_ERR_LENGTH) : ~0u, bad);
				w.gone = true;
				goners[says]++;
			} else if (bad) fail(OHCA_VENDOR_ERR_LENGTH, true);
			else if (key >> 31) fail(OHCA_VENDOR_ERR_TPT_KEY, false);
			else {
				if (bad_addr(TptModel::bus(va))) fail(OHCA_VENDOR_ERR_DMA, false);
				for (u32 k = 0; k < len; k++) w.data.push_back(va_byte(va + k));
			}
		}
		want.push_back(w);
	};
	b->txp_valid_i = b->inl_valid_i = b->tpt_rsp_valid_i = b->rd_rsp_valid_i = b->frag_take_i = b->drain_i = 0;
	b.reset();
	auto seen = [&] {
		return packets > 300 && errors[0] > 3 && errors[1] > 3 && errors[2] > 3 && errors[3] > 3 && goners[0] > 20 && goners[1] && words > 100 &&
		       marks > 10 && halted;
	};
	bool more = true;                          // until all has been seen that is wanted, and at least so many cycles
	while (more || !want.empty()) {
		more = more && (b.now() < b.cycles || (b.now() < 20 * b.cycles && !seen()));
		if (more && want.size() < 60) push();
		if (!still && r.below(4000) == 0) still = 1500;    // nobody takes anything for so long
		if (still) still--;
		b.cycle([&] {
			b->txp_valid_i = sp.drive();
			if (b->txp_valid_i) b->txp_i = sp.front().v;
			b->inl_valid_i = sn.drive();
			if (b->inl_valid_i) b->inl_i = sn.front().v;
			// Of other slots anything may be said, and of pieces that are inline or of responses, which have none of their own.
			u32 marks_now = u32(r.bits(8));
			auto own = [&](const Slot &s, const auto &t) {
				if (!FIELD(t, OHCA_TXP_INL) && !FIELD(t, OHCA_TXP_REMOTE)) marks_now = (marks_now & ~(1u << s.at)) | u32(s.gone) << s.at;
			};
			if (!slots.empty()) own(slots.front(), sp.front().v);
			if (was.any) own(inside, was.t.v);
			b->gone_i = u8(marks_now);
			b->tpt_ready_i = tp.go();
			b->rd_ready_i = rp.go();
			tpt.drive(b.now(), b->tpt_rsp_valid_i, b->tpt_rsp_i);
			CData last = 0;
			rd.drive(b.now(), b->rd_rsp_valid_i, b->rd_rsp_data_i, last, b->rd_rsp_err_i);
			read += b->rd_rsp_valid_i && last;
			b->drain_i = !marked && r.chance(1);
			b->frag_take_i = 0;
			b->eval();
			b->frag_take_i = b->frag_valid_o && !still && take.go();
		}, [&] {
			sn.sample(b->inl_ready_o);
			if (still) b.progress();
			if (b->tpt_valid_o && b->tpt_ready_i) {
				tpt.accept(b->tpt_o, b.now());
				CHECK(!asked.empty(), "a translation that nobody needs");
				good += !asked.front() && !(FIELD(b->tpt_o, OHCA_TPT_REQ_KEY) >> 31);
				asked.pop_front();
			}
			if (b->txp_valid_i && b->txp_ready_o && !FIELD(sp.front().v, OHCA_TXP_INL) && !FIELD(sp.front().v, OHCA_TXP_BAD)) asked.push_back(slots.front().gone);
			if (b->txp_valid_i && b->txp_ready_o) { was.any = true; was.t = sp.front(); inside = slots.front(); slots.pop_front(); }
			if (sp.sample(b->txp_ready_o)) b.progress();
			if (b->rd_valid_o && b->rd_ready_i) rd.accept(b->rd_o, b.now());
			if (marked && !b->draining_o) {
				CHECK(read >= mark, "drained, but %llu of %llu pieces were read", (unsigned long long)read, (unsigned long long)mark);
				marked = false;
				marks++;
				halted += still && still < 900;
			}
			if (b->drain_i) { marked = true; mark = good; under = b.now(); }
			CHECK(!marked || b.now() < under + 6000, "a mark waits for more than the host");
			if (!b->frag_take_i) return;
			b.progress();
			CHECK(!want.empty(), "bytes from nowhere");
			u8 d[LANES];
			tb::get_bytes(b->frag_data_o, d, LANES);
			u32 off = b->frag_off_o, n = b->frag_n_o;
			CHECK(off + n <= LANES && (n || b->frag_err_o), "%u bytes from lane %u on", n, off);
			Packet &w = want.front();
			if (b->frag_err_o && !got.err) {
				got.err = true;
				CHECK(w.err, "an error from nowhere");
				if (w.verr != ~0u) CHECK_EQ(b->frag_verr_o, w.verr, "vendor error");
				CHECK_EQ(b->frag_short_o, w.is_short, "list too short");
				errors[w.verr == OHCA_VENDOR_ERR_LENGTH ? 0 : w.verr == OHCA_VENDOR_ERR_DMA ? 1 : w.verr == ~0u ? 3 : 2]++;
			}
			got.gone |= b->frag_err_o && b->frag_gone_o;
			got.data.insert(got.data.end(), d + off, d + off + n);
			if (!b->frag_last_o) return;
			CHECK_EQ(got.err, w.err, "error");
			CHECK_EQ(got.gone, w.gone, "the QP is gone");
			CHECK_EQ(got.data.size(), w.data.size(), "bytes");
			for (size_t k = 0; !w.err && k < w.data.size(); k++)
				CHECK(got.data[k] == w.data[k], "byte %zu of %zu", k, w.data.size());
			want.pop_front();
			got = Packet();
			packets++;
		});
	}
	for (int i = 0; i < 40; i++) b.cycle([&] { b->frag_take_i = b->drain_i = b->txp_valid_i = b->inl_valid_i = b->rd_rsp_valid_i = b->tpt_rsp_valid_i = 0; }, [&] {
		if (i == 39) CHECK(b->idle_o && !b->draining_o, "not idle at the end");
	});
	GOAL(seen());
	return b.finish();
}
