# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was fetched behind a plan that ended early is not thrown away
s/if \(plan_i.stop\) n.gen = gen;//
