// A round of Keccak-f[1600], without registers. Lane (x, y) is at bit 64 (x + 5 y).
module keccak_round (
    input  wire [4:0]    round,
    input  wire [1599:0] a,
    output wire [1599:0] q
);
    function integer rotation(input integer lane);
        case (lane)
            1: rotation = 1;    2: rotation = 62;   3: rotation = 28;   4: rotation = 27;
            5: rotation = 36;   6: rotation = 44;   7: rotation = 6;    8: rotation = 55;
            9: rotation = 20;   10: rotation = 3;   11: rotation = 10;  12: rotation = 43;
            13: rotation = 25;  14: rotation = 39;  15: rotation = 41;  16: rotation = 45;
            17: rotation = 15;  18: rotation = 21;  19: rotation = 8;   20: rotation = 18;
            21: rotation = 2;   22: rotation = 61;  23: rotation = 56;  24: rotation = 14;
            default: rotation = 0;
        endcase
    endfunction

    reg [63:0] constant;
    always @* case (round)
        5'd0: constant = 64'h0000000000000001;   5'd1: constant = 64'h0000000000008082;
        5'd2: constant = 64'h800000000000808a;   5'd3: constant = 64'h8000000080008000;
        5'd4: constant = 64'h000000000000808b;   5'd5: constant = 64'h0000000080000001;
        5'd6: constant = 64'h8000000080008081;   5'd7: constant = 64'h8000000000008009;
        5'd8: constant = 64'h000000000000008a;   5'd9: constant = 64'h0000000000000088;
        5'd10: constant = 64'h0000000080008009;  5'd11: constant = 64'h000000008000000a;
        5'd12: constant = 64'h000000008000808b;  5'd13: constant = 64'h800000000000008b;
        5'd14: constant = 64'h8000000000008089;  5'd15: constant = 64'h8000000000008003;
        5'd16: constant = 64'h8000000000008002;  5'd17: constant = 64'h8000000000000080;
        5'd18: constant = 64'h000000000000800a;  5'd19: constant = 64'h800000008000000a;
        5'd20: constant = 64'h8000000080008081;  5'd21: constant = 64'h8000000000008080;
        5'd22: constant = 64'h0000000080000001;  default: constant = 64'h8000000080008008;
    endcase

    wire [319:0] column;
    wire [1599:0] b;
    genvar x, y;
    generate
        for (x = 0; x < 5; x = x + 1) begin : columns
            assign column[64*x +: 64] = a[64*x +: 64] ^ a[64*(x+5) +: 64] ^ a[64*(x+10) +: 64]
                ^ a[64*(x+15) +: 64] ^ a[64*(x+20) +: 64];
        end
        for (y = 0; y < 5; y = y + 1) begin : rows
            for (x = 0; x < 5; x = x + 1) begin : lanes
                localparam LANE = x + 5*y;
                localparam BY = rotation(LANE);
                wire [63:0] next = column[64*((x+1)%5) +: 64];
                wire [63:0] lane = a[64*LANE +: 64] ^ column[64*((x+4)%5) +: 64]
                    ^ {next[62:0], next[63]};
                wire [127:0] twice = {lane, lane};
                wire unused = &{1'b0, twice};
                assign b[64*(y + 5*((2*x+3*y)%5)) +: 64] = twice[64-BY +: 64];
                assign q[64*LANE +: 64] = b[64*LANE +: 64]
                    ^ (~b[64*((x+1)%5 + 5*y) +: 64] & b[64*((x+2)%5 + 5*y) +: 64])
                    ^ (LANE == 0 ? constant : 64'd0);
            end
        end
    endgenerate
endmodule
