// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// AXI4 memory for the block tests: reads answered out of order and interleaved, writes checked against the rules of the bus.
#ifndef OHCA_AXI_MEM_H
#define OHCA_AXI_MEM_H

#include <unordered_map>

#include "tb.h"

// What untouched memory holds: every address its own byte.
inline uint8_t mem_byte(uint64_t a) { return uint8_t((a * 0x9e3779b97f4a7c15ull) >> 56) ^ uint8_t(a >> 12); }

inline void check_burst(const char *dir, uint64_t addr, unsigned beats, unsigned size, unsigned burst, unsigned bus) {
  CHECK_EQ(burst, 1, dir);
  CHECK_EQ(1u << size, bus, dir);
  CHECK_EQ(addr % bus, 0, dir);
  CHECK(beats <= 256, "%s burst of %u beats", dir, beats);
  CHECK(addr / 4096 == (addr + beats * bus - 1) / 4096, "%s burst crosses 4 KiB: %llx + %u beats", dir, (unsigned long long)addr, beats);
}

template <class V, unsigned BUS> class AxiReadMem {
 public:
  unsigned lat_min = 5, lat_max = 200;
  bool interleave = true;                  // beats of bursts mix
  uint64_t err_lo = 1, err_hi = 0;         // addresses in here answer SLVERR
  uint64_t slow_lo = 1, slow_hi = 0;       // addresses in here take so much longer
  unsigned slow = 1000;
  tb::Pace ar_pace, r_pace;
  unsigned max_out = 0, max_beats = 0;     // bursts and beats that were asked for and had not come, at most
  uint64_t bursts = 0;
  explicit AxiReadMem(tb::Rng *r) : ar_pace(r), r_pace(r), r_(r) {}

  void drive(V *d) {
    d->m_axi_arready_i = ar_pace.go();
    if (cur_ < 0 || interleave) pick();
    bool go = cur_ >= 0 && r_pace.go();
    d->m_axi_rvalid_i = go;
    if (!go) return;
    Burst &b = b_[cur_];
    uint8_t data[BUS];
    for (unsigned i = 0; i < BUS; i++) data[i] = mem_byte(b.addr + b.done * BUS + i);
    tb::set_bytes(d->m_axi_rdata_i, data, BUS);
    d->m_axi_rid_i = b.id;
    d->m_axi_rlast_i = b.done + 1 == b.beats;
    uint64_t a = b.addr + b.done * BUS;
    d->m_axi_rresp_i = a >= err_lo && a < err_hi ? 2 : 0;
  }
  void sample(V *d) {
    if (d->m_axi_rvalid_i && d->m_axi_rready_o) {
      Burst &b = b_[cur_];
      if (++b.done == b.beats) { b_.erase(b_.begin() + cur_); cur_ = -1; }
    }
    if (d->m_axi_arvalid_o && d->m_axi_arready_i) {
      check_burst("read", d->m_axi_araddr_o, d->m_axi_arlen_o + 1, d->m_axi_arsize_o, d->m_axi_arburst_o, BUS);
      for (auto &b : b_) CHECK(b.id != d->m_axi_arid_o, "id used twice at once");
      b_.push_back({d->m_axi_araddr_o, unsigned(d->m_axi_arlen_o) + 1, 0, d->m_axi_arid_o,
                    tb::context().cycle + r_->range(lat_min, lat_max) + (d->m_axi_araddr_o >= slow_lo && d->m_axi_araddr_o < slow_hi ? slow : 0)});
      bursts++;
      if (b_.size() > max_out) max_out = unsigned(b_.size());
      unsigned beats = 0;
      for (auto &b : b_) beats += b.beats - b.done;
      if (beats > max_beats) max_beats = beats;
    }
  }
  bool quiet() const { return b_.empty(); }

 private:
  struct Burst { uint64_t addr; unsigned beats, done; uint8_t id; uint64_t at; };
  std::vector<Burst> b_;
  int cur_ = -1;
  tb::Rng *r_;
  void pick() {
    cur_ = -1;
    if (b_.empty()) return;
    // In time order without jitter, else any that is due.
    size_t from = lat_min == lat_max ? 0 : r_->below(b_.size());
    for (size_t i = 0; i < b_.size(); i++) {
      size_t j = (from + i) % b_.size();
      if (b_[j].at <= tb::context().cycle) { cur_ = int(j); return; }
    }
  }
};

template <class V, unsigned BUS> class AxiWriteMem {
 public:
  std::unordered_map<uint64_t, uint8_t> mem;   // bytes written
  unsigned lat_min = 1, lat_max = 100;
  uint64_t err_lo = 1, err_hi = 0;
  tb::Pace aw_pace, w_pace;
  uint64_t bursts = 0, beats = 0, bytes = 0, acks = 0, errs = 0;
  explicit AxiWriteMem(tb::Rng *r) : aw_pace(r), w_pace(r), r_(r) {}

  void drive(V *d) {
    d->m_axi_awready_i = aw_pace.go();
    d->m_axi_wready_i = w_pace.go();
    bool b = !b_.empty() && b_.front().at <= tb::context().cycle;
    d->m_axi_bvalid_i = b;
    d->m_axi_bid_i = 0;
    d->m_axi_bresp_i = b && b_.front().err ? 2 : 0;
  }
  void sample(V *d) {
    if (d->m_axi_bvalid_i && d->m_axi_bready_o) { errs += b_.front().err; b_.pop_front(); acks++; }
    bool w = d->m_axi_wvalid_o && d->m_axi_wready_i;
    if (w) {
      CHECK(!a_.empty(), "data before its address");
      Burst &a = a_.front();
      uint8_t data[BUS];
      tb::get_bytes(d->m_axi_wdata_o, data, BUS);
      for (unsigned i = 0; i < BUS; i++)
        if (d->m_axi_wstrb_o >> i & 1) { mem[a.addr + a.done * BUS + i] = data[i]; bytes++; }
      a.done++;
      beats++;
      CHECK_EQ(d->m_axi_wlast_o, a.done == a.beats, "wlast");
      if (a.done == a.beats) {
        uint64_t at = tb::context().cycle + r_->range(lat_min, lat_max);
        if (!b_.empty() && at < b_.back().at) at = b_.back().at;
        b_.push_back({at, a.addr >= err_lo && a.addr < err_hi});
        a_.pop_front();
      }
    }
    if (d->m_axi_awvalid_o && d->m_axi_awready_i) {
      check_burst("write", d->m_axi_awaddr_o, d->m_axi_awlen_o + 1, d->m_axi_awsize_o, d->m_axi_awburst_o, BUS);
      a_.push_back({d->m_axi_awaddr_o, unsigned(d->m_axi_awlen_o) + 1, 0});
      bursts++;
    }
  }
  bool quiet() const { return a_.empty() && b_.empty(); }

 private:
  struct Burst { uint64_t addr; unsigned beats, done; };
  struct Ack { uint64_t at; bool err; };
  std::deque<Burst> a_;
  std::deque<Ack> b_;
  tb::Rng *r_;
};
#endif
