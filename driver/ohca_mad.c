// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* MADs that the firmware's agents answer: subnet management except SMInfo, and performance management. */
#include <rdma/ib_smi.h>

#include "ohca.h"

int ohca_mad_ifc(struct ohca_dev *d, u32 port, bool ignore_mkey, const struct ib_wc *wc, const struct ib_grh *grh,
		 const struct ib_mad *in, struct ib_mad *out)
{
	struct ohca_cmd_mad_ifc_in *req;
	u32 result;
	int ret;

	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	memcpy(req, in, sizeof(*in));
	if (wc) {
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_SLID, req, wc->slid);
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_SL, req, wc->sl);
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_SRC_QP, req, wc->src_qp);
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_PATH_BITS, req, wc->dlid_path_bits);
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_PKEY_INDEX, req, wc->pkey_index);
	}
	if (wc && grh && (wc->wc_flags & IB_WC_GRH)) {
		OHCA_SET(OHCA_CMD_MAD_IFC_IN_GRH_PRESENT, req, 1);
		memcpy(&req->dw[68], grh, sizeof(*grh));
	}
	ret = ohca_cmd(d, OHCA_CMD_OP_MAD_IFC, port, ignore_mkey, req, sizeof(*req), out, sizeof(*out), &result);
	kfree(req);
	return ret ? ret : result > 2 ? 0 : result;
}

/* The P_Key table in blocks of 32, as the subnet manager reads it. */
int ohca_get_pkeys(struct ohca_dev *d, u32 port, __be16 *pkeys, u32 count)
{
	struct ib_smp *in, *out;
	u32 at;
	int ret = 0;

	in = kzalloc(sizeof(*in), GFP_KERNEL);
	out = kzalloc(sizeof(*out), GFP_KERNEL);
	if (!in || !out)
		ret = -ENOMEM;
	for (at = 0; at < count && !ret; at += 32) {
		in->base_version = IB_MGMT_BASE_VERSION;
		in->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
		in->class_version = 1;
		in->method = IB_MGMT_METHOD_GET;
		in->attr_id = IB_SMP_ATTR_PKEY_TABLE;
		in->attr_mod = cpu_to_be32(at / 32);
		ret = ohca_mad_ifc(d, port, true, NULL, NULL, (struct ib_mad *)in, (struct ib_mad *)out);
		if (ret >= 0)
			ret = ret == 1 && !out->status ? 0 : -EIO;
		if (!ret)
			memcpy(pkeys + at, out->data, min(count - at, 32u) * sizeof(*pkeys));
	}
	kfree(in);
	kfree(out);
	return ret;
}

int ohca_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out, size_t *out_size, u16 *pkey_index)
{
	u8 class = in->mad_hdr.mgmt_class, method = in->mad_hdr.method;

	if (class == IB_MGMT_CLASS_SUBN_LID_ROUTED || class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE) {
		if (method != IB_MGMT_METHOD_GET && method != IB_MGMT_METHOD_SET && method != IB_MGMT_METHOD_TRAP_REPRESS)
			return IB_MAD_RESULT_SUCCESS;
		if (in->mad_hdr.attr_id == IB_SMP_ATTR_SM_INFO)
			return IB_MAD_RESULT_SUCCESS;
	} else if (class == IB_MGMT_CLASS_PERF_MGMT) {
		if (method != IB_MGMT_METHOD_GET && method != IB_MGMT_METHOD_SET)
			return IB_MAD_RESULT_SUCCESS;
	} else {
		return IB_MAD_RESULT_SUCCESS;
	}

	switch (ohca_mad_ifc(to_dev(ibdev), port, flags & IB_MAD_IGNORE_MKEY, wc, grh, in, out)) {
	case 0:
		return IB_MAD_RESULT_SUCCESS;
	case 1:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case 2:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_FAILURE;
	}
}
