# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a response does not wait for the report that what it answers was sent
s/iq_valid && !iq_early/iq_valid/
