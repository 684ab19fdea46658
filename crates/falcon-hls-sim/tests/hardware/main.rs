//! Tests of the units and circuits. Units in Rust are compared with the arithmetic of the host, and
//! Verilog with Rust. Other tests compare the resources on an FPGA with the tables.

mod board;
mod fft_rtl;
mod fft_yosys;
mod fp;
mod hdl;
mod keccak_rtl;
mod netlist;
mod operands;
#[cfg(unix)]
mod testbench;
mod timing;
mod units_rtl;
mod units_yosys;
mod verifier;
mod verilog;
