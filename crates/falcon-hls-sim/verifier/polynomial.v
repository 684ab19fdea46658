// The coefficients of a polynomial in two block RAMs. Coefficient i is in the RAM of the parity of
// i, at address i / 2. So two coefficients whose indices differ in one bit are in different RAMs,
// and both can be read and written in one clock.
module polynomial #(
    parameter LOGN = 9
) (
    input  wire            clk,
    // Indices that differ in one bit. The coefficients follow a clock edge later.
    input  wire [LOGN-1:0] read0,
    input  wire [LOGN-1:0] read1,
    output wire [13:0]     q0,
    output wire [13:0]     q1,
    // If both are written, the indices differ in one bit.
    input  wire            write0,
    input  wire            write1,
    input  wire [LOGN-1:0] at0,
    input  wire [LOGN-1:0] at1,
    input  wire [13:0]     in0,
    input  wire [13:0]     in1
);
    wire read_parity  = ^read0;
    wire write_parity = ^at0;
    // The other bits tell the lowest bit.
    wire unused = &{1'b0, read1[0], at1[0]};

    reg parity;
    always @(posedge clk) parity <= read_parity;

    wire [27:0] q;
    genvar half;
    generate
        for (half = 0; half < 2; half = half + 1) begin : ram
            wire first_read  = read_parity == (half == 1);
            wire first_write = write_parity == (half == 1);
            wire [LOGN-2:0] from = first_read ? read0[LOGN-1:1] : read1[LOGN-1:1];
            wire [LOGN-2:0] to   = first_write ? at0[LOGN-1:1] : at1[LOGN-1:1];
            wire            write = first_write ? write0 : write1;
            wire [13:0]     in   = first_write ? in0 : in1;
            reg [13:0] words [0:(1 << (LOGN-1))-1];
            reg [13:0] word;
            always @(posedge clk) begin
                word <= words[from];
                if (write) words[to] <= in;
            end
            assign q[14*half +: 14] = word;
        end
    endgenerate
    assign q0 = parity ? q[27:14] : q[13:0];
    assign q1 = parity ? q[13:0] : q[27:14];
endmodule
