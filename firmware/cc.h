/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Congestion notifications of RoCEv2 (IBA annex A17.9.3) that came for this adapter's QPs. They are counted by QP; nobody slows down yet.
 */
#ifndef OHCA_FW_CC_H
#define OHCA_FW_CC_H

#include "hw.h"

void cc_init(void);
/* Takes what has come. */
void cc_poll(void);
/* Since the QP was made, or another that shares its line was told something: a lower bound. */
u32 cc_count(u32 qpn);
/* The QP is gone. */
void cc_forget(u32 qpn);

#endif
