# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# progress does not give the retries back
s/renew \? cx\.retry_cnt :/1'b0 ? cx.retry_cnt :/
