// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_cq_timer: each request whose CQ makes no later one becomes a job, once: at once if it says so, else not before
// its time unless another CQ's took its place, and not late beyond the walk; what a later one of its CQ replaced may
// come or not, and nothing else does. Requests as often as there is room, few CQs for many places and many for few,
// across the wrap of the cycle counter, with time that jumps to the next deadline while the block says it is idle.
// dut: ohca_cq_timer Entries=64
// dut: ohca_cq_timer Entries=4
// args: --cycles 60000
#include <map>
#include "Vdut.h"
#include "tb.h"
typedef uint32_t u32;
typedef uint64_t u64;

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &d = *b.dut;
  auto &rng = b.rng;
  struct Req { u32 cqn, gen, period; bool soon; };
  struct Live { u64 at, due; bool soon, moved; };                 // moved: another CQ's has taken its place
  u64 jobs = 0, timed = 0, soons = 0, moved = 0, replaced = 0, stale = 0, jumps = 0, worst = 0, full = 0;
  for (int round = 0; round < 4; round++) {
    u64 now = round & 1 ? 0xffffff00ull : 0x7fffff00ull;
    const u32 scale = round == 3 ? 0 : u32(rng.range(1, 40)), per = scale ? scale : 1;
    const unsigned ncq = round < 2 ? TB_ENTRIES : 3 * TB_ENTRIES;
    const bool busy = round & 1;
    std::vector<u32> cqn(ncq), gen(ncq, 0);
    for (unsigned i = 0; i < ncq; i++) cqn[i] = u32(rng.bits(18)) << 6 | (i % 64);
    std::map<std::pair<u32, u32>, Live> live;                    // by CQ and generation
    std::map<std::pair<u32, u32>, unsigned> old;                 // replaced: may come
    std::map<u32, std::pair<u32, u32>> place;                    // who stands where, as far as requests tell
    std::deque<std::pair<u64, Req>> way;                         // requests on their way: three cycles
    tb::Pace pace(&rng);
    d.req_valid_i = d.job_ready_i = 0;
    d.now_i = u32(now);
    d.cycles_per_us_i = scale;
    b.reset();
    bool more = true, always = false;
    auto step = [&] {
      bool ready = always || pace.go();
      b.cycle([&] {
        now++;
        if (d.idle_o && way.empty() && !live.empty() && !busy && rng.chance(5)) {
          CHECK(d.any_o, "idle, and nothing is known of %zu", live.size());
          u64 to = now + u32(d.next_o - u32(now));
          if (int32_t(d.next_o - u32(now)) > 1) { now = to - rng.below(2); jumps++; }
        }
        d.now_i = u32(now);
        if (more && rng.chance(busy ? 100 : 2)) {
          if (!d.req_room_o) full++;
          else {
            unsigned i = unsigned(rng.below(ncq));
            gen[i] = (gen[i] + 1) & 0xff;
            way.push_back({b.now() + 3, {cqn[i], gen[i], rng.chance(10) ? 0 : rng.chance(5) && !busy ? 65535 : u32(rng.range(1, 60)), rng.chance(10)}});
          }
        }
        d.req_valid_i = !way.empty() && way.front().first <= b.now();
        if (d.req_valid_i) {
          Req r = way.front().second;
          way.pop_front();
          d.req_cqn_i = r.cqn; d.req_gen_i = uint8_t(r.gen); d.req_soon_i = r.soon; d.req_period_i = uint16_t(r.period);
          for (auto e = live.begin(); e != live.end();) {         // nothing waits for these any more
            if (e->first.first != r.cqn) { ++e; continue; }
            old[e->first]++;
            replaced++;
            e = live.erase(e);
          }
          if (r.soon || r.period) {
            live[{r.cqn, r.gen}] = {now, now + u64(r.period) * per, r.soon, false};
            if (!r.soon) {
              auto &p = place[r.cqn % TB_ENTRIES];
              if (p.first != r.cqn && live.count(p)) live[p].moved = true;
              p = {r.cqn, r.gen};
            }
          }
        }
        d.job_ready_i = ready;
      }, [&] {
        if (d.job_valid_o && d.job_ready_i) {
          std::pair<u32, u32> k{d.job_cqn_o, d.job_gen_o};
          jobs++;
          b.progress();
          auto e = live.find(k);
          if (e == live.end()) {
            CHECK(old.count(k) && old[k], "a job that nobody asked for: CQ %x generation %u", k.first, k.second);
            old[k]--;
            stale++;
          } else {
            if (e->second.soon) soons++;
            else if (now < e->second.due) { CHECK(e->second.moved, "CQ %x: %llu cycles early", k.first, (unsigned long long)(e->second.due - now)); moved++; }
            else timed++;
            if (always && now > e->second.due && !e->second.moved && !e->second.soon) worst = std::max(worst, now - e->second.due);
            live.erase(e);
          }
        }
        CHECK(!d.idle_o || !d.job_valid_o, "idle with a job");
        if (d.idle_o && !d.req_valid_i) for (auto &e : live)     // deadlines count from when a request is taken
          CHECK(d.any_o && int64_t(e.second.due + 200 - now) >= int32_t(d.next_o - u32(now)), "next %x is after %llx", d.next_o, (unsigned long long)e.second.due);
      });
      if (live.empty() || d.idle_o) b.progress();
    };
    for (u64 k = 0; k < b.cycles / 8; k++) step();
    always = true;
    for (u64 k = 0; k < b.cycles / 8; k++) step();
    more = false;
    for (u64 k = 0; k < 40000 && !live.empty(); k++) {
      if (d.idle_o && way.empty() && d.any_o && int32_t(d.next_o - u32(now)) > 1) now += u32(d.next_o - u32(now)) - 1;
      step();
    }
    CHECK(live.empty(), "%zu requests never became jobs", live.size());
    for (int k = 0; k < 4000 && !(d.idle_o && !d.any_o); k++) {
      if (d.idle_o && d.any_o && int32_t(d.next_o - u32(now)) > 1) now += u32(d.next_o - u32(now)) - 1;
      step();
    }
    CHECK(d.idle_o && !d.any_o, "empty, and does not say so");
  }
  printf("# %llu jobs: %llu timed, %llu at once, %llu displaced, %llu of before; %llu replaced, %llu without room; %llu jumps; late by %llu at most\n", (unsigned long long)jobs,
         (unsigned long long)timed, (unsigned long long)soons, (unsigned long long)moved, (unsigned long long)stale, (unsigned long long)replaced, (unsigned long long)full,
         (unsigned long long)jumps, (unsigned long long)worst);
  CHECK(worst <= 24 * TB_ENTRIES + 8 * 24 + 64, "late by %llu", (unsigned long long)worst);
  GOAL(timed > 50 && soons > 20 && moved > 3 && replaced > 10 && full > 100 && jumps > 3);
  return b.finish();
}
