// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Harness of the block tests: clock, reset, random pacing, wide signals, checks that name the seed, time-outs, traces.
//
// A cycle is: drive inputs from what was known before; let the logic settle; sample outputs (a handshake happens where valid and
// ready are both set); rising edge. Everything random comes from one seed, printed at every failure; `--seed N` repeats a run.
//
//   #include "Vdut.h"                       // the Verilated model is always called Vdut
//   #include "tb.h"
//   int main(int argc, char **argv) {
//     tb::Bench<Vdut> b(argc, argv);
//     b.reset();
//     while (...) b.cycle([&] { drive inputs }, [&] { sample outputs });
//     return b.finish();
//   }
#ifndef OHCA_TB_H
#define OHCA_TB_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <sys/time.h>
#include <type_traits>
#include <unistd.h>
#include <vector>

#include "verilated.h"
#if VM_TRACE
#include "verilated_fst_c.h"
#endif

#ifndef TB_PARAMS
#define TB_PARAMS ""
#endif

namespace tb {

// ---------------------------------------------------------------------------------------------------- random numbers
class Rng {
 public:
  explicit Rng(uint64_t seed = 1) { s_[0] = mix(seed); s_[1] = mix(s_[0]); }
  uint64_t next() {
    uint64_t a = s_[0], b = s_[1];
    s_[0] = b;
    a ^= a << 23;
    s_[1] = a ^ b ^ (a >> 17) ^ (b >> 26);
    return s_[1] + b;
  }
  uint64_t bits(unsigned n) { return n >= 64 ? next() : next() & ((1ull << n) - 1); }
  uint64_t below(uint64_t n) { return n ? next() % n : 0; }
  uint64_t range(uint64_t lo, uint64_t hi) { return lo + below(hi - lo + 1); }  // both included
  bool chance(unsigned percent) { return below(100) < percent; }
  void fill(std::vector<uint8_t> &v) { for (auto &x : v) x = uint8_t(next()); }
  std::vector<uint8_t> bytes(size_t n) { std::vector<uint8_t> v(n); fill(v); return v; }

