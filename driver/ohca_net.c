// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/*
 * The network interface of an Ethernet port: two descriptor rings, and one ring for the completions of both, which fits all of them, so
 * that nobody has to look whether it is full. One NAPI context does all the work; the adapter's event queue starts it.
 */
#include <linux/crc32.h>
#include <linux/etherdevice.h>
#include <linux/if_vlan.h>
#include <rdma/ib_addr.h>

#include "ohca.h"
#include "ohca_net.h"
#include "ohca_pfc.h"

#define RING_DEFAULT 256u
#define PIECES (MAX_SKB_FRAGS + 1)
#define RX_ALIGN 64			/* of a receive buffer's address */
#define EVENT_US 8			/* until ethtool -C says something else */
#define EVENT_COUNT 16
#define PFC_HEADERS 128u		/* of a RoCE packet, with ICRC and FCS */
#define PFC_TIME 0x1000u
#define CNP_DSCP 48u			/* congestion notifications */
#define CNP_PCP 6u
#define CNP_GAP 4u			/* ticks of 256 device cycles, between two of a QP */
#define EQN 1				/* the first event queue of completions */

/* ------------------------------------------------------------------ what the port is told */

/* The largest path MTU of RoCE that the interface's MTU carries */
static enum ib_mtu roce_mtu(int mtu)
{
	return max_t(u32, iboe_get_mtu(mtu), IB_MTU_256);
}

static u32 pfc_xoff(const struct ohca_net *n, int mtu)
{
	return ohca_pfc_xoff(OHCA_EXTRACT(OHCA_REG_HW_CFG_WIRE_BUF, (u32)OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_HW_CFG, &n->dev->lim)),
			     mtu + ETH_HLEN + 2 * VLAN_HLEN + ETH_FCS_LEN,
			     ib_mtu_enum_to_int(roce_mtu(mtu)) + PFC_HEADERS);
}

int ohca_net_pfc_fits(const struct ohca_net *n, u8 pfc, int mtu)
{
	if (!pfc || pfc_xoff(n, mtu))
		return 0;
	netdev_warn(n->ndev, "no priority flow control with an MTU of %d: the wire buffer cannot hold what comes before the peer stops\n", mtu);
	return -EOPNOTSUPP;
}

/* MAC, filters and MTU, all at once. */
int ohca_net_set_eth(struct ohca_net *n, int mtu)
{
	struct net_device *ndev = n->ndev;
	struct ohca_cmd_eth_in in = {};
	struct netdev_hw_addr *ha;
	u64 hash = 0;
	u32 ctrl = 0, xoff = pfc_xoff(n, mtu), pfc_own;
	int ret;

	mutex_lock(&n->eth_lock);
	OHCA_SET(OHCA_CMD_ETH_IN_MAC, &in, get_unaligned_le32(ndev->dev_addr) | (u64)get_unaligned_le16(ndev->dev_addr + 4) << 32);
	/* The lists' lock is there from the interface's registration on, before which this is called too. */
	if (n->running) {
		netif_addr_lock_bh(ndev);
		ctrl |= OHCA_MASK(OHCA_ETH_CTRL_NIC_EN);
		/* Further addresses of its own (macvlan): there is no list of them in the hardware. */
		if ((ndev->flags & IFF_PROMISC) || !netdev_uc_empty(ndev))
			ctrl |= OHCA_MASK(OHCA_ETH_CTRL_PROMISC);
		if (ndev->flags & IFF_ALLMULTI)
			ctrl |= OHCA_MASK(OHCA_ETH_CTRL_ALLMULTI);
		netdev_for_each_mc_addr(ha, ndev)
			hash |= BIT_ULL(~crc32_le(~0u, ha->addr, ETH_ALEN) >> 26);
		netif_addr_unlock_bh(ndev);
	}
	OHCA_SET(OHCA_CMD_ETH_IN_MTU, &in, roce_mtu(mtu));
	OHCA_SET(OHCA_CMD_ETH_IN_HASH, &in, hash);
	OHCA_SET(OHCA_CMD_ETH_IN_CTRL, &in, ctrl);
	OHCA_SET(OHCA_CMD_ETH_IN_PFC, &in, n->pfc ? n->pfc * 0x101u | PFC_TIME << 16 : 0);
	OHCA_SET(OHCA_CMD_ETH_IN_PFC_LIM, &in, n->pfc ? xoff / 2 << 16 | xoff : 0);
	/*
	 * Of several, one that has a third of what all may have is paused alone: a third is for what still comes of it, and one for the others. A single
	 * one needs no level of its own.
	 */
	pfc_own = hweight8(n->pfc) > 1 ? xoff / 3 : 0;
	OHCA_SET(OHCA_CMD_ETH_IN_PFC_OWN, &in, pfc_own / 2 << 16 | pfc_own);
	OHCA_SET(OHCA_CMD_ETH_IN_CNP, &in, OHCA_MASK(OHCA_ETH_CNP_EN) | CNP_DSCP << 2 | CNP_PCP << 8 | CNP_GAP << 16);
	ret = ohca_cmd(n->dev, OHCA_CMD_OP_SET_ETH, n->port, 0, &in, sizeof(in), NULL, 0, NULL);
	mutex_unlock(&n->eth_lock);
	return ret;
}

