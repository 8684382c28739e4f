/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * File: "OHCAREC3", u32 data width, u32 node, u64 seed, u64 guid; then per
 * record u32 repeat (cycles that the pins then stay as they are), u64 mask of
 * the inputs that changed and their values, the same for the outputs.
 * Data buses count only while their valid is set.
 */
#include "record.h"
#include "util.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct pin { const char *name; unsigned off, size; int valid; };
#define PIN(s, f)	{ #f, offsetof(struct s, f), sizeof(((struct s *)0)->f), -1 }
#define PINV(s, f, v)	{ #f, offsetof(struct s, f), sizeof(((struct s *)0)->f), offsetof(struct s, v) }
#define I(f)		PIN(ohca_in, f)
#define IV(f, v)	PINV(ohca_in, f, v)
#define O(f)		PIN(ohca_out, f)
#define OV(f, v)	PINV(ohca_out, f, v)

static const struct pin in_pin[] = {
	I(rst), I(axil_awvalid), IV(axil_awaddr, axil_awvalid), I(axil_wvalid),
	IV(axil_wdata, axil_wvalid), IV(axil_wstrb, axil_wvalid), I(axil_bready),
	I(axil_arvalid), IV(axil_araddr, axil_arvalid), I(axil_rready),
	I(push_awvalid), IV(push_awaddr, push_awvalid), I(push_wvalid),
	IV(push_wdata, push_wvalid), IV(push_wstrb, push_wvalid), I(push_bready),
	I(axi_awready), I(axi_wready), I(axi_arready),
	I(axi_bvalid), IV(axi_bid, axi_bvalid), IV(axi_bresp, axi_bvalid),
	I(axi_rvalid), IV(axi_rid, axi_rvalid), IV(axi_rresp, axi_rvalid),
	IV(axi_rlast, axi_rvalid), IV(axi_rdata, axi_rvalid), I(irq_ready), I(tx_ready),
	I(rx_valid), IV(rx_last, rx_valid), IV(rx_error, rx_valid), IV(rx_kind, rx_valid),
	IV(rx_keep, rx_valid), IV(rx_data, rx_valid),
	I(phy_link_up), I(phy_width), I(phy_speed), I(skip), IV(skip_cycles, skip), I(strap_guid), I(strap_mhz),
};
static const struct pin out_pin[] = {
	O(axil_awready), O(axil_wready), O(axil_bvalid), OV(axil_bresp, axil_bvalid),
	O(push_awready), O(push_wready), O(push_bvalid), OV(push_bresp, push_bvalid),
	O(axil_arready), O(axil_rvalid), OV(axil_rresp, axil_rvalid), OV(axil_rdata, axil_rvalid),
	O(axi_awvalid), OV(axi_awid, axi_awvalid), OV(axi_awlen, axi_awvalid),
	OV(axi_awsize, axi_awvalid), OV(axi_awburst, axi_awvalid), OV(axi_awaddr, axi_awvalid),
	O(axi_wvalid), OV(axi_wlast, axi_wvalid), OV(axi_wstrb, axi_wvalid),
	OV(axi_wdata, axi_wvalid), O(axi_bready),
	O(axi_arvalid), OV(axi_arid, axi_arvalid), OV(axi_arlen, axi_arvalid),
	OV(axi_arsize, axi_arvalid), OV(axi_arburst, axi_arvalid), OV(axi_araddr, axi_arvalid),
	O(axi_rready), O(irq_valid), OV(irq_vector, irq_valid),
	O(tx_valid), OV(tx_last, tx_valid), OV(tx_kind, tx_valid), OV(tx_keep, tx_valid),
	OV(tx_data, tx_valid), O(phy_reset), O(idle), O(next_timer),
};
_Static_assert(ARRAY_SIZE(in_pin) <= 64 && ARRAY_SIZE(out_pin) <= 64, "mask is 64 bits");

struct recorder {
	FILE *f;
	unsigned beat;
	struct ohca_in in;		/* as last written */
	struct ohca_out out;
	uint32_t repeat;
	bool begun, failed;
};

static const uint8_t zeros[OHCA_MAX_BEAT];

static unsigned pin_size(const struct pin *p, unsigned beat)
{
	return p->size == OHCA_MAX_BEAT && strcmp(p->name, "push_wdata") ? beat : p->size;
}

static const uint8_t *pin_value(const struct pin *p, const void *s)
{
	if (p->valid >= 0 && !((const uint8_t *)s)[p->valid])
		return zeros;
	return (const uint8_t *)s + p->off;
}

/* mask of the pins on which a and b differ */
static uint64_t differ(const struct pin *t, unsigned n, unsigned beat, const void *a, const void *b)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < n; i++)
		if (memcmp(pin_value(&t[i], a), pin_value(&t[i], b), pin_size(&t[i], beat)))
			mask |= 1ull << i;
	return mask;
}

static void put(struct recorder *r, const void *p, size_t n)
{
	if (!r->failed && fwrite(p, 1, n, r->f) != n) {
		r->failed = true;
		log_err("recording: %s", strerror(errno));
	}
}

