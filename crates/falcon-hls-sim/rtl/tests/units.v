// Every unit twice: with the fewest stages, and with the latency of a parameter.
module units #(
    parameter DMUL    = 7,
    parameter DADDSUB = 8,
    parameter DSCALE  = 1
) (
    input  wire        clk,
    input  wire [63:0] a,
    input  wire [63:0] b,
    input  wire        sub,
    input  wire signed [11:0] by,
    output wire [63:0] product,
    output wire [63:0] product_later,
    output wire [63:0] sum,
    output wire [63:0] sum_later,
    output wire [63:0] scaled,
    output wire [63:0] scaled_later
);
    dmul mul (.clk(clk), .a(a), .b(b), .q(product));
    dmul #(.LATENCY(DMUL)) mul_later (.clk(clk), .a(a), .b(b), .q(product_later));
    daddsub add (.clk(clk), .a(a), .b(b), .sub(sub), .q(sum));
    daddsub #(.LATENCY(DADDSUB)) add_later (.clk(clk), .a(a), .b(b), .sub(sub), .q(sum_later));
    dscale scale (.clk(clk), .a(a), .by(by), .q(scaled));
    dscale #(.LATENCY(DSCALE)) scale_later (.clk(clk), .a(a), .by(by), .q(scaled_later));
endmodule
