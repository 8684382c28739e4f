// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// dut: ohca_mgmt DataWidth=64
// dut: ohca_mgmt DataWidth=512
// dut: ohca_mgmt DataWidth=64 RamBytes=49152 Compact=1
// Random programs on the core: loads and stores of all sizes in RAM and of registers, close together, code with compressed instructions that loops, calls and changes
// itself, among context accesses, events, copies, MADs, commands and notes that come when they like, and resets at any time. An interpreter of RV32IMC runs the same
// program up to what shows at the ports next: each access to a register is there as the program has it, once and in its order; what a read gives, and what a reset
// leaves in RAM, shows in the log; a stalled access waits for its answer and no longer than for it; accesses take the cycles that they are said to.
#include <map>
#include <unordered_map>
#include "Vdut.h"
#ifdef TB_NETLIST
#include "Vdut___024root.h"
#endif
#include "tb.h"
#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"

namespace {

constexpr unsigned BUS = TB_DATA_WIDTH / 8;
#ifdef TB_RAM_BYTES
constexpr uint32_t RAM = TB_RAM_BYTES;
#else
constexpr uint32_t RAM = 131072;
#endif
#ifdef TB_COMPACT
constexpr bool COMPACT = TB_COMPACT;
#else
constexpr bool COMPACT = false;
#endif
constexpr uint64_t GUID = 0x0002c9fffe123456ull;

// Registers of the programs: x2 and x15 a chapter's data, 16 and on as follows; the others hold anything.
enum { LOG = 17, SYS, PORT, MBOX, MADRX, MADTX, CNT, LOOP, NONE, LINK = 27, T0, T1, T2, T3 };

struct Program {
  std::vector<uint32_t> ram = std::vector<uint32_t>(RAM / 4);
  std::vector<uint32_t> entries;
  enum Kind { MARK, OF_RAM, OF_SYS, OF_FAR, OF_PORT };
  std::unordered_map<uint32_t, Kind> timed;          // stores to the log whose distance from the one before is known
  uint32_t command = 0, dump = 0;                    // loads of the monitor at 0
  tb::Rng &rng;
  uint32_t at = 0, data = 0;

  explicit Program(tb::Rng &r) : rng(r) { for (auto &w : ram) w = uint32_t(rng.bits(32)); }

  void half(uint32_t a, uint16_t v) { ram[a / 4] = (ram[a / 4] & ~(0xffffu << (a & 2) * 8)) | uint32_t(v) << (a & 2) * 8; }
  void word(uint32_t a, uint32_t v) { half(a, uint16_t(v)); half(a + 2, uint16_t(v >> 16)); }
  void c(uint32_t v) { half(at, uint16_t(v)); at += 2; }
  void w(uint32_t v) { word(at, v); at += 4; }
  static uint32_t i(uint32_t op, unsigned f3, unsigned rd, unsigned rs1, int imm) { return op | rd << 7 | f3 << 12 | rs1 << 15 | uint32_t(imm) << 20; }
  static uint32_t r(unsigned f7, unsigned f3, unsigned rd, unsigned rs1, unsigned rs2) { return 0x33 | rd << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | f7 << 25; }
  static uint32_t s(unsigned f3, unsigned rs2, unsigned rs1, int imm) {
    return 0x23 | (uint32_t(imm) & 31) << 7 | f3 << 12 | rs1 << 15 | rs2 << 20 | (uint32_t(imm) >> 5 & 127) << 25;
  }
  static uint32_t b(unsigned f3, unsigned rs1, unsigned rs2, int d) {
    uint32_t x = uint32_t(d);
    return 0x63 | (x >> 11 & 1) << 7 | (x >> 1 & 15) << 8 | f3 << 12 | rs1 << 15 | rs2 << 20 | (x >> 5 & 63) << 25 | (x >> 12 & 1) << 31;
  }
  static uint32_t j(unsigned rd, int d) {
    uint32_t x = uint32_t(d);
    return 0x6f | rd << 7 | (x >> 12 & 255) << 12 | (x >> 11 & 1) << 20 | (x >> 1 & 1023) << 21 | (x >> 20 & 1) << 31;
  }
  static uint32_t cb(bool nz, unsigned rs, int d) {   // rs: 8..15
    uint32_t x = uint32_t(d);
    return 0xc001 | uint32_t(nz) << 13 | (x >> 8 & 1) << 12 | (x >> 3 & 3) << 10 | (rs - 8) << 7 | (x >> 6 & 3) << 5 | (x >> 1 & 3) << 3 | (x >> 5 & 1) << 2;
  }
  static uint32_t cj(int d) {
    uint32_t x = uint32_t(d);
    return 0xa001 | (x >> 11 & 1) << 12 | (x >> 4 & 1) << 11 | (x >> 8 & 3) << 9 | (x >> 10 & 1) << 8 | (x >> 6 & 1) << 7 | (x >> 7 & 1) << 6 | (x >> 1 & 7) << 3 |
           (x >> 5 & 1) << 2;
  }
  void addi(unsigned rd, unsigned rs, int imm) { w(i(0x13, 0, rd, rs, imm)); }
  void lw(unsigned rd, unsigned base, int off) { w(i(0x03, 2, rd, base, off)); }
  void sw(unsigned rs, unsigned base, int off) { w(s(2, rs, base, off)); }
  void li(unsigned rd, uint32_t v) {
    w(0x37 | rd << 7 | ((v + 0x800) & 0xfffff000));
    addi(rd, rd, int(v << 20) >> 20);
  }
  void auipc(unsigned rd, uint32_t to) {
    uint32_t d = to - at;
    w(0x17 | rd << 7 | ((d + 0x800) & 0xfffff000));
    addi(rd, rd, int(d << 20) >> 20);
  }
  unsigned any() { unsigned x; do x = unsigned(rng.range(1, 14)); while (x == 2); return x; }
  unsigned any8() { return unsigned(rng.range(8, 14)); }
  int place() { return int(rng.below(1024)) * 4 - 2048; }
  void log(unsigned r) { sw(r, LOG, place()); }
  void align() { if (at & 2) c(0x0001); }
  void told(unsigned rd, unsigned off) { lw(rd, SYS, int(off)); log(rd); }      // a read whose value depends on when it is

