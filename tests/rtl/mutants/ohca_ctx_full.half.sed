# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# a fill whose translation fails leaves the line's hot half out
# in: DW=512-LineBytes=64
s/fill_go && \(info_ok \? beat_valid : fill_other\);/fill_go \&\& info_ok \&\& beat_valid;/
s/\(!info_ok && !fill_other\)/!info_ok/
