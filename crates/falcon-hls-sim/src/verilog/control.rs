//! The loops as counters: stage by stage, block by block.

use super::text::{Delays, Lines, number, range, width};
use crate::accelerator::Kernel;
use crate::nest::Transform;

/// Emits the signals `issue`, `ax`, `ay` and `aw`; for an inverse transform also `first_stage`, and
/// for an interval above 1 also `phase`. If `issue` is set, a butterfly with these addresses begins
/// in this cycle.
pub(super) fn emit(
    kernel: &Kernel,
    logn: u32,
    waits: &[(usize, u64)],
    delays: &mut Delays,
) -> Lines {
    let quarter = (1usize << logn) / 4;
    let count = quarter * (logn as usize - 1);
    let interval = kernel.body.schedule.interval as usize;
    let inverse = kernel.transform == Transform::Ifft;
    let most = waits.iter().map(|&(_, slots)| slots).max().unwrap_or(0);
    let control = Control {
        inverse,
        interval,
        distances: if inverse { [1, quarter] } else { [quarter, 1] },
        address: width(2 * quarter),
        index: width(count + 1),
        wait: width(most as usize + 1),
    };
    let mut out = Lines::default();
    out.line(&format!(
        "    // {count} butterflies: numbers {} apart first; a start every {interval} cycles.",
        control.distances[0]
    ));
    control.emit_signals(&mut out);
    control.emit_needed(waits, &mut out);
    let done = delays.tap_action("issue_last", kernel.body.depth());
    out.line(&format!(
        "    wire issue_last = issue && last;
    assign done = busy && {done};
"
    ));
    control.emit_steps(&mut out);
    out
}

/// Sizes of the counters.
struct Control {
    inverse: bool,
    /// Cycles between two starts.
    interval: usize,
    /// Distance of the two numbers of a butterfly, in the first and in the last stage.
    distances: [usize; 2],
    /// Bits of an address.
    address: usize,
    /// Bits of the index of a butterfly.
    index: usize,
    /// Bits of the number of starts that are left out.
    wait: usize,
}

impl Control {
    /// Returns a constant with the width of the counters `t`, `w` and `blocks`.
    fn counter(&self, value: usize) -> String {
        number(self.address + 1, value)
    }

    /// Emits the counters, and the signals derived from them: whether a butterfly begins, its
    /// addresses, and which loops end with it.
    fn emit_signals(&self, out: &mut Lines) {
        let counter = range(self.address + 1);
        let (bits, low) = (range(self.address), format!("[{}:0]", self.address - 1));
        let [zero, one] = [0, 1].map(|value| self.counter(value));
        let [first, last] = self.distances.map(|value| self.counter(value));
        out.line(&format!(
            "    reg running;
    reg {bits}x;
    reg {counter}t, w, blocks;
    reg {}index;
    reg {}waited, needed;",
            range(self.index),
            range(self.wait)
        ));
        if self.interval > 1 {
            out.line(&format!("    reg {}phase;", range(width(self.interval))));
            out.line("    wire slot = running && phase == 0;");
        } else {
            out.line("    wire slot = running;");
        }
        out.line(&format!(
            "    wire issue = slot && waited == needed;
    // Numbers of a butterfly differ in the bit of t. A carry into that bit ends a block.
    wire {bits}ax = x;
    wire {bits}ay = x | t{low};
    wire {bits}aw = w{low};
    wire {counter}after = {{1'b0, ay}} + {one};
    wire block_ends = (after & t) == {zero};
    wire stage_ends = after[{}];
    wire last = stage_ends && t == {last};",
            self.address
        ));
        if self.inverse {
            out.line(&format!("    wire first_stage = t == {first};"));
        }
    }

    /// Emits the number of starts that are left out before each butterfly.
    fn emit_needed(&self, waits: &[(usize, u64)], out: &mut Lines) {
        out.line(
            "
    // Starts left out before a butterfly, so that what it reads is written.
    always @* begin
        case (index)",
        );
        for &(iteration, slots) in waits {
            let iteration = number(self.index, iteration);
            let slots = number(self.wait, slots as usize);
            out.line(&format!("            {iteration}: needed = {slots};"));
        }
        out.line(&format!(
            "            default: needed = {};
        endcase
    end",
            number(self.wait, 0)
        ));
    }

    /// Emits how the counters change at each clock edge.
    fn emit_steps(&self, out: &mut Lines) {
        let (zero, one) = (number(self.address, 0), self.counter(1));
        let [index_0, index_1] = [0, 1].map(|value| number(self.index, value));
        let [wait_0, wait_1] = [0, 1].map(|value| number(self.wait, value));
        let [phase_0, phase_1, phase_last] =
            [0, 1, self.interval - 1].map(|value| number(width(self.interval), value));
        // The number of blocks of the first stage equals the distance of the last stage.
        let low = format!("[{}:0]", self.address - 1);
        let [distance, blocks] = self.distances.map(|value| self.counter(value));
        out.line(&format!(
            "    always @(posedge clk) begin
        if (reset) begin
            running <= 0;
            busy <= 0;
            cycles <= 0;
        end else if (start && !busy) begin
            running <= 1;
            busy <= 1;
            cycles <= 0;
            x <= {zero};
            t <= {distance};
            w <= {blocks};
            blocks <= {blocks};
            index <= {index_0};
            waited <= {wait_0};"
        ));
        if self.interval > 1 {
            out.line(&format!("            phase <= {phase_0};"));
        }
        out.line(
            "        end else if (busy) begin
            if (done) busy <= 0;
            else cycles <= cycles + 32'd1;",
        );
        if self.interval > 1 {
            out.line(&format!(
                "            phase <= phase == {phase_last} ? {phase_0} : phase + {phase_1};"
            ));
        }
        let (next_w, t_shift, blocks_shift) = match self.inverse {
            true => (format!("stage_ends ? blocks >> 1 : w + {one}"), "<<", ">>"),
            false => (format!("w + {one}"), ">>", "<<"),
        };
        out.line(&format!(
            "            if (slot && !issue) waited <= waited + {wait_1};
            if (issue) begin
                waited <= {wait_0};
                index <= index + {index_1};
                running <= !last;
                x <= after{low} & ~t{low};
                if (block_ends) w <= {next_w};
                if (stage_ends) begin
                    t <= t {t_shift} 1;
                    blocks <= blocks {blocks_shift} 1;
                end
            end
        end
    end"
        ));
    }
}