static void rx_mode_work(struct work_struct *w)
{
	struct ohca_net *n = container_of(w, struct ohca_net, rx_mode);

	ohca_net_set_eth(n, READ_ONCE(n->ndev->mtu));
}

static void net_set_rx_mode(struct net_device *ndev)
{
	struct ohca_net *n = netdev_priv(ndev);

	queue_work(n->dev->wq, &n->rx_mode);	/* commands sleep, and this must not */
}

static int net_set_mac(struct net_device *ndev, void *addr)
{
	struct ohca_net *n = netdev_priv(ndev);
	u8 old[ETH_ALEN];
	int ret;

	memcpy(old, ndev->dev_addr, ETH_ALEN);
	ret = eth_mac_addr(ndev, addr);
	if (ret)
		return ret;
	ret = ohca_net_set_eth(n, ndev->mtu);
	if (ret)
		eth_hw_addr_set(ndev, old);
	return ret;
}

/* ------------------------------------------------------------------ rings */

static u32 rx_len_of(int mtu)
{
	return ALIGN(mtu + ETH_HLEN + 2 * VLAN_HLEN, 64);
}

static void refill(struct ohca_net *n, gfp_t gfp)
{
	struct device *dev = &n->dev->pdev->dev;
	u16 from = n->rx_pi;

	while ((u16)(n->rx_pi - n->rx_ci) < n->rx_size) {
		struct ohca_rx_buf *b = &n->rx_buf[n->rx_pi & (n->rx_size - 1)];
		struct ohca_nic_rxd *d = &n->rx[n->rx_pi & (n->rx_size - 1)];
		struct sk_buff *skb = __netdev_alloc_skb(n->ndev, n->rx_len + RX_ALIGN, gfp);

		if (!skb)
			break;
		skb_reserve(skb, PTR_ALIGN(skb->data, RX_ALIGN) - skb->data);
		b->dma = dma_map_single(dev, skb->data, n->rx_len, DMA_FROM_DEVICE);
		if (dma_mapping_error(dev, b->dma)) {
			dev_kfree_skb_any(skb);
			break;
		}
		b->skb = skb;
		memset(d, 0, sizeof(*d));
		OHCA_SET(OHCA_NIC_RXD_ADDR, d, b->dma);
		OHCA_SET(OHCA_NIC_RXD_LEN, d, n->rx_len);
		n->rx_pi++;
	}
	if ((u16)(n->rx_pi - n->rx_ci) < n->rx_size)
		atomic_long_inc(&n->rx_no_mem);
	if (n->rx_pi != from)
		writel(n->rx_pi, n->dev->uar + OHCA_DB_NIC_RX);
}

static void unmap_tx(struct ohca_net *n, struct ohca_tx_buf *b)
{
	struct device *dev = &n->dev->pdev->dev;

	if (b->page)
		dma_unmap_page(dev, b->dma, b->len, DMA_TO_DEVICE);
	else
		dma_unmap_single(dev, b->dma, b->len, DMA_TO_DEVICE);
}

