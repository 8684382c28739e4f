/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent */
/* One handler per command; see the table in cmd.c and enum cmd_op. */
#ifndef OHCA_FW_HANDLERS_H
#define OHCA_FW_HANDLERS_H

#include "cmd.h"

/* main.c */
enum ohca_cmd_status do_halt(struct cmd *c);
/* obj.c */
enum ohca_cmd_status do_query_dev(struct cmd *c);
enum ohca_cmd_status do_init_dev(struct cmd *c);
enum ohca_cmd_status do_close_dev(struct cmd *c);
enum ohca_cmd_status do_map_icm(struct cmd *c);
enum ohca_cmd_status do_unmap_icm(struct cmd *c);
enum ohca_cmd_status do_create_eq(struct cmd *c);
enum ohca_cmd_status do_destroy_eq(struct cmd *c);
enum ohca_cmd_status do_create_cq(struct cmd *c);
enum ohca_cmd_status do_destroy_cq(struct cmd *c);
enum ohca_cmd_status do_query_cq(struct cmd *c);
enum ohca_cmd_status do_resize_cq(struct cmd *c);
enum ohca_cmd_status do_modify_cq(struct cmd *c);
enum ohca_cmd_status do_create_mkey(struct cmd *c);
enum ohca_cmd_status do_destroy_mkey(struct cmd *c);
enum ohca_cmd_status do_query_mkey(struct cmd *c);
enum ohca_cmd_status do_sync_tpt(struct cmd *c);
enum ohca_cmd_status do_query_counters(struct cmd *c);
/* qp.c */
enum ohca_cmd_status do_create_qp(struct cmd *c);
enum ohca_cmd_status do_modify_qp(struct cmd *c);
enum ohca_cmd_status do_query_qp(struct cmd *c);
enum ohca_cmd_status do_destroy_qp(struct cmd *c);
enum ohca_cmd_status do_flush_qp(struct cmd *c);
/* mcast.c */
enum ohca_cmd_status do_attach_mcast(struct cmd *c);
enum ohca_cmd_status do_detach_mcast(struct cmd *c);
/* port.c */
enum ohca_cmd_status do_query_port(struct cmd *c);
enum ohca_cmd_status do_set_port(struct cmd *c);
enum ohca_cmd_status do_query_gid(struct cmd *c);
enum ohca_cmd_status do_query_pkey(struct cmd *c);
enum ohca_cmd_status do_set_node_desc(struct cmd *c);
enum ohca_cmd_status do_mad_ifc(struct cmd *c);
/* eth.c */
enum ohca_cmd_status do_set_gid(struct cmd *c);
enum ohca_cmd_status do_set_eth(struct cmd *c);
enum ohca_cmd_status do_set_nic(struct cmd *c);

#endif