  void alu() {
    unsigned rd = any(), a = any(), x = any();
    switch (rng.below(4)) {
      case 0: w(i(0x13, unsigned(rng.bits(3)), rd, a, int(rng.bits(12)))); fix(); break;
      case 1: w(r(0, unsigned(rng.bits(3)), rd, a, x)); break;
      case 2: w(r(0x20, rng.chance(50) ? 0 : 5, rd, a, x)); break;
      default: if (rng.chance(30)) w(r(1, unsigned(rng.below(COMPACT ? 4 : 8)), rd, a, x)); else w(0x37 | rd << 7 | uint32_t(rng.bits(20)) << 12);
    }
  }
  void fix() {                                       // of a shift by a constant the upper bits
    uint32_t x;
    memcpy(&x, (char *)ram.data() + at - 4, 4);
    unsigned f3 = x >> 12 & 7;
    if (f3 == 1) x &= 0x01ffffff;
    if (f3 == 5) x &= 0x41ffffff;
    word(at - 4, x);
  }
  void load() {
    const unsigned f3[] = {0, 1, 2, 4, 5, 2};
    unsigned f = f3[rng.below(6)], n = f & 3;
    w(i(0x03, f, any(), 15, int(rng.below(128) >> n << n)));
  }
  void store() {
    unsigned f = unsigned(rng.below(3));
    w(s(f, any(), 15, int(rng.below(128) >> f << f)));
  }
  void same() {                                      // a store and loads of one word
    int o = int(rng.below(32)) * 4;
    unsigned f = unsigned(rng.below(3));
    w(s(f, any(), 15, o + int(rng.below(4) >> f << f)));
    if (rng.chance(30)) w(s(f, any(), 15, o + int(rng.below(4) >> f << f)));
    const unsigned f3[] = {0, 1, 2, 4, 5, 2};
    for (unsigned k = unsigned(rng.range(1, 2)); k--;) { unsigned g = f3[rng.below(6)], n = g & 3; w(i(0x03, g, any(), 15, o + int(rng.below(4) >> n << n))); }
  }
  void small() {                                     // compressed
    unsigned rd = any(), d8 = any8(), s8 = any8(), imm = unsigned(rng.bits(6)), o = unsigned(rng.below(32));
    uint32_t ci = (imm >> 5 & 1) << 12 | rd << 7 | (imm & 31) << 2;
    switch (rng.below(11)) {
      case 0: c(0x0001 | ci); break;                                                           // addi
      case 1: c(0x4001 | ci); break;                                                           // li
      case 2: c(0x8002 | rd << 7 | any() << 2); break;                                         // mv
      case 3: c(0x9002 | rd << 7 | any() << 2); break;                                         // add
      case 4: c(0x8c01 | (d8 - 8) << 7 | uint32_t(rng.bits(2)) << 5 | (s8 - 8) << 2); break;   // sub xor or and
      case 5: c(0x8001 | uint32_t(rng.bits(1)) << 10 | (d8 - 8) << 7 | uint32_t(rng.range(1, 31)) << 2); break;       // srli srai
      case 6: c(0x0002 | rd << 7 | uint32_t(rng.range(1, 31)) << 2); break;                    // slli
      case 7: c(0x4000 | (o >> 1 & 7) << 10 | 7 << 7 | (o & 1) << 6 | (o >> 4 & 1) << 5 | (d8 - 8) << 2); break;      // lw
      case 8: c(0xc000 | (o >> 1 & 7) << 10 | 7 << 7 | (o & 1) << 6 | (o >> 4 & 1) << 5 | (d8 - 8) << 2); break;      // sw
      case 9: c(0x4002 | (o >> 3 & 1) << 12 | rd << 7 | (o & 7) << 4 | (o >> 4 & 3) << 2); break;                     // lwsp
      default: c(0xc002 | (o & 15) << 9 | (o >> 4 & 3) << 7 | rd << 2);                        // swsp
    }
  }
  void simple() {
    switch (rng.below(8)) {
      case 0: alu(); break;
      case 1: load(); break;
      case 2: store(); break;
      case 3: same(); break;
      case 4: log(any()); break;
      default: small();
    }
  }
  void some(unsigned lo, unsigned hi) { for (unsigned n = unsigned(rng.range(lo, hi)); n--;) simple(); }
  void branch() {
    const unsigned f3[] = {0, 1, 4, 5, 6, 7};
    uint32_t from = at;
    bool sm = rng.chance(40);
    at += sm ? 2 : 4;
    some(1, 5);
    int d = int(at - from);
    if (sm && rng.chance(30)) half(from, uint16_t(cj(d)));
    else if (sm) half(from, uint16_t(cb(rng.chance(50), any8(), d)));
    else if (rng.chance(20)) word(from, j(rng.chance(50) ? 0 : LINK, d));
    else word(from, b(f3[rng.below(6)], any(), any(), d));
  }
  void loop() {
    addi(LOOP, 0, int(rng.range(2, 6)));
    uint32_t top = at;
    some(1, 6);
    addi(LOOP, LOOP, -1);
    w(b(1, LOOP, 0, int(top - at)));
  }
  void call() {                                      // a function behind a jump, called and left by jalr
    uint32_t from = at;
    at += 4;
    uint32_t f = at;
    some(1, 4);
    w(i(0x67, 0, 0, LINK, 0));
    word(from, j(0, int(at - from)));
    if (rng.chance(50)) w(j(LINK, int(f - at)));
    else { auipc(T0, f); w(i(0x67, 0, LINK, T0, 0)); }
  }
  void patch() {                                     // an instruction is written, and executed after a jump
    unsigned rd = any();
    li(T0, i(0x13, 0, rd, rd, int(rng.bits(12))));
    uint32_t fixup = at;
    at += 8;
    bool halves = rng.chance(40);                    // also one that begins in the middle of a word
    if (halves) { w(s(1, T0, T1, 0)); w(i(0x13, 5, T0, T0, 16)); w(s(1, T0, T1, 2)); }
    else { align(); w(s(2, T0, T1, 0)); }
    uint32_t from = at;
    at += 4;
    while (at < from + 16) small();
    if (halves != bool(at & 2)) c(0x0001);
    word(from, j(0, int(at - from)));
    uint32_t slot = at, back = slot;
    addi(rd, rd, 1);
    at = fixup;
    auipc(T1, slot);
    at = back + 4;
    log(rd);
  }
  void timing() {
    align();
    auto m = [&](Kind k) { timed[at] = k; log(0); };
    m(MARK);
    int n = int(rng.range(1, 3));
    for (; n--;) switch (rng.below(5)) {
      case 0: lw(any(), 15, int(rng.below(32)) * 4); m(OF_RAM); break;
      case 1: lw(any(), SYS, OHCA_M_SYS_GUID_LO); m(OF_SYS); break;
      case 2: lw(any(), NONE, 0); m(OF_SYS); break;
      case 3: lw(any(), PORT, int(rng.below(500)) * 4); m(OF_PORT); break;
      default: lw(any(), CNT, int(rng.below(120)) * 4); m(OF_FAR);
    }
  }
  void skip(unsigned r, unsigned bits, uint32_t &from) { w(i(0x13, 7, T3, r, int(bits))); from = at; at += 4; }
  void land(uint32_t from) { word(from, b(0, T3, 0, int(at - from))); }
  void poll(unsigned off) {
    uint32_t top = at;
    told(T0, off);
    w(i(0x13, 7, T0, T0, 1));
    w(b(1, T0, 0, int(top - at)));
  }
  void reg(unsigned off, uint32_t v) { li(T0, v); sw(T0, SYS, int(off)); }
  void rnd(unsigned off) { sw(any(), SYS, int(off)); }
  void mad() {                                       // one that came
    uint32_t from;
    told(T1, OHCA_M_SYS_MADRX);
    skip(T1, 15, from);
    w(i(0x13, 5, T1, T1, 4));
    w(i(0x13, 7, T1, T1, 3));
    w(i(0x13, 1, T2, T1, 9));
    w(r(0, 0, T2, T2, MADRX));
    for (unsigned n = unsigned(rng.range(1, 5)); n--;) { unsigned x = any(); lw(x, T2, int(rng.below(128)) * 4); if (rng.chance(70)) log(x); }
    told(T3, OHCA_M_SYS_MADRX_LEN);
    told(T3, OHCA_M_SYS_MADRX_LEN2);
    if (rng.chance(90)) sw(T1, SYS, OHCA_M_SYS_MADRX);
    land(from);
  }
  void gadget() {
    uint32_t from;
    switch (rng.below(26)) {
      case 0: for (unsigned n = 3; n--;) { lw(any(), PORT, int(rng.below(500)) * 4); if (rng.chance(50)) simple(); } break;
      case 1: sw(any(), PORT, int(rng.below(500)) * 4); break;
      case 2: lw(any(), CNT, int(rng.below(120)) * 4); break;
      case 3: lw(any(), SYS, int(OHCA_M_SYS_CMD + rng.below(8) * 4)); break;
      case 4: {                                      // levels, and what is read only and always the same
        const unsigned o[] = {OHCA_M_SYS_FW_VERSION, OHCA_M_SYS_HEALTH, OHCA_M_SYS_TBL_BASE + 4 * unsigned(rng.below(4)),
                              OHCA_M_SYS_TBL_LIMIT + 4 * unsigned(rng.below(4))};
        rnd(o[rng.below(4)]);
        const unsigned f[] = {OHCA_M_SYS_ID, OHCA_M_SYS_TIME_SCALE, OHCA_M_SYS_ICM_LOG2, OHCA_M_SYS_GUID_LO, OHCA_M_SYS_GUID_HI, OHCA_M_SYS_HEALTH, OHCA_M_SYS_CONSOLE};
        lw(any(), SYS, int(f[rng.below(7)]));
        if (rng.chance(30)) reg(OHCA_M_SYS_STATUS, uint32_t(rng.bits(31)));
        break;
      }
      case 5: rnd(OHCA_M_SYS_CONSOLE); if (rng.chance(50)) rnd(OHCA_M_SYS_CONSOLE); break;
      case 6: rnd(OHCA_M_SYS_ICM_CHUNK); rnd(OHCA_M_SYS_ICM_HI); rnd(OHCA_M_SYS_ICM_LO); break;
      case 7: rnd(OHCA_M_SYS_CMD_IMM); rnd(OHCA_M_SYS_CMD_DONE); break;
      case 8: case 9: {
        rnd(OHCA_M_SYS_ACC_SEL); rnd(OHCA_M_SYS_ACC_NUM); rnd(OHCA_M_SYS_ACC_DW); rnd(OHCA_M_SYS_ACC_WDATA); rnd(OHCA_M_SYS_ACC_GO);
        nap();
        unsigned x = any(), y = any();
        some(0, 2);
        if (rng.chance(80)) { lw(x, SYS, OHCA_M_SYS_ACC_GO); lw(y, SYS, OHCA_M_SYS_ACC_RDATA); log(x); }
        break;
      }
      case 10:
        rnd(OHCA_M_SYS_EQ_SEL); lw(any(), SYS, OHCA_M_SYS_EQ_DATA); rnd(OHCA_M_SYS_EQ_SEL); rnd(OHCA_M_SYS_EQ_DATA);
        if (rng.chance(50)) lw(any(), SYS, OHCA_M_SYS_EQ_DATA);
        break;
      case 11: rnd(OHCA_M_SYS_EV_HDR); rnd(OHCA_M_SYS_EV_NUM); rnd(OHCA_M_SYS_EV_PARAM); rnd(OHCA_M_SYS_EV_GO); if (rng.chance(50)) rnd(OHCA_M_SYS_EV_GO); nap(); break;
      case 12: case 13: copy(); break;
      case 14: case 15: mad(); break;
      case 16: {                                     // a MAD to send
        poll(OHCA_M_SYS_MADTX);
        unsigned n = unsigned(rng.chance(20) ? rng.range(BUS / 4, BUS / 4 + 4) : rng.range(1, 8));
        for (unsigned k = 0; k < n; k++) sw(any(), MADTX, int(k) * 4);
        reg(OHCA_M_SYS_MADTX, n * 4 | uint32_t(rng.bits(1)) << 16);
        nap();
        if (rng.chance(70)) { some(0, 3); reg(OHCA_M_SYS_MADTX, n * 4 | uint32_t(rng.bits(1)) << 16); }
        break;
      }
      case 17: case 24: {                            // sleep
        bool timer = rng.chance(40);
        if (rng.chance(50)) { rnd(OHCA_M_SYS_CMD_IMM); rnd(OHCA_M_SYS_CMD_DONE); told(any(), OHCA_M_SYS_PHY); told(any(), OHCA_M_SYS_CNP); mad(); }
        if (rng.chance(50)) reg(OHCA_M_SYS_VIOL, 3);
        if (timer) {
          told(T0, OHCA_M_SYS_NOW_LO);
          lw(T1, SYS, OHCA_M_SYS_NOW_HI);
          log(T1);
          addi(T2, T0, int(rng.below(600)));
          w(r(0, 3, T3, T2, T0));
          w(r(0, 0, T1, T1, T3));
          sw(T2, SYS, OHCA_M_SYS_WAKE_LO);
          sw(T1, SYS, OHCA_M_SYS_WAKE_HI);
        }
        if (rng.chance(80)) told(any(), OHCA_M_SYS_WAIT);
        if (timer) { addi(T2, 0, -1); sw(T2, SYS, OHCA_M_SYS_WAKE_LO); sw(T2, SYS, OHCA_M_SYS_WAKE_HI); }
        break;
      }
      case 18: told(any(), OHCA_M_SYS_EVENT); told(any(), OHCA_M_SYS_DRAIN); break;
      case 19: for (unsigned n = unsigned(rng.range(1, 20)); n--;) told(any(), OHCA_M_SYS_CNP); break;
      case 20:                                       // a packet with a bad key
        reg(OHCA_M_SYS_VIOL, uint32_t(rng.bits(2)));
        told(T1, OHCA_M_SYS_VIOL);
        w(i(0x13, 5, T1, T1, 31));
        skip(T1, 1, from);
        for (unsigned n = 4; n--;) { unsigned x = any(); lw(x, SYS, int(OHCA_M_SYS_VIOL + 4 * rng.range(1, 12))); log(x); }
        reg(OHCA_M_SYS_VIOL, 0x80000000u | uint32_t(rng.bits(2)));
        land(from);
        told(any(), OHCA_M_SYS_VIOL);
        break;
      case 21: {                                     // nobody's addresses: beside the RAM, and where a register's bits are
        unsigned x = any();
        sw(x, NONE, int(rng.below(400)) * 4);
        li(T0, rng.chance(50) ? RAM + 4 * uint32_t(rng.below(4)) : 0x80008000u + uint32_t(rng.below(64)) * 4);
        sw(any(), T0, 0);
        lw(x, T0, 0);
        log(x);
        lw(x, NONE, int(rng.below(400)) * 4);
        li(T0, RAM - 4);
        lw(any(), T0, 0);
        break;
      }
      case 22:
        told(any(), OHCA_M_SYS_PHY);
        reg(OHCA_M_SYS_PHY, uint32_t(rng.range(1, 2)));
        log(any());
        reg(OHCA_M_SYS_PHY, 0);
        log(any());
        break;
      case 23: told(any(), OHCA_M_SYS_RAND); rnd(OHCA_M_SYS_DRAIN); break;
      default: timing();
    }
  }
  void nap() { if (rng.chance(20)) told(any(), OHCA_M_SYS_WAIT); }              // whatever is under way
  void copy() {
    bool read = rng.chance(50);
    unsigned n = unsigned(rng.chance(20) ? rng.range(1, 200) : rng.range(1, 12)), ptr = unsigned(rng.below(1024 - n + 1));
    li(T1, OHCA_M_MBOX + ptr * 4);
    if (!read) {                                     // what is not written before is not compared
      for (unsigned k = 0; k < (n < 12 ? n : 12); k++) sw(any(), T1, int(k * 4));
    }
    uint32_t lo = uint32_t(rng.bits(32)) & ~3u;
    if (COMPACT && !read) lo &= ~(BUS - 1);
    reg(OHCA_M_SYS_DMA_LO, lo | (COMPACT && !read ? 0 : uint32_t(rng.bits(2))));
    rnd(OHCA_M_SYS_DMA_HI);
    reg(OHCA_M_SYS_DMA_GO, n * 4 | ptr << 18 | uint32_t(read) << 31);
    some(0, 4);
    nap();
    if (rng.chance(50)) poll(OHCA_M_SYS_DMA_STAT);
    else { rnd(OHCA_M_SYS_DMA_HI); told(T0, OHCA_M_SYS_DMA_STAT); }
    for (unsigned k = 3; k--;) { unsigned x = any(); lw(x, T1, int(rng.below(n < 12 ? n : 12)) * 4); log(x); }
  }
  void chapter() {
    if (rng.chance(50)) c(0x0001);
    entries.push_back(at);
    uint32_t from = at;
    at += 4;
    at = (at + 3) & ~3u;
    data = at;
    at += 128;
    word(from, j(0, int(at - from)));
    auipc(15, data);
    c(0x8002 | 2 << 7 | 15 << 2);                    // x2 = x15
    for (unsigned x : {1, 3, 7, 11, 14}) if (rng.chance(30)) addi(x, 0, int(rng.bits(12)));
    for (unsigned n = unsigned(rng.range(15, 50)); n--;) {
      if (rng.chance(40)) gadget();
      else switch (rng.below(8)) {
        case 0: branch(); break;
        case 1: loop(); break;
        case 2: call(); break;
        case 3: patch(); break;
        default: some(1, 6);
      }
    }
    log(any());
    if (rng.chance(80)) w(i(0x67, 0, 0, 0, int(command)));              // to the monitor
    else switch (rng.below(4)) {                     // or a trap
      case 0: w(0x00100073); break;                  // ebreak
      case 1: w(0x0000000b); break;                  // no such instruction
      case 2: w(i(0x03, 2, any(), 15, int(rng.range(1, 3)))); break;
      default: w(s(1, any(), 15, 1));
    }
  }
  void make() {
    at = 0;
    w(0x37 | PORT << 7 | 0x80001000u);
    li(LOG, OHCA_M_LOG + 0x800);
    li(SYS, OHCA_M_SYS);
    li(MBOX, OHCA_M_MBOX);
    li(MADRX, OHCA_M_MAD_RX);
    li(MADTX, OHCA_M_MAD_TX);
    li(CNT, OHCA_M_CNT);
    li(NONE, 0x40000000u);
    for (unsigned x : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, int(LOOP), int(LINK), int(T0), int(T1), int(T2), int(T3)})
      addi(x, 0, int(rng.bits(12)));                 // which of them an interrupted program has set is not known
    command = at;                                    // an odd word: go there; an even one: log what is there
    lw(1, PORT, 0);
    w(i(0x13, 7, T0, 1, 1));
    w(b(1, T0, 0, 16));
    dump = at;
    lw(T1, 1, 0);
    sw(T1, LOG, 0);
    w(j(0, -20));
    addi(1, 1, -1);
    w(i(0x67, 0, 0, 1, 0));
    while (at + 6000 < RAM) chapter();
  }
};