static void free_rings(struct ohca_net *n)
{
	struct device *dev = &n->dev->pdev->dev;

	for (; n->tx_buf && n->tx_ci != n->tx_pi; n->tx_ci++) {
		struct ohca_tx_buf *b = &n->tx_buf[n->tx_ci & (n->tx_size - 1)];

		unmap_tx(n, b);
		dev_kfree_skb(b->skb);
		b->skb = NULL;
	}
	for (; n->rx_buf && n->rx_ci != n->rx_pi; n->rx_ci++) {
		struct ohca_rx_buf *b = &n->rx_buf[n->rx_ci & (n->rx_size - 1)];

		dma_unmap_single(dev, b->dma, n->rx_len, DMA_FROM_DEVICE);
		dev_kfree_skb(b->skb);
	}
	if (n->tx)
		dma_free_coherent(dev, n->tx_size * sizeof(*n->tx), n->tx, n->tx_dma);
	if (n->rx)
		dma_free_coherent(dev, n->rx_size * sizeof(*n->rx), n->rx, n->rx_dma);
	if (n->cq)
		dma_free_coherent(dev, n->cq_size * sizeof(*n->cq), n->cq, n->cq_dma);
	kvfree(n->tx_buf);
	kvfree(n->rx_buf);
	n->tx = NULL;
	n->rx = NULL;
	n->cq = NULL;
	n->tx_buf = NULL;
	n->rx_buf = NULL;
}

static int alloc_rings(struct ohca_net *n)
{
	struct device *dev = &n->dev->pdev->dev;

	n->cq_size = roundup_pow_of_two(n->tx_size + n->rx_size);
	n->rx_len = rx_len_of(n->ndev->mtu);
	n->tx_pi = 0;
	n->tx_ci = 0;
	n->rx_pi = 0;
	n->rx_ci = 0;
	n->cq_ci = 0;
	/* Pieces of a page and more are aligned to 4 KiB by their size. */
	BUILD_BUG_ON(sizeof(*n->tx) != 16 || sizeof(*n->rx) != 16 || sizeof(*n->cq) != 16);
	n->tx = dma_alloc_coherent(dev, n->tx_size * sizeof(*n->tx), &n->tx_dma, GFP_KERNEL);
	n->rx = dma_alloc_coherent(dev, n->rx_size * sizeof(*n->rx), &n->rx_dma, GFP_KERNEL);
	n->cq = dma_alloc_coherent(dev, n->cq_size * sizeof(*n->cq), &n->cq_dma, GFP_KERNEL);
	n->tx_buf = kvcalloc(n->tx_size, sizeof(*n->tx_buf), GFP_KERNEL);
	n->rx_buf = kvcalloc(n->rx_size, sizeof(*n->rx_buf), GFP_KERNEL);
	if (n->tx && n->rx && n->cq && n->tx_buf && n->rx_buf)
		return 0;
	free_rings(n);
	return -ENOMEM;
}

static void arm(struct ohca_net *n)
{
	writel(n->cq_ci & 0xffff, n->dev->uar + OHCA_DB_NIC_ARM);
}

/* Nothing schedules the poller any more. */
static void no_events(struct ohca_net *n)
{
	WRITE_ONCE(n->dev->net, NULL);
	ohca_eq_sync(n->dev, EQN);
	flush_delayed_work(&n->dev->overflow);
}