static void put_changes(struct recorder *r, const struct pin *t, unsigned n, const void *s,
			uint64_t mask)
{
	put(r, &mask, 8);
	for (unsigned i = 0; i < n; i++)
		if (mask >> i & 1)
			put(r, pin_value(&t[i], s), pin_size(&t[i], r->beat));
}

struct recorder *record_open(const char *path, const struct ohca_model_config *cfg, uint64_t guid)
{
	struct recorder *r;
	uint32_t v;
	FILE *f = fopen(path, "wb");

	if (!f) {
		log_err("cannot write recording %s: %s", path, strerror(errno));
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->f = f;
	r->beat = cfg->data_width / 8;
	put(r, "OHCAREC3", 8);
	v = cfg->data_width;
	put(r, &v, 4);
	v = cfg->node;
	put(r, &v, 4);
	put(r, &cfg->seed, 8);
	put(r, &guid, 8);
	return r;
}

void record_cycle(struct recorder *r, const struct ohca_in *in, const struct ohca_out *out)
{
	uint64_t mi = differ(in_pin, ARRAY_SIZE(in_pin), r->beat, in, &r->in);
	uint64_t mo = differ(out_pin, ARRAY_SIZE(out_pin), r->beat, out, &r->out);

	if (r->begun && !mi && !mo && r->repeat < UINT32_MAX) {
		r->repeat++;
		return;
	}
	if (r->begun)
		put(r, &r->repeat, 4);
	r->repeat = 0;
	r->begun = true;
	put_changes(r, in_pin, ARRAY_SIZE(in_pin), in, mi);
	put_changes(r, out_pin, ARRAY_SIZE(out_pin), out, mo);
	r->in = *in;
	r->out = *out;
}

bool record_close(struct recorder *r)
{
	bool ok;

	if (!r)
		return true;
	if (r->begun)
		put(r, &r->repeat, 4);
	ok = fclose(r->f) == 0 && !r->failed;
	free(r);
	return ok;
}

static bool get_changes(FILE *f, const struct pin *t, unsigned n, unsigned beat, void *s)
{
	uint64_t mask;

	if (fread(&mask, 8, 1, f) != 1 || (n < 64 && mask >> n))
		return false;
	for (unsigned i = 0; i < n; i++)
		if (mask >> i & 1 &&
		    fread((uint8_t *)s + t[i].off, 1, pin_size(&t[i], beat), f) != pin_size(&t[i], beat))
			return false;
	return true;
}

bool replay_file(const char *path, ohca_model_create_fn create, const char *trace,
		 const char *firmware, uint64_t max_mismatches, struct replay_result *res)
{
	struct ohca_model_config cfg = { .trace = trace, .firmware = firmware };
	struct ohca_in in;
	struct ohca_out want, got;
	struct ohca_model *m;
	FILE *f = fopen(path, "rb");
	uint32_t head[2];
	uint64_t ids[2];
	char magic[8];
	unsigned beat;

	memset(res, 0, sizeof(*res));
	if (!f) {
		log_err("cannot read recording %s: %s", path, strerror(errno));
		return false;
	}
	if (fread(magic, 8, 1, f) != 1 || memcmp(magic, "OHCAREC3", 8) ||
	    fread(head, 8, 1, f) != 1 || fread(ids, 16, 1, f) != 1 ||
	    (head[0] != 64 && head[0] != 128 && head[0] != 256 && head[0] != 512)) {
		log_err("%s is not a recording of this simulator", path);
		fclose(f);
		return false;
	}
	cfg.data_width = head[0];
	cfg.node = head[1];
	cfg.seed = ids[0];
	beat = cfg.data_width / 8;
	m = create(&cfg);
	if (!m) {
		fclose(f);
		return false;
	}
	memset(&in, 0, sizeof(in));
	memset(&want, 0, sizeof(want));
	memset(&got, 0, sizeof(got));
	for (;;) {
		uint32_t repeat;
		int c = fgetc(f);

		if (c == EOF)
			break;
		ungetc(c, f);
		if (!get_changes(f, in_pin, ARRAY_SIZE(in_pin), beat, &in) ||
		    !get_changes(f, out_pin, ARRAY_SIZE(out_pin), beat, &want) ||
		    fread(&repeat, 4, 1, f) != 1) {
			res->truncated = true;
			break;
		}
		for (uint64_t n = 0; n <= repeat; n++) {
			uint64_t bad;

			m->step(m, &in, &got);
			bad = differ(out_pin, ARRAY_SIZE(out_pin), beat, &want, &got);
			if (bad && !res->mismatches++) {
				res->first_cycle = res->cycles;
				snprintf(res->first_pin, sizeof(res->first_pin), "%s",
					 out_pin[__builtin_ctzll(bad)].name);
			}
			res->cycles++;
			if (max_mismatches && res->mismatches >= max_mismatches)
				goto out;
		}
	}
out:
	if (m->flush)
		m->flush(m);
	m->destroy(m);
	fclose(f);
	return true;
}
