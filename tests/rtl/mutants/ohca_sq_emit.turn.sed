# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# jobs of a turn that ends with its last job are not counted
s/job_end \? '0 : new_/'0/
