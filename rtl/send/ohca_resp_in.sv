// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// In front of the response engine: a plain ACK that waits gives way to the next job, when that is a plain ACK of the
// same QP. ohca_resp takes a job of the same QP every third cycle, the responder makes one every second, and each ACK
// that is not sent saves the peer's acknowledge engine a token.
//
//   job -> s -> m -> job_o        s that is behind an ACK of its QP takes its place in m
//
// Latency one cycle, a job a cycle; where m waits, one gives way in two cycles. ready_o and twin_q are flops. valid_o
// shows only while ready_i does, so what is stalled is not seen and may change. It does NOT look further than at the
// next job: what lies in ohca_resp already is ohca_resp_acks' and the slots'.

`include "ohca_assert.svh"
`include "ohca_lazy.svh"
`default_nettype none

module ohca_resp_in (
  input  logic                clk_i,
  input  logic                rst_i,
  output logic                idle_o,

  input  logic                valid_i,
  output logic                ready_o,
  input  ohca_fmt_pkg::rjob_t job_i,

  output logic                valid_o,      // only with ready_i
  input  logic                ready_i,      // a flop's
  output ohca_fmt_pkg::rjob_t job_o
);

  ohca_fmt_pkg::rjob_t s_q;
  logic                m_valid_q, s_valid_q, twin_q, take, next;

  assign ready_o = !s_valid_q;
  assign valid_o = m_valid_q && ready_i;
  assign idle_o  = !m_valid_q;
  assign take    = valid_i && ready_o;
  assign next    = !m_valid_q || ready_i || (s_valid_q && twin_q);

  logic in_plain, m_plain;
  assign in_plain = job_i.kind == ohca_fmt_pkg::RJK_ACK && !job_i.nak;
  assign m_plain  = job_o.kind == ohca_fmt_pkg::RJK_ACK && !job_o.nak;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      m_valid_q <= 1'b0;
      s_valid_q <= 1'b0;
    end else if (next) begin
      m_valid_q <= s_valid_q || take;
      s_valid_q <= 1'b0;
    end else if (take) begin
      s_valid_q <= 1'b1;
    end
    if (next) begin
      `WHEN(s_valid_q || take) job_o <= s_valid_q ? s_q : job_i;
    end else if (take) begin
      s_q <= job_i;
    end
    // m stands while there is something in s.
    if (take) twin_q <= in_plain && m_plain && job_i.qpn == job_o.qpn;
  end

  `ASSERT(Order_A, !s_valid_q || m_valid_q)
  `ASSERT(Twin_A, !(s_valid_q && twin_q) || (m_plain && s_q.kind == job_o.kind && s_q.qpn == job_o.qpn))

endmodule

`default_nettype wire
