// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// ohca_dma_wr as one client sees it: takes requests and data apart from each other, acknowledges in order after a while.
#ifndef OHCA_WR_CLIENT_H
#define OHCA_WR_CLIENT_H

#include "ohca_fmt.h"
#include "ohca_fmt_bits.h"
#include "tb.h"

struct WrCount {                                   // shared by all clients, as in the block itself
  uint32_t issued = 0, acked = 0, next = 0;        // next becomes issued at the edge
  struct Wait { uint64_t at; bool whole; };        // acknowledged in order, when the data is through and time has passed
  std::deque<Wait> due;                            // of acked + 1, acked + 2 ...
  unsigned lat_min = 1, lat_max = 80;
  void step() {                                    // once a cycle, before drive
    issued = next;
    if (!due.empty() && due.front().whole && due.front().at <= tb::context().cycle && acked != issued) { acked++; due.pop_front(); }
  }
  uint32_t accept(tb::Rng &r, bool whole) {
    due.push_back({tb::context().cycle + r.range(lat_min, lat_max), whole});
    return ++next;
  }
  void finish(uint32_t number) { due[number - acked - 1].whole = true; }
};

template <unsigned BUS> class WrClient {
 public:
  struct Done { uint64_t addr; std::vector<uint8_t> data; uint32_t number; };
  tb::Pace req_pace, dat_pace;
  unsigned lag = 0;                                // cycles from a request to its data
  std::deque<Done> done;                           // written, in order; number: acked - number >= 0 when acknowledged
  WrClient(tb::Rng *r, WrCount *c) : req_pace(r), dat_pace(r), r_(r), c_(c) {}
  template <class A, class B> void drive(A &&req_ready, B &&dat_ready) {
    req_ready = ready_ = req_pace.go();
    dat_ready = dready_ = dat_pace.go() && (!lag || (!q_.empty() && tb::context().cycle >= asked_.front() + lag));
  }
  template <class R, class D> void sample(bool req_valid, const R &req, bool dat_valid, const D &dat, bool dat_last) {
    if (req_valid && ready_) {
      uint64_t addr = tb::get_bits(req, OHCA_DMA_WR_REQ_ADDR_LSB, 64);
      unsigned len = unsigned(tb::get_bits(req, OHCA_DMA_WR_REQ_LEN_LSB, 13));
      CHECK(len >= 1 && addr % 4096 + len <= 4096, "write of %u bytes at %llx", len, (unsigned long long)addr);
      q_.push_back({addr, std::vector<uint8_t>(len), c_->accept(*r_, false)});
      asked_.push_back(tb::context().cycle);
    }
    if (dat_valid && dready_) {
      std::vector<uint8_t> beat(BUS);
      tb::get_bytes(dat, beat.data(), BUS);
      beats_.push_back(beat);
      lasts_.push_back(dat_last);
    }
    while (!q_.empty() && !beats_.empty()) {
      Done &w = q_.front();
      uint64_t a = (w.addr & ~uint64_t(BUS - 1)) + at_ * BUS;
      for (unsigned i = 0; i < BUS; i++)
        if (a + i >= w.addr && a + i < w.addr + w.data.size()) w.data[a + i - w.addr] = beats_.front()[i];
      bool last = a + BUS >= w.addr + w.data.size();
      CHECK_EQ(lasts_.front(), last, "last beat of a write");
      beats_.pop_front();
      lasts_.pop_front();
      at_++;
      if (last) { c_->finish(w.number); done.push_back(w); q_.pop_front(); asked_.pop_front(); at_ = 0; }
    }
    CHECK(q_.size() <= 8 && beats_.size() <= 64, "requests and data do not match");
  }
  bool quiet() const { return q_.empty() && beats_.empty(); }

 private:
  std::deque<Done> q_;
  std::deque<uint64_t> asked_;                     // when
  std::deque<std::vector<uint8_t>> beats_;
  std::deque<bool> lasts_;
  bool ready_ = false, dready_ = false;
  unsigned at_ = 0;
  tb::Rng *r_;
  WrCount *c_;
};
#endif
