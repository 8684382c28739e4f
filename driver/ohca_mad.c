// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
/* MADs that the firmware's agents answer: subnet management except SMInfo, and performance management. */
#include <rdma/ib_smi.h>

#include "ohca.h"

int ohca_process_mad(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc, const struct ib_grh *grh,
		     const struct ib_mad *in, struct ib_mad *out, size_t *out_size, u16 *pkey_index)
{
	struct ohca_cmd_mad_ifc_in *req;
	u8 class = in->mad_hdr.mgmt_class, method = in->mad_hdr.method;
	u32 result;
	int ret;

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

	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return IB_MAD_RESULT_FAILURE;
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
		memcpy((u8 *)req + 68 * 4, grh, sizeof(*grh));
	}
	ret = ohca_cmd(to_dev(ibdev), OHCA_CMD_OP_MAD_IFC, port, !!(flags & IB_MAD_IGNORE_MKEY), req, sizeof(*req), out,
		       sizeof(*out), &result);
	kfree(req);
	if (ret)
		return IB_MAD_RESULT_FAILURE;
	switch (result) {
	case 1:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	case 2:
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	default:
		return IB_MAD_RESULT_SUCCESS;
	}
}
