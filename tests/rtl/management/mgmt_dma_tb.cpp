// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt_dma DataWidth=64
// dut: ohca_mgmt_dma DataWidth=512
// dut: ohca_mgmt_dma DataWidth=64 Compact=1
// Copies of any length between any dword of the buffer and of host memory, beside writes of others: the buffer and host memory hold what a copy of bytes makes of
// them and nothing else, in one request or, from 256 bits on, in aligned ones of 16 beats; a write's beats are all there when it is requested, its end waits for host memory's acknowledgement of it, a read that fails is told.
#include "Vdut.h"
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

int main(int argc, char **argv) {
  tb::Bench<Vdut> b(argc, argv);
  auto &rng = b.rng;
  auto &d = *b.dut;
  constexpr unsigned BUS = TB_DATA_WIDTH / 8, WORDS = 1024, CUT = BUS >= 32 ? 16 * BUS : 1 << 30;
  std::vector<uint32_t> buf(WORDS);                  // what the buffer should hold
  std::vector<bool> known(WORDS);
  struct Beat { uint8_t b[BUS]; bool last, err; };
  std::deque<Beat> answer;                           // to the read
  std::vector<uint8_t> host;                         // of the write, or read, from the first beat's start on
  tb::Pace req(&rng), dat(&rng), rsp(&rng);
  uint64_t acked = 0, issued = 0, ours = 0;
  std::deque<uint64_t> acks;                         // when each burst is acknowledged
  uint64_t reads = 0, writes = 0, failed = 0, longest = 0, waited = 0, empty = 0, parts = 0;
  d.wr_i = d.buf_we_i = d.rd_req_ready_i = d.rd_rsp_valid_i = d.wr_req_ready_i = d.wr_dat_ready_i = 0;
  d.wr_issued_i = d.wr_acked_i = 0;
  b.reset();
  bool rd_req = false, wr_req = false, wr_dat = false;
  auto others = [&] {                                // bursts of other clients, and acknowledgements of all in order
    if (rng.chance(5)) { issued++; acks.push_back(b.now() + rng.range(1, 60)); }
    while (!acks.empty() && acks.front() <= b.now()) { acks.pop_front(); acked++; }
    d.wr_issued_i = uint32_t(issued) - 40;           // goes over 2^32
    d.wr_acked_i = uint32_t(acked) - 40;
  };
  auto idle = [&](auto drive, auto sample) {
    b.cycle([&] { others(); d.wr_i = d.buf_we_i = 0; drive(); }, [&] {
      CHECK(!d.rd_req_valid_o && !d.wr_req_valid_o && !d.wr_dat_valid_o, "a request that nobody asked for");
      sample();
    });
  };
  auto reg = [&](unsigned off, uint32_t v) { idle([&] { d.wr_i = 1; d.off_i = off; d.wdata_i = v; }, [&] { CHECK(!d.busy_o, "busy"); }); };
  auto look = [&](unsigned a) {
    if (!known[a]) return;
    idle([&] { d.buf_addr_i = a; }, [] {});
    idle([&] { d.buf_addr_i = rng.below(WORDS); }, [&] { CHECK_EQ(d.buf_rdata_o, buf[a], "buffer"); });
  };
  while (b.now() < b.cycles * 4) {
    b.progress();
    for (unsigned n = rng.below(20); n--;) {         // firmware writes
      unsigned a = rng.below(WORDS);
      idle([&] { d.buf_we_i = 1; d.buf_addr_i = a; d.wdata_i = buf[a] = uint32_t(rng.bits(32)); }, [] {});
      known[a] = true;
    }
    bool read = rng.chance(50);
    unsigned len = rng.chance(5) ? WORDS : rng.chance(5) ? 0 : rng.chance(50) ? rng.range(1, 2 * BUS / 4) : rng.range(1, 200);
    unsigned ptr = rng.below(WORDS - len + 1);
    uint64_t addr = rng.bits(62) << 2;
    bool aligned = rng.chance(30);
#ifdef TB_COMPACT
    aligned |= TB_COMPACT && !read;
#endif
    if (aligned) addr &= ~uint64_t(BUS - 1);
    unsigned lane = addr % BUS / 4, beats = len ? (lane + len - 1) / (BUS / 4) + 1 : 0;
    if (len == WORDS && !read) for (unsigned i = 0; i < WORDS; i++) look(i);
    reg(OHCA_M_SYS_DMA_LO, uint32_t(addr) | uint32_t(rng.bits(2)));
    reg(OHCA_M_SYS_DMA_HI, uint32_t(addr >> 32));
    reg(OHCA_M_SYS_DMA_GO, uint32_t(len * 4) | uint32_t(ptr * 4) << 16 | uint32_t(read) << 31);
    rd_req = wr_req = wr_dat = false;
    bool fails = read && len && rng.chance(10);
    unsigned got = 0, sent = 0;
    host.assign(beats * BUS, 0);
    answer.clear();
    uint64_t end = 0, asked = ~0ull - 2;
    unsigned from = 0, part, upto;                   // of the request: its first dword and how many, and the first beat behind it
    auto cut = [&] {
      part = std::min<uint64_t>(len - from, (CUT - (addr + from * 4) % CUT) / 4);
      upto = (lane + from + part - 1) / (BUS / 4) + 1;
      rd_req = wr_req = wr_dat = false;
      asked = ~0ull - 2;
      parts++;
    };
    if (len) cut();
    bool over = !len;
    while (!over) {
      bool ours_acked = false;
      b.cycle([&] {
        others();
        d.wr_i = d.buf_we_i = 0;
        d.buf_addr_i = rng.below(WORDS);
        d.rd_req_ready_i = d.wr_req_ready_i = req.go();
        d.wr_dat_ready_i = wr_req && dat.go();        // as ohca_dma_wr has it
        d.rd_rsp_valid_i = !answer.empty() && rsp.go();
        if (d.rd_rsp_valid_i) {
          tb::set_bytes(d.rd_rsp_data_i, answer.front().b, BUS);
          d.rd_rsp_last_i = answer.front().last;
          d.rd_rsp_err_i = answer.front().err;
        }
      }, [&] {
        b.progress();
        if (ours && acked >= ours) ours_acked = true;
        if (d.rd_req_valid_o) {
          CHECK(read && !rd_req, "a read that nobody asked for");
          CHECK_EQ(FIELD(d.rd_req_o, OHCA_DMA_RD_REQ_ADDR), addr + from * 4, "address");
          CHECK_EQ(FIELD(d.rd_req_o, OHCA_DMA_RD_REQ_LEN), part * 4, "bytes");
          if (d.rd_req_ready_i) {
            rd_req = true;
            for (unsigned i = got; i < upto; i++) {
              Beat x;
              for (auto &y : x.b) y = uint8_t(rng.bits(8));
              memcpy(&host[i * BUS], x.b, BUS);
              x.last = i == upto - 1;
              x.err = fails && (i == beats / 2);
              answer.push_back(x);
            }
          }
        }
        if (d.rd_rsp_valid_i) { answer.pop_front(); got++; }
        if (d.wr_req_valid_o) {
          CHECK(!read && !wr_req, "a write that nobody asked for");
          CHECK_EQ(FIELD(d.wr_req_o, OHCA_DMA_WR_REQ_ADDR), addr + from * 4, "address");
          CHECK_EQ(FIELD(d.wr_req_o, OHCA_DMA_WR_REQ_LEN), part * 4, "bytes");
        }
        // Its memory shows a beat two cycles after it came.
        if (d.wr_req_valid_o && asked > b.now()) asked = b.now();
        if (sent < upto && (wr_dat || b.now() > asked + 2)) CHECK(d.wr_dat_valid_o, "a write that was requested has no data");
        if (d.wr_dat_valid_o) {
          CHECK(!read && sent < upto, "a beat too many");
          CHECK_EQ(d.wr_dat_last_o, sent == upto - 1, "last");
          wr_dat = true;
          if (d.wr_dat_ready_i) {
            tb::get_bytes(d.wr_dat_o, &host[sent++ * BUS], BUS);
            if (sent == upto) acks[ours - 1 - acked] = b.now() + rng.range(1, 120);
          }
        }
        if (d.wr_req_valid_o && d.wr_req_ready_i) {  // accepted with its first beat or before: in issued from the next cycle on
          wr_req = true;
          acks.push_back(~0ull);                     // not before its last beat
          ours = ++issued;
        }
        if (from + part < len && (read ? rd_req && got == upto : wr_req && sent == upto)) { from += part; cut(); }
        bool through = read ? rd_req && got == beats : wr_req && sent == beats && ours_acked;
        if (!through) CHECK(d.busy_o, "over before its end");
        if (read ? !d.busy_o : through && !d.busy_o) over = true;
        if (!end && through) end = b.now();
        if (end) CHECK(b.now() - end < (read ? beats * (BUS / 4) + 20 : 200), "busy for ever");
      });
    }
    d.rd_rsp_valid_i = 0;
    waited += !read && len && end && ours;
    ours = 0;
    idle([] {}, [&] { CHECK(!d.busy_o, "busy"); CHECK_EQ(d.err_o, fails, "error"); });
    for (unsigned i = 0; i < len; i++) {
      uint32_t x;
      memcpy(&x, &host[(lane + i) * 4], 4);
      if (read) { buf[ptr + i] = x; known[ptr + i] = true; }
      else if (known[ptr + i]) CHECK_EQ(x, buf[ptr + i], "host memory");
    }
    (read ? reads : writes) += len != 0;
    failed += fails;
    longest += len == WORDS;
    empty += !len;
    for (unsigned a : {ptr, ptr + len / 2, ptr + len - 1, ptr - 1, ptr + len}) if (a < WORDS) look(a);
    for (int i = 0; i < 8; i++) look(rng.below(WORDS));
  }
  printf("# %llu reads (%llu failed), %llu writes, %llu of 4 KiB, %llu of nothing\n", (unsigned long long)reads, (unsigned long long)failed, (unsigned long long)writes,
         (unsigned long long)longest, (unsigned long long)empty);
  GOAL(reads > 30 && writes > 30 && failed > 2 && longest > 2 && empty > 2 && waited > 20 && (BUS < 32 || parts > reads + writes + 20));
  return b.finish();
}
