// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Place-and-route harness of the adapter: the core at 64 bits behind narrow, registered channels that fit the pins of any part. Its
// parameters as they stand are what fits an LFE5UM5G-85F; scripts/fpga.py has others for larger parts.
//
// What it is: every input of the core comes from a flop and every output ends in one, each handshake works, and nothing is optimized
// away, so use and Fmax are those of the core in a real shell. Two of these, pin to pin, would exchange packets at an eighth of the rate.
// What it is not: a PCIe endpoint or a MAC. A board's shell takes its place (docs/fpga.md).

`default_nettype none

module ohca_harness #(
  parameter int unsigned DataWidth  = 64,
  parameter int unsigned NumVl      = 1,        // besides VL15
  parameter int unsigned BufBytes   = 8192,
  parameter int unsigned FrontBytes = 8192,
  parameter int unsigned CtxSets    = 64,
  parameter int unsigned CtxFills   = 4,
  parameter int unsigned CtxDepth   = 2,
  parameter int unsigned CtxEvicts  = 8,
  parameter bit          Compact    = 1'b1,
  parameter int unsigned InFlight   = 16,
  parameter int unsigned CqSets     = 64,
  parameter int unsigned MptLines   = 256,
  parameter int unsigned MttLines   = 64,
  parameter int unsigned DmaTags    = 16,
  parameter int unsigned MaxRead    = 256,
  parameter int unsigned RunQueue   = 1024,
  parameter int unsigned RespSlots  = 8,
  parameter int unsigned FwRamBytes = 49152,
  parameter int unsigned IcmChunks  = 512,
  parameter bit          RoCE       = 1'b0,
  localparam int unsigned Bytes     = DataWidth / 8,
  localparam int unsigned Pins      = 8
) (
  input  logic            clk_i,
  input  logic            rst_ni,

  // One channel each: valid, ready, a word. Beats of the core's port of the same name (ohca_fpga_ser, ohca_fpga_des).
  input  logic            s_aw_valid_i,
  output logic            s_aw_ready_o,
  input  logic [Pins-1:0] s_aw_i,
  input  logic            s_w_valid_i,
  output logic            s_w_ready_o,
  input  logic [Pins-1:0] s_w_i,
  output logic            s_b_valid_o,
  input  logic            s_b_ready_i,
  output logic [Pins-1:0] s_b_o,
  input  logic            s_ar_valid_i,
  output logic            s_ar_ready_o,
  input  logic [Pins-1:0] s_ar_i,
  output logic            s_r_valid_o,
  input  logic            s_r_ready_i,
  output logic [Pins-1:0] s_r_o,

  output logic            m_ar_valid_o,
  input  logic            m_ar_ready_i,
  output logic [Pins-1:0] m_ar_o,
  input  logic            m_r_valid_i,
  output logic            m_r_ready_o,
  input  logic [Pins-1:0] m_r_i,
  output logic            m_aw_valid_o,
  input  logic            m_aw_ready_i,
  output logic [Pins-1:0] m_aw_o,
  output logic            m_w_valid_o,
  input  logic            m_w_ready_i,
  output logic [Pins-1:0] m_w_o,
  input  logic            m_b_valid_i,
  output logic            m_b_ready_o,
  input  logic [Pins-1:0] m_b_i,

  output logic            irq_valid_o,
  input  logic            irq_ready_i,
  output logic [Pins-1:0] irq_o,

  output logic            tx_valid_o,
  input  logic            tx_ready_i,
  output logic [Pins-1:0] tx_o,
  input  logic            rx_valid_i,
  output logic            rx_ready_o,
  input  logic [Pins-1:0] rx_i,

  // What a board ties or drives: PHY state and the GUID strap
  input  logic            cfg_valid_i,
  output logic            cfg_ready_o,
  input  logic [Pins-1:0] cfg_i,
  output logic            phy_reset_o
);

  localparam int unsigned MetaW = 64 + 8 + 3 + 2 + 6;           // an AXI address beat
  localparam int unsigned RdW   = DataWidth + 6 + 2 + 1;
  localparam int unsigned WrW   = DataWidth + Bytes + 1;
  localparam int unsigned LinkW = DataWidth + Bytes + 2 + 2;    // data, keep, last, error, kind
  localparam int unsigned CfgW  = 64 + 16 + 4 + 1;

  // The reset comes from a pin: two flops, and one more that drives. The latter are set by the first, so that they do not
  // become a shift register, whose output is slow.
  logic       rst_in_q, rst;
  logic [2:0] rst_q;
  always_ff @(posedge clk_i) begin
    rst_in_q <= !rst_ni;
    if (rst_in_q) rst_q <= '1;
    else          rst_q <= {rst_q[1:0], 1'b0};
  end
  assign rst = rst_q[2];

  logic aw_v, aw_r, w_v, w_r, b_v, b_r, ar_v, ar_r, r_v, r_r;
  logic [20:0] aw_d, ar_d;
  logic [71:0] w_d;
  logic [1:0]  b_d;
  logic [65:0] r_d;
  ohca_fpga_des #(.Width(21), .Pins(Pins)) u_s_aw (.clk_i, .rst_i(rst), .pin_valid_i(s_aw_valid_i), .pin_ready_o(s_aw_ready_o), .pin_data_i(s_aw_i),
    .valid_o(aw_v), .ready_i(aw_r), .data_o(aw_d));
  ohca_fpga_des #(.Width(72), .Pins(Pins)) u_s_w (.clk_i, .rst_i(rst), .pin_valid_i(s_w_valid_i), .pin_ready_o(s_w_ready_o), .pin_data_i(s_w_i),
    .valid_o(w_v), .ready_i(w_r), .data_o(w_d));
  ohca_fpga_ser #(.Width(2), .Pins(Pins)) u_s_b (.clk_i, .rst_i(rst), .valid_i(b_v), .ready_o(b_r), .data_i(b_d),
    .pin_valid_o(s_b_valid_o), .pin_ready_i(s_b_ready_i), .pin_data_o(s_b_o));
  ohca_fpga_des #(.Width(21), .Pins(Pins)) u_s_ar (.clk_i, .rst_i(rst), .pin_valid_i(s_ar_valid_i), .pin_ready_o(s_ar_ready_o), .pin_data_i(s_ar_i),
    .valid_o(ar_v), .ready_i(ar_r), .data_o(ar_d));
  ohca_fpga_ser #(.Width(66), .Pins(Pins)) u_s_r (.clk_i, .rst_i(rst), .valid_i(r_v), .ready_o(r_r), .data_i(r_d),
    .pin_valid_o(s_r_valid_o), .pin_ready_i(s_r_ready_i), .pin_data_o(s_r_o));

  logic mar_v, mar_r, mr_v, mr_r, maw_v, maw_r, mw_v, mw_r, mb_v, mb_r;
  logic [MetaW-1:0] mar_d, maw_d;
  logic [RdW-1:0]   mr_d;
  logic [WrW-1:0]   mw_d;
  logic [7:0]       mb_d;
  ohca_fpga_ser #(.Width(MetaW), .Pins(Pins)) u_m_ar (.clk_i, .rst_i(rst), .valid_i(mar_v), .ready_o(mar_r), .data_i(mar_d),
    .pin_valid_o(m_ar_valid_o), .pin_ready_i(m_ar_ready_i), .pin_data_o(m_ar_o));
  ohca_fpga_des #(.Width(RdW), .Pins(Pins)) u_m_r (.clk_i, .rst_i(rst), .pin_valid_i(m_r_valid_i), .pin_ready_o(m_r_ready_o), .pin_data_i(m_r_i),
    .valid_o(mr_v), .ready_i(mr_r), .data_o(mr_d));
  ohca_fpga_ser #(.Width(MetaW), .Pins(Pins)) u_m_aw (.clk_i, .rst_i(rst), .valid_i(maw_v), .ready_o(maw_r), .data_i(maw_d),
    .pin_valid_o(m_aw_valid_o), .pin_ready_i(m_aw_ready_i), .pin_data_o(m_aw_o));
  ohca_fpga_ser #(.Width(WrW), .Pins(Pins)) u_m_w (.clk_i, .rst_i(rst), .valid_i(mw_v), .ready_o(mw_r), .data_i(mw_d),
    .pin_valid_o(m_w_valid_o), .pin_ready_i(m_w_ready_i), .pin_data_o(m_w_o));
  ohca_fpga_des #(.Width(8), .Pins(Pins)) u_m_b (.clk_i, .rst_i(rst), .pin_valid_i(m_b_valid_i), .pin_ready_o(m_b_ready_o), .pin_data_i(m_b_i),
    .valid_o(mb_v), .ready_i(mb_r), .data_o(mb_d));

  logic       irq_v, irq_r;
  logic [7:0] irq_d;
  ohca_fpga_ser #(.Width(8), .Pins(Pins)) u_irq (.clk_i, .rst_i(rst), .valid_i(irq_v), .ready_o(irq_r), .data_i(irq_d),
    .pin_valid_o(irq_valid_o), .pin_ready_i(irq_ready_i), .pin_data_o(irq_o));

  logic             tx_v, tx_r, rx_v;
  logic [LinkW-1:0] tx_d, rx_d;
  ohca_fpga_ser #(.Width(LinkW), .Pins(Pins)) u_tx (.clk_i, .rst_i(rst), .valid_i(tx_v), .ready_o(tx_r), .data_i(tx_d),
    .pin_valid_o(tx_valid_o), .pin_ready_i(tx_ready_i), .pin_data_o(tx_o));
  // The core takes every beat from the link.
  ohca_fpga_des #(.Width(LinkW), .Pins(Pins)) u_rx (.clk_i, .rst_i(rst), .pin_valid_i(rx_valid_i), .pin_ready_o(rx_ready_o), .pin_data_i(rx_i),
    .valid_o(rx_v), .ready_i(1'b1), .data_o(rx_d));

  logic            cfg_v;
  logic [CfgW-1:0] cfg_d, cfg_q;
  ohca_fpga_des #(.Width(CfgW), .Pins(Pins)) u_cfg (.clk_i, .rst_i(rst), .pin_valid_i(cfg_valid_i), .pin_ready_o(cfg_ready_o), .pin_data_i(cfg_i),
    .valid_o(cfg_v), .ready_i(1'b1), .data_o(cfg_d));
  always_ff @(posedge clk_i) begin
    if (rst)        cfg_q <= '0;
    else if (cfg_v) cfg_q <= cfg_d;
  end

  // Only a simulator uses these.
  logic        idle, busy, unused;
  logic [63:0] next_timer, now;
  logic [4:0]  push_said;
  assign unused = &{1'b0, idle, busy, next_timer, now, push_said};
  assign tx_d[LinkW-3] = 1'b0;                    // an outgoing packet has no error

  ohca #(
    .DataWidth(DataWidth), .NumVl(NumVl), .BufBytes(BufBytes), .FrontBytes(FrontBytes),
    .CtxSets(CtxSets), .CtxFills(CtxFills), .CtxDepth(CtxDepth), .CtxEvicts(CtxEvicts), .Compact(Compact),
    .InFlight(InFlight), .CqSets(CqSets),
    .MptLines(MptLines), .MttLines(MttLines), .DmaTags(DmaTags), .MaxRead(MaxRead), .RunQueue(RunQueue), .RespSlots(RespSlots),
    .FwRamBytes(FwRamBytes), .IcmChunks(IcmChunks), .RoCE(RoCE), .WidePush(1'b0)
  ) u_core (
    .clk_on_i(clk_i), .clk_i, .rst_i(rst), .busy_o(busy),
    .s_axil_awvalid_i(aw_v), .s_axil_awready_o(aw_r), .s_axil_awaddr_i(aw_d),
    .s_axil_wvalid_i(w_v), .s_axil_wready_o(w_r), .s_axil_wdata_i(w_d[63:0]), .s_axil_wstrb_i(w_d[71:64]),
    .s_axil_bvalid_o(b_v), .s_axil_bready_i(b_r), .s_axil_bresp_o(b_d),
    .s_axil_arvalid_i(ar_v), .s_axil_arready_o(ar_r), .s_axil_araddr_i(ar_d),
    .s_axil_rvalid_o(r_v), .s_axil_rready_i(r_r), .s_axil_rdata_o(r_d[63:0]), .s_axil_rresp_o(r_d[65:64]),
    // Left out: a device of this size has no host bridge of 512 bits.
    .s_push_axi_awvalid_i(1'b0), .s_push_axi_awready_o(push_said[4]), .s_push_axi_awaddr_i('0),
    .s_push_axi_wvalid_i(1'b0), .s_push_axi_wready_o(push_said[3]), .s_push_axi_wdata_i('0), .s_push_axi_wstrb_i('0),
    .s_push_axi_bvalid_o(push_said[2]), .s_push_axi_bready_i(1'b0), .s_push_axi_bresp_o(push_said[1:0]),
    .m_axi_arvalid_o(mar_v), .m_axi_arready_i(mar_r), .m_axi_arid_o(mar_d[5:0]), .m_axi_araddr_o(mar_d[69:6]), .m_axi_arlen_o(mar_d[77:70]),
    .m_axi_arsize_o(mar_d[80:78]), .m_axi_arburst_o(mar_d[82:81]),
    .m_axi_rvalid_i(mr_v), .m_axi_rready_o(mr_r), .m_axi_rid_i(mr_d[5:0]), .m_axi_rdata_i(mr_d[8 +: DataWidth]), .m_axi_rresp_i(mr_d[7:6]),
    .m_axi_rlast_i(mr_d[RdW-1]),
    .m_axi_awvalid_o(maw_v), .m_axi_awready_i(maw_r), .m_axi_awid_o(maw_d[5:0]), .m_axi_awaddr_o(maw_d[69:6]), .m_axi_awlen_o(maw_d[77:70]),
    .m_axi_awsize_o(maw_d[80:78]), .m_axi_awburst_o(maw_d[82:81]),
    .m_axi_wvalid_o(mw_v), .m_axi_wready_i(mw_r), .m_axi_wdata_o(mw_d[DataWidth-1:0]), .m_axi_wstrb_o(mw_d[DataWidth +: Bytes]),
    .m_axi_wlast_o(mw_d[WrW-1]),
    .m_axi_bvalid_i(mb_v), .m_axi_bready_o(mb_r), .m_axi_bid_i(mb_d[5:0]), .m_axi_bresp_i(mb_d[7:6]),
    .irq_valid_o(irq_v), .irq_vector_o(irq_d), .irq_ready_i(irq_r),
    .tx_valid_o(tx_v), .tx_ready_i(tx_r), .tx_data_o(tx_d[DataWidth-1:0]), .tx_keep_o(tx_d[DataWidth +: Bytes]), .tx_last_o(tx_d[DataWidth+Bytes]),
    .tx_kind_o(tx_d[LinkW-1:LinkW-2]),
    .rx_valid_i(rx_v), .rx_data_i(rx_d[DataWidth-1:0]), .rx_keep_i(rx_d[DataWidth +: Bytes]), .rx_last_i(rx_d[DataWidth+Bytes]),
    .rx_error_i(rx_d[LinkW-3]), .rx_kind_i(rx_d[LinkW-1:LinkW-2]),
    .phy_link_up_i(cfg_q[0]), .phy_width_i(cfg_q[4:1]), .phy_speed_i(cfg_q[20:5]), .phy_reset_o,
    .idle_o(idle), .next_timer_o(next_timer), .now_o(now), .skip_i(1'b0), .skip_cycles_i(64'd0),
    .strap_guid_i(cfg_q[84:21]), .strap_mhz_i(32'd100)
  );

endmodule

`default_nettype wire
