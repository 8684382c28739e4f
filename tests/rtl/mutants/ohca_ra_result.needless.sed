# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a restart stays although its response came
s/\(act != ohca_fmt_pkg::RA_ACT_NONE \|\| ri\.post\.acked != prev\.acked\)/act != ohca_fmt_pkg::RA_ACT_NONE/
