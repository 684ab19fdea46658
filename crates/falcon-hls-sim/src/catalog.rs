//! Cores and memories of an FPGA. Each number has its source:
//!
//! `[P]` the paper (Falcon on a Zynq-7020, Vitis HLS 2023.1), `[V]` the vendor's documents or the
//! output of the vendor's tool, `[D]` derived from these, `[M]` measured with open tools, `[?]`
//! unconfirmed.

/// A pipelined floating-point core: one operation a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FpCore {
    /// Name.
    pub name: &'static str,
    /// Cycles from operands to result.
    pub latency: u32,
    /// DSP48E1 slices.
    pub dsp: u32,
    /// Lookup tables.
    pub lut: u32,
    /// Flip-flops.
    pub ff: u32,
    /// Source of the numbers.
    pub source: &'static str,
}

/// Binary64 multiplier.
pub const DMUL: FpCore = FpCore {
    name: "dmul",
    latency: 7,
    dsp: 11,
    lut: 578,
    ff: 317,
    source: "DSP [V], closes 25 = 2*11 + 3 and 17 = 11 + 2*3 with Table II [D]; latency closes II = 168 [D]; LUT, FF [?]",
};

/// Binary64 adder and subtractor.
pub const DADDSUB: FpCore = FpCore {
    name: "daddsub",
    latency: 8,
    dsp: 3,
    lut: 1149,
    ff: 445,
    source: "DSP [V], closes Table II [D]; latency closes II = 168 [D]; LUT, FF [?]",
};

/// Exponent adder: multiplies by a power of two.
pub const DSCALE: FpCore = FpCore {
    name: "dscale",
    latency: 1,
    dsp: 0,
    lut: 102,
    ff: 64,
    source: "rtl/dscale.v with one register, by yosys [M]",
};

/// Cycles from the address of an AXI read to its data.
///
/// `[V]` The tool's default latency of 64, and its request and response. With [`AXI_WRITE_LATENCY`]
/// and the cores above, a butterfly takes 168 cycles `[D]`. Other values also give 168 cycles: read
/// 72, response 69, and latencies 7 and 7 of the cores. So these values are consistent, but need
/// not be those of the authors.
pub const AXI_READ_LATENCY: u32 = 71;
/// Cycles from an AXI write to its response. `[D]`, `[?]`
pub const AXI_WRITE_LATENCY: u32 = 68;
/// Cycles from a read's address to its data, for block RAM with an output register. `[V]`
pub const BRAM_READ_LATENCY: u32 = 2;
/// Cycles from a write to the first read that sees it. `[V]`
pub const BRAM_WRITE_LATENCY: u32 = 1;
/// Ports of a block RAM. `[V]`
pub const BRAM_PORTS: u32 = 2;
/// Bits of a block RAM of 18 kbit, without parity. `[V]`
pub const BRAM_BITS: u32 = 16 * 1024;
/// Bits that a port of a block RAM carries in true dual-port mode, without parity. `[V]`
pub const BRAM_WIDTH: u32 = 16;

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Device {
    /// Vendor's name of the device.
    pub name: &'static str,
    /// DSP slices.
    pub dsp: u32,
    /// Lookup tables.
    pub lut: u32,
    /// Flip-flops.
    pub ff: u32,
    /// Block RAMs of 18 kbit.
    pub bram: u32,
}

/// The part on the paper's board. `[V]`
pub const XC7Z020: Device = Device {
    name: "xc7z020",
    dsp: 220,
    lut: 53_200,
    ff: 106_400,
    bram: 280,
};
