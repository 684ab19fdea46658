// Delays a word by STAGES clock edges. With STAGES = 0 it is a wire.
module fp_delay #(
    parameter WIDTH  = 64,
    parameter STAGES = 1
) (
    input  wire             clk,
    input  wire [WIDTH-1:0] d,
    output wire [WIDTH-1:0] q
);
    // Word number i is d, delayed by i edges.
    wire [WIDTH*(STAGES+1)-1:0] words;
    assign words[WIDTH-1:0] = d;
    assign q = words[WIDTH*STAGES +: WIDTH];

    genvar i;
    generate
        for (i = 0; i < STAGES; i = i + 1) begin : stage
            reg [WIDTH-1:0] word;
            always @(posedge clk) word <= words[WIDTH*i +: WIDTH];
            assign words[WIDTH*(i+1) +: WIDTH] = word;
        end
        if (STAGES == 0) begin : wires
            wire unused_clk = clk;
        end
    endgenerate
endmodule
