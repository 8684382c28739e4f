# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# What was sent of a message is subtracted from every WQE of its batch.
s/assign part    = first_i \&\& /assign part    = /
