//! The loops as counters: stage by stage, block by block.

use super::text::{Delays, Lines, number, range, width};
use crate::accelerator::Kernel;
use crate::nest::Transform;

/// Signals `issue`, `x`, `y`, `w`, `first_stage`, `phase`: a butterfly of these
/// addresses begins in this cycle.
pub(super) fn emit(
    kernel: &Kernel,
    logn: u32,
    waits: &[(usize, u64)],
    delays: &mut Delays,
) -> Lines {
    let half = (1usize << logn) / 2;
    let quarter = half / 2;
    let count = quarter * (logn as usize - 1);
    let interval = kernel.body.schedule.interval;
    let inverse = kernel.transform == Transform::Ifft;
    let address = width(half);
    let index = width(count + 1);
    let most = waits.iter().map(|&(_, slots)| slots).max().unwrap_or(0);
    let wait = width(most as usize + 1);

    let counter = |value: usize| number(address + 1, value);
    let one = counter(1);
    let zero = counter(0);
    let waiting = |value: usize| number(wait, value);
    let phase_bits = width(interval as usize);

    let mut out = Lines::default();
    out.line(&format!(
        "    // {count} butterflies: numbers {} apart first; a start every {interval} cycles.",
        if inverse { 1 } else { quarter }
    ));
    out.line("    reg running;");
    out.line(&format!(
        "    reg {}x, t, j, w, blocks;",
        range(address + 1)
    ));
    out.line(&format!("    reg {}index;", range(index)));
    out.line(&format!("    reg {}waited, needed;", range(wait)));
    if interval > 1 {
        out.line(&format!("    reg {}phase;", range(phase_bits)));
        out.line("    wire slot = running && phase == 0;");
    } else {
        out.line("    wire slot = running;");
    }
    out.line("    wire issue = slot && waited == needed;");
    out.line(&format!(
        "    wire {}ax = x[{}:0];",
        range(address),
        address - 1
    ));
    let low = format!("[{}:0]", address - 1);
    out.line(&format!("    wire {}ay = x{low} + t{low};", range(address)));
    out.line(&format!(
        "    wire {}aw = w[{}:0];",
        range(address),
        address - 1
    ));
    out.line(&format!("    wire block_ends = j + {one} == t;"));
    out.line(&format!(
        "    wire {}next_x = x + (block_ends ? t + {one} : {one});",
        range(address + 1)
    ));
    out.line(&format!(
        "    wire stage_ends = block_ends && next_x == {};",
        counter(half)
    ));
    let last_t = if inverse { quarter } else { 1 };
    out.line(&format!(
        "    wire last = stage_ends && t == {};",
        counter(last_t)
    ));
    let first_t = if inverse { 1 } else { quarter };
    if inverse {
        out.line(&format!(
            "    wire first_stage = t == {};",
            counter(first_t)
        ));
    }

    out.line("");
    out.line("    // Starts left out before a butterfly, so that what it reads is written.");
    out.line("    always @* begin");
    out.line("        case (index)");
    for (iteration, slots) in waits {
        out.line(&format!(
            "            {}: needed = {};",
            number(index, *iteration),
            waiting(*slots as usize)
        ));
    }
    out.line(&format!("            default: needed = {};", waiting(0)));
    out.line("        endcase");
    out.line("    end");

    out.line("    wire issue_last = issue && last;");
    let done = delays.tap_action("issue_last", kernel.body.depth());
    out.line(&format!("    assign done = busy && {done};"));
    let first_blocks = if inverse { quarter } else { 1 };
    out.line("");
    out.line("    always @(posedge clk) begin");
    out.line("        if (reset) begin");
    out.line("            running <= 0;");
    out.line("            busy <= 0;");
    out.line("            cycles <= 0;");
    out.line("        end else if (start && !busy) begin");
    out.line("            running <= 1;");
    out.line("            busy <= 1;");
    out.line("            cycles <= 0;");
    out.line(&format!("            x <= {zero};"));
    out.line(&format!("            t <= {};", counter(first_t)));
    out.line(&format!("            j <= {zero};"));
    out.line(&format!("            w <= {};", counter(first_blocks)));
    out.line(&format!("            blocks <= {};", counter(first_blocks)));
    out.line(&format!("            index <= {};", number(index, 0)));
    out.line(&format!("            waited <= {};", waiting(0)));
    if interval > 1 {
        out.line(&format!("            phase <= {};", number(phase_bits, 0)));
    }
    out.line("        end else if (busy) begin");
    out.line("            if (done) busy <= 0;");
    out.line("            else cycles <= cycles + 32'd1;");
    if interval > 1 {
        out.line(&format!(
            "            phase <= phase == {} ? {} : phase + {};",
            number(phase_bits, interval as usize - 1),
            number(phase_bits, 0),
            number(phase_bits, 1)
        ));
    }
    out.line(&format!(
        "            if (slot && !issue) waited <= waited + {};",
        waiting(1)
    ));
    out.line("            if (issue) begin");
    out.line(&format!("                waited <= {};", waiting(0)));
    out.line(&format!(
        "                index <= index + {};",
        number(index, 1)
    ));
    out.line("                running <= !last;");
    out.line(&format!(
        "                x <= stage_ends ? {zero} : next_x;"
    ));
    out.line(&format!(
        "                j <= block_ends ? {zero} : j + {one};"
    ));
    if inverse {
        out.line(&format!(
            "                if (block_ends) w <= stage_ends ? blocks >> 1 : w + {one};"
        ));
        out.line("                if (stage_ends) begin");
        out.line("                    t <= t << 1;");
        out.line("                    blocks <= blocks >> 1;");
        out.line("                end");
    } else {
        out.line(&format!("                if (block_ends) w <= w + {one};"));
        out.line("                if (stage_ends) begin");
        out.line("                    t <= t >> 1;");
        out.line("                    blocks <= blocks << 1;");
        out.line("                end");
    }
    out.line("            end");
    out.line("        end");
    out.line("    end");
    out
}
