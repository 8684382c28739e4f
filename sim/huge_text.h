/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * The program's code on huge pages.  A cycle of a Verilated model runs through more than a megabyte of straight code, more
 * small pages than a processor keeps translations for, all the more in a virtual machine.
 */
#ifndef OHCA_SIM_HUGE_TEXT_H
#define OHCA_SIM_HUGE_TEXT_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * To be called before there are threads; does nothing more when called again.  The program must be linked with
 * -z max-page-size=2097152.  True if its code was moved.  Profilers find no symbols then: with OHCA_SMALL_PAGES in the
 * environment it stays where it is.
 */
int huge_text(void);

#ifdef __cplusplus
}
#endif
#endif