 private:
  static uint64_t mix(uint64_t z) {
    z += 0x9e3779b97f4a7c15ull;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  uint64_t s_[2];
};

// ------------------------------------------------------------------------------------------------------ wide signals
// The same calls for CData … QData and VlWide: byte n is bits 8n+7:8n.
template <class T> inline uint64_t get_bits(const T &s, unsigned lsb, unsigned width) {
  uint64_t v = uint64_t(s) >> lsb;
  return width >= 64 ? v : v & ((1ull << width) - 1);
}
template <size_t N> inline uint64_t get_bits(const VlWide<N> &s, unsigned lsb, unsigned width) {
  uint64_t v = 0;
  unsigned i = lsb / 32, from = lsb % 32;
  for (unsigned at = 0; at < width; from = 0) { v |= uint64_t(s[i++]) >> from << at; at += 32 - from; }
  return width >= 64 ? v : v & ((1ull << width) - 1);
}
template <class T> inline void set_bits(T &s, unsigned lsb, unsigned width, uint64_t v) {
  uint64_t m = (width >= 64 ? ~0ull : (1ull << width) - 1) << lsb;
  s = T((uint64_t(s) & ~m) | ((v << lsb) & m));
}
template <size_t N> inline void set_bits(VlWide<N> &s, unsigned lsb, unsigned width, uint64_t v) {
  unsigned i = lsb / 32, from = lsb % 32;
  for (unsigned at = 0, n; at < width; at += n, from = 0, i++) {
    n = 32 - from < width - at ? 32 - from : width - at;
    uint32_t m = uint32_t(~0u) >> (32 - n) << from;
    s[i] = (s[i] & ~m) | (uint32_t(v >> at) << from & m);
  }
}
// A field of a packed struct, by the macros of ohca_fmt_bits.h: FIELD(dut->txd_i, OHCA_TXD_QPN)
#define FIELD(sig, name) tb::get_bits(sig, name##_LSB, name##_WIDTH)
#define SET_FIELD(sig, name, v) tb::set_bits(sig, name##_LSB, name##_WIDTH, v)
// The same as something that can be assigned, BITS(dut->ctx_i, OHCA_CTX_RSP_RD_READY) = 1, and a struct inside another one.
template <class T> class Bits {
 public:
  Bits(T &s, unsigned lsb, unsigned width) : s_(s), lsb_(lsb), width_(width) {}
  operator uint64_t() const { return get_bits(s_, lsb_, width_); }
  uint64_t operator=(uint64_t v) { set_bits(s_, lsb_, width_, v); return v; }

 private:
  T &s_;
  unsigned lsb_, width_;
};
template <class T> inline Bits<T> bits(T &s, unsigned lsb, unsigned width) { return Bits<T>(s, lsb, width); }
template <unsigned W, class T> inline VlWide<(W + 31) / 32> part(const T &s, unsigned lsb) {
  VlWide<(W + 31) / 32> v;
  for (unsigned i = 0; i < W; i += 32) v[i / 32] = uint32_t(get_bits(s, lsb + i, W - i < 32 ? W - i : 32));
  return v;
}
#define BITS(sig, name) tb::bits(sig, name##_LSB, name##_WIDTH)
#define PART(sig, name) tb::part<name##_WIDTH>(sig, name##_LSB)

template <class T> inline void set_bytes(T &s, const uint8_t *p, size_t n) {
  uint64_t v = 0;
  memcpy(&v, p, n < sizeof(T) ? n : sizeof(T));
  s = T(v);
}
template <size_t N> inline void set_bytes(VlWide<N> &s, const uint8_t *p, size_t n) {
  memset(s.data(), 0, N * 4);
  memcpy(s.data(), p, n < N * 4 ? n : N * 4);
}
template <class T> inline void get_bytes(const T &s, uint8_t *p, size_t n) {
  uint64_t v = uint64_t(s);
  memcpy(p, &v, n);
}
template <size_t N> inline void get_bytes(const VlWide<N> &s, uint8_t *p, size_t n) { memcpy(p, s.data(), n); }
template <class T> inline void clear(T &s) { s = 0; }
template <size_t N> inline void clear(VlWide<N> &s) { memset(s.data(), 0, N * 4); }
inline uint64_t keep_mask(unsigned n) { return n >= 64 ? ~0ull : (1ull << n) - 1; }

// A wide value held by the test: same width as a signal, comparable.
template <class T> struct Value {           // Value<decltype(Vdut::data_o)> (ports are references)
  std::remove_reference_t<T> v{};
  bool operator==(const Value &o) const { return !memcmp(&v, &o.v, sizeof v); }
  bool operator!=(const Value &o) const { return !(*this == o); }
};

// ------------------------------------------------------------------------------------------------------------ checks
struct Context {
  uint64_t seed = 0, cycle = 0;
  std::function<void()> at_fail;
};
inline Context &context() {
  static Context c;
  return c;
}
[[noreturn]] inline void fail(const char *file, int line, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fprintf(stderr, "%s:%d: cycle %llu: ", file, line, (unsigned long long)context().cycle);
  vfprintf(stderr, fmt, ap);
  va_end(ap);
  fprintf(stderr, "\nrepeat with --seed %llu\n", (unsigned long long)context().seed);
  if (context().at_fail) context().at_fail();
  fflush(nullptr);
  _exit(1);
}
// What a random test wants to have seen. A seed by which too little happened shows no fault: it ends with status 3, and run.py draws another.
[[noreturn]] inline void too_little(const char *file, int line, const char *what) {
  fprintf(stderr, "%s:%d: seed %llu exercised too little: %s\n", file, line, (unsigned long long)context().seed, what);
  fflush(nullptr);
  _exit(3);
}
#define GOAL(cond) do { if (!(cond)) tb::too_little(__FILE__, __LINE__, #cond); } while (0)
#define FAIL(...) tb::fail(__FILE__, __LINE__, __VA_ARGS__)
#define CHECK(cond, ...) do { if (!(cond)) tb::fail(__FILE__, __LINE__, #cond ": " __VA_ARGS__); } while (0)
#define CHECK_EQ(got, want, what) do { auto g_ = (unsigned long long)(got); auto w_ = (unsigned long long)(want); \
  if (g_ != w_) tb::fail(__FILE__, __LINE__, "%s: got 0x%llx, want 0x%llx", what, g_, w_); } while (0)

// ------------------------------------------------------------------------------------------------------------ pacing
// Says each cycle whether to go on. Changes its habit every few dozen cycles: full speed, rare, even, bursts.
class Pace {
 public:
  Pace() = default;
  explicit Pace(Rng *r, int always = -1) : r_(r), always_(always) {}
  bool go() {
    if (always_ >= 0) return always_;
    if (!left_) {
      left_ = r_->range(1, 60);
      mode_ = r_->below(5);
      run_ = 0;
    }
    left_--;
    switch (mode_) {
      case 0: case 1: return true;
      case 2: return r_->chance(10);
      case 3: return r_->chance(50);
      default:
        if (!run_) { run_ = r_->range(1, 8); on_ = !on_; }
        run_--;
        return on_;
    }
  }
  void always(int v) { always_ = v; }   // 1 full speed, 0 stalled, -1 random

