/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* The network interface of an Ethernet port: ohca_net.c has rings and frames, ohca_ethtool.c what people ask of it. */
#ifndef OHCA_NET_H
#define OHCA_NET_H

#include <linux/ethtool.h>
#include <linux/netdevice.h>
#include <net/dcbnl.h>

struct ohca_dev;

#define OHCA_NET_RING_MIN 64u			/* a frame has up to MAX_SKB_FRAGS + 1 pieces */
#define OHCA_NET_RING_MAX (1u << OHCA_NIC_LOG_MAX)

struct ohca_tx_buf {
	struct sk_buff *skb;		/* with its last piece */
	dma_addr_t dma;
	u32 len;
	bool page;
};

struct ohca_rx_buf {
	struct sk_buff *skb;
	dma_addr_t dma;
};

struct ohca_net {
	struct ohca_dev *dev;
	struct net_device *ndev;
	u32 port;
	u8 pfc;				/* priorities with flow control */
	struct mutex eth_lock;		/* set_eth(): what is told last is what is true last */
	bool running;			/* rings are there */
	struct work_struct rx_mode, restart;
	struct napi_struct napi;

	u32 tx_size, rx_size, cq_size;	/* powers of two */
	u32 rx_len;
	u32 event_us, event_count;	/* an event waits so long for more completions, or until there are so many */
	u16 tx_pi, tx_ci, rx_pi, rx_ci;	/* run freely; tx_ci is the poller's, tx_pi the sender's */
	u32 cq_ci;
	struct ohca_nic_txd *tx;
	struct ohca_nic_rxd *rx;
	struct ohca_nic_cqe *cq;
	dma_addr_t tx_dma, rx_dma, cq_dma;
	struct ohca_tx_buf *tx_buf;
	struct ohca_rx_buf *rx_buf;

	struct u64_stats_sync tx_sync, rx_sync;
	u64_stats_t tx_packets, tx_bytes, rx_packets, rx_bytes;
	atomic_long_t tx_errors, tx_dropped, rx_no_mem;
	u64 base[64];			/* hardware counters when the interface was made */
};

/* ohca_net.c: what the port is told, and the rings, with the lock of network configuration held */
int ohca_net_set_eth(struct ohca_net *n, int mtu);
int ohca_net_pfc_fits(const struct ohca_net *n, u8 pfc, int mtu);	/* -EOPNOTSUPP: the wire buffer is too small for it */
int ohca_net_open(struct net_device *ndev);
int ohca_net_stop(struct net_device *ndev);
int ohca_net_reopen(struct ohca_net *n);

/* ohca_ethtool.c */
u64 ohca_net_hw_count(struct ohca_net *n, unsigned int counter);
void ohca_net_count_from_now(struct ohca_net *n);
extern const struct ethtool_ops ohca_ethtool_ops;
#ifdef CONFIG_DCB
extern const struct dcbnl_rtnl_ops ohca_dcb_ops;
#endif

#endif
