// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// MSI-X for shells that have none: turns the core's interrupts into memory writes by a table with mask and pending
// bits.
// lint: NumVec=5
// lint: NumVec=256
// An interrupt is always taken at once; its write leaves three cycles later. Interrupts of a vector that still waits
// become one.
//
// Table at 0, 16 bytes a vector (address low, high, data, mask bit); pending bits at 0x1000, read-only. Dword accesses
// only: a write of part of one does nothing and is answered SLVERR. Its address and data channels end in register
// slices.

`include "ohca_assert.svh"
`default_nettype none

module ohca_msix #(
  parameter int unsigned NumVec = 32          // 2 to 256
) (
  input  logic        clk_i,
  input  logic        rst_i,
  output logic        idle_o,

  input  logic        enable_i,               // MSI-X Enable and Function Mask of the capability
  input  logic        mask_i,

  input  logic        irq_valid_i,
  output logic        irq_ready_o,
  input  logic [7:0]  irq_vector_i,           // numbers from NumVec on are dropped

  input  logic        s_axil_awvalid_i,
  output logic        s_axil_awready_o,
  input  logic [12:0] s_axil_awaddr_i,
  input  logic        s_axil_wvalid_i,
  output logic        s_axil_wready_o,
  input  logic [31:0] s_axil_wdata_i,
  input  logic [3:0]  s_axil_wstrb_i,
  output logic        s_axil_bvalid_o,
  input  logic        s_axil_bready_i,
  output logic [1:0]  s_axil_bresp_o,
  input  logic        s_axil_arvalid_i,
  output logic        s_axil_arready_o,
  input  logic [12:0] s_axil_araddr_i,
  output logic        s_axil_rvalid_o,
  input  logic        s_axil_rready_i,
  output logic [31:0] s_axil_rdata_o,
  output logic [1:0]  s_axil_rresp_o,

  output logic        m_axil_awvalid_o,
  input  logic        m_axil_awready_i,
  output logic [63:0] m_axil_awaddr_o,
  output logic        m_axil_wvalid_o,
  input  logic        m_axil_wready_i,
  output logic [31:0] m_axil_wdata_o,
  output logic [3:0]  m_axil_wstrb_o,
  input  logic        m_axil_bvalid_i,
  output logic        m_axil_bready_o,
  input  logic [1:0]  m_axil_bresp_i
);

  localparam int unsigned VecW = $clog2(NumVec);
  if (NumVec < 2 || NumVec > 256) begin : g_bad_num
    $error("ohca_msix: NumVec must be 2 to 256");
  end

  // ---------------------------------------------------------------- register slices
  logic        aw_valid, w_valid, ar_valid, ar_ready;
  logic [12:0] aw_addr, ar_addr;
  logic [31:0] w_data;
  logic [3:0]  w_strb;
  ohca_skid #(.Width(13)) u_aw (
    .clk_i, .rst_i, .valid_i(s_axil_awvalid_i), .ready_o(s_axil_awready_o), .data_i(s_axil_awaddr_i),
    .valid_o(aw_valid), .ready_i(wr_go), .data_o(aw_addr)
  );
  ohca_skid #(.Width(36)) u_w (
    .clk_i, .rst_i, .valid_i(s_axil_wvalid_i), .ready_o(s_axil_wready_o), .data_i({s_axil_wdata_i, s_axil_wstrb_i}),
    .valid_o(w_valid), .ready_i(wr_go), .data_o({w_data, w_strb})
  );
  ohca_skid #(.Width(13)) u_ar (
    .clk_i, .rst_i, .valid_i(s_axil_arvalid_i), .ready_o(s_axil_arready_o), .data_i(s_axil_araddr_i),
    .valid_o(ar_valid), .ready_i(ar_ready), .data_o(ar_addr)
  );

  // ---------------------------------------------------------------- table
  logic            wr_go, wr_tab, wr_vec_ok, b_valid_q, b_err_q;
  logic [7:0]      wr_vec;
  logic [255:0]    mask_q, pend_q, ready;     // bits from NumVec on stay 1 and 0
  assign wr_go     = aw_valid && w_valid && (!b_valid_q || s_axil_bready_i);
  assign wr_vec    = aw_addr[11:4];
  assign wr_vec_ok = 32'(wr_vec) < NumVec;
  assign wr_tab    = wr_go && !aw_addr[12] && wr_vec_ok && w_strb == 4'hf;
  assign s_axil_bvalid_o  = b_valid_q;
  assign s_axil_bresp_o   = {b_err_q, 1'b0};

  typedef enum logic [1:0] {M_IDLE, M_READ, M_SEND} m_state_e;
  m_state_e        m_q;
  logic [VecW-1:0] pick, vec_q;
  logic            any, aw_q, w_q;
  logic [95:0]     ent_host, ent_msg;
  logic [7:0]      rd_vec;
  logic            rd_start, rd_wait_q, r_valid_q;
  logic [12:2]     rd_addr_q;
  assign rd_vec = ar_addr[11:4];

  ohca_ram_tdp2r #(.Width(96), .Depth(NumVec), .BeWidth(32)) u_table (
    .clk_i,
    .wr_en_i(wr_tab && aw_addr[3:2] != 2'd3), .wr_be_i(3'd1 << aw_addr[3:2]), .wr_addr_i(wr_vec[VecW-1:0]),
    .wr_data_i({3{w_data}}),
    .rd0_en_i(rd_start), .rd0_addr_i((32'(rd_vec) < NumVec) ? rd_vec[VecW-1:0] : '0), .rd0_data_o(ent_host),
    .rd1_en_i(m_q == M_IDLE && any), .rd1_addr_i(pick), .rd1_data_o(ent_msg)
  );

  // --------------------------------------------------------- pending vectors, the next above the last one served first
  always_comb begin
    ready = pend_q & ~mask_q;
    if (!enable_i || mask_i) ready = '0;
    any  = |ready;
    pick = '0;
    for (int unsigned i = NumVec; i > 0; i--) if (ready[i-1]) pick = VecW'(i - 1);
    for (int unsigned i = NumVec; i > 0; i--) if (ready[i-1] && VecW'(i - 1) > vec_q) pick = VecW'(i - 1);
  end

  assign irq_ready_o = 1'b1;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      mask_q    <= '1;
      pend_q    <= '0;
      b_valid_q <= 1'b0;
      m_q       <= M_IDLE;
      vec_q     <= '0;
      aw_q      <= 1'b0;
      w_q       <= 1'b0;
    end else begin
      b_valid_q <= wr_go || (b_valid_q && !s_axil_bready_i);
      if (wr_go) b_err_q <= w_strb != 4'h0 && w_strb != 4'hf;
      if (wr_tab && aw_addr[3:2] == 2'd3) mask_q[wr_vec] <= w_data[0];
      unique case (m_q)
        M_IDLE: if (any) begin
          m_q          <= M_READ;
          vec_q        <= pick;
          pend_q[8'(pick)] <= 1'b0;
        end
        M_READ: begin
          m_q  <= M_SEND;
          aw_q <= 1'b1;
          w_q  <= 1'b1;
        end
        M_SEND: begin
          if (m_axil_awready_i) aw_q <= 1'b0;
          if (m_axil_wready_i)  w_q  <= 1'b0;
          if ((!aw_q || m_axil_awready_i) && (!w_q || m_axil_wready_i)) m_q <= M_IDLE;
        end
        default: m_q <= M_IDLE;
      endcase
      if (irq_valid_i && 32'(irq_vector_i) < NumVec) pend_q[irq_vector_i] <= 1'b1;
    end
    if (m_q == M_READ) {m_axil_wdata_o, m_axil_awaddr_o} <= {ent_msg[95:2], 2'b00};
  end
  assign m_axil_awvalid_o = aw_q;
  assign m_axil_wvalid_o  = w_q;
  assign m_axil_wstrb_o   = 4'hf;
  assign m_axil_bready_o  = 1'b1;

  // ---------------------------------------------------------------- reads
  logic [31:0] rdata;
  assign rd_start         = ar_valid && ar_ready;
  assign ar_ready         = !rd_wait_q && !r_valid_q;
  always_comb begin
    rdata = '0;
    if (rd_addr_q[12]) begin
      if (rd_addr_q[11:5] == '0) rdata = pend_q[{rd_addr_q[4:2], 5'd0} +: 32];
    end else if (32'(rd_addr_q[11:4]) < NumVec) begin
      case (rd_addr_q[3:2])
        2'd0:    rdata = ent_host[31:0];
        2'd1:    rdata = ent_host[63:32];
        2'd2:    rdata = ent_host[95:64];
        default: rdata = {31'd0, mask_q[rd_addr_q[11:4]]};
      endcase
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      rd_wait_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      rd_wait_q <= rd_start;
      r_valid_q <= rd_wait_q || (r_valid_q && !s_axil_rready_i);
    end
    if (rd_start) rd_addr_q <= ar_addr[12:2];
    if (rd_wait_q) s_axil_rdata_o <= rdata;
  end
  assign s_axil_rvalid_o = r_valid_q;
  assign s_axil_rresp_o  = 2'b00;

  assign idle_o = !any && m_q == M_IDLE && !b_valid_q && !rd_wait_q && !r_valid_q && !irq_valid_i && !aw_valid &&
      !ar_valid && !w_valid &&
                  !s_axil_awvalid_i && !s_axil_wvalid_i && !s_axil_arvalid_i;

`ifdef VERILATOR
  ohca_axil_rules #(.AW(13), .DW(32)) u_rules (
    .clk_i, .rst_i,
    .awvalid_i(s_axil_awvalid_i), .awready_i(s_axil_awready_o), .awaddr_i(s_axil_awaddr_i), .wvalid_i(s_axil_wvalid_i),
    .wready_i(s_axil_wready_o), .wdata_i(s_axil_wdata_i), .wstrb_i(s_axil_wstrb_i), .bvalid_i(s_axil_bvalid_o),
    .bready_i(s_axil_bready_i), .bresp_i(s_axil_bresp_o), .arvalid_i(s_axil_arvalid_i), .arready_i(s_axil_arready_o),
    .araddr_i(s_axil_araddr_i), .rvalid_i(s_axil_rvalid_o), .rready_i(s_axil_rready_i), .rdata_i(s_axil_rdata_o),
    .rresp_i(s_axil_rresp_o)
  );
`endif

  logic unused;
  assign unused = &{1'b0, aw_addr[1:0], ar_addr[1:0], m_axil_bvalid_i, m_axil_bresp_i, ent_msg[1:0], wr_vec, rd_vec};

endmodule

`default_nettype wire