int ohca_net_open(struct net_device *ndev)
{
	struct ohca_net *n = netdev_priv(ndev);
	u64 us = OHCA_GET(OHCA_CMD_QUERY_DEV_OUT_CYCLES_PER_US, &n->dev->lim);
	struct ohca_cmd_nic_in in = {};
	struct ohca_nic_ctrl ctrl = {};
	struct ohca_nic_mod mod = {};
	int ret;

	ret = alloc_rings(n);
	if (ret)
		return ret;
	OHCA_SET(OHCA_NIC_CTRL_TX_EN, &ctrl, 1);
	OHCA_SET(OHCA_NIC_CTRL_RX_EN, &ctrl, 1);
	OHCA_SET(OHCA_NIC_CTRL_LOG_TX, &ctrl, ilog2(n->tx_size));
	OHCA_SET(OHCA_NIC_CTRL_LOG_RX, &ctrl, ilog2(n->rx_size));
	OHCA_SET(OHCA_NIC_CTRL_LOG_CQ, &ctrl, ilog2(n->cq_size));
	OHCA_SET(OHCA_NIC_CTRL_EQN, &ctrl, EQN);
	OHCA_SET(OHCA_NIC_MOD_TIME, &mod, min_t(u64, us * n->event_us, U16_MAX));
	OHCA_SET(OHCA_NIC_MOD_COUNT, &mod, n->event_count);
	OHCA_SET(OHCA_CMD_NIC_IN_CTRL, &in, le32_to_cpu(ctrl.dw[0]));
	OHCA_SET(OHCA_CMD_NIC_IN_MOD, &in, le32_to_cpu(mod.dw[0]));
	OHCA_SET(OHCA_CMD_NIC_IN_TX, &in, n->tx_dma);
	OHCA_SET(OHCA_CMD_NIC_IN_RX, &in, n->rx_dma);
	OHCA_SET(OHCA_CMD_NIC_IN_CQ, &in, n->cq_dma);
	ret = ohca_cmd(n->dev, OHCA_CMD_OP_SET_NIC, n->port, 0, &in, sizeof(in), NULL, 0, NULL);
	if (ret)
		goto free;
	refill(n, GFP_KERNEL);
	netdev_reset_queue(ndev);
	napi_enable(&n->napi);
	WRITE_ONCE(n->dev->net, n);
	arm(n);
	n->running = true;
	ret = ohca_net_set_eth(n, ndev->mtu);
	if (ret)
		goto stop;
	netif_start_queue(ndev);
	return 0;
stop:
	n->running = false;
	no_events(n);
	napi_disable(&n->napi);
	memset(&in, 0, sizeof(in));
	if (ohca_cmd(n->dev, OHCA_CMD_OP_SET_NIC, n->port, 0, &in, sizeof(in), NULL, 0, NULL))
		ohca_dead(n->dev, "the network interface does not stop");
free:
	free_rings(n);
	return ret;
}

int ohca_net_stop(struct net_device *ndev)
{
	struct ohca_net *n = netdev_priv(ndev);
	struct ohca_cmd_nic_in off = {};

	netif_tx_disable(ndev);
	/* An interface that is up has no rings if making them anew failed. */
	if (!n->running)
		return 0;
	n->running = false;
	ohca_net_set_eth(n, ndev->mtu);
	/* A device that does not give its rings back is reset, so that their memory is free in any case. */
	if (ohca_cmd(n->dev, OHCA_CMD_OP_SET_NIC, n->port, 0, &off, sizeof(off), NULL, 0, NULL))
		ohca_dead(n->dev, "the network interface does not stop");
	no_events(n);
	napi_disable(&n->napi);
	netif_tx_disable(ndev);		/* the poller may have woken it */
	free_rings(n);
	return 0;
}

/* With rings of another size, or after trouble. */
int ohca_net_reopen(struct ohca_net *n)
{
	int ret;

	if (!netif_running(n->ndev))
		return 0;
	ohca_net_stop(n->ndev);
	ret = ohca_net_open(n->ndev);
	if (ret)
		netdev_err(n->ndev, "no rings any more (%d): set it down and up\n", ret);
	return ret;
}

static int net_change_mtu(struct net_device *ndev, int mtu)
{
	struct ohca_net *n = netdev_priv(ndev);
	int old = ndev->mtu, ret = ohca_net_pfc_fits(n, n->pfc, mtu);

	if (ret)
		return ret;
	WRITE_ONCE(ndev->mtu, mtu);
	if (n->running && rx_len_of(mtu) != n->rx_len)
		ret = ohca_net_reopen(n);
	else
		ret = ohca_net_set_eth(n, mtu);
	if (ret)
		WRITE_ONCE(ndev->mtu, old);
	return ret;
}

static void restart_work(struct work_struct *w)
{
	struct ohca_net *n = container_of(w, struct ohca_net, restart);

	rtnl_lock();
	ohca_net_reopen(n);
	rtnl_unlock();
}

static void net_tx_timeout(struct net_device *ndev, unsigned int queue)
{
	struct ohca_net *n = netdev_priv(ndev);

	netdev_warn(ndev, "descriptors %u to %u are not sent\n", n->tx_ci, n->tx_pi);
	atomic_long_inc(&n->tx_errors);
	schedule_work(&n->restart);
}

