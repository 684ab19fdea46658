//! The units and the circuits: in Rust against the host's arithmetic, in Verilog
//! against Rust, and what they take of an FPGA.

mod fft_rtl;
mod fft_yosys;
mod fp;
mod hdl;
mod operands;
#[cfg(unix)]
mod testbench;
mod units_rtl;
mod units_yosys;
mod verilog;
