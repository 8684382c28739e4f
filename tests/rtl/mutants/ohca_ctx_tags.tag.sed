# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a lookup right after an allocation of its set sees the old tag
# in: DW=128
s/again \& \{SetParts\{tag_we\}\}/again \& {SetParts{tag_we \&\& drop_valid_i}}/