// What shows at the ports
enum What { E_PORT, E_BAR, E_LOG, E_CON, E_ICM, E_DONE, E_DRAIN, E_ACC, E_EQ, E_EV, E_PHY };
const char *const NAMES[] = {"port register", "register of ohca_bar", "log", "console", "context memory", "command done", "drain", "context access",
                             "event queue", "event", "PHY"};
struct Event {
  What what;
  uint64_t a = 0, b = 0, c = 0, d = 0;
  bool operator==(const Event &o) const { return what == o.what && a == o.a && b == o.b && c == o.c && d == o.d; }
};

struct Test {
  tb::Bench<Vdut> b;
  tb::Rng &rng = b.rng;
  Vdut &d = *b.dut;
  Program p{b.rng};

  // The core, ahead of the real one up to something that shows
  std::vector<uint32_t> ram;
  uint32_t x[32] = {}, pc = 0;
  enum { RUN, SHOWS, TOLD, STALLED, TRAPPED } state = RUN;
  Event want{};
  uint32_t want_pc = 0;
  int want_rd = -1;                                  // gets what the port or ohca_bar answers, or an event queue
  uint32_t told_off = 0, told_rd = 0;
  uint64_t shown = 0;                                // cycle of the last one
  struct Store { uint32_t at, old, now; };
  std::vector<Store> stores;                         // since then
  // after a reset: how many of these were done
  std::vector<Store> maybe;
  std::vector<bool> able;
  std::deque<uint32_t> dumps;
  uint32_t dump_at = 0;

  // Rooms
  uint32_t version = 0, status = 0, health = 0, wake_lo = ~0u, tbl_base[4] = {}, tbl_limit[4] = {}, cmd_imm = 0, icm_chunk = 0, icm_hi = 0, now_hi = 0;
  uint64_t wake = ~0ull;
  bool hold = false;
  uint32_t acc[5] = {}, ev[3] = {}, eq_sel = 0, eq_rdata = 0, acc_rdata = 0;
  enum { FREE, ASKED, TAKEN } accs = FREE, eqs = FREE;
  bool evs = false, acc_err = false, eq_read = false;
  unsigned eq_rd = 0;
  struct Dma {
    bool busy, read, req, fails, err; uint64_t addr; unsigned len, ptr, beats, got, sent, lane;
    unsigned from, part, upto;                       // the request: its first dword, how many, the first beat behind it
    void cut() {
      const unsigned most = BUS >= 32 ? 16 * BUS : 1 << 30;
      part = std::min<uint64_t>(len - from, (most - (addr + from * 4) % most) / 4);
      upto = (lane + from + part - 1) / (BUS / 4) + 1;
      req = false;
    }
  } dma{};
  uint64_t dma_last = 0, mtx_last = 0;               // the cycle it was busy last
  uint32_t mbox[1024], dma_lo = 0, dma_hi = 0, mtx[512];
  bool known[1024] = {};
  std::vector<uint8_t> host;
  struct Beat { uint8_t b[BUS]; bool last, err; };
  std::deque<Beat> answer;
  uint64_t issued = 0, acked = 0, ours = 0;
  std::deque<uint64_t> acks;
  struct Packet { std::vector<uint8_t> b; bool to_host; };
  std::deque<Packet> packets;
  std::vector<uint8_t> sent;
  struct MtxBeat { uint8_t b[BUS]; uint64_t keep; uint64_t bits; };
  tb::Sink<MtxBeat> mtx_sink{&b.rng, "mtx"};
  uint8_t full = 0, busy = 0, take = 0, fill = 0, old = 0;
  uint16_t len[4] = {};
  uint32_t mad[512] = {};
  bool filled[4] = {};
  struct Job { unsigned slot, at; };
  std::deque<Job> jobs;
  std::deque<uint32_t> cnps;
  bool cnp_lost = false;
  unsigned cnp_burst = 0;
  bool have = false, viol_quiet = false;
  uint8_t viol_wait = 0, missed = 0;
  VlWide<12> viol{};
  bool seen = false, phy_evt = false, link = false, cmd_go = false, port_event = false;
  uint32_t phy = 0;
  uint64_t now;
  bool calm = false, asleep = false, exact = false;
  uint8_t woke = 0;

  // What a read would have given in each cycle
  static constexpr unsigned N = 16;
  struct Past { uint64_t now; uint32_t viol, phy, lens[2]; uint8_t ev, mad, drain; bool copies, sends; };
  std::vector<Past> past = std::vector<Past>(N);

  tb::Pace pace[8];
  std::map<std::string, uint64_t> n;
  uint64_t of[11] = {}, woken[7] = {}, time_mark = 0, time_at = 0, base = 0;
  bool acc_was = false, eq_was = false, ev_was = false, phy_was = false;

  Test(int argc, char **argv) : b(argc, argv) {
    for (auto &x : pace) x = tb::Pace(&rng);
    now = rng.chance(50) ? rng.bits(40) : (rng.range(1, 1000) << 32) - rng.below(200000);
    p.make();
    ram = p.ram;
    char name[] = "/tmp/mgmt_tb.XXXXXX";
    int fd = mkstemp(name);
    CHECK(fd >= 0, "no temporary file");
    FILE *f = fdopen(fd, "w");
    for (uint32_t v : ram) fprintf(f, "%08x\n", v);
    fclose(f);
    std::string plus = std::string("+firmware=") + name;
    const char *args[] = {argv[0], plus.c_str()};
    b.ctx->commandArgs(2, args);
    quiet();
    b.dut->rst_i = 1;
    b.dut->clk_i = 0;
#ifdef TB_NETLIST
    b.ctx->assertOn(false);
#endif
    b.dut->eval();
    unlink(name);
#ifdef TB_NETLIST
    // A netlist loads no file, and it has no assertion but that PicoRV32's cases are parallel, which they are where one matters.
    for (uint32_t k = 0; k < RAM / 4; k++) b.dut->rootp->ohca_mgmt__DOT__u_ram__DOT__mem[k] = ram[k];
#endif
    b.reset();
    restart();
  }

