// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* What people ask and set of the network interface of an Ethernet port: ethtool, counters, priority flow control. */
#include "ohca.h"
#include "ohca_net.h"

static const struct {
	char name[ETH_GSTRING_LEN];
	u8 counter;
} hw_stats[] = {
	{ "rx_frames_hw", OHCA_COUNTER_ETH_NIC },
	{ "rx_no_room_hw", OHCA_COUNTER_ETH_NIC_DROP },
	{ "rx_no_buffer_hw", OHCA_COUNTER_NIC_NO_BUF },
	{ "rx_too_long_hw", OHCA_COUNTER_NIC_TOO_LONG },
	{ "rx_bad_hw", OHCA_COUNTER_NIC_BAD },
	{ "rx_filtered_hw", OHCA_COUNTER_ETH_MAC },
	{ "rx_pause_hw", OHCA_COUNTER_PFC_RX },
	{ "tx_pause_hw", OHCA_COUNTER_PFC_TX },
};

u64 ohca_net_hw_count(struct ohca_net *n, unsigned int counter)
{
	if (READ_ONCE(n->dev->dead))
		return 0;
	return readq(n->dev->bar + OHCA_REG_COUNTERS + 8 * counter) - n->base[counter];
}

/* The adapter counts for ever, an interface from when it was made. */
void ohca_net_count_from_now(struct ohca_net *n)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hw_stats); i++)
		n->base[hw_stats[i].counter] = readq(n->dev->bar + OHCA_REG_COUNTERS + 8 * hw_stats[i].counter);
}

static void get_drvinfo(struct net_device *ndev, struct ethtool_drvinfo *info)
{
	struct ohca_net *n = netdev_priv(ndev);
	u32 fw = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_FW_VERSION, &n->dev->lim);

	strscpy(info->driver, "ohca", sizeof(info->driver));
	strscpy(info->bus_info, pci_name(n->dev->pdev), sizeof(info->bus_info));
	snprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%u", fw >> 24, fw >> 16 & 0xff, fw & 0xffff);
}

static int get_link_ksettings(struct net_device *ndev, struct ethtool_link_ksettings *ks)
{
	struct ohca_net *n = netdev_priv(ndev);
	static const struct {
		u32 speed, mode;
	} modes[] = {
		{ SPEED_10000, ETHTOOL_LINK_MODE_10000baseSR_Full_BIT },
		{ SPEED_25000, ETHTOOL_LINK_MODE_25000baseSR_Full_BIT },
		{ SPEED_40000, ETHTOOL_LINK_MODE_40000baseSR4_Full_BIT },
		{ SPEED_50000, ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT },
		{ SPEED_100000, ETHTOOL_LINK_MODE_100000baseSR4_Full_BIT },
		{ SPEED_200000, ETHTOOL_LINK_MODE_200000baseSR4_Full_BIT },
		{ SPEED_400000, ETHTOOL_LINK_MODE_400000baseSR4_Full_BIT },
	};
	u32 speed = n->dev->rate_mult * 2500, i;
	bool up = netif_carrier_ok(ndev) && speed;

	ethtool_link_ksettings_zero_link_mode(ks, supported);
	ethtool_link_ksettings_zero_link_mode(ks, advertising);
	ethtool_link_ksettings_add_link_mode(ks, supported, FIBRE);
	ethtool_link_ksettings_add_link_mode(ks, advertising, FIBRE);
	/* The port has one speed, its PHY's. Speeds of simulators have no mode. */
	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (speed == modes[i].speed) {
			__set_bit(modes[i].mode, ks->link_modes.supported);
			__set_bit(modes[i].mode, ks->link_modes.advertising);
		}
	ks->base.port = PORT_FIBRE;
	ks->base.autoneg = AUTONEG_DISABLE;
	ks->base.speed = up ? speed : (u32)SPEED_UNKNOWN;
	ks->base.duplex = up ? DUPLEX_FULL : DUPLEX_UNKNOWN;
	return 0;
}

static void get_ringparam(struct net_device *ndev, struct ethtool_ringparam *r, struct kernel_ethtool_ringparam *k,
			  struct netlink_ext_ack *ack)
{
	struct ohca_net *n = netdev_priv(ndev);

	r->tx_max_pending = OHCA_NET_RING_MAX;
	r->rx_max_pending = OHCA_NET_RING_MAX;
	r->tx_pending = n->tx_size;
	r->rx_pending = n->rx_size;
}

static int set_ringparam(struct net_device *ndev, struct ethtool_ringparam *r, struct kernel_ethtool_ringparam *k,
			 struct netlink_ext_ack *ack)
{
	struct ohca_net *n = netdev_priv(ndev);
	u32 tx = n->tx_size, rx = n->rx_size;
	bool was = n->running;
	int ret;

	if (r->rx_mini_pending || r->rx_jumbo_pending)
		return -EINVAL;
	/* The sizes belong to the rings that are there. */
	if (was)
		ohca_net_stop(ndev);
	n->tx_size = roundup_pow_of_two(clamp(r->tx_pending, OHCA_NET_RING_MIN, OHCA_NET_RING_MAX));
	n->rx_size = roundup_pow_of_two(clamp(r->rx_pending, OHCA_NET_RING_MIN, OHCA_NET_RING_MAX));
	ret = was ? ohca_net_open(ndev) : 0;
	if (ret) {
		n->tx_size = tx;
		n->rx_size = rx;
		ohca_net_open(ndev);
	}
	return ret;
}

