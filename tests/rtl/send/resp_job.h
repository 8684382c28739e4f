// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Jobs of the response engine as the benches of its rooms have them: all bits random, and what comes back of one.
#pragma once
#include "send_models.h"

typedef tb::Value<VlWide<(OHCA_RJOB_BITS + 31) / 32>> Rjob;

static inline Rjob random_rjob(tb::Rng &r)
{
	Rjob j;
	tb::clear(j.v);
	for (u32 i = 0; i < OHCA_RJOB_BITS; i += 32) { const u32 n = std::min<u32>(32, OHCA_RJOB_BITS - i); tb::set_bits(j.v, i, n, r.bits(n)); }
	SET_FIELD(j.v, OHCA_RJOB_KIND, r.chance(50) ? OHCA_RJK_ACK : OHCA_RJK_READ);
	return j;
}

// A path comes back whole, or what InfiniBand uses of it.
static inline bytes path_back(bytes x, bool roce)
{
	if (roce) return x;
	struct ohca_av av;
	memcpy(&av, x.data(), sizeof av);
	OHCA_SET(OHCA_AV_RSVD0, &av, 0); OHCA_SET(OHCA_AV_RSVD1, &av, 0); OHCA_SET(OHCA_AV_RSVD2, &av, 0); OHCA_SET(OHCA_AV_RSVD3, &av, 0);
	OHCA_SET(OHCA_AV_VLAN, &av, 0); OHCA_SET(OHCA_AV_UDP_SPORT, &av, 0); OHCA_SET(OHCA_AV_DMAC_LO, &av, 0); OHCA_SET(OHCA_AV_DMAC_HI, &av, 0);
	memcpy(x.data(), &av, sizeof av);
	return x;
}

static inline bytes rjob_path(const Rjob &j, bool roce)
{
	bytes x(sizeof(struct ohca_av));
	for (u32 k = 0; k < x.size(); k++) x[k] = u8(tb::get_bits(j.v, OHCA_RJOB_AV_LSB + 8 * k, 8));
	return path_back(x, roce);
}

template <class S> static inline void check_rjob(const S &got, const Rjob &want, bool roce, const char *what)
{
	for (u32 i = OHCA_RJOB_AV_LSB + OHCA_RJOB_AV_WIDTH; i < OHCA_RJOB_BITS; i += 32) {
		const u32 n = std::min<u32>(32, OHCA_RJOB_BITS - i);
		CHECK_EQ(tb::get_bits(got, i, n), tb::get_bits(want.v, i, n), what);
	}
	const bytes path = rjob_path(want, roce);
	for (u32 k = 0; k < path.size(); k++) CHECK_EQ(tb::get_bits(got, OHCA_RJOB_AV_LSB + 8 * k, 8), path[k], what);
}
