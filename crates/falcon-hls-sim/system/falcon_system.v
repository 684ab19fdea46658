// A processor, its memory, a cycle counter, a console, a floating-point unit and the circuits of
// the FFT and of Keccak-f on one bus: Wishbone classic, 32 bits. map.tsv lists the addresses. The
// simulation watches the outputs. Each of them is valid for one clock:
//
// - `console_byte` while `console_write` is high: a byte to print;
// - `exit_code` while `exit_write` is high: the end of the program;
// - `address` while `fault` is high: an access to an address that has no device.
module falcon_system #(
    // Base-2 logarithm of the degree of the FFT circuits.
    parameter LOGN = 9,
    // Clocks of a read of an FFT circuit's memory.
    parameter [3:0] READ_LATENCY = 2,
    // Of CLOCKS clocks of the processor, the circuits have CIRCUIT_CLOCKS, evenly spread.
    parameter [7:0] CLOCKS = 1,
    parameter [7:0] CIRCUIT_CLOCKS = 1
) (
    input  wire        clk,
    // Clock of the circuits: `clk`, in the clocks in which `circuits_active` is high.
    input  wire        circuit_clk,
    output wire        circuits_active,
    // Clock of the floating-point unit: `clk`, which may rest in a clock in which `fpu_active` is
    // low.
    input  wire        fpu_clk,
    output wire        fpu_active,
    input  wire        reset,
    // A number for the program.
    input  wire [31:0] argument,
    output wire        console_write,
    output wire [7:0]  console_byte,
    output wire        exit_write,
    output wire [31:0] exit_code,
    output wire        fault,
    output wire [31:0] address
);
    `include "map.vh"

    // The processor has two ports: instructions and data.
    wire fetch_cyc, fetch_stb, data_cyc, data_stb, data_we;
    wire [29:0] fetch_address, data_address;
    wire [31:0] data_out;
    wire [3:0] data_select;
    wire fetch_ack, data_ack;
    wire [31:0] in;
    wire unused_fetch_we;
    wire [31:0] unused_fetch_out;
    wire [3:0] unused_fetch_select;
    wire [2:0] unused_fetch_cti, unused_data_cti;
    wire [1:0] unused_fetch_bte, unused_data_bte;
    VexRiscv processor (
        .clk(clk),
        .reset(reset),
        .externalResetVector(RAM),
        .timerInterrupt(1'b0),
        .softwareInterrupt(1'b0),
        .externalInterruptArray(32'd0),
        .iBusWishbone_CYC(fetch_cyc),
        .iBusWishbone_STB(fetch_stb),
        .iBusWishbone_ACK(fetch_ack),
        .iBusWishbone_WE(unused_fetch_we),
        .iBusWishbone_ADR(fetch_address),
        .iBusWishbone_DAT_MISO(in),
        .iBusWishbone_DAT_MOSI(unused_fetch_out),
        .iBusWishbone_SEL(unused_fetch_select),
        .iBusWishbone_ERR(fault),
        .iBusWishbone_CTI(unused_fetch_cti),
        .iBusWishbone_BTE(unused_fetch_bte),
        .dBusWishbone_CYC(data_cyc),
        .dBusWishbone_STB(data_stb),
        .dBusWishbone_ACK(data_ack),
        .dBusWishbone_WE(data_we),
        .dBusWishbone_ADR(data_address),
        .dBusWishbone_DAT_MISO(in),
        .dBusWishbone_DAT_MOSI(data_out),
        .dBusWishbone_SEL(data_select),
        .dBusWishbone_ERR(fault),
        .dBusWishbone_CTI(unused_data_cti),
        .dBusWishbone_BTE(unused_data_bte)
    );

    // Data go before instructions. An access that has begun keeps the bus to its end.
    reg begun, begun_data;
    wire data_request = data_cyc && data_stb;
    wire for_data = begun ? begun_data : data_request;
    wire strobe = for_data ? data_request : fetch_cyc && fetch_stb;
    wire write = strobe && for_data && data_we;
    wire ack;
    assign address = {for_data ? data_address : fetch_address, 2'b00};
    assign data_ack = ack && for_data;
    assign fetch_ack = ack && !for_data;
    always @(posedge clk) begin
        begun <= !reset && strobe && !ack;
        begun_data <= for_data;
    end

    wire at_ram = strobe && (address & ~(RAM_SIZE - 1)) == RAM;
    wire at_low = strobe && address == CYCLES_LOW;
    wire at_high = strobe && address == CYCLES_HIGH;
    wire at_console = strobe && address == CONSOLE;
    wire at_exit = strobe && address == EXIT;
    wire at_argument = strobe && address == ARGUMENT;
    wire at_direction = strobe && address == FFT_DIRECTION;
    wire at_start = strobe && address == FFT_START;
    wire at_busy = strobe && address == FFT_BUSY;
    wire at_cycles = strobe && address == FFT_CYCLES;
    wire at_degree = strobe && address == FFT_DEGREE;
    wire at_data = strobe && (address & ~((32'd8 << LOGN) - 1)) == FFT_DATA;
    wire at_keccak_start = strobe && address == KECCAK_START;
    wire at_keccak_busy = strobe && address == KECCAK_BUSY;
    wire at_keccak_cycles = strobe && address == KECCAK_CYCLES;
    wire at_keccak_state = strobe && (address & ~(KECCAK_STATE_SIZE - 1)) == KECCAK_STATE;
    wire at_fpu = strobe && (address & ~(FPU_SIZE - 1)) == FPU;
    // Registers that answer at once.
    wire at_register = at_low || at_high || at_console || at_exit || at_argument || at_busy
        || at_cycles || at_degree || at_keccak_busy || at_keccak_cycles;
    // These accesses end in a clock of the circuits.
    wire at_circuit = at_direction || at_start || at_data || at_keccak_start || at_keccak_state;
    assign fault = strobe && !(at_ram || at_register || at_circuit || at_fpu);

    // High if this clock is one of the circuits'.
    reg [7:0] phase;
    wire [7:0] next_phase = phase + CIRCUIT_CLOCKS;
    wire circuit_clock = next_phase >= CLOCKS;
    always @(posedge clk) phase <= reset ? 0 : circuit_clock ? next_phase - CLOCKS : next_phase;

    wire [31:0] ram_out;
    wire ram_ack;
    ram #(.ADDRESS($clog2(RAM_SIZE) - 2)) ram (
        .clk(clk),
        .strobe(at_ram),
        .write(write),
        .select(data_select),
        .address(address[$clog2(RAM_SIZE)-1:2]),
        .in(data_out),
        .out(ram_out),
        .ack(ram_ack)
    );

    reg [63:0] cycles;
    reg [31:0] cycles_high;
    always @(posedge clk) begin
        cycles <= reset ? 0 : cycles + 1;
        if (at_low) cycles_high <= cycles[63:32];
    end

    wire [31:0] circuit_out, circuit_cycles;
    wire circuit_ack, direction, busy, any_busy;
    circuits #(.READ_LATENCY(READ_LATENCY), .ADDRESS(LOGN + 1)) circuits (
        .clk(circuit_clk),
        .reset(reset),
        .write_direction(write && at_direction),
        .start(write && at_start),
        .direction(direction),
        .busy(busy),
        .any_busy(any_busy),
        .cycles(circuit_cycles),
        .strobe(at_data),
        .write(write),
        .address(address[LOGN+2:2]),
        .in(data_out),
        .out(circuit_out),
        .ack(circuit_ack)
    );

    wire [31:0] keccak_out, keccak_cycles;
    wire keccak_busy, unused_keccak_done;
    falcon_keccak keccak (
        .clk(circuit_clk),
        .reset(reset),
        .start(write && at_keccak_start),
        .done(unused_keccak_done),
        .busy(keccak_busy),
        .cycles(keccak_cycles),
        .host_address(address[$clog2(KECCAK_STATE_SIZE)-1:2]),
        .host_write(write && at_keccak_state),
        .host_in(data_out),
        .host_out(keccak_out)
    );
    assign circuits_active = circuit_clock && (reset || at_circuit || any_busy || keccak_busy);

    // A read of the state takes a clock of the circuit.
    reg keccak_read;
    always @(posedge circuit_clk) keccak_read <= at_keccak_state && !keccak_read && !write;

    wire [31:0] fpu_out;
    wire fpu_ack, fpu_busy;
    fpu #(
        .A_LOW(FPU_A_LOW[5:2]),
        .A_HIGH(FPU_A_HIGH[5:2]),
        .B_LOW(FPU_B_LOW[5:2]),
        .ADD(FPU_ADD[5:2]),
        .SUB(FPU_SUB[5:2]),
        .MUL(FPU_MUL[5:2]),
        .RESULT_LOW(FPU_RESULT_LOW[5:2]),
        .RESULT_HIGH(FPU_RESULT_HIGH[5:2]),
        .OPERATIONS(FPU_OPERATIONS[5:2])
    ) fpu (
        .clk(fpu_clk),
        .reset(reset),
        .strobe(at_fpu),
        .write(write),
        .address(address[5:2]),
        .in(data_out),
        .out(fpu_out),
        .ack(fpu_ack),
        .busy(fpu_busy)
    );
    assign fpu_active = reset || at_fpu || fpu_busy;

    assign ack = at_ram ? ram_ack
        : at_fpu ? fpu_ack
        : at_circuit ? circuit_clock
            && (at_data ? circuit_ack : at_keccak_state ? write || keccak_read : 1'b1)
        : at_register || fault;
    assign in = at_ram ? ram_out
        : at_data ? circuit_out
        : at_fpu ? fpu_out
        : at_low ? cycles[31:0]
        : at_high ? cycles_high
        : at_argument ? argument
        : at_cycles ? circuit_cycles
        : at_degree ? 32'd1 << LOGN
        : at_keccak_state ? keccak_out
        : at_keccak_cycles ? keccak_cycles
        : {31'd0, at_busy ? busy : at_keccak_busy ? keccak_busy : at_direction && direction};
    assign console_write = write && at_console;
    assign console_byte = data_out[7:0];
    assign exit_write = write && at_exit;
    assign exit_code = data_out;
endmodule
