//! Options of every command.

use crate::engine::{AUTO, parse_name};
use clap::Args;
use falcon_terminal::color::Color;

/// Options of every command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(crate) struct Global {
    /// Engine: a name from `inspect --engines`, an instruction set (`avx2`), or `gpu`. Affects
    /// speed only, never the output
    #[arg(long, global = true, value_name = "NAME", default_value = AUTO, value_parser = parse_name)]
    pub(crate) engine: String,
    /// Print a JSON object on each line, also for errors and warnings; see `fields`
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no notes, no progress bars and no reports of written files; `sign` and `verify` print
    /// failures only
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Whether to print colours; `auto`: on a terminal, if NO_COLOR is not set
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(crate) color: Color,
}
