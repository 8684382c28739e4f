# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A report does not wait for acknowledgements.
s/q_valid && !behind\[15\]/q_valid/
