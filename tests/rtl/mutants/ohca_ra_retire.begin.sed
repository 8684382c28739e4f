# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# responses of a READ may begin in the middle
s/final_ == resp_last \&\& .*/final_ == resp_last;/