  // ------------------------------------------------------------------ the interpreter
  void show(Event e, int rd = -1) {
    want = e;
    want_rd = rd;
    want_pc = pc;
    state = SHOWS;
  }
  void set(unsigned rd, uint32_t v) { if (rd) x[rd] = v; }
  static int sx(uint32_t v, unsigned n) { return int(v << (32 - n)) >> (32 - n); }
  static uint32_t cut(uint32_t word, unsigned f3, unsigned at) {
    uint32_t v = word >> at * 8;
    switch (f3) {
      case 0: return uint32_t(int8_t(v));
      case 1: return uint32_t(int16_t(v));
      case 4: return uint8_t(v);
      case 5: return uint16_t(v);
      default: return v;
    }
  }
  // true: it is done
  bool load(unsigned rd, uint32_t a, unsigned f3) {
    if (a & ((1u << (f3 & 3)) - 1)) { state = TRAPPED; return false; }
    if (a < RAM) {
      if (pc == p.dump) { state = TOLD; told_off = ~0u; told_rd = rd; dump_at = a; return false; }
      set(rd, cut(ram[a / 4], f3, a & 3));
      n["loads"]++;
      return true;
    }
    if (a >> 15 != 0x10000) { set(rd, 0); n["loads of nothing"]++; return true; }
    CHECK(f3 == 2, "the program reads a part of a register");
    unsigned off = a & 0xffc, i = off / 4;
    switch (a >> 12 & 7) {
      case 1: show({E_PORT, 0, i}, int(rd)); return true;
      case 7: show({E_BAR, i & 127}, int(rd)); return true;
      case 2: set(rd, mad[i & 511]); n["dwords of MADs"]++; return true;
      case 4: if (known[i]) { set(rd, mbox[i]); return true; } state = TOLD; told_off = ~1u; told_rd = rd; return false;
      case 0: break;
      default: FAIL("the program reads 0x%x", a);
    }
    off &= 0x3ff;
    if (off >= OHCA_M_SYS_VIOL + 4 && off < OHCA_M_SYS_VIOL + 52) { set(rd, viol_dw((off - OHCA_M_SYS_VIOL) / 4)); n["of packets"]++; return true; }
    switch (off) {
      case OHCA_M_SYS_ID: set(rd, 0); return true;
      case OHCA_M_SYS_TIME_SCALE: set(rd, 0x123456); return true;
      case OHCA_M_SYS_ICM_LOG2: set(rd, 11); return true;
      case OHCA_M_SYS_GUID_LO: set(rd, uint32_t(GUID)); return true;
      case OHCA_M_SYS_GUID_HI: set(rd, uint32_t(GUID >> 32)); return true;
      case OHCA_M_SYS_NOW_HI: set(rd, now_hi); return true;
      case OHCA_M_SYS_HEALTH: case OHCA_M_SYS_CONSOLE: set(rd, 0); return true;
      case OHCA_M_SYS_ACC_GO:
      case OHCA_M_SYS_ACC_RDATA:
        if (accs != FREE) return stall("stalled accesses");
        set(rd, off == OHCA_M_SYS_ACC_GO ? acc_err : acc_rdata);
        return true;
      case OHCA_M_SYS_EQ_DATA: eq_read = true; eqs = ASKED; show({E_EQ, 0, eq_sel & 0xff, eq_sel >> 8 & 7}, int(rd)); return true;
    }
    if (off >= OHCA_M_SYS_CMD && off < OHCA_M_SYS_CMD + 32) { show({E_BAR, 0x80 | (off & 31) / 4}, int(rd)); return true; }
    state = TOLD;
    told_off = off;
    told_rd = rd;
    return false;
  }
  bool store(uint32_t v, uint32_t a, unsigned f3) {
    const bool odd = a & ((1u << f3) - 1);           // PicoRV32 traps, but may have begun the store
    if (odd) { state = TRAPPED; a &= ~((1u << f3) - 1); }
    if (a < RAM) {
      uint32_t m = f3 == 2 ? ~0u : ((1u << (8 << f3)) - 1) << (a & 3) * 8, w = (ram[a / 4] & ~m) | (v << (a & 3) * 8 & m);
      stores.push_back({a / 4, ram[a / 4], w});
      if (odd) return false;
      ram[a / 4] = w;
      n["stores"]++;
      return true;
    }
    if (a >> 15 != 0x10000) { n["stores to nothing"]++; return true; }
    CHECK(f3 == 2, "the program writes a part of a register");
    unsigned off = a & 0xffc, i = off / 4;
    switch (a >> 12 & 7) {
      case 1: show({E_PORT, 1, i, v}); return true;
      case 6: show({E_LOG, i, v}); return true;
      case 3: mtx[i & 511] = v; return true;
      case 4: mbox[i] = v; known[i] = true; return true;
      case 0: break;
      default: FAIL("the program writes 0x%x", a);
    }
    off &= 0x3ff;
    if (off >= OHCA_M_SYS_TBL_BASE && off < OHCA_M_SYS_TBL_BASE + 16) { tbl_base[(off - OHCA_M_SYS_TBL_BASE) / 4] = v & 0xffff; return true; }
    if (off >= OHCA_M_SYS_TBL_LIMIT && off < OHCA_M_SYS_TBL_LIMIT + 16) { tbl_limit[(off - OHCA_M_SYS_TBL_LIMIT) / 4] = v; return true; }
    if (off >= OHCA_M_SYS_ACC_SEL && off <= OHCA_M_SYS_ACC_GO) {
      if (accs != FREE) return stall("stalled accesses");
      acc[(off - OHCA_M_SYS_ACC_SEL) / 4] = v;
      if (off == OHCA_M_SYS_ACC_GO) {
        const bool cold = (acc[0] & 7) <= OHCA_CTX_PART_RAC && !(acc[0] >> 8 & 1) && (acc[2] & 31) >= OHCA_QPC_HOT_BYTES / 4;
        if (cold) { acc_err = true; acc_rdata = 0; n["refused accesses"]++; return true; }
        accs = ASKED;
        show({E_ACC, 1ull << (acc[0] & 7), (acc[0] & 7) | (acc[0] >> 8 & 1) << 3 | (acc[2] & 31) << 4, acc[1] & 0xffffff, uint64_t(acc[3]) << 32 | acc[4]});
      }
      return true;
    }
    switch (off) {
      case OHCA_M_SYS_FW_VERSION: version = v; return true;
      case OHCA_M_SYS_STATUS: status = v; return true;
      case OHCA_M_SYS_HEALTH: health = v; return true;
      case OHCA_M_SYS_WAKE_LO: wake_lo = v; return true;
      case OHCA_M_SYS_WAKE_HI: wake = uint64_t(v) << 32 | wake_lo; return true;
      case OHCA_M_SYS_CMD_IMM: cmd_imm = v; return true;
      case OHCA_M_SYS_CMD_DONE: show({E_DONE, v & 0xff, cmd_imm}); return true;
      case OHCA_M_SYS_CONSOLE: show({E_CON, v & 0xff}); return true;
      case OHCA_M_SYS_ICM_CHUNK: icm_chunk = v & 0xffff; return true;
      case OHCA_M_SYS_ICM_HI: icm_hi = v; return true;
      case OHCA_M_SYS_ICM_LO: show({E_ICM, icm_chunk, v & 1, (uint64_t(icm_hi) << 32 | v) >> 18}); return true;
      case OHCA_M_SYS_DRAIN: show({E_DRAIN}); return true;
      case OHCA_M_SYS_PHY: hold = v & 2; if (v & 3) show({E_PHY}); return true;
      case OHCA_M_SYS_EQ_SEL: eq_sel = v; return true;
      case OHCA_M_SYS_EQ_DATA: eq_read = false; eqs = ASKED; show({E_EQ, 1, eq_sel & 0xff, eq_sel >> 8 & 7, v}); return true;
      case OHCA_M_SYS_EV_HDR:
      case OHCA_M_SYS_EV_NUM:
      case OHCA_M_SYS_EV_PARAM:
      case OHCA_M_SYS_EV_GO:
        if (evs) return stall("stalled events");
        if (off != OHCA_M_SYS_EV_GO) { ev[(off - OHCA_M_SYS_EV_HDR) / 4] = v; return true; }
        evs = true;
        show({E_EV, ev[0], ev[1], ev[2], v & 0xff});
        return true;
      case OHCA_M_SYS_DMA_LO:
      case OHCA_M_SYS_DMA_HI:
      case OHCA_M_SYS_DMA_GO:
        if (dma.busy) return stall("stalled copies");
        if (off == OHCA_M_SYS_DMA_LO) dma_lo = v & ~3u;
        else if (off == OHCA_M_SYS_DMA_HI) dma_hi = v;
        else {
          dma = {};
          dma.busy = true;
          dma.read = v >> 31;
          dma.addr = uint64_t(dma_hi) << 32 | dma_lo;
          dma.len = v >> 2 & 0x7ff;
          dma.ptr = v >> 18 & 0x3ff;
          dma.lane = dma.addr % BUS / 4;
          dma.beats = (dma.lane + dma.len - 1) / (BUS / 4) + 1;
          dma.fails = dma.read && rng.chance(20);
          if (dma.len) dma.cut();
          host.assign(dma.beats * BUS, 0);
          ours = ~0ull;
        }
        return true;
      case OHCA_M_SYS_MADTX: {
        if (!packets.empty()) return stall("stalled MADs");
        Packet k;
        k.b.resize(v & 0x3ff);
        memcpy(k.b.data(), mtx, k.b.size());
        k.to_host = v >> 16 & 1;
        packets.push_back(k);
        return true;
      }
      case OHCA_M_SYS_MADRX:
        CHECK(full >> (v & 3) & 1, "the program gives back a slot that is empty");
        full &= uint8_t(~(1u << (v & 3)));
        busy &= uint8_t(~(1u << (v & 3)));
        old = (v + 1) & 3;
        n["MADs given back"]++;
        return true;
      case OHCA_M_SYS_VIOL:
        viol_wait = v & 3;
        if (v >> 31) { have = false; missed = 0; }
        viol_quiet = true;
        return true;
    }
    FAIL("the program writes register 0x%x", off);
  }
  uint32_t viol_dw(unsigned k) {
    auto f = [&](unsigned lsb, unsigned w) { return uint32_t(tb::get_bits(viol, lsb, w)); };
    switch (k) {
      case 0: return uint32_t(have) << 31 | f(OHCA_VIOL_NOTE_VIOL_QKEY_LSB, 1) << 30 | uint32_t(missed) << 28 |
                     f(OHCA_VIOL_NOTE_VIOL_GRH_LSB, 1) << 27 | f(OHCA_VIOL_NOTE_VIOL_SL_LSB, 4);
      case 1: return f(OHCA_VIOL_NOTE_VIOL_SLID_LSB, 16) << 16 | f(OHCA_VIOL_NOTE_VIOL_DLID_LSB, 16);
      case 2: return f(OHCA_VIOL_NOTE_VIOL_KEY_LSB, 32);
      case 3: return f(OHCA_VIOL_NOTE_VIOL_SRCQP_LSB, 24);
      case 4: return f(OHCA_VIOL_NOTE_VIOL_DESTQP_LSB, 24);
      case 5: case 6: case 7: case 8: return f(OHCA_VIOL_NOTE_VIOL_SGID_LSB + 32 * (8 - k), 32);
      default: return f(OHCA_VIOL_NOTE_VIOL_DGID_LSB + 32 * (12 - k), 32);
    }
  }
  uint32_t fetch(uint32_t a) { return (ram[a / 4] >> (a & 2) * 8 & 0xffff) | (a + 2 < RAM ? ram[(a + 2) / 4] >> ((a + 2) & 2) * 8 << 16 : 0); }
  static uint32_t alu(unsigned f3, bool alt, uint32_t a, uint32_t v) {
    switch (f3) {
      case 0: return alt ? a - v : a + v;
      case 1: return a << (v & 31);
      case 2: return int(a) < int(v);
      case 3: return a < v;
      case 4: return a ^ v;
      case 5: return alt ? uint32_t(int(a) >> (v & 31)) : a >> (v & 31);
      case 6: return a | v;
      default: return a & v;
    }
  }
  static uint32_t mul(unsigned f3, uint32_t a, uint32_t v) {
    const int64_t sa = int(a), sv = int(v);
    switch (f3) {
      case 0: return a * v;
      case 1: return uint32_t(uint64_t(sa * sv) >> 32);
      case 2: return uint32_t(uint64_t(sa * int64_t(v)) >> 32);
      case 3: return uint32_t(uint64_t(a) * v >> 32);
      case 4: return v == 0 ? ~0u : uint32_t(sa / sv);
      case 5: return v == 0 ? ~0u : a / v;
      case 6: return v == 0 ? a : uint32_t(sa % sv);
      default: return v == 0 ? a : a % v;
    }
  }
  void step() {
    const uint32_t at = pc, o = fetch(pc);
    uint32_t next = pc + ((o & 3) == 3 ? 4 : 2);
    bool done = true;
    n["instructions"]++;
    if ((o & 3) != 3) {
      n["compressed"]++;
      if (at & 2) n["in the middle"]++;
      unsigned rd = o >> 7 & 31, rs2 = o >> 2 & 31, d8 = 8 + (o >> 7 & 7), s8 = 8 + (o >> 2 & 7);
      int imm = sx((o >> 12 & 1) << 5 | (o >> 2 & 31), 6);
      uint32_t o4 = (o >> 5 & 1) << 6 | (o >> 10 & 7) << 3 | (o >> 6 & 1) << 2;
      switch ((o & 3) << 3 | (o >> 13 & 7)) {
        case 002: done = load(s8, x[d8] + o4, 2); break;
        case 006: done = store(x[s8], x[d8] + o4, 2); break;
        case 010: set(rd, x[rd] + uint32_t(imm)); break;
        case 012: set(rd, uint32_t(imm)); break;
        case 014:
          switch (o >> 10 & 3) {
            case 0: x[d8] >>= o >> 2 & 31; break;
            case 1: x[d8] = uint32_t(int(x[d8]) >> (o >> 2 & 31)); break;
            case 3: {
              const unsigned f = o >> 5 & 3;
              x[d8] = f == 0 ? x[d8] - x[s8] : f == 1 ? x[d8] ^ x[s8] : f == 2 ? x[d8] | x[s8] : x[d8] & x[s8];
              break;
            }
            default: FAIL("the program has 0x%04x at 0x%x", o & 0xffff, at);
          }
          break;
        case 015:
          next = at + uint32_t(sx((o >> 12 & 1) << 11 | (o >> 11 & 1) << 4 | (o >> 9 & 3) << 8 | (o >> 8 & 1) << 10 | (o >> 7 & 1) << 6 | (o >> 6 & 1) << 7 |
                                  (o >> 3 & 7) << 1 | (o >> 2 & 1) << 5, 12));
          break;
        case 016: case 017:
          if ((x[d8] == 0) == !(o >> 13 & 1)) {
            next = at + uint32_t(sx((o >> 12 & 1) << 8 | (o >> 10 & 3) << 3 | (o >> 5 & 3) << 6 | (o >> 3 & 3) << 1 | (o >> 2 & 1) << 5, 9));
            n["branches"]++;
          }
          break;
        case 020: set(rd, x[rd] << rs2); break;
        case 022: done = load(rd, x[2] + ((o >> 2 & 3) << 6 | (o >> 12 & 1) << 5 | (o >> 4 & 7) << 2), 2); break;
        case 024: set(rd, (o >> 12 & 1 ? x[rd] : 0) + x[rs2]); break;
        case 026: done = store(x[rs2], x[2] + ((o >> 7 & 3) << 6 | (o >> 9 & 15) << 2), 2); break;
        default: FAIL("the program has 0x%04x at 0x%x", o & 0xffff, at);
      }
    } else {
      if (at & 2) n["over two words"]++;
      const unsigned rd = o >> 7 & 31, f3 = o >> 12 & 7;
      const uint32_t a = x[o >> 15 & 31], v = x[o >> 20 & 31];
      const int imm = int(o) >> 20;
      switch (o & 0x7f) {
        case 0x37: set(rd, o & 0xfffff000); break;
        case 0x17: set(rd, at + (o & 0xfffff000)); break;
        case 0x6f:
          set(rd, next);
          next = at + uint32_t(sx((o >> 31) << 20 | (o >> 12 & 255) << 12 | (o >> 20 & 1) << 11 | (o >> 21 & 1023) << 1, 21));
          break;
        case 0x67: set(rd, next); next = (a + uint32_t(imm)) & ~1u; break;
        case 0x63: {
          bool yes = f3 < 2 ? a == v : f3 < 6 ? int(a) < int(v) : a < v;
          if (yes != (f3 & 1)) {
            next = at + uint32_t(sx((o >> 31) << 12 | (o >> 7 & 1) << 11 | (o >> 25 & 63) << 5 | (o >> 8 & 15) << 1, 13));
            n["branches"]++;
          }
          break;
        }
        case 0x03: done = load(rd, a + uint32_t(imm), f3); break;
        case 0x23: done = store(v, a + uint32_t(sx(o >> 25 << 5 | (o >> 7 & 31), 12)), f3); break;
        case 0x13: set(rd, alu(f3, f3 == 5 && (o >> 30 & 1), a, uint32_t(imm))); break;
        case 0x33: set(rd, o >> 25 == 1 ? mul(f3, a, v) : alu(f3, o >> 30 & 1, a, v)); break;
        case 0x73: case 0x0b: state = TRAPPED; done = false; break;
        default: FAIL("the program has 0x%08x at 0x%x", o, at);
      }
    }
    if (done) pc = next;
  }
  void run() {
    for (unsigned k = 0; state == RUN; k++) {
      CHECK(k < 100000, "the program shows nothing");
      step();
    }
  }
  bool again = false;
  bool stall(const char *what) {
    state = STALLED;
    n[what] += !again;
    return false;
  }
  void unstall() {
    if (state != STALLED) return;
    state = RUN;
    again = true;
    run();
    again = false;
  }

