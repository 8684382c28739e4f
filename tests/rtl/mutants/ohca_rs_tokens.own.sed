# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# the place that is somebody's own is promised to others
s/keep_one_i \? \(JobW\+1\).\(JobDepth - 1\)/keep_one_i ? (JobW+1)'(JobDepth)/
