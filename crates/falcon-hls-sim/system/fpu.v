// A floating-point unit on a bus: one product, sum or difference of binary64 numbers at a time, by
// `dmul` and `daddsub`. The parameters are the addresses of its registers, in words. While it
// computes, accesses wait.
module fpu #(
    parameter [3:0] A_LOW = 0,
    parameter [3:0] A_HIGH = 1,
    parameter [3:0] B_LOW = 2,
    // A write of the high half of the second operand starts the operation of its address.
    parameter [3:0] ADD = 4,
    parameter [3:0] SUB = 5,
    parameter [3:0] MUL = 6,
    parameter [3:0] RESULT_LOW = 8,
    parameter [3:0] RESULT_HIGH = 9,
    parameter [3:0] OPERATIONS = 10
) (
    input  wire        clk,
    input  wire        reset,
    input  wire        strobe,
    input  wire        write,
    input  wire [3:0]  address,
    input  wire [31:0] in,
    output wire [31:0] out,
    output wire        ack,
    output wire        busy
);
    localparam [2:0] SUM_LATENCY = 7;
    localparam [2:0] PRODUCT_LATENCY = 6;

    reg [63:0] a, b;
    reg subtract, multiply;
    // Clocks until the result is there.
    reg [2:0] remaining;
    reg [31:0] operations;

    assign busy = remaining != 0;
    assign ack = strobe && !busy;
    wire stores = ack && write;
    wire starts = stores && (address == ADD || address == SUB || address == MUL);
    always @(posedge clk) begin
        if (stores && address == A_LOW) a[31:0] <= in;
        if (stores && address == A_HIGH) a[63:32] <= in;
        if (stores && address == B_LOW) b[31:0] <= in;
        if (starts) begin
            b[63:32] <= in;
            subtract <= address == SUB;
            multiply <= address == MUL;
        end
        remaining <= reset ? 0
            : starts ? (address == MUL ? PRODUCT_LATENCY : SUM_LATENCY)
            : busy ? remaining - 1 : 0;
        operations <= reset ? 0 : operations + {31'd0, starts};
    end

    wire [63:0] product, sum;
    dmul #(.LATENCY({29'd0, PRODUCT_LATENCY})) dmul (.clk(clk), .a(a), .b(b), .q(product));
    daddsub #(.LATENCY({29'd0, SUM_LATENCY})) daddsub (
        .clk(clk), .a(a), .b(b), .sub(subtract), .q(sum));
    wire [63:0] result = multiply ? product : sum;
    assign out = address == RESULT_LOW ? result[31:0]
        : address == RESULT_HIGH ? result[63:32]
        : address == OPERATIONS ? operations : 0;
endmodule
