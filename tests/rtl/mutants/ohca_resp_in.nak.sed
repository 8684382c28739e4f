# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A NAK gives way.
s/assign m_plain  = (.*) && !job_o\.nak;/assign m_plain  = \1;/