  // A read whose value depends on its cycle: could it have been this?
  void resolve(uint32_t v) {
    // The core takes 7 to 9 cycles from a read to the store to the log behind it (with Compact, where each fetch takes
    // one more, 8 to 11), as words of code are there or not.
    const uint64_t to = b.now() - (COMPACT ? 8 : 7), most = COMPACT ? 3 : 2, from = to - most > shown ? to - most : shown + 1;
    auto was = [&](auto f) {
      for (uint64_t c = from; c <= to; c++) if (f(past[c % N])) return true;
      return false;
    };
    switch (told_off) {
      case ~0u: {
        bool any = false;
        for (unsigned k = 0; k < able.size(); k++) {
          uint32_t w = ram[dump_at / 4];
          for (unsigned i = 0; i < k; i++) if (maybe[i].at == dump_at / 4) w = maybe[i].now;
          able[k] = able[k] && w == v;
          any |= able[k];
        }
        CHECK(any, "RAM 0x%x is 0x%x after a reset", dump_at, v);
        n["words of RAM after a reset"]++;
        break;
      }
      case ~1u: break;
      case OHCA_M_SYS_NOW_LO:
        CHECK(was([&](Past &y) { if (uint32_t(y.now) == v) now_hi = uint32_t(y.now >> 32); return uint32_t(y.now) == v; }),
              "time 0x%x, it is 0x%llx", v, (unsigned long long)now);
        n["times"]++;
        break;
      case OHCA_M_SYS_EVENT: CHECK(was([&](Past &y) { return y.ev == v; }), "events 0x%x", v); n["events read"]++; break;
      case OHCA_M_SYS_WAIT:
        CHECK(v, "no event ended the wait");
        if (exact) CHECK_EQ(v, woke, "events that ended the wait");
        CHECK(was([&](Past &y) { return y.ev == v; }), "events 0x%x", v);
        n[exact ? "slept" : "not slept"]++;
        for (unsigned k = 0; exact && k < 7; k++) woken[k] += v >> k & 1;
        break;
      case OHCA_M_SYS_MADRX: CHECK(was([&](Past &y) { return y.mad == v; }), "slots 0x%x", v); break;
      case OHCA_M_SYS_MADRX_LEN: case OHCA_M_SYS_MADRX_LEN2: {
        const unsigned k = told_off == OHCA_M_SYS_MADRX_LEN2;
        CHECK(was([&](Past &y) { return y.lens[k] == v; }), "lengths 0x%x", v);
        break;
      }
      case OHCA_M_SYS_PHY: CHECK_EQ(v, phy | link, "PHY"); phy_evt = false; n["PHY read"]++; break;
      case OHCA_M_SYS_DRAIN: CHECK(was([&](Past &y) { return y.drain == v; }), "draining 0x%x", v); break;
      case OHCA_M_SYS_DMA_STAT:
        CHECK(v < 4 && (v & 1 || was([](Past &y) { return !y.copies; })), "a copy is over too early");
        if (!(v & 1)) CHECK_EQ(v >> 1, dma.err, "a copy's error");
        else CHECK(from < dma_last + 1000, "a copy is never over");
        n["copies told"]++;
        break;
      case OHCA_M_SYS_MADTX:
        CHECK(v < 2 && (v || was([](Past &y) { return !y.sends; })), "a packet is gone too early");
        if (v) CHECK(from < mtx_last + 20, "a packet is never gone");
        break;
      case OHCA_M_SYS_CNP: {
        const uint32_t w = cnps.empty() ? 0 : 0x80000000u | cnps.front();
        CHECK_EQ(v >> 31, !cnps.empty(), "a notification");
        CHECK_EQ(v >> 30 & 1, cnp_lost, "notifications lost");
        CHECK_EQ(v >> 24 & 0x3f, 0, "notification");
        if (w) { CHECK_EQ(v & 0xffffff, cnps.front(), "a notification's QP"); cnps.pop_front(); n["notifications"]++; }
        n["losses told"] += cnp_lost;
        cnp_lost = false;
        break;
      }
      case OHCA_M_SYS_VIOL:                          // without one what it is of is anything
        CHECK(was([&](Past &y) { return y.viol >> 31 ? y.viol == v : !(v >> 31) && (v >> 28 & 3) == (y.viol >> 28 & 3); }), "bad key 0x%x", v);
        n["packets told"] += v >> 31;
        break;
      case OHCA_M_SYS_RAND: break;
      default: FAIL("the program reads register 0x%x", told_off);
    }
    set(told_rd, v);
    pc += 4;
    exact = asleep = false;
    state = RUN;
    run();
  }
  void levels() {
    CHECK_EQ(FIELD(d.bar_o, OHCA_FW_BAR_VERSION), version, "version");
    CHECK_EQ(FIELD(d.bar_o, OHCA_FW_BAR_STATUS), status, "status");
    CHECK_EQ(FIELD(d.bar_o, OHCA_FW_BAR_HEALTH), health, "health");
    CHECK_EQ(d.wake_o, wake, "when to wake");
    for (unsigned k = 0; k < 4; k++) {
      CHECK_EQ(tb::get_bits(d.tbl_base_o, k * 16, 16), tbl_base[k], "base");
      CHECK_EQ(tb::get_bits(d.tbl_limit_o, k * 32, 32), tbl_limit[k], "limit");
    }
    if (want.what != E_PHY) CHECK_EQ(d.phy_reset_o, hold, "PHY's reset");
  }
  // It showed.
  void event(Event e, uint32_t answer = 0) {
    b.progress();
    if (state == TOLD) {
      CHECK(e.what == E_LOG, "%s instead of what was read", NAMES[e.what]);
      resolve(uint32_t(e.b));
    }
    CHECK(state == SHOWS, "%s 0x%llx 0x%llx, and the program is %s at 0x%x", NAMES[e.what], (unsigned long long)e.a, (unsigned long long)e.b,
          state == STALLED ? "stalled" : state == TRAPPED ? "trapped" : "elsewhere", pc);
    CHECK(e == want, "%s 0x%llx 0x%llx 0x%llx 0x%llx, wanted %s 0x%llx 0x%llx 0x%llx 0x%llx, program at 0x%x", NAMES[e.what], (unsigned long long)e.a,
          (unsigned long long)e.b, (unsigned long long)e.c, (unsigned long long)e.d, NAMES[want.what], (unsigned long long)want.a, (unsigned long long)want.b,
          (unsigned long long)want.c, (unsigned long long)want.d, want_pc);
    levels();
    of[e.what]++;
    if (e.what == E_LOG) time();
    shown = b.now();
    stores.clear();
    viol_quiet = false;
    if (want_rd >= 0 && e.what != E_EQ) set(unsigned(want_rd), answer);
    if (e.what == E_EQ) { state = STALLED; return; }
    if (e.what == E_ACC) n["accesses"]++;
    state = RUN;
    run();
  }
  // The cycles from one store to the log to the next: RAM takes one less than a register, ohca_bar's one more, a port's two. Compact: a register takes one
  // more, which those further away need in any case.
  void time() {
    auto k = p.timed.find(want_pc);
    if (k == p.timed.end()) return;
    if (k->second != Program::MARK && time_mark) {
      uint64_t took = b.now() - time_at + (k->second == Program::OF_RAM ? 1 + COMPACT : 0);
      took -= k->second == Program::OF_FAR ? 1 - COMPACT : k->second == Program::OF_PORT ? 2 - COMPACT : 0;
      if (!base) base = took;
      CHECK_EQ(took, base, "cycles of a register's access");
      n[k->second == Program::OF_RAM ? "timed of RAM" : k->second == Program::OF_SYS ? "timed of a register" : k->second == Program::OF_FAR ? "timed of a far one" : "timed of a port's"]++;
    }
    time_at = b.now();
    time_mark = 1;
  }

