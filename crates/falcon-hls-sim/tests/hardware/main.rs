//! The units and the circuits: compared in Rust with the host's arithmetic, and in Verilog with
//! Rust, and their resources on an FPGA.

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
