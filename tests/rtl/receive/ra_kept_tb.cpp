// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_ra_kept: WQEs are sent, asked for, posted anew and sent again, of a few QPs whose lines lie over each other. What is looked at of a WQE
// that was sent is what was sent last, from host memory or not; what is read are all WQEs from the first one on that is not kept, and nothing
// that a model says is kept. QPs are reset, and come back with other WQEs under the same numbers. Reads fail now and then, words are passed by.
// dut: ohca_ra_kept Lines=64 Sges=16 Hits=32 Depth=8
// dut: ohca_ra_kept Lines=64 Sges=16 Hits=32 Depth=8 Beat=4
// dut: ohca_ra_kept Lines=128 Sges=32 Beat=2
// args: --cycles 200000
#include "Vdut.h"
#define TB_D_W 64
#include "host.h"
#include <algorithm>
#ifndef TB_BEAT
#define TB_BEAT 1
#endif
enum { READ = OHCA_WR_OP_RDMA_READ, QPS = 6 };

struct Sge { u64 addr, rest; };
struct Wqe {
	u32 opcode, signaled, nsge, idx, length;
	std::vector<Sge> sge;
	bool sent;                              // since it was posted; until a QP is reset all are
};
struct Qp { u32 qpn, next, stride; std::map<u32, Wqe> w; };
struct Line { u32 qpn, idx; bool keep, read; u64 since; };   // as the header says: what was sent last with this line
struct Ask { u32 qp, idx, cnt; u64 ring; u32 offset, id; };

// Where a WQE's line is: QP numbers backwards, and the index.
static u32 where(u32 qpn, u32 idx)
{
	u32 w = 0, base = 0;
	while ((1u << w) < TB_LINES) w++;
	for (u32 i = 0; i < 24; i++) base ^= (qpn >> i & 1) << (w - 1 - i % w);
	return (base + idx) & (TB_LINES - 1);
}

