/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The boundary of the adapter as C sees it: the pins of rtl/ohca.sv, and one
 * call per clock cycle.  The Verilated model (model_verilator.cpp, one library
 * per DataWidth) and the fake C model used by the simulator's own tests
 * (model_fake.c) are interchangeable behind it.
 *
 * A call of step() is one cycle.  The inputs are applied, the combinational
 * logic settles, the outputs are copied out, then comes the rising edge.  So
 * `out` shows what the device drove while `in` was applied, and a handshake
 * happened in this cycle wherever valid and ready are both set.  The caller
 * decides all inputs from what it knew before the cycle.
 *
 * Byte n of a data bus is bits 8n+7:8n; the first byte on the wire and the
 * lowest memory address are byte 0.
 */
#ifndef OHCA_SIM_MODEL_H
#define OHCA_SIM_MODEL_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OHCA_MAX_BEAT 64		/* bytes of the widest data bus, 512 bits */
#ifdef __cplusplus
#define OHCA_ALIGN64 alignas(64)
#else
#define OHCA_ALIGN64 _Alignas(64)
#endif

enum ohca_kind {			/* tx_kind_o, rx_kind_i */
	OHCA_KIND_IB = 0,		/* LRH .. VCRC */
	OHCA_KIND_FC = 1,		/* flow-control link packet, 6 bytes with LPCRC */
	OHCA_KIND_ETH = 2,		/* Ethernet frame without FCS */
};

enum { AXI_OKAY = 0, AXI_SLVERR = 2, AXI_DECERR = 3 };

#define OHCA_NO_TIMER UINT64_MAX	/* next_timer_o: none */

struct ohca_in {
	uint8_t rst;
	/* BAR0: AXI4-Lite slave, 64-bit data, 21-bit byte address.  awaddr is
	 * 8-byte aligned (wstrb selects); araddr is 4-byte aligned, so bit 2
	 * tells which half a 4-byte read wants. */
	uint8_t axil_awvalid, axil_wvalid, axil_bready, axil_arvalid, axil_rready;
	uint8_t axil_wstrb;
	uint32_t axil_awaddr, axil_araddr;
	uint64_t axil_wdata;
	/* Push pages: AXI4 slave of 512 bits, write only, single beats */
	uint8_t push_awvalid, push_wvalid, push_bready;
	uint32_t push_awaddr;
	uint64_t push_wstrb;
	/* DMA: AXI4 master */
	uint8_t axi_awready, axi_wready, axi_arready;
	uint8_t axi_bvalid, axi_bid, axi_bresp;
	uint8_t axi_rvalid, axi_rid, axi_rresp, axi_rlast;
	uint8_t irq_ready;
	/* link and PHY */
	uint8_t tx_ready;
	uint8_t rx_valid, rx_last, rx_error, rx_kind;
	uint8_t phy_link_up, phy_width;	/* width: number of lanes */
	uint16_t phy_speed;		/* 0.1 Gb/s per lane */
	uint64_t rx_keep;
	/* time: in a cycle with skip set, the device's clock moves on by
	 * skip_cycles (>= 1) instead of by one.  Only given while idle. */
	uint8_t skip;
	uint64_t skip_cycles;
	uint64_t strap_guid;
	uint32_t strap_mhz;		/* cycles per microsecond of device time */
	OHCA_ALIGN64 uint8_t axi_rdata[OHCA_MAX_BEAT];
	uint8_t rx_data[OHCA_MAX_BEAT];
	uint8_t push_wdata[64];
};

struct ohca_out {
	uint8_t axil_awready, axil_wready, axil_bvalid, axil_bresp;
	uint8_t axil_arready, axil_rvalid, axil_rresp;
	uint64_t axil_rdata;
	uint8_t push_awready, push_wready, push_bvalid, push_bresp;
	uint8_t axi_awvalid, axi_awid, axi_awlen, axi_awsize, axi_awburst;
	uint8_t axi_wvalid, axi_wlast, axi_bready;
	uint8_t axi_arvalid, axi_arid, axi_arlen, axi_arsize, axi_arburst, axi_rready;
	uint64_t axi_awaddr, axi_araddr, axi_wstrb;
	uint8_t irq_valid, irq_vector;
	uint8_t tx_valid, tx_last, tx_kind;
	uint64_t tx_keep;
	uint8_t phy_reset;
	uint8_t core_on;		/* more than the management core was clocked: for statistics only */
	uint8_t idle;			/* nothing to do until next_timer */
	uint64_t next_timer;		/* on the scale of `now` */
	uint64_t now;			/* the device's cycle counter */
	OHCA_ALIGN64 uint8_t axi_wdata[OHCA_MAX_BEAT];
	uint8_t tx_data[OHCA_MAX_BEAT];
};

struct ohca_model_config {
	unsigned data_width;		/* 64, 128, 256 or 512 */
	unsigned node;			/* number, for messages */
	uint64_t seed;			/* initial values of uninitialised state */
	const char *firmware;		/* hex image, or NULL */
	const char *trace;		/* waveform file, or NULL */
};

struct ohca_model {
	const char *name;
	const char *built;		/* compiler and options that decide how fast it is; NULL: unknown */
	unsigned data_width;
	uint64_t failures;		/* assertions of the RTL that failed */
	void (*step)(struct ohca_model *m, const struct ohca_in *in, struct ohca_out *out);
	void (*flush)(struct ohca_model *m);	/* waveforms to disk; may be NULL */
	void (*destroy)(struct ohca_model *m);
	unsigned parts;			/* with clocks of their own: names, and edges that they got, for statistics */
	const char *const *part_name;
	const uint64_t *part_edges;
};

typedef struct ohca_model *(*ohca_model_create_fn)(const struct ohca_model_config *cfg);

/* All return NULL after a message if the configuration cannot be had. */
struct ohca_model *ohca_fake_create(const struct ohca_model_config *cfg);
/* Whatever this binary was linked with: Verilated, else fake (model_select.c) */
struct ohca_model *ohca_model_create(const struct ohca_model_config *cfg);
const char *ohca_model_kind(void);	/* "verilated" or "fake" */

#ifdef __cplusplus
}
#endif
#endif
