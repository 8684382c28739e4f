# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What was fetched before a restart is sent.
s/\|\| !alive \|\| t2_gen != l.gen/|| !alive/
