# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# several records are read ahead at a time
s/look_i \|\| \(looks_o \&\& !looked_i\)/look_i/
