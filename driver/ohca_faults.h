/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/*
 * Debug builds (make -C driver DEBUG=1): of everything that may fail for want of memory or numbers the one that the parameter fail_nth counts down to
 * fails, and `live` counts what was taken and not given back. Included last, by ohca.h.
 */
#ifndef OHCA_FAULTS_H
#define OHCA_FAULTS_H

#include <linux/dma-mapping.h>
#include <linux/etherdevice.h>
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

bool ohca_fault(void);
void ohca_live(int n);

static inline void *ohca_f_got(void *p)
{
	if (p)
		ohca_live(1);
	return p;
}

static inline void *ohca_f_kmalloc(size_t n, gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(kmalloc(n, gfp));
}
#undef kmalloc
#define kmalloc ohca_f_kmalloc

static inline void *ohca_f_kzalloc(size_t n, gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(kzalloc(n, gfp));
}
#undef kzalloc
#define kzalloc ohca_f_kzalloc

static inline void *ohca_f_kcalloc(size_t n, size_t size, gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(kcalloc(n, size, gfp));
}
#undef kcalloc
#define kcalloc ohca_f_kcalloc

static inline void *ohca_f_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(kvcalloc(n, size, gfp));
}
#undef kvcalloc
#define kvcalloc ohca_f_kvcalloc

static inline void *ohca_f_vzalloc(size_t n)
{
	return ohca_fault() ? NULL : ohca_f_got(vzalloc(n));
}
#undef vzalloc
#define vzalloc ohca_f_vzalloc

static inline void ohca_f_kfree(const void *p)
{
	if (p)
		ohca_live(-1);
	kfree(p);
}
#undef kfree
#define kfree ohca_f_kfree

static inline void ohca_f_kvfree(const void *p)
{
	if (p)
		ohca_live(-1);
	kvfree(p);
}
#undef kvfree
#define kvfree ohca_f_kvfree

static inline void ohca_f_vfree(const void *p)
{
	if (p)
		ohca_live(-1);
	vfree(p);
}
#undef vfree
#define vfree ohca_f_vfree

static inline void *ohca_f_dma_alloc_coherent(struct device *dev, size_t n, dma_addr_t *dma, gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(dma_alloc_coherent(dev, n, dma, gfp));
}
#undef dma_alloc_coherent
#define dma_alloc_coherent ohca_f_dma_alloc_coherent

static inline void ohca_f_dma_free_coherent(struct device *dev, size_t n, void *p, dma_addr_t dma)
{
	ohca_live(-1);
	dma_free_coherent(dev, n, p, dma);
}
#undef dma_free_coherent
#define dma_free_coherent ohca_f_dma_free_coherent

static inline struct page *ohca_f_alloc_page(gfp_t gfp)
{
	return ohca_fault() ? NULL : ohca_f_got(alloc_page(gfp));
}
#undef alloc_page
#define alloc_page ohca_f_alloc_page

static inline void ohca_f_free_page(struct page *p)
{
	ohca_live(-1);
	__free_page(p);
}
#undef __free_page
#define __free_page ohca_f_free_page

/* Also what alloc_ordered_workqueue() is made of */
#define alloc_workqueue(...) ((struct workqueue_struct *)(ohca_fault() ? NULL : ohca_f_got((alloc_workqueue)(__VA_ARGS__))))

static inline void ohca_f_destroy_workqueue(struct workqueue_struct *wq)
{
	ohca_live(-1);
	destroy_workqueue(wq);
}
#define destroy_workqueue ohca_f_destroy_workqueue

static inline void __iomem *ohca_f_ioremap(phys_addr_t at, size_t n)
{
	void __iomem *p = ohca_fault() ? NULL : ioremap(at, n);

	if (p)
		ohca_live(1);
	return p;
}
#undef ioremap
#define ioremap ohca_f_ioremap

static inline void ohca_f_iounmap(void __iomem *p)
{
	ohca_live(-1);
	iounmap(p);
}
#undef iounmap
#define iounmap ohca_f_iounmap

static inline int ohca_f_ida_alloc_range(struct ida *ida, unsigned int min, unsigned int max, gfp_t gfp)
{
	int ret = ohca_fault() ? -ENOMEM : ida_alloc_range(ida, min, max, gfp);

	if (ret >= 0)
		ohca_live(1);
	return ret;
}
#define ida_alloc_range ohca_f_ida_alloc_range

static inline void ohca_f_ida_free(struct ida *ida, unsigned int id)
{
	ohca_live(-1);
	ida_free(ida, id);
}
#define ida_free ohca_f_ida_free

static inline struct ib_umem *ohca_f_umem_get(struct ib_device *dev, unsigned long at, size_t n, int acc)
{
	struct ib_umem *u = ohca_fault() ? ERR_PTR(-ENOMEM) : ohca_umem_get(dev, at, n, acc);

	if (!IS_ERR(u))
		ohca_live(1);
	return u;
}
#undef ohca_umem_get
#define ohca_umem_get ohca_f_umem_get

static inline void ohca_f_umem_release(struct ib_umem *u)
{
	if (u)
		ohca_live(-1);
	ib_umem_release(u);
}
#define ib_umem_release ohca_f_umem_release

/* What says how it failed, and is given back by others */
#define OHCA_FAULT_INT(...) (ohca_fault() ? -ENOMEM : (__VA_ARGS__))
#define xa_alloc_cyclic_irq(...) OHCA_FAULT_INT((xa_alloc_cyclic_irq)(__VA_ARGS__))
#define xa_insert_irq(...) OHCA_FAULT_INT((xa_insert_irq)(__VA_ARGS__))
#define xa_store(...) (ohca_fault() ? XA_ERROR(-ENOMEM) : (xa_store)(__VA_ARGS__))
#define request_irq(...) OHCA_FAULT_INT((request_irq)(__VA_ARGS__))
#define pci_alloc_irq_vectors(...) OHCA_FAULT_INT((pci_alloc_irq_vectors)(__VA_ARGS__))
#define ib_register_device(...) OHCA_FAULT_INT((ib_register_device)(__VA_ARGS__))
#define device_create_file(...) OHCA_FAULT_INT((device_create_file)(__VA_ARGS__))
#define register_netdev(...) OHCA_FAULT_INT((register_netdev)(__VA_ARGS__))
#define register_netdevice_notifier(...) OHCA_FAULT_INT((register_netdevice_notifier)(__VA_ARGS__))
#define rdma_user_mmap_entry_insert(...) OHCA_FAULT_INT((rdma_user_mmap_entry_insert)(__VA_ARGS__))
#define _ib_alloc_device(...) (ohca_fault() ? NULL : (_ib_alloc_device)(__VA_ARGS__))
#define alloc_etherdev_mqs(...) (ohca_fault() ? NULL : (alloc_etherdev_mqs)(__VA_ARGS__))
#define rdma_alloc_hw_stats_struct(...) (ohca_fault() ? NULL : (rdma_alloc_hw_stats_struct)(__VA_ARGS__))

#endif