/* Pauses of the whole link are neither sent nor obeyed; `dcb pfc` has those of priorities. */
static void get_pauseparam(struct net_device *ndev, struct ethtool_pauseparam *p)
{
	p->autoneg = AUTONEG_DISABLE;
	p->rx_pause = 0;
	p->tx_pause = 0;
}

/* One pair of rings */
static void get_channels(struct net_device *ndev, struct ethtool_channels *ch)
{
	ch->max_combined = 1;
	ch->combined_count = 1;
}

static int get_coalesce(struct net_device *ndev, struct ethtool_coalesce *c, struct kernel_ethtool_coalesce *k,
			struct netlink_ext_ack *ack)
{
	struct ohca_net *n = netdev_priv(ndev);

	c->rx_coalesce_usecs = n->event_us;
	c->rx_max_coalesced_frames = n->event_count;
	return 0;
}

/* Of both directions: their completions are in one ring. */
static int set_coalesce(struct net_device *ndev, struct ethtool_coalesce *c, struct kernel_ethtool_coalesce *k,
			struct netlink_ext_ack *ack)
{
	struct ohca_net *n = netdev_priv(ndev);
	u32 us = n->event_us, count = n->event_count;
	u32 cycles = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CYCLES_PER_US, &n->dev->lim);
	int ret;

	if (c->rx_coalesce_usecs > U16_MAX / max(cycles, 1u) || !c->rx_max_coalesced_frames ||
	    c->rx_max_coalesced_frames > OHCA_EXTRACT(OHCA_NIC_MOD_COUNT, ~0u))
		return -EINVAL;
	n->event_us = c->rx_coalesce_usecs;
	n->event_count = c->rx_max_coalesced_frames;
	ret = ohca_net_reopen(n);
	if (ret) {
		n->event_us = us;
		n->event_count = count;
	}
	return ret;
}

static int get_sset_count(struct net_device *ndev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(hw_stats) + 1 : -EOPNOTSUPP;
}

static void get_strings(struct net_device *ndev, u32 set, u8 *p)
{
	unsigned int i;

	if (set != ETH_SS_STATS)
		return;
	for (i = 0; i < ARRAY_SIZE(hw_stats); i++)
		ethtool_puts(&p, hw_stats[i].name);
	ethtool_puts(&p, "rx_no_memory");
}

static void get_ethtool_stats(struct net_device *ndev, struct ethtool_stats *st, u64 *v)
{
	struct ohca_net *n = netdev_priv(ndev);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(hw_stats); i++)
		v[i] = ohca_net_hw_count(n, hw_stats[i].counter);
	v[i] = atomic_long_read(&n->rx_no_mem);
}

const struct ethtool_ops ohca_ethtool_ops = {
	.supported_coalesce_params = ETHTOOL_COALESCE_RX_USECS | ETHTOOL_COALESCE_RX_MAX_FRAMES,
	.get_coalesce = get_coalesce,
	.set_coalesce = set_coalesce,
	.get_pauseparam = get_pauseparam,
	.get_channels = get_channels,
	.get_drvinfo = get_drvinfo,
	.get_link = ethtool_op_get_link,
	.get_link_ksettings = get_link_ksettings,
	.get_ringparam = get_ringparam,
	.set_ringparam = set_ringparam,
	.get_sset_count = get_sset_count,
	.get_strings = get_strings,
	.get_ethtool_stats = get_ethtool_stats,
	.get_ts_info = ethtool_op_get_ts_info,
};

/* ------------------------------------------------------------------ priority flow control: `dcb pfc` */

#ifdef CONFIG_DCB
static int dcb_get_pfc(struct net_device *ndev, struct ieee_pfc *pfc)
{
	struct ohca_net *n = netdev_priv(ndev);

	pfc->pfc_cap = IEEE_8021QAZ_MAX_TCS;
	pfc->pfc_en = n->pfc;
	/* The hardware counts frames, which name any number of priorities: all of them are told for the lowest one. */
	if (n->pfc) {
		pfc->requests[__ffs(n->pfc)] = ohca_net_hw_count(n, OHCA_COUNTER_PFC_TX);
		pfc->indications[__ffs(n->pfc)] = ohca_net_hw_count(n, OHCA_COUNTER_PFC_RX);
	}
	return 0;
}

static int dcb_set_pfc(struct net_device *ndev, struct ieee_pfc *pfc)
{
	struct ohca_net *n = netdev_priv(ndev);
	u8 was = n->pfc;
	int ret;

	if (pfc->mbc || pfc->delay)
		return -EOPNOTSUPP;
	ret = ohca_net_pfc_fits(n, pfc->pfc_en, ndev->mtu);
	if (ret)
		return ret;
	n->pfc = pfc->pfc_en;
	ret = ohca_net_set_eth(n, ndev->mtu);
	if (ret)
		n->pfc = was;
	return ret;
}

static u8 dcb_get_dcbx(struct net_device *ndev)
{
	return DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE;
}

static u8 dcb_set_dcbx(struct net_device *ndev, u8 mode)
{
	return mode != (DCB_CAP_DCBX_HOST | DCB_CAP_DCBX_VER_IEEE);
}

const struct dcbnl_rtnl_ops ohca_dcb_ops = {
	.ieee_getpfc = dcb_get_pfc,
	.ieee_setpfc = dcb_set_pfc,
	.getdcbx = dcb_get_dcbx,
	.setdcbx = dcb_set_dcbx,
};
#endif
