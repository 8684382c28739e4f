/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* Which model this binary drives: the Verilated RTL if it was linked in. */
#include "model.h"
#include "util.h"

#ifdef OHCA_VERILATED
struct ohca_model *ohca_verilated_create_64(const struct ohca_model_config *cfg);
struct ohca_model *ohca_verilated_create_128(const struct ohca_model_config *cfg);
struct ohca_model *ohca_verilated_create_256(const struct ohca_model_config *cfg);
struct ohca_model *ohca_verilated_create_512(const struct ohca_model_config *cfg);

struct ohca_model *ohca_model_create(const struct ohca_model_config *cfg)
{
	switch (cfg->data_width) {
#ifdef OHCA_WIDTH_64
	case 64: return ohca_verilated_create_64(cfg);
#endif
#ifdef OHCA_WIDTH_128
	case 128: return ohca_verilated_create_128(cfg);
#endif
#ifdef OHCA_WIDTH_256
	case 256: return ohca_verilated_create_256(cfg);
#endif
#ifdef OHCA_WIDTH_512
	case 512: return ohca_verilated_create_512(cfg);
#endif
	default:
		log_err("this simulator was built without a model of data width %u; build with WIDTHS=\"… %u\"",
			cfg->data_width, cfg->data_width);
		return NULL;
	}
}

const char *ohca_model_kind(void) { return "verilated"; }
#else
struct ohca_model *ohca_model_create(const struct ohca_model_config *cfg)
{
	return ohca_fake_create(cfg);
}

const char *ohca_model_kind(void) { return "fake"; }
#endif