/* ------------------------------------------------------------------ sending */

static u16 tx_room(const struct ohca_net *n)
{
	return n->tx_size - (u16)(READ_ONCE(n->tx_pi) - READ_ONCE(n->tx_ci));
}

static netdev_tx_t net_xmit(struct sk_buff *skb, struct net_device *ndev)
{
	struct ohca_net *n = netdev_priv(ndev);
	struct device *dev = &n->dev->pdev->dev;
	unsigned int i, frags = skb_shinfo(skb)->nr_frags, start = 0, off = 0;
	u16 pi = n->tx_pi;
	struct ohca_tx_buf *b;

	if (unlikely(tx_room(n) < PIECES)) {
		netif_stop_queue(ndev);
		return NETDEV_TX_BUSY;
	}
	if (skb->len > OHCA_NIC_MAX_FRAME)
		goto drop;
	if (skb->ip_summed == CHECKSUM_PARTIAL) {
		start = skb_checksum_start_offset(skb);
		off = start + skb->csum_offset;
		if ((start | off) & 1 || off > 4094) {
			if (skb_checksum_help(skb))
				goto drop;
			start = 0;
		}
	}
	for (i = 0; i <= frags; i++) {
		struct ohca_nic_txd *d = &n->tx[pi & (n->tx_size - 1)];
		const skb_frag_t *f = i ? &skb_shinfo(skb)->frags[i - 1] : NULL;

		b = &n->tx_buf[pi & (n->tx_size - 1)];
		b->skb = NULL;
		b->page = i;
		b->len = f ? skb_frag_size(f) : skb_headlen(skb);
		b->dma = f ? skb_frag_dma_map(dev, f, 0, b->len, DMA_TO_DEVICE) :
			     dma_map_single(dev, skb->data, b->len, DMA_TO_DEVICE);
		if (dma_mapping_error(dev, b->dma))
			goto unmap;
		memset(d, 0, sizeof(*d));
		OHCA_SET(OHCA_NIC_TXD_ADDR, d, b->dma);
		OHCA_SET(OHCA_NIC_TXD_LEN, d, b->len);
		if (!i && start) {
			OHCA_SET(OHCA_NIC_TXD_CSUM, d, 1);
			OHCA_SET(OHCA_NIC_TXD_CSUM_START, d, start);
			OHCA_SET(OHCA_NIC_TXD_CSUM_OFF, d, off);
		}
		if (i == frags) {
			OHCA_SET(OHCA_NIC_TXD_EOP, d, 1);
			OHCA_SET(OHCA_NIC_TXD_CQE, d, 1);
		}
		pi++;
	}
	b->skb = skb;
	skb_tx_timestamp(skb);
	WRITE_ONCE(n->tx_pi, pi);
	if (tx_room(n) < PIECES) {
		netif_stop_queue(ndev);
		smp_mb();	/* the poller makes room and then looks whether the queue is stopped */
		if (tx_room(n) >= PIECES)
			netif_start_queue(ndev);
	}
	if (__netdev_sent_queue(ndev, skb->len, netdev_xmit_more()))
		writel(pi, n->dev->uar + OHCA_DB_NIC_TX);
	return NETDEV_TX_OK;
unmap:
	while (pi != n->tx_pi) {
		pi--;
		unmap_tx(n, &n->tx_buf[pi & (n->tx_size - 1)]);
	}
drop:
	atomic_long_inc(&n->tx_dropped);
	dev_kfree_skb_any(skb);
	/* Frames before it may wait for the doorbell of this one. */
	if (!netdev_xmit_more())
		writel(n->tx_pi, n->dev->uar + OHCA_DB_NIC_TX);
	return NETDEV_TX_OK;
}

/* ------------------------------------------------------------------ completions */