  // ------------------------------------------------------------------ the other blocks
  uint32_t next_command() {                          // what the monitor is to do
    if (!dumps.empty()) { uint32_t a = dumps.front(); dumps.pop_front(); return a * 4; }
    for (unsigned k = unsigned(able.size()); k--;) if (able[k]) {      // so many were done, or it makes no difference
      for (unsigned i = 0; i < k; i++) ram[maybe[i].at] = maybe[i].now;
      if (k < maybe.size()) n["stores taken back"]++;
      break;
    }
    maybe.clear();
    able.assign(1, true);
    if (rng.chance(50)) return uint32_t(rng.below(RAM / 4)) * 4;
    n["chapters"]++;
    return p.entries[rng.below(p.entries.size())] | 1;
  }
  void quiet() {
    d.acc_ready_i = 0;
    tb::clear(d.acc_rsp_i);
    tb::clear(d.eq_i);
    d.ev_ready_i = 0;
    tb::clear(d.rd_i);
    tb::clear(d.wr_i);
    tb::clear(d.cnp_i);
    tb::clear(d.rs_viol_i);
    tb::clear(d.ra_viol_i);
    tb::clear(d.mad_i);
    d.mtx_ready_i = 0;
    d.port_event_i = 0;
    tb::clear(d.bar_i);
    BITS(d.bar_i, OHCA_BAR_FW_TIME_SCALE) = 0x123456;
    d.strap_guid_i = GUID;
    d.now_i = now;
  }
  void restart() {
    // Of the stores that showed nothing yet, any number from the first on may be done.
    maybe.insert(maybe.end(), stores.begin(), stores.end());
    for (size_t i = stores.size(); i--;) ram[stores[i].at] = stores[i].old;
    able.assign(maybe.size() + 1, true);
    dumps.clear();
    for (auto &y : maybe) { bool there = false; for (uint32_t a : dumps) there |= a == y.at; if (!there) dumps.push_back(y.at); }
    stores.clear();
    pc = 0;
    version = status = health = 0;
    wake_lo = ~0u;
    wake = ~0ull;
    for (unsigned k = 0; k < 4; k++) tbl_base[k] = tbl_limit[k] = 0;
    hold = false;
    accs = eqs = FREE;
    evs = acc_err = false;
    dma.busy = dma.err = false;
    memset(known, 0, sizeof known);                  // how far a copy, or the program, came in it is not known
    answer.clear();
    for (auto &y : acks) if (y == ~0ull) y = b.now();
    packets.clear();
    sent.clear();
    mtx_sink = tb::Sink<MtxBeat>(&rng, "mtx");
    full = busy = take = fill = old = 0;
    for (auto &y : len) y = 0;
    jobs.clear();
    cnps.clear();
    cnp_lost = have = viol_quiet = seen = phy_evt = cmd_go = port_event = asleep = exact = false;
    viol_wait = missed = 0;
    cnp_burst = 0;
    calm = rng.chance(50);
    time_mark = 0;
    acc_was = eq_was = ev_was = phy_was = false;
    shown = b.now();
    state = RUN;
    b.progress();
    run();
  }
  void reset() {
    n[state == TRAPPED ? "resets after a trap" : asleep ? "resets asleep" : state == STALLED ? "resets while stalled" :
      stores.empty() ? "resets" : "resets amid stores"]++;
    unsigned cycles = unsigned(rng.chance(30) ? 64 : rng.range(3, 20));
    cycle(true);                                     // what shows in the first one was before it
    for (unsigned k = 1; k < cycles; k++) {
      b.progress();
      b.cycle([&] { quiet(); d.rst_i = 1; d.now_i = ++now; }, [&] {
        CHECK(!FIELD(d.port_o, OHCA_CFG_ACC_VALID) && !FIELD(d.bar_o, OHCA_FW_BAR_RD) && !FIELD(d.log_o, OHCA_FW_LOG_WE), "an access goes on in reset");
        CHECK(!d.acc_valid_o && !FIELD(d.eq_o, OHCA_EQM_REQ_VALID) && !d.ev_valid_o && !FIELD(d.mtx_o, OHCA_MTX_BEAT_VALID), "something is asked for in reset");
        CHECK(!FIELD(d.rd_o, OHCA_HRD_REQ_VALID) && !FIELD(d.wr_o, OHCA_HWR_REQ_VALID), "a copy goes on in reset");
        CHECK(!FIELD(d.icm_o, OHCA_ICM_SET_WE) && !d.drain_o, "a pulse in reset");
        if (k > 1) CHECK(!FIELD(d.bar_o, OHCA_FW_BAR_CMD_DONE) && !d.con_valid_o && !d.phy_reset_o, "a pulse in reset");
        if (k > 1) CHECK(!FIELD(d.bar_o, OHCA_FW_BAR_STATUS) && !d.idle_o, "the core runs on in reset");
      });
    }
    d.rst_i = 0;
    restart();
  }

  uint8_t events() {
    return uint8_t((cmd_go && !FIELD(d.bar_o, OHCA_FW_BAR_CMD_DONE)) << OHCA_M_EVENT_CMD | (full != 0) << OHCA_M_EVENT_MAD_RX | phy_evt << OHCA_M_EVENT_PHY |
                   due_before << OHCA_M_EVENT_TIMER | port_event << OHCA_M_EVENT_PORT | !cnps.empty() << OHCA_M_EVENT_CNP | have << OHCA_M_EVENT_VIOL);
  }
  bool reads(uint32_t off) { return state == TOLD && told_off == off; }

  bool answers = false;                              // to what showed a cycle ago
  uint32_t answer_v = 0;
  bool answer_bar = false;
  bool acc_rsp = false, eq_rsp = false, cnp_push = false, rs_push = false, ra_push = false, mad_take = false, mad_we = false, mad_done = false;
  uint32_t rsp_v = 0, eq_v = 0, cnp_v = 0;
  uint8_t draining = 0;
  bool done_before = false, due = false, due_before = false;   // the time has come; it had a cycle ago

