# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# what was decided changes with the places for answers while the token is written
s/if \(!act_i \|\| lost\) job_room/job_room/; s/ \&\& !lost\);/);/