static void tx_done(struct ohca_net *n, u16 idx, bool error, unsigned int *packets, unsigned int *bytes, int budget)
{
	for (;;) {
		struct ohca_tx_buf *b = &n->tx_buf[n->tx_ci & (n->tx_size - 1)];
		bool last = n->tx_ci == idx;
		struct sk_buff *skb = b->skb;

		unmap_tx(n, b);
		if (skb) {
			++*packets;
			*bytes += skb->len;
			if (last && error) {
				atomic_long_inc(&n->tx_errors);
			} else {
				u64_stats_update_begin(&n->tx_sync);
				u64_stats_inc(&n->tx_packets);
				u64_stats_add(&n->tx_bytes, skb->len);
				u64_stats_update_end(&n->tx_sync);
			}
			napi_consume_skb(skb, budget);
			b->skb = NULL;
		}
		/* The sender may use the entry from now on. */
		smp_store_release(&n->tx_ci, n->tx_ci + 1);
		if (last)
			break;
	}
}

static void rx_done(struct ohca_net *n, u32 len, u16 sum)
{
	struct ohca_rx_buf *b = &n->rx_buf[n->rx_ci & (n->rx_size - 1)];
	struct sk_buff *skb = b->skb;

	dma_unmap_single(&n->dev->pdev->dev, b->dma, n->rx_len, DMA_FROM_DEVICE);
	b->skb = NULL;
	n->rx_ci++;
	skb_put(skb, len);
	skb->protocol = eth_type_trans(skb, n->ndev);
	/* The sum is over all that follows the Ethernet header, as words in memory order. */
	if (n->ndev->features & NETIF_F_RXCSUM) {
		skb->csum = csum_unfold((__force __sum16)cpu_to_le16(sum));
		skb->ip_summed = CHECKSUM_COMPLETE;
	}
	u64_stats_update_begin(&n->rx_sync);
	u64_stats_inc(&n->rx_packets);
	u64_stats_add(&n->rx_bytes, len);
	u64_stats_update_end(&n->rx_sync);
	napi_gro_receive(&n->napi, skb);
}

static int poll(struct napi_struct *napi, int budget)
{
	struct ohca_net *n = container_of(napi, struct ohca_net, napi);
	unsigned int packets = 0, bytes = 0;
	int done = 0;

	for (;;) {
		struct ohca_nic_cqe *e = &n->cq[n->cq_ci & (n->cq_size - 1)];
		u16 idx;
		u32 len;

		if (OHCA_GET(OHCA_NIC_CQE_PHASE, e) == !!(n->cq_ci & n->cq_size))
			break;
		dma_rmb();
		/* A budget is of what is received; netpoll has none. */
		if (done >= budget && !OHCA_GET(OHCA_NIC_CQE_TX, e))
			break;
		idx = OHCA_GET(OHCA_NIC_CQE_IDX, e);
		len = OHCA_GET(OHCA_NIC_CQE_LEN, e);
		n->cq_ci++;
		if (OHCA_GET(OHCA_NIC_CQE_TX, e)) {
			if ((u16)(idx - n->tx_ci) >= (u16)(READ_ONCE(n->tx_pi) - n->tx_ci)) {
				ohca_dead(n->dev, "completion of a frame that was not sent");
				break;
			}
			tx_done(n, idx, OHCA_GET(OHCA_NIC_CQE_ERROR, e), &packets, &bytes, budget);
			continue;
		}
		if (idx != n->rx_ci || n->rx_ci == n->rx_pi || len < ETH_HLEN || len > n->rx_len) {
			ohca_dead(n->dev, "completion of a buffer that was not posted");
			break;
		}
		rx_done(n, len, OHCA_GET(OHCA_NIC_CQE_SUM, e));
		done++;
	}
	if (packets) {
		netdev_completed_queue(n->ndev, packets, bytes);
		/* See net_xmit() */
		smp_mb();
		if (netif_queue_stopped(n->ndev) && tx_room(n) >= 2 * PIECES && n->running)
			netif_wake_queue(n->ndev);
	}
	/* A few at a time: each doorbell costs a write over the bus. */
	if ((u16)(n->rx_pi - n->rx_ci) <= n->rx_size - min(n->rx_size / 4, 16u))
		refill(n, GFP_ATOMIC);
	if (done < budget && napi_complete_done(napi, done))
		arm(n);
	return done;
}

/* From the event queue's interrupt. */
void ohca_net_event(struct ohca_dev *d)
{
	struct ohca_net *n = READ_ONCE(d->net);

	if (n)
		napi_schedule(&n->napi);
}

/* ------------------------------------------------------------------ the interface */

