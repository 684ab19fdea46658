// A block RAM with two ports on one clock. A port outputs a word LATENCY clock
// edges after the address of the word. A read sees all writes of earlier cycles.
// No circuit uses a read of a word that either port writes in the same cycle.
module bank #(
    parameter WIDTH   = 64,
    parameter ADDRESS = 9,
    parameter LATENCY = 2
) (
    input  wire               clk,
    input  wire [ADDRESS-1:0] address0,
    input  wire               write0,
    input  wire [WIDTH-1:0]   in0,
    output wire [WIDTH-1:0]   q0,
    input  wire [ADDRESS-1:0] address1,
    input  wire               write1,
    input  wire [WIDTH-1:0]   in1,
    output wire [WIDTH-1:0]   q1
);
    (* no_rw_check *)
    reg [WIDTH-1:0] words [0:(1 << ADDRESS)-1];

    reg [WIDTH-1:0] read0, read1;
    always @(posedge clk) begin
        read0 <= words[address0];
        if (write0) words[address0] <= in0;
    end
    always @(posedge clk) begin
        read1 <= words[address1];
        if (write1) words[address1] <= in1;
    end

    fp_delay #(.WIDTH(WIDTH), .STAGES(LATENCY - 1)) late0 (.clk(clk), .d(read0), .q(q0));
    fp_delay #(.WIDTH(WIDTH), .STAGES(LATENCY - 1)) late1 (.clk(clk), .d(read1), .q(q1));
endmodule
