// Memory of the processor: words of 32 bits, written byte by byte. It answers one clock after the
// strobe. A simulation names the file of its contents with +ram=FILE, a hexadecimal word a line.
module ram #(
    parameter ADDRESS = 17
) (
    input  wire               clk,
    input  wire               strobe,
    input  wire               write,
    input  wire [3:0]         select,
    input  wire [ADDRESS-1:0] address,
    input  wire [31:0]        in,
    output reg  [31:0]        out,
    output reg                ack
);
    reg [31:0] words [0:(1 << ADDRESS)-1];
    reg [8*1024-1:0] file;
    initial if ($value$plusargs("ram=%s", file) != 0) $readmemh(file, words);

    integer i;
    always @(posedge clk) begin
        ack <= strobe && !ack;
        out <= words[address];
        if (strobe && write && !ack)
            for (i = 0; i < 4; i = i + 1)
                if (select[i]) words[address][8*i +: 8] <= in[8*i +: 8];
    end
endmodule