static void net_get_stats64(struct net_device *ndev, struct rtnl_link_stats64 *s)
{
	struct ohca_net *n = netdev_priv(ndev);
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&n->tx_sync);
		s->tx_packets = u64_stats_read(&n->tx_packets);
		s->tx_bytes = u64_stats_read(&n->tx_bytes);
	} while (u64_stats_fetch_retry(&n->tx_sync, start));
	do {
		start = u64_stats_fetch_begin(&n->rx_sync);
		s->rx_packets = u64_stats_read(&n->rx_packets);
		s->rx_bytes = u64_stats_read(&n->rx_bytes);
	} while (u64_stats_fetch_retry(&n->rx_sync, start));
	s->tx_errors = atomic_long_read(&n->tx_errors);
	s->tx_dropped = atomic_long_read(&n->tx_dropped);
	s->rx_missed_errors = ohca_net_hw_count(n, OHCA_COUNTER_ETH_NIC_DROP) + ohca_net_hw_count(n, OHCA_COUNTER_NIC_NO_BUF);
	s->rx_length_errors = ohca_net_hw_count(n, OHCA_COUNTER_NIC_TOO_LONG);
	s->rx_crc_errors = ohca_net_hw_count(n, OHCA_COUNTER_NIC_BAD);
	s->rx_errors = s->rx_length_errors + s->rx_crc_errors;
}

static const struct net_device_ops net_ops = {
	.ndo_open = ohca_net_open,
	.ndo_stop = ohca_net_stop,
	.ndo_start_xmit = net_xmit,
	.ndo_set_rx_mode = net_set_rx_mode,
	.ndo_set_mac_address = net_set_mac,
	.ndo_validate_addr = eth_validate_addr,
	.ndo_change_mtu = net_change_mtu,
	.ndo_tx_timeout = net_tx_timeout,
	.ndo_get_stats64 = net_get_stats64,
};

void ohca_net_carrier(struct net_device *ndev, bool up)
{
	if (up)
		netif_carrier_on(ndev);
	else
		netif_carrier_off(ndev);
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
	n->ndev = ndev;
	n->port = port;
	n->tx_size = RING_DEFAULT;
	n->rx_size = RING_DEFAULT;
	n->event_us = EVENT_US;
	n->event_count = EVENT_COUNT;
	mutex_init(&n->eth_lock);
	u64_stats_init(&n->tx_sync);
	u64_stats_init(&n->rx_sync);
	INIT_WORK(&n->rx_mode, rx_mode_work);
	INIT_WORK(&n->restart, restart_work);
	ohca_net_count_from_now(n);
	SET_NETDEV_DEV(ndev, &d->pdev->dev);
	ndev->dev_port = port - 1;
	ndev->netdev_ops = &net_ops;
	ndev->ethtool_ops = &ohca_ethtool_ops;
#ifdef CONFIG_DCB
	ndev->dcbnl_ops = &ohca_dcb_ops;
#endif
	ndev->min_mtu = ETH_MIN_MTU;
	ndev->max_mtu = OHCA_NIC_MAX_FRAME - ETH_HLEN - 2 * VLAN_HLEN;
	ndev->watchdog_timeo = 60 * HZ;	/* a simulator is slow */
	ndev->hw_features = NETIF_F_SG | NETIF_F_HW_CSUM | NETIF_F_RXCSUM;
	ndev->features = ndev->hw_features | NETIF_F_HIGHDMA;
	ndev->vlan_features = ndev->hw_features | NETIF_F_HIGHDMA;
	ndev->priv_flags |= IFF_LIVE_ADDR_CHANGE;
	netif_napi_add(ndev, &n->napi, poll);
	/* The GUID is made of the MAC by two bytes in its middle. */
	u64_to_ether_addr(guid >> 40 << 24 | (guid & 0xffffff), mac);
	mac[0] &= ~1;
	eth_hw_addr_set(ndev, mac);
	netif_carrier_off(ndev);
	ret = ohca_net_set_eth(n, ndev->mtu);
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
	struct ohca_net *n = netdev_priv(ndev);

	unregister_netdev(ndev);
	cancel_work_sync(&n->rx_mode);
	cancel_work_sync(&n->restart);
	free_netdev(ndev);
}
