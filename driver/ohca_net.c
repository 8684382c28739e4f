// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The network interface of an Ethernet port. Its queues are not there yet: it has a MAC, an MTU and a carrier, which RoCE's GIDs need, and
 * drops every frame, loudly.
 */
#include <linux/etherdevice.h>
#include <rdma/ib_addr.h>

#include "ohca.h"

struct ohca_net {
	struct ohca_dev *dev;
	u32 port;
};

static int set_eth(struct net_device *ndev, int mtu)
{
	struct ohca_net *n = netdev_priv(ndev);
	enum ib_mtu code = iboe_get_mtu(mtu);
	struct ohca_cmd_eth_in in = {};

	OHCA_SET(OHCA_CMD_ETH_IN_MAC, &in, get_unaligned_le32(ndev->dev_addr) | (u64)get_unaligned_le16(ndev->dev_addr + 4) << 32);
	OHCA_SET(OHCA_CMD_ETH_IN_MTU, &in, max_t(u32, code, IB_MTU_256));
	return ohca_cmd(n->dev, OHCA_CMD_OP_SET_ETH, n->port, 0, &in, sizeof(in), NULL, 0, NULL);
}

static int net_change_mtu(struct net_device *ndev, int mtu)
{
	int ret = set_eth(ndev, mtu);

	if (!ret)
		WRITE_ONCE(ndev->mtu, mtu);
	return ret;
}

static netdev_tx_t net_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	if (net_ratelimit())
		netdev_warn(ndev, "this driver has no queues for frames yet: dropped\n");
	ndev->stats.tx_dropped++;
	dev_kfree_skb_any(skb);
	return NETDEV_TX_OK;
}

static const struct net_device_ops net_ops = {
	.ndo_start_xmit = net_xmit,
	.ndo_change_mtu = net_change_mtu,
	.ndo_validate_addr = eth_validate_addr,
};

void ohca_net_carrier(struct ohca_dev *d, u32 port, bool up)
{
	if (up)
		netif_carrier_on(d->netdev);
	else
		netif_carrier_off(d->netdev);
}

struct net_device *ohca_net_register(struct ohca_dev *d, u32 port)
{
	u64 guid = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_PORT_GUID, &d->lim);
	struct net_device *ndev;
	struct ohca_net *n;
	u8 mac[ETH_ALEN];
	int ret;

	ndev = alloc_etherdev(sizeof(*n));
	if (!ndev)
		return ERR_PTR(-ENOMEM);
	n = netdev_priv(ndev);
	n->dev = d;
	n->port = port;
	SET_NETDEV_DEV(ndev, &d->pdev->dev);
	ndev->dev_port = port - 1;
	ndev->netdev_ops = &net_ops;
	ndev->max_mtu = 9000;
	/* The GUID is made of the MAC by two bytes in its middle. */
	u64_to_ether_addr(guid >> 40 << 24 | (guid & 0xffffff), mac);
	mac[0] &= ~1;
	eth_hw_addr_set(ndev, mac);
	netif_carrier_off(ndev);
	ret = set_eth(ndev, ndev->mtu);
	if (!ret)
		ret = register_netdev(ndev);
	if (ret) {
		free_netdev(ndev);
		return ERR_PTR(ret);
	}
	return ndev;
}

void ohca_net_unregister(struct ohca_dev *d, struct net_device *ndev, u32 port)
{
	unregister_netdev(ndev);
	free_netdev(ndev);
}