 private:
  Rng *r_ = nullptr;
  int always_ = -1;
  unsigned left_ = 0, mode_ = 0, run_ = 0;
  bool on_ = false;
};

// Valid/ready source: once valid, a beat stays until it is taken.
template <class B> class Source {
 public:
  Pace pace;
  std::deque<B> q;
  explicit Source(Rng *r) : pace(r) {}
  void push(const B &b) { q.push_back(b); }
  bool drive() {                           // the value for valid; front() is the beat
    if (!valid_) valid_ = !q.empty() && pace.go();
    return valid_;
  }
  const B &front() const { return q.front(); }
  bool sample(bool ready) {                // true if the beat went
    if (!valid_ || !ready) return false;
    q.pop_front();
    valid_ = false;
    return true;
  }
  bool done() const { return q.empty(); }

 private:
  bool valid_ = false;
};

// Valid/ready sink, and a check that a stalled beat neither vanishes nor changes. It looks at all bytes of a beat, so there may be none that
// nobody sets.
template <class B> class Sink {
  static_assert(std::has_unique_object_representations_v<B>, "a beat with padding: give it a field of its own");
 public:
  Pace pace;
  explicit Sink(Rng *r, const char *name = "sink") : pace(r), name_(name) {}
  bool drive() { return ready_ = pace.go(); }
  bool sample(bool valid, const B &b) {    // true if a beat came
    if (stalled_) {
      CHECK(valid, "%s: a stalled beat vanished", name_);
      CHECK(!memcmp(&b, &held_, sizeof b), "%s: a stalled beat changed", name_);
    }
    stalled_ = valid && !ready_;
    if (stalled_) memcpy(static_cast<void *>(&held_), &b, sizeof b);
    return valid && ready_;
  }

 private:
  const char *name_;
  bool ready_ = false, stalled_ = false;
  B held_{};
};

// ------------------------------------------------------------------------------------------------------------- bench
template <class V> class Bench {
 public:
  Rng rng;
  uint64_t cycles = 20000;                 // how much a random test does: --cycles
  uint64_t stuck_after = 5000;             // cycles without progress() that count as a hang
  std::unique_ptr<VerilatedContext> ctx{new VerilatedContext};
  std::unique_ptr<V> dut;

  Bench(int argc, char **argv, unsigned seconds = 60) {
    std::random_device rd;
    const char *fixed = getenv("OHCA_SEED");
    uint64_t seed = fixed ? strtoull(fixed, nullptr, 0) : (uint64_t(rd()) << 16) ^ rd();
    const char *trace = nullptr;
    for (int i = 1; i < argc; i++) {
      std::string a = argv[i];
      if (a == "--seed" && i + 1 < argc) seed = strtoull(argv[++i], nullptr, 0);
      else if (a == "--cycles" && i + 1 < argc) cycles = strtoull(argv[++i], nullptr, 0);
      else if (a == "--trace" && i + 1 < argc) trace = argv[++i];
      else { fprintf(stderr, "usage: %s [--seed N] [--cycles N] [--trace FILE.fst]\n", argv[0]); _exit(2); }
    }
    rng = Rng(seed);
    context().seed = seed;
    context().at_fail = [this] { close_trace(); };
    ctx->randReset(2);                     // what is not reset starts random
    ctx->randSeed(int(seed & 0x7fffffff));
    ctx->threads(1);
    if (trace) ctx->traceEverOn(true);
    dut.reset(new V(ctx.get()));
#if VM_TRACE
    if (trace) {
      fst_.reset(new VerilatedFstC);
      dut->trace(fst_.get(), 99);
      fst_->open(trace);
    }
#else
    if (trace) { fprintf(stderr, "built without traces: use tests/rtl/run.py --trace\n"); _exit(2); }
#endif
    // A hang of the test itself ends too. By processor time: how busy the machine is says nothing about the test.
    const itimerval limit = {{}, {time_t(seconds), 0}};
    setitimer(ITIMER_PROF, &limit, nullptr);
    printf("# %s seed %llu\n", TB_PARAMS, (unsigned long long)seed);
    fflush(stdout);
  }
  ~Bench() {
    close_trace();
#if VM_COVERAGE
    // What was executed: $OHCA_COVERAGE_TO.PID.NUMBER
    static unsigned number;
    if (const char *to = getenv("OHCA_COVERAGE_TO")) ctx->coveragep()->write((std::string(to) + "." + std::to_string(getpid()) + "." + std::to_string(number++)).c_str());
#endif
  }

  V *operator->() { return dut.get(); }
  uint64_t now() const { return context().cycle; }
  void progress() { last_progress_ = now(); }

  template <class D, class S> void cycle(D drive, S sample) {
    drive();
    dut->clk_i = 0;
    dut->eval();
    sample();
    dump();
    dut->clk_i = 1;
    dut->eval();
    dump();
    if (ctx->gotFinish()) FAIL("the model stopped");
    context().cycle++;
    if (now() - last_progress_ > stuck_after) FAIL("no progress for %llu cycles", (unsigned long long)stuck_after);
  }
  void idle(unsigned n) { while (n--) { progress(); cycle([] {}, [] {}); } }
  void reset(unsigned n = 3) {
    dut->rst_i = 1;
    idle(n);
    dut->rst_i = 0;
  }
  int finish() {
    dut->final();
    close_trace();
    printf("# %llu cycles\n", (unsigned long long)now());
    return 0;
  }

 private:
  uint64_t last_progress_ = 0;
#if VM_TRACE
  std::unique_ptr<VerilatedFstC> fst_;
  void dump() { if (fst_) fst_->dump(time_++); }
  void close_trace() { if (fst_) { fst_->close(); fst_.reset(); } }
  uint64_t time_ = 0;
#else
  void dump() {}
  void close_trace() {}
#endif
};

}  // namespace tb
#endif
