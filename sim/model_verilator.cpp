// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// The Verilated adapter behind model.h; compiled once per data width, with
// OHCA_DW and OHCA_CLASS (Vohca_64, …) given by verilate.sh.
#include "huge_text.h"
#include "model.h"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <verilated.h>
#ifdef OHCA_COVERAGE
#include <unistd.h>
#include <vector>
#include <verilated_cov.h>
#endif
#if defined(OHCA_TRACE_FST)
#include <verilated_fst_c.h>
#define OHCA_TRACE VerilatedFstC
#elif defined(OHCA_TRACE_VCD)
#include <verilated_vcd_c.h>
#define OHCA_TRACE VerilatedVcdC
#endif

#define STR_(x) #x
#define STR(x) STR_(x)
#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#include STR(OHCA_CLASS.h)
#include OHCA_ROOT_H

namespace {

constexpr unsigned kBytes = OHCA_DW / 8;
constexpr unsigned kRunOn = 8 + 1;	// edges of clk_i from the one with busy_o on (rtl/ohca.sv)

// Parts with clocks of their own in simulation (OHCA_GATES), in the order of rtl/common/ohca_clocks.svh
constexpr const char *kPart[] = {
	"sq", "txbuild", "resp", "rs", "ra", "place", "cq", "eq", "nic", "tpt", "dispatch", "link_tx", "link_rx", "pfc", "dma_rd", "cpu",
	"cfg", "icm", "dma_wr", "mgmt", "bar", "txmux", "counters"
};
constexpr unsigned kParts = sizeof(kPart) / sizeof(kPart[0]);

constexpr unsigned part(const char *name)
{
	for (unsigned i = 0; i < kParts; i++) {
		unsigned k = 0;

		while (name[k] && name[k] == kPart[i][k])
			k++;
		if (name[k] == kPart[i][k])
			return i;
	}
	return kParts;
}
static_assert(part("cpu") < kParts && part("mgmt") < kParts, "parts of these names");
constexpr unsigned kOn = 1u << part("cpu") | 1u << part("mgmt");	// they go with clk_on_i, the others with clk_i

// Ports up to 64 bits are integers, wider ones are arrays of 32-bit words; the
// host is little-endian, as is the order of both.
template <typename T> void put(T &port, const uint8_t *data)
{
	static_assert(sizeof(T) >= kBytes, "data port");
	std::memcpy(&port, data, kBytes);
}
template <typename T> void get(const T &port, uint8_t *data)
{
	std::memcpy(data, &port, kBytes);
}

struct Model : ohca_model {		// model.h sees only the base
	std::unique_ptr<VerilatedContext> ctx;
	std::unique_ptr<OHCA_CLASS> top;
	unsigned run_on = kRunOn;
	ohca_in seen = {};	// the inputs of the last cycle
	unsigned left[4] = {};	// edges that each part still gets, a binary number of which each bit has a word here
	uint64_t edges[kParts] = {};	// that it got
	bool always = std::getenv("OHCA_CLOCK_ALL") && *std::getenv("OHCA_CLOCK_ALL");	// for those who suspect the gating
#ifdef OHCA_TRACE
	std::unique_ptr<OHCA_TRACE> wave;
	uint64_t trace_from = 0;	// device cycle, from the environment
#endif
};

void dump(Model *x)
{
#ifdef OHCA_TRACE
	if (x->wave && x->top->now_o >= x->trace_from)
		x->wave->dump(x->ctx->time());
#endif
	x->ctx->timeInc(1);
}

// The parts that get an edge: those that are busy, and were within the last kRunOn edges. `may`: those for which there is one.
unsigned edges_of(Model *x, unsigned busy, unsigned may)
{
	static_assert(kRunOn == 9 && kParts <= 32, "as in binary below");
	unsigned on, borrow;

	busy &= may;
	x->left[0] |= busy;
	x->left[1] &= ~busy;
	x->left[2] &= ~busy;
	x->left[3] |= busy;
	on = (x->left[0] | x->left[1] | x->left[2] | x->left[3]) & may;
	borrow = on;
	for (unsigned &bit : x->left) {
		bit ^= borrow;
		borrow &= bit;
	}
	for (unsigned m = on; m; m &= m - 1)
		x->edges[__builtin_ctz(m)]++;
	return on;
}

void step(ohca_model *m, const ohca_in *in, ohca_out *o)
{
	Model *x = static_cast<Model *>(m);
	OHCA_CLASS *t = x->top.get();

	Verilated::threadContextp(x->ctx.get());	// failures are booked to it
	// Logic behind inputs (verilate.sh) is still right while they are as they were.
	if (in->axi_rvalid || in->rx_valid || in->push_wvalid || x->seen.axi_rvalid || x->seen.rx_valid || x->seen.push_wvalid ||
	    std::memcmp(in, &x->seen, offsetof(ohca_in, axi_rdata))) {
		std::memcpy(&x->seen, in, offsetof(ohca_in, axi_rdata));
		t->rootp->__VicoFirstIteration = 1;
	}
	t->clk_on_i = 0;
	t->clk_i = 0;
	t->clk_part_i = 0;
	t->rst_i = in->rst;
	t->s_axil_awvalid_i = in->axil_awvalid;
	t->s_axil_awaddr_i = in->axil_awaddr;
	t->s_axil_wvalid_i = in->axil_wvalid;
	t->s_axil_wdata_i = in->axil_wdata;
	t->s_axil_wstrb_i = in->axil_wstrb;
	t->s_axil_bready_i = in->axil_bready;
	t->s_axil_arvalid_i = in->axil_arvalid;
	t->s_axil_araddr_i = in->axil_araddr;
	t->s_axil_rready_i = in->axil_rready;
	t->s_push_axi_awvalid_i = in->push_awvalid;
	t->s_push_axi_awaddr_i = in->push_awaddr;
	t->s_push_axi_wvalid_i = in->push_wvalid;
	if (in->push_wvalid) {
		t->s_push_axi_wstrb_i = in->push_wstrb;
		std::memcpy(&t->s_push_axi_wdata_i, in->push_wdata, sizeof(in->push_wdata));
	}
	t->s_push_axi_bready_i = in->push_bready;
	t->m_axi_awready_i = in->axi_awready;
	t->m_axi_wready_i = in->axi_wready;
	t->m_axi_bvalid_i = in->axi_bvalid;
	t->m_axi_bid_i = in->axi_bid;
	t->m_axi_bresp_i = in->axi_bresp;
	t->m_axi_arready_i = in->axi_arready;
	t->m_axi_rvalid_i = in->axi_rvalid;
	if (in->axi_rvalid) {
		t->m_axi_rid_i = in->axi_rid;
		t->m_axi_rresp_i = in->axi_rresp;
		t->m_axi_rlast_i = in->axi_rlast;
		put(t->m_axi_rdata_i, in->axi_rdata);
	}
	t->irq_ready_i = in->irq_ready;
	t->tx_ready_i = in->tx_ready;
	t->rx_valid_i = in->rx_valid;
	if (in->rx_valid) {
		t->rx_last_i = in->rx_last;
		t->rx_error_i = in->rx_error;
		t->rx_kind_i = in->rx_kind;
		t->rx_keep_i = in->rx_keep;
		put(t->rx_data_i, in->rx_data);
	}
	t->phy_link_up_i = in->phy_link_up;
	t->phy_width_i = in->phy_width;
	t->phy_speed_i = in->phy_speed;
	t->skip_i = in->skip;
	t->skip_cycles_i = in->skip_cycles;
	t->strap_guid_i = in->strap_guid;
	t->strap_mhz_i = in->strap_mhz;
	t->eval();
	dump(x);

	o->axil_awready = t->s_axil_awready_o;
	o->axil_wready = t->s_axil_wready_o;
	o->axil_bvalid = t->s_axil_bvalid_o;
	o->axil_bresp = t->s_axil_bresp_o;
	o->axil_arready = t->s_axil_arready_o;
	o->axil_rvalid = t->s_axil_rvalid_o;
	o->axil_rresp = t->s_axil_rresp_o;
	o->axil_rdata = t->s_axil_rdata_o;
	o->push_awready = t->s_push_axi_awready_o;
	o->push_wready = t->s_push_axi_wready_o;
	o->push_bvalid = t->s_push_axi_bvalid_o;
	o->push_bresp = t->s_push_axi_bresp_o;
	o->axi_awvalid = t->m_axi_awvalid_o;
	if (o->axi_awvalid) {
		o->axi_awid = t->m_axi_awid_o;
		o->axi_awaddr = t->m_axi_awaddr_o;
		o->axi_awlen = t->m_axi_awlen_o;
		o->axi_awsize = t->m_axi_awsize_o;
		o->axi_awburst = t->m_axi_awburst_o;
	}
	o->axi_wvalid = t->m_axi_wvalid_o;
	if (o->axi_wvalid) {
		o->axi_wlast = t->m_axi_wlast_o;
		o->axi_wstrb = t->m_axi_wstrb_o;
		get(t->m_axi_wdata_o, o->axi_wdata);
	}
	o->axi_bready = t->m_axi_bready_o;
	o->axi_arvalid = t->m_axi_arvalid_o;
	if (o->axi_arvalid) {
		o->axi_arid = t->m_axi_arid_o;
		o->axi_araddr = t->m_axi_araddr_o;
		o->axi_arlen = t->m_axi_arlen_o;
		o->axi_arsize = t->m_axi_arsize_o;
		o->axi_arburst = t->m_axi_arburst_o;
	}
	o->axi_rready = t->m_axi_rready_o;
	o->irq_valid = t->irq_valid_o;
	o->irq_vector = t->irq_vector_o;
	o->tx_valid = t->tx_valid_o;
	if (o->tx_valid) {
		o->tx_last = t->tx_last_o;
		o->tx_kind = t->tx_kind_o;
		o->tx_keep = t->tx_keep_o;
		get(t->tx_data_o, o->tx_data);
	}
	o->phy_reset = t->phy_reset_o;
	o->idle = t->idle_o;
	o->next_timer = t->next_timer_o;
	o->now = t->now_o;

	// Outside the management core nothing changes without clk_i: while only firmware runs, a cycle costs a fraction.
	if (t->busy_o)
		x->run_on = kRunOn;
	else if (x->run_on)
		x->run_on--;
	o->core_on = t->busy_o || x->run_on || x->always;
	t->clk_on_i = 1;
	t->clk_i = o->core_on;
	const unsigned on = edges_of(x, t->part_busy_o, o->core_on ? ~0u : kOn);

	t->clk_part_i = !x->always ? on : (1u << kParts) - 1;
	t->eval();
	dump(x);
	if (x->ctx->gotFinish() || x->ctx->gotError()) {
		// Verilator has printed what failed; go on, for what follows may explain it.
		x->ctx->gotFinish(false);
		x->ctx->gotError(false);
		if (!x->failures++) {
			std::fprintf(stderr, "ohca-sim: error: the RTL of %s reported a failure (see above) when now_o was %llu\n",
				     t->name(), static_cast<unsigned long long>(o->now));
#ifdef OHCA_TRACE
			if (x->wave)
				x->wave->flush();
#endif
		}
		if (x->failures == 20) {
			std::fprintf(stderr, "ohca-sim: error: %s: further failures are not shown\n", t->name());
			x->ctx->assertOn(false);
		}
	}
}

void flush(ohca_model *m)
{
#ifdef OHCA_TRACE
	Model *x = static_cast<Model *>(m);

	if (x->wave)
		x->wave->flush();
#else
	(void)m;
#endif
}

#ifdef OHCA_COVERAGE
// What was executed, at the end of the process, as tests leave their fabrics alone: $OHCA_COVERAGE_TO.PID.NODE
std::vector<Model *> &models()
{
	static std::vector<Model *> all;

	return all;
}

void write_coverage()
{
	const char *to = std::getenv("OHCA_COVERAGE_TO");

	for (size_t i = 0; to && i < models().size(); i++)
		models()[i]->ctx->coveragep()->write((std::string(to) + "." + std::to_string(getpid()) + "." + std::to_string(i)).c_str());
}
#endif

void destroy(ohca_model *m)
{
	Model *x = static_cast<Model *>(m);

#ifdef OHCA_COVERAGE
	write_coverage();
	for (size_t i = 0; i < models().size(); i++)
		if (models()[i] == x)
			models().erase(models().begin() + static_cast<long>(i));
#endif
	x->top->final();
#ifdef OHCA_TRACE
	if (x->wave)
		x->wave->close();
#endif
	delete x;
}

}  // namespace

