// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_cq_park DW=64 InFlight=16
// dut: ohca_cq_park DW=512 InFlight=4
// Completions of a few CQs, parked at random and decided later; reads of doorbell records that come late or fail: every completion comes back in order with
// what its record says, what is parked of a CQ is known in every cycle, and a slot serves one completion at a time. Records are read ahead, too, one at a time; and
// once a replay has found room no other is to come in until nothing is parked.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned N = TB_IN_FLIGHT, BUS = TB_D_W / 8;
  struct Parked { uint32_t cqn; uint64_t dbr; uint32_t imm; bool look; };
  struct Read { uint64_t dbr, due; unsigned tag; };
  struct Out { uint32_t cqn; unsigned slot; bool look; };       // replayed, not decided
  std::deque<Parked> wait;
  std::deque<uint64_t> asked;
  std::deque<Read> reads;
  std::deque<uint64_t> answered;                     // what the answers hold, in order; bit 63: an error
  std::vector<Out> out;
  std::map<unsigned, uint32_t> slots;                // by slot number: the CQ
  tb::Pace park(&rng), done(&rng), rd(&rng), rep(&rng);
  uint64_t total = 0, failed = 0, most = 0, looks = 0, holds = 0, lates = 0;
  bool looking = false, hold = false, look_late = false;   // look_late: its read is not asked for yet, as a completion was parked
  Parked late{};
  uint32_t id = 0;
  Parked p{};
  int fin = -1;
  d.park_i = d.done_i = d.rd_rsp_valid_i = d.look_i = d.looked_i = d.calm_i = 0;
  b.reset();
  for (uint64_t k = 0; k < b.cycles * 2; k++) {
    b.cycle([&] {
      d.done_i = d.looked_i = d.calm_i = 0;
      fin = -1;
      id = uint32_t(rng.below(4)) * 0x111111;
      if (!out.empty() && done.go()) {
        fin = int(rng.below(out.size()));
        id = out[fin].cqn;                          // the context that is looked at is the replay's
        d.done_i = !out[fin].look;
        d.looked_i = out[fin].look;
        d.calm_i = d.done_i && rng.chance(10);
        d.slot_i = out[fin].slot;
      }
      d.id_i = id;
      d.park_i = fin < 0 && slots.size() < N - 1 && park.go();
      d.look_i = fin < 0 && !d.park_i && !looking && rng.chance(20);
      p = {id, rng.bits(58) << 3, uint32_t(rng.bits(32)), false};
      SET_FIELD(d.req_i, OHCA_CQ_REQ_CQN, p.cqn);
      SET_FIELD(d.req_i, OHCA_CQ_REQ_IMM, p.imm);
      d.dbr_i = p.dbr >> 3;
      d.rd_ready_i = rd.go();
      d.rep_ready_i = rep.go();
      d.rd_rsp_valid_i = !reads.empty() && reads.front().due <= b.now();
      if (d.rd_rsp_valid_i) {
        uint8_t beat[BUS];
        for (auto &x : beat) x = uint8_t(rng.bits(8));
        uint64_t ci = rng.bits(24);
        for (int i = 0; i < 3; i++) beat[reads.front().dbr % BUS + i] = uint8_t(ci >> (8 * i));
        tb::set_bytes(d.rd_rsp_data_i, beat, BUS);
        d.rd_rsp_tag_i = reads.front().tag;
        d.rd_rsp_err_i = rng.chance(10);
        answered.push_back(ci | uint64_t(d.rd_rsp_err_i) << 63);
        reads.pop_front();
      }
    }, [&] {
      b.progress();
      uint64_t want = 0;
      for (auto &s : slots) if (s.second == id) want |= 1ull << s.first;
      CHECK_EQ(d.parked_o, want, "what is parked");
      CHECK_EQ(d.looks_o, looking, "a record is read ahead");
      CHECK_EQ(d.hold_o, hold, "no other is to come in");
      holds += hold;
      hold = (hold || d.calm_i) && !slots.empty();
      if (d.rep_valid_o) {
        CHECK(!wait.empty() && answered.size() > d.rd_rsp_valid_i, "a replay without an answer");   // one that comes now counts from the next cycle on
        CHECK_EQ(FIELD(d.rep_o, OHCA_CQ_REQ_CQN), wait.front().cqn, "CQ");
        CHECK_EQ(d.rep_look_o, wait.front().look, "read ahead");
        if (!d.rep_look_o) {
          CHECK_EQ(FIELD(d.rep_o, OHCA_CQ_REQ_IMM), wait.front().imm, "completion");
          CHECK(slots.count(d.rep_slot_o) && slots[d.rep_slot_o] == wait.front().cqn, "slot");
        }
        CHECK_EQ(d.rep_ok_o, !(answered.front() >> 63), "read");
        if (d.rep_ok_o) CHECK_EQ(d.rep_ci_o, answered.front() & 0xffffff, "consumer index"); else failed++;
        if (d.rep_ready_i) {
          if (!d.rep_look_o) for (auto &o : out) CHECK(o.look || o.slot != d.rep_slot_o, "a slot of two");
          out.push_back({wait.front().cqn, unsigned(d.rep_slot_o), bool(d.rep_look_o)});
          wait.pop_front();
          answered.pop_front();
          total++;
        }
      }
      if (d.rd_valid_o && d.rd_ready_i) {
        CHECK(!asked.empty(), "a read that nobody needs");
        CHECK_EQ(FIELD(d.rd_o, OHCA_DMA_RD_REQ_ADDR), asked.front(), "doorbell record");
        CHECK_EQ(FIELD(d.rd_o, OHCA_DMA_RD_REQ_LEN), 8, "bytes");
        uint64_t due = b.now() + rng.range(2, rng.chance(5) ? 200 : 10);
        if (!reads.empty() && due <= reads.back().due) due = reads.back().due + 1;
        reads.push_back({asked.front(), due, unsigned(FIELD(d.rd_o, OHCA_DMA_RD_REQ_TAG))});
        asked.pop_front();
      }
      if (fin >= 0) {
        if (out[fin].look) looking = false;
        else slots.erase(out[fin].slot);
        out.erase(out.begin() + fin);
      }
      // A read ahead goes in a cycle later, or behind what is parked then.
      if (look_late && !d.park_i) {
        wait.push_back(late);
        asked.push_back(late.dbr);
        look_late = false;
      } else lates += look_late;
      if (d.look_i) {
        looking = look_late = true;
        late = {id, p.dbr, 0, true};
        looks++;
      }
      if (d.park_i) {
        unsigned s = 0;
        while (slots.count(s)) s++;                  // the lowest one that is free
        slots[s] = p.cqn;
        wait.push_back(p);
        asked.push_back(p.dbr);
        if (slots.size() > most) most = slots.size();
      }
    });
  }
  printf("# %llu completions, %llu reads failed, %llu parked at most\n", (unsigned long long)total, (unsigned long long)failed, (unsigned long long)most);
  GOAL(total > 1000);
  GOAL(failed > 20);
  GOAL(most == N - 1);
  GOAL(looks > 100 && lates > 10 && holds > 100);
  return b.finish();
}
