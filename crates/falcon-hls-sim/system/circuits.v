// The two circuits, FFT and inverse FFT, and their memory as words of 32 bits. `direction` selects
// the circuit that everything else concerns: 0 for the FFT, 1 for the inverse FFT.
//
// A complex number has four words: low and high half of the real part, then of the imaginary part.
// A circuit takes and gives whole complex numbers. So the first three words that are written wait
// for the fourth.
module circuits #(
    parameter [3:0] READ_LATENCY = 2,
    parameter ADDRESS = 10
) (
    input  wire               clk,
    input  wire               reset,
    input  wire               write_direction,
    input  wire               start,
    output reg                direction,
    output wire               busy,
    output wire               any_busy,
    output wire [31:0]        cycles,
    input  wire               strobe,
    input  wire               write,
    input  wire [ADDRESS-1:0] address,
    input  wire [31:0]        in,
    output wire [31:0]        out,
    output wire               ack
);
    reg [95:0] waiting;
    wire stores = strobe && write && address[1:0] == 3;
    always @(posedge clk) begin
        if (reset) direction <= 0;
        else if (write_direction) direction <= in[0];
        if (strobe && write) waiting <= {in, waiting[95:32]};
    end

    // Clocks for which the address of a read has been at the circuit.
    reg [3:0] waited;
    assign ack = strobe && (write || waited == READ_LATENCY);
    always @(posedge clk) waited <= strobe && !ack ? waited + 1 : 0;

    wire [1:0] circuit_busy, unused_done;
    wire [31:0] fft_cycles, ifft_cycles;
    wire [127:0] fft_out, ifft_out;
    falcon_fft fft (
        .clk(clk),
        .reset(reset),
        .start(start && !direction),
        .done(unused_done[0]),
        .busy(circuit_busy[0]),
        .cycles(fft_cycles),
        .host_address(address[ADDRESS-1:2]),
        .host_write(stores && !direction),
        .host_in({in, waiting}),
        .host_out(fft_out)
    );
    falcon_ifft ifft (
        .clk(clk),
        .reset(reset),
        .start(start && direction),
        .done(unused_done[1]),
        .busy(circuit_busy[1]),
        .cycles(ifft_cycles),
        .host_address(address[ADDRESS-1:2]),
        .host_write(stores && direction),
        .host_in({in, waiting}),
        .host_out(ifft_out)
    );
    wire [127:0] number = direction ? ifft_out : fft_out;
    assign out = number[32*address[1:0] +: 32];
    assign busy = circuit_busy[direction];
    assign any_busy = |circuit_busy;
    assign cycles = direction ? ifft_cycles : fft_cycles;
endmodule
