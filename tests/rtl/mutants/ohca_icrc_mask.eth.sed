# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
# in: eth_link-ohca_link-DataWidth=64
# what precedes the IP header is covered
s/zeros = eth \? Win'\(EthZ\) : '0;/zeros = '0;/
