// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_bar_cnt: pulses of all sources in every cycle, against sums made here, while the host and the management core read
// and write: no pulse is lost or counted twice, a read gives what was written or a value that the counter had less than
// 128 cycles before, the core's answer comes in the next cycle, the host's as soon as nothing goes before it.
// dut: ohca_bar_cnt
// dut: ohca_bar_cnt CntSources=3
// dut: ohca_bar_cnt CntSources=2 CntMask=128'hffffffff00000000000000000000ffff
#include "Vdut.h"
#include "tb.h"

#ifndef TB_CNT_SOURCES
#define TB_CNT_SOURCES 1
#endif

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  static const uint64_t narrow[2] = {0xffff, 0xffffffff00000000ull};
  uint64_t mask[TB_CNT_SOURCES], cnt[64] = {}, old[128][64] = {}, cmd[4] = {}, waited = 0, most = 0, host_reads = 0, core_reads = 0;
  for (unsigned s = 0; s < TB_CNT_SOURCES; s++) mask[s] = TB_CNT_SOURCES == 2 ? narrow[s] : ~0ull;
  unsigned heavy = 50, since_core = 0, since_host = 0, core_at = 0, host_at = 0;
  bool asks = false, core_due = false, quiet = false, now_core = false, waiting = false;
  uint64_t now = 0, core_word = 0;
  // A counter of at most 128 cycles ago up to now; a quadword of the command block as it is.
  auto check = [&](unsigned at, uint64_t got, const char *who) {
    if (at >= 64) { CHECK_EQ(got, cmd[at - 64], who); return; }
    CHECK(got >= old[(now + 1) % 128][at] && got <= cnt[at], "%s: counter %u is %llu, not between %llu and %llu", who, at,
          (unsigned long long)got, (unsigned long long)old[(now + 1) % 128][at], (unsigned long long)cnt[at]);
  };
  auto drive = [&] {
    for (unsigned s = 0; s < TB_CNT_SOURCES; s++) {
      uint64_t p = quiet || d.init_o ? 0 : rng.chance(heavy) ? ~0ull : rng.next() & rng.next();
      p &= mask[s];
      tb::set_bits(d.cnt_i, 64 * s, 64, p);
      for (unsigned i = 0; i < 64; i++) cnt[i] += p >> i & 1;
    }
    memcpy(old[now % 128], cnt, sizeof cnt);
    // No more accesses than ohca_bar and the core make: one in seven and one in eight cycles.
    since_core++;
    since_host++;
    d.mem_rd_i = since_core >= 8 && rng.chance(heavy);
    if (d.mem_rd_i) since_core = 0;
    core_at = unsigned(rng.below(68));
    d.mem_rd_addr_i = uint8_t(core_at);
    now_core = d.mem_rd_i;
    d.wr_valid_i = d.set_valid_i = 0;
    if (!d.init_o && !waiting && !asks && !d.mem_rd_i && since_host >= 7 && rng.chance(20)) {
      since_host = 0;
      if (rng.chance(25)) {
        d.set_valid_i = 1;
        d.set_data_i = uint32_t(rng.next());
        cmd[3] = (cmd[3] & 0xffffffff) | uint64_t(d.set_data_i) << 32;
      } else {
        d.wr_valid_i = 1; d.wr_be_i = uint8_t(rng.range(1, 3)); d.wr_addr_i = uint8_t(rng.below(4)); d.wr_data_i = rng.next();
        uint64_t m = (d.wr_be_i & 1 ? 0xffffffffull : 0) | (d.wr_be_i & 2 ? 0xffffffffull << 32 : 0);
        cmd[d.wr_addr_i] = (cmd[d.wr_addr_i] & ~m) | (d.wr_data_i & m);
      }
    }
    // The address stands a cycle before.
    if (d.rd_done_o) d.rd_valid_i = 0;
    else if (asks) { d.rd_valid_i = waiting = true; waited = 0; asks = false; }
    else if (!waiting && since_host >= 7 && rng.chance(heavy)) {
      since_host = 0;
      asks = true;
      host_at = unsigned(rng.below(68));
      d.rd_addr_i = uint8_t(host_at);
    }
  };
  unsigned core_was = 0;
  auto sample = [&] {
    b.progress();
    if (core_due && core_was < 64) check(core_was, d.data_o, "core");
    if (core_due && core_was >= 64) CHECK_EQ(d.data_o, core_word, "core");
    core_reads += core_due;
    core_due = now_core && !d.init_o;
    core_was = core_at;
    core_word = core_at < 64 ? 0 : cmd[core_at - 64];
    if (d.rd_done_o) {
      CHECK(waiting, "an answer that nobody waits for");
      waiting = false;
      check(host_at, d.data_o, "host");
      host_reads++;
      if (waited > most) most = waited;
    }
    if (!d.init_o) waited++;
    now++;
  };
  d.rd_valid_i = d.mem_rd_i = d.wr_valid_i = d.set_valid_i = 0;
  tb::clear(d.cnt_i);
  b.reset();
  unsigned init = 0;
  quiet = true;
  while (d.init_o) { b.cycle(drive, sample); init++; CHECK(init < 200, "never ready"); }
  CHECK(init >= 126, "cleared in %u cycles", init);
  quiet = false;
  for (unsigned part = 0; part < 4; part++) {
    heavy = part == 3 ? 100 : unsigned(rng.below(100));
    for (uint64_t k = 0; k < b.cycles / 4; k++) b.cycle(drive, sample);
    quiet = true;                              // and in between everything comes to rest
    b.cycle(drive, sample);
    for (unsigned k = 0; k < 300 && !d.idle_o; k++) b.cycle(drive, sample);
    quiet = false;                             // a single cycle of pulses: idle once, idle from then on
    b.cycle(drive, sample);
    quiet = true;
    bool idle = false;
    for (unsigned k = 0; k < 300; k++) {
      b.cycle(drive, sample);
      CHECK(d.idle_o || !idle, "idle before all is counted");
      idle = d.idle_o;
    }
    for (unsigned i = 0; i < 68; i++) {
      d.mem_rd_i = 1; d.mem_rd_addr_i = uint8_t(i);
      uint64_t got = 0;
      b.cycle([&] { d.wr_valid_i = d.set_valid_i = d.rd_valid_i = 0; waiting = false; }, [] {});
      d.mem_rd_i = 0;
      b.cycle([] {}, [&] { got = d.data_o; });
      CHECK_EQ(got, i < 64 ? cnt[i] : cmd[i - 64], "at rest");
    }
    CHECK(d.idle_o, "not idle");
    core_due = false;
    quiet = false;
  }
  printf("# %llu reads by the host, after %llu cycles at most; %llu by the core\n", (unsigned long long)host_reads,
         (unsigned long long)most, (unsigned long long)core_reads);
  CHECK(most <= 8, "%llu cycles for a read", (unsigned long long)most);
  GOAL(host_reads > 200 && core_reads > 200);
  return b.finish();
}
