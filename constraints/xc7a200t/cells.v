// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause-Patent
// Cells that nextpnr's packer for the 7 series (0.11) fails on, made of others.
// A LUT RAM with one port ends in an assertion: with two, of which the second reads.
module RAM64X1S(output O, input A0, A1, A2, A3, A4, A5, D, WCLK, WE);
  parameter [63:0] INIT = 64'd0;
  parameter [0:0] IS_WCLK_INVERTED = 1'b0;
  RAM64X1D #(.INIT(INIT), .IS_WCLK_INVERTED(IS_WCLK_INVERTED)) _TECHMAP_REPLACE_ (
    .DPO(O), .D(D), .WCLK(WCLK), .WE(WE), .A0(A0), .A1(A1), .A2(A2), .A3(A3), .A4(A4), .A5(A5),
    .DPRA0(A0), .DPRA1(A1), .DPRA2(A2), .DPRA3(A3), .DPRA4(A4), .DPRA5(A5));
endmodule

module RAM32X1S(output O, input A0, A1, A2, A3, A4, D, WCLK, WE);
  parameter [31:0] INIT = 32'd0;
  parameter [0:0] IS_WCLK_INVERTED = 1'b0;
  RAM32X1D #(.INIT(INIT), .IS_WCLK_INVERTED(IS_WCLK_INVERTED)) _TECHMAP_REPLACE_ (
    .DPO(O), .D(D), .WCLK(WCLK), .WE(WE), .A0(A0), .A1(A1), .A2(A2), .A3(A3), .A4(A4),
    .DPRA0(A0), .DPRA1(A1), .DPRA2(A2), .DPRA3(A3), .DPRA4(A4));
endmodule