extern "C" ohca_model *CAT(ohca_verilated_create_, OHCA_DW)(const ohca_model_config *cfg)
{
	static const char *const name = "verilated " STR(OHCA_DW) " bits";
	Model *x = new Model();
	std::string fw;
	const char *argv[3] = { "ohca-sim", nullptr, nullptr };
	int argc = 1;

#ifdef __AVX2__
	if (!__builtin_cpu_supports("avx2")) {
		std::fprintf(stderr, "ohca-sim: error: this binary was built for processors with AVX2; make -C sim builds one for this machine\n");
		delete x;
		return nullptr;
	}
#endif
#ifndef OHCA_TRACE
	if (cfg->trace) {
		std::fprintf(stderr, "ohca-sim: error: no waveforms in this binary; use ohca-sim-trace (make -C sim trace)\n");
		delete x;
		return nullptr;
	}
#endif
	huge_text();
	x->name = name;
	x->built = OHCA_BUILT;
	x->data_width = OHCA_DW;
	x->parts = kParts;
	x->part_name = kPart;
	x->part_edges = x->edges;
	x->step = step;
	x->flush = flush;
	x->destroy = destroy;
	x->ctx.reset(new VerilatedContext);
	x->ctx->fatalOnError(false);
	x->ctx->randReset(2);
	x->ctx->randSeed(static_cast<int>(cfg->seed % 0x7ffffffe + 1));
	if (cfg->firmware) {
		FILE *f = std::fopen(cfg->firmware, "r");

		if (!f) {
			std::perror(cfg->firmware);
			delete x;
			return nullptr;
		}
		std::fclose(f);
		fw = std::string("+firmware=") + cfg->firmware;
		argv[argc++] = fw.c_str();
	}
	x->ctx->commandArgs(argc, argv);
#ifdef OHCA_COVERAGE
	if (models().empty())
		std::atexit(write_coverage);
	models().push_back(x);
#endif
	x->top.reset(new OHCA_CLASS(x->ctx.get(), ("node" + std::to_string(cfg->node)).c_str()));
#ifdef OHCA_TRACE
	if (cfg->trace) {
		x->ctx->traceEverOn(true);
		x->wave.reset(new OHCA_TRACE);
		x->top->trace(x->wave.get(), 99);
		x->wave->open(cfg->trace);
		if (const char *from = std::getenv("OHCA_TRACE_FROM"))
			x->trace_from = std::strtoull(from, nullptr, 0);
		if (!x->wave->isOpen()) {
			std::fprintf(stderr, "ohca-sim: error: cannot write %s\n", cfg->trace);
			delete x;
			return nullptr;
		}
	}
#endif
	return x;
}
