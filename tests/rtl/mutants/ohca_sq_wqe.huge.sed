# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# A READ of which packets were cut off stays too long for the window.
s/huge_o <= rest\[23\] .*/huge_o <= huge_o;/