  void cycle(bool rst = false) {
    b.cycle([&] {
      quiet();
      d.rst_i = rst;
      now++;
      // A sleeper's time may go on at once.
      if (asleep && wake != ~0ull && wake > now && rng.chance(2)) now = wake;
      // A calm time begins with a reset: nothing comes but what wakes a sleeper.
      const unsigned stir = !calm;
      const int poke = asleep && jobs.empty() && rng.below(1000) < (wake == ~0ull ? 30 : 2) ? int(rng.below(6)) : -1;
      if (done_before) cmd_go = false;
      if (poke == 0 || rng.below(1000) < 2 * stir) cmd_go = true;
      port_event = poke == 1 || rng.below(1000) < (port_event ? 960 : 2 * stir);
      if (!reads(OHCA_M_SYS_PHY) && (poke == 2 || rng.below(1000) < 2 * stir)) {
        link = !link;
        phy = uint32_t(rng.bits(16)) << 16 | uint32_t(rng.bits(4)) << 4;
      }
      d.now_i = now;
      d.port_event_i = port_event;
      BITS(d.bar_i, OHCA_BAR_FW_CMD_GO) = cmd_go;
      BITS(d.phy_i, OHCA_PHY_STATE_LINK_UP) = link;
      BITS(d.phy_i, OHCA_PHY_STATE_WIDTH) = phy >> 4 & 15;
      BITS(d.phy_i, OHCA_PHY_STATE_SPEED) = phy >> 16;
      // The answer is there for one cycle.
      d.port_rdata_i = answers && !answer_bar ? answer_v : uint32_t(rng.bits(32));
      BITS(d.bar_i, OHCA_BAR_FW_RDATA) = answers && answer_bar ? answer_v : uint32_t(rng.bits(32));
      if (rng.chance(5)) draining = uint8_t(rng.bits(2));
      d.draining_i = draining;
      // contexts, queues, events
      d.acc_ready_i = uint8_t(rng.bits(8)) & uint8_t(~(1u << (acc[0] & 7)));
      if (pace[0].go()) d.acc_ready_i |= uint8_t(1u << (acc[0] & 7));
      acc_rsp = accs == TAKEN && pace[1].go();
      rsp_v = uint32_t(rng.bits(32));
      bool err = rng.chance(20);
      BITS(d.acc_rsp_i, OHCA_ACC_RSP_VALID) = acc_rsp;
      BITS(d.acc_rsp_i, OHCA_ACC_RSP_ERR) = err;
      BITS(d.acc_rsp_i, OHCA_ACC_RSP_RDATA) = rsp_v;
      BITS(d.eq_i, OHCA_EQM_RSP_READY) = pace[2].go();
      eq_rsp = eqs == TAKEN && pace[3].go();
      eq_v = uint32_t(rng.bits(32));
      BITS(d.eq_i, OHCA_EQM_RSP_DONE) = eq_rsp;
      BITS(d.eq_i, OHCA_EQM_RSP_RDATA) = eq_v;
      d.ev_ready_i = pace[4].go();
      // notes
      if (!cnp_burst && (poke == 3 || rng.below(1000) < stir)) cnp_burst = unsigned(rng.chance(10) ? rng.range(10, 24) : 1);
      cnp_push = cnp_burst && !reads(OHCA_M_SYS_CNP);
      if (cnp_push) cnp_burst--;
      cnp_v = uint32_t(rng.bits(24));
      BITS(d.cnp_i, OHCA_CNP_NOTE_VALID) = cnp_push;
      BITS(d.cnp_i, OHCA_CNP_NOTE_QPN) = cnp_v;
      const bool quiet_now = viol_quiet && !asleep;
      rs_push = !quiet_now && (poke == 4 || rng.below(1000) < 3 * stir);
      ra_push = !quiet_now && (rng.below(1000) < 3 * stir || (rs_push && rng.chance(30)));
      for (auto *s : {&d.rs_viol_i, &d.ra_viol_i}) for (unsigned k = 0; k < 12; k++) (*s)[k] = uint32_t(rng.bits(32));
      BITS(d.rs_viol_i, OHCA_VIOL_NOTE_VALID) = rs_push;
      BITS(d.ra_viol_i, OHCA_VIOL_NOTE_VALID) = ra_push;
      // MADs that come
      d.eval();
      mad_take = FIELD(d.mad_o, OHCA_MAD_ROOM_FREE) && !rst && (poke == 5 || rng.below(1000) < 5 * stir);
      BITS(d.mad_i, OHCA_MAD_PUT_TAKE) = mad_take;
      BITS(d.mad_i, OHCA_MAD_PUT_LEN) = rng.range(1, 512);
      mad_we = mad_done = false;
      if (!jobs.empty() && pace[5].go()) (jobs.front().at < 128 ? mad_we : mad_done) = true;
      BITS(d.mad_i, OHCA_MAD_PUT_WE) = mad_we;
      BITS(d.mad_i, OHCA_MAD_PUT_DONE) = mad_done;
      BITS(d.mad_i, OHCA_MAD_PUT_ADDR) = jobs.empty() ? 0 : jobs.front().slot * 128 + (jobs.front().at & 127);
      BITS(d.mad_i, OHCA_MAD_PUT_DATA) = rng.bits(32);
      d.mtx_ready_i = mtx_sink.drive();
      // host memory
      if (rng.chance(3)) { issued++; acks.push_back(b.now() + rng.range(1, 60)); }
      while (!acks.empty() && acks.front() <= b.now()) { acks.pop_front(); acked++; }
      BITS(d.wr_cnt_i, OHCA_HWR_CNT_ISSUED) = uint32_t(issued) - 40;
      BITS(d.wr_cnt_i, OHCA_HWR_CNT_ACKED) = uint32_t(acked) - 40;
      BITS(d.rd_i, OHCA_HRD_RSP_READY) = pace[6].go();
      BITS(d.wr_i, OHCA_HWR_RSP_READY) = pace[6].go();
      BITS(d.wr_i, OHCA_HWR_RSP_DAT_READY) = dma.busy && dma.req && pace[7].go();
      bool rsp = !answer.empty() && pace[7].go();
      BITS(d.rd_i, OHCA_HRD_RSP_VALID) = rsp;
      if (rsp) {
        tb::set_bytes(d.rd_rsp_data_i, answer.front().b, BUS);
        BITS(d.rd_rsp_i, OHCA_HRD_BEAT_LAST) = answer.front().last;
        BITS(d.rd_rsp_i, OHCA_HRD_BEAT_ERR) = answer.front().err;
      }
    }, [&] { sample(); });
  }

  void sample() {
    due_before = due;
    due = now >= wake;
    const uint8_t ev_now = events();
    past[b.now() % N] = {now, viol_dw(0), phy | link, {uint32_t(len[1]) << 16 | len[0], uint32_t(len[3]) << 16 | len[2]}, ev_now, uint8_t(old << 4 | full), draining,
                         dma.busy, !packets.empty()};
    const bool working = accs != FREE || evs || dma.busy || !packets.empty();
    done_before = FIELD(d.bar_o, OHCA_FW_BAR_CMD_DONE);

    // Sleep, and the trap
    const bool trap = FIELD(d.bar_o, OHCA_FW_BAR_STATUS) == 0xdead0002u;
    if (trap) CHECK(state == TRAPPED, "the core trapped, the program is at 0x%x", pc);
    if (d.idle_o) {
      CHECK(trap || (reads(OHCA_M_SYS_WAIT) && !ev_now), "idle, and the program is at 0x%x", pc);
      CHECK(!working, "idle while something is under way");
      asleep = !trap;
    } else if (asleep && (ev_now || !due)) {         // with its time it is no sleeper, and wakes a cycle later
      CHECK(ev_now || d.rst_i, "it woke without an event");
      if (!exact) { exact = true; woke = ev_now; }
      asleep = false;
    }
    if (reads(OHCA_M_SYS_WAIT) && !working && !exact) {
      if (ev_now || due) quiet_since = b.now();
      if (b.now() - quiet_since > 1000 && b.now() - shown > 1000) CHECK(d.idle_o, "nothing is under way, and it is not idle");
    } else {
      quiet_since = b.now();
    }
    if (state == TRAPPED && b.now() - shown > 2000) CHECK(trap && (working || d.idle_o), "the program trapped, the core did not");

    // Others must run when they are asked something, or answer.
    const bool acc_v = d.acc_valid_o, eq_v_ = FIELD(d.eq_o, OHCA_EQM_REQ_VALID), rd_v = FIELD(d.rd_o, OHCA_HRD_REQ_VALID), wr_v = FIELD(d.wr_o, OHCA_HWR_REQ_VALID);
    const bool mtx_v = FIELD(d.mtx_o, OHCA_MTX_BEAT_VALID), icm = FIELD(d.icm_o, OHCA_ICM_SET_WE);
    const bool port = FIELD(d.port_o, OHCA_CFG_ACC_VALID), bar = FIELD(d.bar_o, OHCA_FW_BAR_RD);
    if (acc_v || eq_v_ || d.ev_valid_o || rd_v || wr_v || mtx_v || icm || done_before || port || bar || d.drain_o || acc_rsp || eq_rsp ||
        FIELD(d.rd_i, OHCA_HRD_RSP_VALID))
      CHECK(d.touch_o, "others may rest, and something is asked");

    // What came
    if (acc_rsp) { accs = FREE; acc_err = FIELD(d.acc_rsp_i, OHCA_ACC_RSP_ERR); acc_rdata = rsp_v; n["accesses answered"]++; }
    bool eq_over = eq_rsp;
    if (eq_rsp) { eqs = FREE; if (eq_read) set(unsigned(want_rd), eq_v); }
    if (cnp_push) {
      if (cnps.size() < 16) cnps.push_back(cnp_v);
      else { cnp_lost = true; n["notifications lost"]++; }
    }
    if (rs_push || ra_push) {
      auto &s = rs_push ? d.rs_viol_i : d.ra_viol_i;
      const unsigned rs_q = unsigned(FIELD(d.rs_viol_i, OHCA_VIOL_NOTE_VIOL_QKEY)), ra_q = unsigned(FIELD(d.ra_viol_i, OHCA_VIOL_NOTE_VIOL_QKEY));
      const unsigned q = rs_push ? rs_q : ra_q;
      if (!have && viol_wait >> q & 1) {
        memcpy(viol.data(), s.data(), sizeof viol);
        if (COMPACT) for (unsigned k = 0; k <= 256; k += 32) tb::set_bits(viol, k, k == 256 ? 1 : 32, 0);
        have = true;
        if (rs_push && ra_push) missed |= uint8_t(1u << ra_q);
      } else {
        missed |= uint8_t(rs_push << rs_q | ra_push << ra_q);
      }
    }
    CHECK_EQ(FIELD(d.mad_o, OHCA_MAD_ROOM_SLOT), take, "slot");
    if (FIELD(d.mad_o, OHCA_MAD_ROOM_FREE)) CHECK(!(busy >> take & 1), "a slot is free that the program has not given back");
    if (mad_we) mad[jobs.front().slot * 128 + jobs.front().at++] = uint32_t(FIELD(d.mad_i, OHCA_MAD_PUT_DATA));
    if (mad_done) { filled[fill] = true; jobs.pop_front(); full |= uint8_t(1u << fill); fill = (fill + 1) & 3; n["MADs"]++; }
    if (mad_take) {                                  // the first time all of it is written
      busy |= uint8_t(1u << take);
      len[take] = uint16_t(FIELD(d.mad_i, OHCA_MAD_PUT_LEN));
      jobs.push_back({take, filled[take] ? unsigned(rng.below(129)) : 0});
      take = (take + 1) & 3;
    }
    phy_evt |= seen != link;
    seen = link;

    // What is asked for, and stays until it is taken
    if (acc_v) {
      const uint64_t f = FIELD(d.acc_o, OHCA_CTX_ACC_PART) | FIELD(d.acc_o, OHCA_CTX_ACC_INVAL) << 3 | FIELD(d.acc_o, OHCA_CTX_ACC_DW) << 4;
      Event e{E_ACC, d.acc_valid_o, f, FIELD(d.acc_o, OHCA_CTX_ACC_NUM), FIELD(d.acc_o, OHCA_CTX_ACC_WDATA) << 32 | FIELD(d.acc_o, OHCA_CTX_ACC_WMASK)};
      if (!acc_was) { asked_acc = e; event(e); }
      else CHECK(e == asked_acc, "an access that waits changed");
      if (d.acc_valid_o & d.acc_ready_i) { CHECK(accs == ASKED, "an access again"); accs = TAKEN; }
    } else CHECK(!acc_was, "an access that waited vanished");
    acc_was = acc_v && !(d.acc_valid_o & d.acc_ready_i);
    if (eq_v_) {
      const bool we = FIELD(d.eq_o, OHCA_EQM_REQ_WE);
      Event e{E_EQ, we, FIELD(d.eq_o, OHCA_EQM_REQ_EQN), FIELD(d.eq_o, OHCA_EQM_REQ_DW), we ? FIELD(d.eq_o, OHCA_EQM_REQ_WDATA) : 0};
      if (!eq_was) event(e);
      if (FIELD(d.eq_i, OHCA_EQM_RSP_READY)) { CHECK(eqs == ASKED, "a queue again"); eqs = TAKEN; }
      eq_was = !FIELD(d.eq_i, OHCA_EQM_RSP_READY);
    } else CHECK(!eq_was, "an access to a queue vanished");
    if (d.ev_valid_o) {
      Event e{E_EV, FIELD(d.ev_o, OHCA_EV_REQ_ETYPE) | FIELD(d.ev_o, OHCA_EV_REQ_PORT) << 8 | FIELD(d.ev_o, OHCA_EV_REQ_SYNDROME) << 16, FIELD(d.ev_o, OHCA_EV_REQ_NUM),
              FIELD(d.ev_o, OHCA_EV_REQ_PARAM), FIELD(d.ev_o, OHCA_EV_REQ_EQN)};
      if (!ev_was) event(e);
      ev_was = !d.ev_ready_i;
      if (d.ev_ready_i) evs = false;
    } else CHECK(!ev_was, "an event vanished");
    host_memory();
    madtx();

    // Pulses, in the order of the program as no two accesses are at once
    answers = false;
    if (port) {
      const bool we = FIELD(d.port_o, OHCA_CFG_ACC_WE);
      if (!we) answer_for(false);
      event({E_PORT, we, FIELD(d.port_o, OHCA_CFG_ACC_ADDR), we ? FIELD(d.port_o, OHCA_CFG_ACC_WDATA) : 0}, answer_v);
    }
    if (bar) { answer_for(true); event({E_BAR, FIELD(d.bar_o, OHCA_FW_BAR_ADDR)}, answer_v); }
    if (FIELD(d.log_o, OHCA_FW_LOG_WE)) event({E_LOG, FIELD(d.log_o, OHCA_FW_LOG_ADDR), FIELD(d.log_o, OHCA_FW_LOG_WDATA)});
    if (d.con_valid_o) event({E_CON, d.con_o});
    if (icm) event({E_ICM, FIELD(d.icm_o, OHCA_ICM_SET_CHUNK), FIELD(d.icm_o, OHCA_ICM_SET_VALID), FIELD(d.icm_o, OHCA_ICM_SET_ADDR)});
    if (done_before) event({E_DONE, FIELD(d.bar_o, OHCA_FW_BAR_CMD_STATUS), FIELD(d.bar_o, OHCA_FW_BAR_CMD_IMM)});
    if (d.drain_o) event({E_DRAIN});
    if (d.phy_reset_o && !phy_was) event({E_PHY});
    phy_was = d.phy_reset_o;
    if (eq_over && state == STALLED) { state = RUN; run(); }
    else if (eqs == FREE) unstall();
    if (dma.busy) dma_last = b.now();
    if (!packets.empty()) mtx_last = b.now();
  }
  Event asked_acc{};
  uint64_t quiet_since = 0;

