# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# the tag is looked for in the first beat
s/assign tag_here = second_q/assign tag_here = first_q/
