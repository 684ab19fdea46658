// A butterfly modulo q = 12289. All numbers are below q.
//
// Forward: u = x + y w, v = x - y w. Inverse: u = (x + y) / 2, v = (y - x) w / 2, so that the
// layers of an inverse transform divide by the degree. With x = 0, u of the forward form is a
// product.
//
// Computes one butterfly per clock; u and v are ready 6 clock edges after x, y and w.
module butterfly (
    input  wire        clk,
    // Does not change while a butterfly is under way.
    input  wire        inverse,
    input  wire [13:0] x,
    input  wire [13:0] y,
    input  wire [13:0] w,
    output reg  [13:0] u,
    output reg  [13:0] v
);
    localparam [13:0] Q = 14'd12289;

    function [13:0] add(input [13:0] a, input [13:0] b);
        reg [14:0] sum;
        begin
            sum = {1'b0, a} + {1'b0, b};
            add = sum >= {1'b0, Q} ? sum[13:0] - Q : sum[13:0];
        end
    endfunction

    function [13:0] subtract(input [13:0] a, input [13:0] b);
        subtract = a < b ? a - b + Q : a - b;
    endfunction

    // a / 2 modulo q: (a + q) / 2 = (a - 1) / 2 + 6145 if a is odd.
    function [13:0] halve(input [13:0] a);
        halve = {1'b0, a[13:1]} + (a[0] ? 14'd6145 : 14'd0);
    endfunction

    // 1. Sum and difference.
    reg [13:0] sum, factor, w1;
    always @(posedge clk) begin
        sum    <= inverse ? add(x, y) : x;
        factor <= inverse ? subtract(y, x) : y;
        w1     <= w;
    end

    // 2. Product.
    reg [27:0] product;
    always @(posedge clk) product <= factor * w1;

    // 3. Quotient by Barrett's method. 43687 is 2^29 / q, rounded down. With this rounding, that
    //    of the shift by 13 and that of the last shift, the quotient is at most one too small.
    reg [13:0] quotient;
    reg [14:0] low;
    wire [30:0] scaled = product[27:13] * 16'd43687;
    wire unused = &{1'b0, scaled[30], scaled[15:0]};
    always @(posedge clk) begin
        quotient <= scaled[29:16];
        low      <= product[14:0];
    end

    // 4. Remainder, below 2q, so 15 bits are enough. q = 2^13 + 2^12 + 1.
    reg [14:0] remainder;
    always @(posedge clk)
        remainder <= low - {quotient[1:0], 13'd0} - {quotient[2:0], 12'd0} - {1'b0, quotient};

    // 5. Remainder, below q.
    reg [13:0] reduced;
    always @(posedge clk)
        reduced <= remainder >= {1'b0, Q} ? remainder[13:0] - Q : remainder[13:0];

    // 6. Sum and difference, or halves.
    wire [13:0] sum5;
    fp_delay #(.WIDTH(14), .STAGES(4)) late (.clk(clk), .d(sum), .q(sum5));
    always @(posedge clk) begin
        u <= inverse ? halve(sum5) : add(sum5, reduced);
        v <= inverse ? halve(reduced) : subtract(sum5, reduced);
    end
endmodule