  void answer_for(bool bar) {
    answers = true;
    answer_bar = bar;
    answer_v = state == SHOWS && !bar && want_pc == p.command ? next_command() : uint32_t(rng.bits(32));
  }
  void host_memory() {
    if (FIELD(d.rd_o, OHCA_HRD_REQ_VALID)) {
      CHECK(dma.busy && dma.read && !dma.req, "a read that nobody asked for");
      CHECK_EQ(FIELD(d.rd_o, OHCA_HRD_REQ_REQ_ADDR), dma.addr + dma.from * 4, "address");
      CHECK_EQ(FIELD(d.rd_o, OHCA_HRD_REQ_REQ_LEN), dma.part * 4, "bytes");
      if (FIELD(d.rd_i, OHCA_HRD_RSP_READY)) {
        dma.req = true;
        for (unsigned k = dma.got; k < dma.upto; k++) {
          Beat y;
          for (auto &z : y.b) z = uint8_t(rng.bits(8));
          memcpy(&host[k * BUS], y.b, BUS);
          y.last = k == dma.upto - 1;
          y.err = dma.fails && k == dma.beats / 2;
          answer.push_back(y);
        }
      }
    }
    if (FIELD(d.rd_i, OHCA_HRD_RSP_VALID)) {
      answer.pop_front();
      if (answer.empty() && dma.upto < dma.beats) {
        dma.got = dma.upto;
        dma.from += dma.part;
        dma.cut();
      } else if (answer.empty()) {
        for (unsigned k = 0; k < dma.len; k++) { memcpy(&mbox[dma.ptr + k], &host[(dma.lane + k) * 4], 4); known[dma.ptr + k] = true; }
        dma.busy = false;
        dma.err = dma.fails;
        n["reads of host memory"]++;
      }
    }
    if (FIELD(d.wr_o, OHCA_HWR_REQ_DAT_VALID)) {
      CHECK(dma.busy && !dma.read && dma.sent < dma.upto, "a beat too many");
      CHECK_EQ(FIELD(d.wr_o, OHCA_HWR_REQ_DAT_LAST), dma.sent == dma.upto - 1, "last");
      if (FIELD(d.wr_i, OHCA_HWR_RSP_DAT_READY)) {
        tb::get_bytes(d.wr_dat_o, &host[dma.sent++ * BUS], BUS);
        if (dma.sent == dma.beats) {
          for (unsigned k = 0; k < dma.len; k++) {
            uint32_t v;
            memcpy(&v, &host[(dma.lane + k) * 4], 4);
            if (known[dma.ptr + k]) CHECK_EQ(v, mbox[dma.ptr + k], "host memory");
          }
          acks[ours - 1 - acked] = b.now() + rng.range(1, 120);
        } else if (dma.sent == dma.upto) {
          acks[ours - 1 - acked] = b.now() + rng.range(1, 120);
          dma.from += dma.part;
          dma.cut();
        }
      }
    }
    if (FIELD(d.wr_o, OHCA_HWR_REQ_VALID)) {
      CHECK(dma.busy && !dma.read && !dma.req, "a write that nobody asked for");
      CHECK_EQ(FIELD(d.wr_o, OHCA_HWR_REQ_REQ_ADDR), dma.addr + dma.from * 4, "address");
      CHECK_EQ(FIELD(d.wr_o, OHCA_HWR_REQ_REQ_LEN), dma.part * 4, "bytes");
      if (FIELD(d.wr_i, OHCA_HWR_RSP_READY)) { dma.req = true; acks.push_back(~0ull); ours = ++issued; }
    }
    if (dma.busy && !dma.read && dma.sent == dma.beats && acked >= ours) { dma.busy = false; dma.err = false; n["writes of host memory"]++; }
  }
  void madtx() {
    MtxBeat y{};
    tb::get_bytes(d.mtx_data_o, y.b, BUS);
    y.keep = d.mtx_keep_o;
    y.bits = d.mtx_o;
    const bool v = FIELD(d.mtx_o, OHCA_MTX_BEAT_VALID);
    if (v) CHECK(!packets.empty(), "a packet that nobody sends");
    if (!mtx_sink.sample(v, y)) return;
    for (unsigned k = 0; k < BUS; k++) if (y.keep >> k & 1) { CHECK(k == 0 || y.keep >> (k - 1) & 1, "a gap"); sent.push_back(y.b[k]); }
    if (!FIELD(d.mtx_o, OHCA_MTX_BEAT_LAST)) { CHECK(sent.size() < packets.front().b.size(), "no end"); return; }
    CHECK(sent == packets.front().b, "a packet is not what was written");
    CHECK_EQ(FIELD(d.mtx_o, OHCA_MTX_BEAT_TO_HOST), packets.front().to_host, "to this host");
    sent.clear();
    packets.pop_front();
    n["packets"]++;
  }

  bool enough() {
    static const std::pair<const char *, uint64_t> least[] = {
      {"loads", 3000}, {"stores", 3000}, {"compressed", 5000}, {"in the middle", 2000}, {"over two words", 3000}, {"branches", 500}, {"loads of nothing", 10},
      {"stores to nothing", 10}, {"stalled accesses", 20}, {"stalled events", 5}, {"stalled copies", 10}, {"stalled MADs", 3}, {"refused accesses", 3},
      {"accesses answered", 40},
      {"reads of host memory", 20}, {"writes of host memory", 20}, {"packets", 10}, {"MADs given back", 10}, {"dwords of MADs", 20}, {"notifications", 20},
      {"notifications lost", 3}, {"losses told", 1}, {"packets told", 3}, {"of packets", 10}, {"slept", 10}, {"not slept", 3}, {"times", 20}, {"PHY read", 10},
      {"resets", 5}, {"resets amid stores", 5}, {"resets after a trap", 3}, {"resets asleep", 1}, {"resets while stalled", 1}, {"stores taken back", 1},
      {"words of RAM after a reset", 20}, {"timed of RAM", 5}, {"timed of a register", 5}, {"timed of a far one", 5}, {"timed of a port's", 5}, {"chapters", 40}};
    for (auto &y : least) if (n[y.first] < y.second) { lacks = y.first; return false; }
    for (unsigned k = 0; k < 11; k++) if (of[k] < 10) { lacks = NAMES[k]; return false; }
    for (unsigned k = 0; k < 7; k++) if (!woken[k]) { lacks = "kinds of events that woke it"; return false; }
    return true;
  }
  const char *lacks = "";

  int main() {
    const uint64_t least = b.cycles * 15, most = b.cycles * 60;
    uint64_t next = rng.range(1, 8000);
    unsigned when = unsigned(rng.below(5)), after = unsigned(rng.range(4, 14));
    while (b.now() < least || (!enough() && b.now() < most)) {
      cycle();
      const bool trapped = state == TRAPPED && FIELD(d.bar_o, OHCA_FW_BAR_STATUS) == 0xdead0002u && d.idle_o && rng.chance(5);
      // Anywhere, amid stores, stalled, asleep, or before a register elsewhere is asked, if that comes
      const bool there = when == 0 || (when == 1 ? !stores.empty() : when == 2 ? state == STALLED && eqs == FREE : when == 3 ? asleep :
                                       state == SHOWS && want.what <= E_BAR && b.now() - shown == after);
      if (trapped || (state != TRAPPED && b.now() >= next && (there || b.now() > next + 15000))) {
        reset();
        next = b.now() + rng.range(1, 5000);
        when = unsigned(rng.below(5));
        after = unsigned(rng.range(4, 14));
      }
    }
    for (auto &y : n) printf("# %llu %s\n", (unsigned long long)y.second, y.first.c_str());
    for (unsigned k = 0; k < 11; k++) printf("# %llu of %s\n", (unsigned long long)of[k], NAMES[k]);
    const bool all_was_seen = enough();
    if (!all_was_seen) printf("# too few: %s\n", lacks);
    GOAL(all_was_seen);
    return b.finish();
  }
};

}  // namespace

int main(int argc, char **argv) {
  Test t(argc, argv);
  return t.main();
}