int main(int argc, char **argv)
{
	tb::Bench<Vdut> b(argc, argv);
	auto &d = *b.dut;
	auto &rng = b.rng;
	Qp qp[QPS];
	Line lines[TB_LINES] = {};
	u32 sges[TB_SGES];                      // whose scatter list is there: the line
	for (u32 &s : sges) s = ~0u;
	u64 void_until = 0;                     // lines may still be becoming void
	std::deque<Ask> asked;                  // accepted, their words not all taken
	struct Rest { Ask a; u32 from; };
	std::deque<Rest> rests;                 // read from host memory
	u32 rest_word = 0;                      // of the first of them: words that were taken
	bool rest_bad = false;
	u32 rest_err = ~0u;                     // ... the word that fails
	u32 got_word = 0;                       // of the first request: words that were taken
	u64 sends = 0, kept = 0, read = 0, resets = 0, reads_kept = 0, fails = 0, checked = 0, must = 0, again = 0, mixed = 0;
	tb::Pace pa(&rng), ps(&rng), pr(&rng), pw(&rng), po(&rng);
	std::map<u64, std::pair<u32, u32>> first_rest;   // by request: where its read begins
	u32 id = 0;
	auto draw = [&](Qp &q, u32 idx) {
		Wqe w{};
		w.opcode = rng.chance(30) ? u32(READ) : u32(rng.below(4));
		if (w.opcode == READ) w.opcode = READ;
		w.signaled = u32(rng.bits(1));
		w.nsge = u32(rng.below(rng.chance(70) ? 2 : 4));
		if (q.stride == 6 && w.nsge > 2) w.nsge = 2;
		w.idx = idx & 0xffff;
		w.length = u32(rng.bits(32));
		for (u32 i = 0; i < w.nsge; i++) w.sge.push_back({rng.bits(64), rng.bits(64)});
		return w;
	};
	auto fresh = [&](Qp &q) {
		q.next = u32(rng.bits(16));
		q.stride = u32(rng.range(6, 8));
		q.w.clear();
	};
	for (u32 i = 0; i < QPS; i++) { qp[i].qpn = i < 3 ? 0x10 + i : u32(rng.bits(24)); fresh(qp[i]); }
	// Two whose WQEs of one index have one line, and which go on side by side.
	qp[1].qpn = qp[0].qpn ^ (TB_LINES + 1);
	qp[1].next = qp[0].next;
	auto bits128 = [&](const Wqe &w, u32 word) {     // as host memory has it
		bytes x(16);
		for (auto &y : x) y = u8(rng.bits(8));
		if (word == 0) {
			PF(x, OHCA_WQE_CTRL_OPCODE, w.opcode); PF(x, OHCA_WQE_CTRL_SIGNALED, w.signaled);
			PF(x, OHCA_WQE_CTRL_NSGE, w.nsge); PF(x, OHCA_WQE_CTRL_IDX, w.idx); PF(x, OHCA_WQE_CTRL_LENGTH, w.length);
		} else if (word >= 2 && word - 2 < w.nsge) {
			put_bits(x, 0, 64, w.sge[word - 2].addr); put_bits(x, 64, 64, w.sge[word - 2].rest);
		}
		return x;
	};
	bool offer = false, send = false, reset = false, go = false, pass = false;
	Ask a{};
	u32 sq = 0, si = 0;
	bool skeep = false, leaves = false;     // a QP is to be reset: nothing is asked for any more
	u32 leaver = 0, rate = 30;
	u64 hush = 0;                           // nothing is sent until then
	bytes rw(16), s((OHCA_WQE_SENT_BITS + 7) / 8);
	d.sent_valid_i = d.ask_valid_i = d.ring_ready_i = d.ring_word_valid_i = d.word_ready_i = 0;
	b.reset();
	void_until = b.now() + TB_LINES + 8;
	u32 tour = 0, tour_send = 0;            // at the end: 40 WQEs that are kept, asked for again and again
	bool touring = false;
	auto step = [&](bool feed) {
		b.cycle([&] {
			if (rng.below(2000) == 0) {
				bool all = rng.chance(40);
				for (auto *p : {&pa, &pr, &pw, &po}) p->always(all ? 1 : -1);
				ps.always(all ? 0 : -1);
				rate = u32(rng.range(3, 60));
			}
			// A WQE is sent: the next one posted, or one of before again.
			send = reset = false;
			if (!leaves && rng.below(1500) == 0) { leaves = true; leaver = u32(rng.below(QPS)); }
			if (tour_send) {
				sq = 0; si = qp[0].next; qp[0].next = (si + 1) & 0xffff;
				qp[0].w[si] = draw(qp[0], si);
				qp[0].w[si].opcode = 0;
				qp[0].w[si].sent = true;
				send = skeep = true;
				tour_send--;
			} else if (feed && b.now() >= hush && ps.go() && rng.chance(rate)) {
				sq = leaves ? leaver : u32(rng.below(QPS));
				if (!leaves && sq < 2) sq = ((qp[0].next - qp[1].next) & 0xffff) < 0x8000 ? 1 : 0;
				Qp &q = qp[sq];
				bool quiet = true;
				for (auto &x : asked) quiet &= x.qp != sq;
				for (auto &x : rests) quiet &= x.a.qp != sq;
				if (leaves && quiet && !(offer && a.qp == sq)) {
					leaves = false;
					if (rng.chance(50)) hush = b.now() + 2 * TB_LINES;
					// With the reset go all that it sent; what it posts has the old numbers.
					send = reset = true;
					std::map<u32, Wqe> old = q.w;
					q.w.clear();
					for (auto &x : old) q.w[x.first] = draw(q, x.first);
				} else {
					auto it0 = std::find_if(q.w.begin(), q.w.end(), [](const std::pair<const u32, Wqe> &x) { return !x.second.sent; });
					if (it0 != q.w.end()) si = it0->first;
					else if (q.w.empty() || rng.chance(80)) { si = q.next; q.next = (q.next + 1) & 0xffff; q.w[si] = draw(q, si); }
					else { auto it = q.w.begin(); std::advance(it, rng.below(q.w.size())); si = it->first; again++; }
					if (q.w.size() > 40) {
						u32 oldest = (q.next - 40) & 0xffff;
						bool used = offer && a.qp == sq;
						for (auto &x : asked) used |= x.qp == sq;
						if (!used) for (auto it = q.w.begin(); it != q.w.end();)
							it = ((it->first - oldest) & 0xffff) >= 0x8000 ? q.w.erase(it) : std::next(it);
					}
					if (q.w.count(si)) {
						Wqe &w = q.w[si];
						send = w.sent = true;
						skeep = (w.opcode != READ || w.nsge <= 1) && !rng.chance(5);
					}
				}
			}
			if (rng.below(200) == 0) for (auto &y : s) y = u8(rng.bits(8));      // else as it was
			PF(s, OHCA_WQE_SENT_RESET, reset);
			if (send && !reset) {
				Wqe &w = qp[sq].w[si];
				PF(s, OHCA_WQE_SENT_KEEP, skeep); PF(s, OHCA_WQE_SENT_QPN, qp[sq].qpn);
				PF(s, OHCA_WQE_SENT_OPCODE, w.opcode); PF(s, OHCA_WQE_SENT_SIGNALED, w.signaled);
				PF(s, OHCA_WQE_SENT_NSGE, w.nsge != 0); PF(s, OHCA_WQE_SENT_IDX, w.idx); PF(s, OHCA_WQE_SENT_LENGTH, w.length);
				if (w.nsge) {
					put_bits(s, OHCA_WQE_SENT_SGE_LSB, 64, w.sge[0].addr);
					put_bits(s, OHCA_WQE_SENT_SGE_LSB + 64, 64, w.sge[0].rest);
				}
			}
			d.sent_valid_i = send;
			tb::set_bytes(d.sent_i, s.data(), s.size());
			// A request: some that were sent, perhaps one more that was not.
			if (!offer && tour) {
				a = Ask{0, (qp[0].next - 40) & 0xffff, 40, rng.bits(44) << 6, 0, id++};
				offer = true;
				tour--;
			} else if (!offer && feed && pa.go()) {
				u32 n = u32(rng.below(rng.chance(50) ? 3 : QPS));
				Qp &q = qp[n];
				if (!q.w.empty() && !(leaves && n == leaver)) {
					// The newest ones, most of the time.
					auto it = rng.chance(70) ? q.w.find((q.next - 1 - u32(rng.below(6))) & 0xffff) : q.w.end();
					if (it == q.w.end()) { it = q.w.begin(); std::advance(it, rng.below(q.w.size())); }
					u32 most = u32(rng.chance(60) ? rng.range(1, 3) : rng.range(1, std::min(40u, 4096u >> q.stride)));
					a = Ask{n, it->first, 0, rng.bits(44) << 6, u32(rng.bits(14)) << 6, id++};
					while (a.cnt < most && q.w.count((a.idx + a.cnt) & 0xffff)) a.cnt++;
					offer = a.cnt != 0;
				}
			}
			bytes r((OHCA_RA_ASK_BITS + 7) / 8);
			PF(r, OHCA_RA_ASK_QPN, qp[a.qp].qpn); PF(r, OHCA_RA_ASK_IDX, a.idx); PF(r, OHCA_RA_ASK_CNT, a.cnt);
			PF(r, OHCA_RA_ASK_LOG_STRIDE, qp[a.qp].stride);
			put_bits(r, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_BUF_LSB, 64, a.ring);
			put_bits(r, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_BUF_MTT_LSB, 1, a.id & 1);
			put_bits(r, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_OFFSET_LSB, 24, a.offset);
			put_bits(r, OHCA_RA_ASK_RING_LSB + OHCA_RING_REQ_LEN_LSB, 13, (a.cnt << qp[a.qp].stride) & 0x1fff);
			d.ask_valid_i = offer;
			tb::set_bytes(d.ask_i, r.data(), r.size());
			d.ring_ready_i = pr.go();
			// Words of what is read.
			if (!go && !rests.empty() && pw.go()) {
				go = true;
				Rest &x = rests.front();
				Qp &q = qp[x.a.qp];
				u32 per = (1u << q.stride) / 16;
				rest_bad = rest_word == rest_err;
				rw = bits128(q.w.at((x.a.idx + x.from + rest_word / per) & 0xffff), rest_word % per);
			}
			bytes word((OHCA_RING_WORD_BITS + 7) / 8);
			bool pass_last = false;
			if (go) {
				Rest &x = rests.front();
				u32 per = (1u << qp[x.a.qp].stride) / 16, all = (x.a.cnt - x.from) * per;
				PF(word, OHCA_RING_WORD_LAST, rest_bad || rest_word + 1 == all); PF(word, OHCA_RING_WORD_ERR, rest_bad);
				PF(word, OHCA_RING_WORD_VERR, rest_bad ? u32(OHCA_VENDOR_ERR_DMA) : 0u);
				put_bits(word, OHCA_RING_WORD_DATA_LSB, 64, bits_of(rw, 0, 64));
				put_bits(word, OHCA_RING_WORD_DATA_LSB + 64, 64, bits_of(rw, 64, 64));
				pass_last = rest_bad || (rest_word | (TB_BEAT - 1)) + 1 == all;
			}
			d.ring_word_valid_i = go;
			tb::set_bytes(d.ring_word_i, word.data(), word.size());
			d.ring_pass_last_i = pass_last;
			pass = touring || rng.chance(30);
			d.word_pass_i = pass;
			d.word_ready_i = touring || po.go();
		}, [&] {
			u64 t = b.now();
			if (d.ring_valid_o && d.ring_ready_i) {
				bytes x = get_all(d.ring_o, OHCA_RING_REQ_BITS);
				// Whose is it? The requests say so by their rings.
				const Ask *w = nullptr;
				for (auto &y : asked) if (y.ring == BF(x, OHCA_RING_REQ_BUF)) w = &y;
				CHECK(w, "a read that nobody asked for");
				u32 from = (u32(BF(x, OHCA_RING_REQ_OFFSET)) - w->offset) >> qp[w->qp].stride;
				CHECK(from < w->cnt && !first_rest.count(w->id), "a read beyond what was asked for, or a second one");
				CHECK_EQ(BF(x, OHCA_RING_REQ_OFFSET), w->offset + (from << qp[w->qp].stride), "offset");
				CHECK_EQ(BF(x, OHCA_RING_REQ_LEN), (w->cnt - from) << qp[w->qp].stride, "length");
				CHECK_EQ(BF(x, OHCA_RING_REQ_BUF_MTT), w->id & 1, "MTT-mapped");
				Line &l = lines[where(qp[w->qp].qpn, (w->idx + from) & 0xffff)];
				u32 at = u32(&l - lines);
				bool there = l.keep && l.qpn == qp[w->qp].qpn && l.idx == ((w->idx + from) & 0xffff) && l.since + 400 < t &&
					void_until + 400 < t && (!l.read || sges[at % TB_SGES] == at);
				CHECK(!there, "WQE %u is kept, but was read", (w->idx + from) & 0xffff);
				must++;
				mixed += from != 0;
				first_rest[w->id] = {from, 0};
				rests.push_back({*w, from});
				if (rests.size() == 1) { rest_word = 0; rest_err = rng.chance(5) ? u32(rng.below(8)) : ~0u; }
				read += w->cnt - from;
			}
			bool took = d.word_valid_o && d.word_ready_i, ended = false;
			bool from_host = d.ring_word_ready_o && d.ring_word_valid_i;
			if (took) {
				CHECK(!asked.empty(), "a word that nobody asked for");
				Ask &x = asked.front();
				Qp &q = qp[x.qp];
				bytes wd = get_all(d.word_o, OHCA_RING_WORD_BITS);
				u32 per = (1u << q.stride) / 16, i = got_word / per, pos = got_word % per, all = x.cnt * per;
				auto fr = first_rest.find(x.id);
				bool host = fr != first_rest.end() && i >= fr->second.first;
				CHECK_EQ(from_host, host, "where a word comes from");
				const Wqe &w = q.w.at((x.idx + i) & 0xffff);
				bool err = BF(wd, OHCA_RING_WORD_ERR);
				CHECK_EQ(err, host && rest_bad, "an error");
				CHECK_EQ(BF(wd, OHCA_RING_WORD_LAST), err || got_word + 1 == all, "last word");
				u32 next = pass ? (got_word | (TB_BEAT - 1)) + 1 : got_word + 1;
				if (pass) CHECK_EQ(d.word_pass_last_o, err || next == all, "last of the beat");
				if (err) { CHECK_EQ(BF(wd, OHCA_RING_WORD_VERR), OHCA_VENDOR_ERR_DMA, "why"); fails++; }
				else if (pos == 0) {
					bytes c(32);
					put_bits(c, 0, 64, bits_of(wd, OHCA_RING_WORD_DATA_LSB, 64));
					CHECK_EQ(BF(c, OHCA_WQE_CTRL_OPCODE), w.opcode, "opcode"); CHECK_EQ(BF(c, OHCA_WQE_CTRL_SIGNALED), w.signaled, "signaled");
					CHECK_EQ(BF(c, OHCA_WQE_CTRL_IDX), w.idx, "index"); CHECK_EQ(BF(c, OHCA_WQE_CTRL_LENGTH), w.length, "length");
					if (w.opcode == READ) CHECK_EQ(BF(c, OHCA_WQE_CTRL_NSGE), w.nsge, "entries");
					checked++;
					kept += !host;
					reads_kept += !host && w.opcode == READ;
				} else if (w.opcode == READ && pos >= 2 && pos - 2 < w.nsge) {
					CHECK_EQ(bits_of(wd, OHCA_RING_WORD_DATA_LSB, 64), w.sge[pos - 2].addr, "entry");
					CHECK_EQ(bits_of(wd, OHCA_RING_WORD_DATA_LSB + 64, 64), w.sge[pos - 2].rest, "entry");
				}
				got_word = next;
				ended = err || next == all;
				b.progress();
			}
			CHECK(!from_host || took, "a word of host memory is lost");
			if (from_host) {
				CHECK_EQ(d.ring_pass_o, pass, "pass");
				Rest &x = rests.front();
				u32 per = (1u << qp[x.a.qp].stride) / 16, all = (x.a.cnt - x.from) * per;
				rest_word = pass ? (rest_word | (TB_BEAT - 1)) + 1 : rest_word + 1;
				go = false;
				if (rest_bad || rest_word == all) {
					rests.pop_front();
					rest_word = 0;
					rest_err = rng.chance(5) ? u32(rng.below(8)) : ~0u;
				}
				rest_bad = false;
			}
			if (ended) {
				Ask &x = asked.front();
				first_rest.erase(x.id);
				asked.pop_front();
				got_word = 0;
			}
			if (offer && d.ask_ready_o) { asked.push_back(a); offer = false; }
			if (reset) {
				for (auto &l : lines) l.keep = false;
				void_until = t + TB_LINES + 2;
				resets++;
			} else if (send) {
				u32 at = where(qp[sq].qpn, si);
				bool is_read = qp[sq].w[si].opcode == READ;
				lines[at] = Line{qp[sq].qpn, si, skeep && t > void_until, is_read, t};
				if (is_read && t > void_until) sges[at % TB_SGES] = at;
				sends++;
			}
			if (asked.empty()) b.progress();
		});
	};
	while (b.now() < b.cycles) step(true);
	for (int i = 0; i < 40000 && (!asked.empty() || offer || !d.idle_o); i++) step(false);
	CHECK(asked.empty() && rests.empty() && d.idle_o, "something is left");
	qp[0].stride = 6;
	tour_send = 40;
	for (int i = 0; i < 50; i++) step(false);
	const u64 before = must, begin = b.now();
	touring = true;
	for (tour = 50; tour || offer || !asked.empty();) step(false);
	const u64 took = b.now() - begin, least = 50 * (40 * 4 / TB_BEAT + 3);
	CHECK(must == before, "WQEs that were just sent are read");
	CHECK(took <= least + 20, "%llu cycles for 50 requests of 40 WQEs", (unsigned long long)took);
	printf("# %llu sent, %llu of them again, %llu resets; %llu WQEs checked, %llu kept, %llu of these READs; %llu read, %llu reads, %llu of them behind "
		"some that were kept, %llu failed\n", (unsigned long long)sends, (unsigned long long)again, (unsigned long long)resets,
		(unsigned long long)checked, (unsigned long long)kept, (unsigned long long)reads_kept, (unsigned long long)read, (unsigned long long)must,
		(unsigned long long)mixed, (unsigned long long)fails);
	GOAL(sends > 5000 && again > 500 && resets > 20 && kept > 1000 && reads_kept > 100 && must > 500 && mixed > 50 && fails > 20);
	return b.finish();
}
