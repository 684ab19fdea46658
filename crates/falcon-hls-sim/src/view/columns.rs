//! The columns of a timeline: one for each cycle, and one for each long run of cycles in which
//! nothing starts or ends.

use super::Trace;
use std::collections::BTreeSet;
use std::ops::Range;

/// If at least this many successive cycles have no event, they become one column.
const GAP: u64 = 10;

/// Cycles that a column shows.
pub(super) enum Column {
    /// One cycle.
    Cycle(u64),
    /// Cycles in which nothing starts or ends.
    Gap(Range<u64>),
}

/// The columns of a trace, in order of time.
pub(super) struct Columns(pub(super) Vec<Column>);

impl Columns {
    pub(super) fn of(trace: &Trace<'_>) -> Self {
        let cycles = trace.cycles();
        let mut columns = Vec::new();
        if cycles.is_empty() {
            return Self(columns);
        }
        let mut busy = BTreeSet::from([cycles.start, cycles.end - 1]);
        for event in &trace.events {
            busy.extend([event.cycle, trace.end(event)]);
        }
        busy.extend(trace.starts.iter().map(|start| start.0));
        busy.extend(trace.stalls.iter().map(|stall| stall.cycle));
        let mut next = cycles.start;
        for cycle in busy {
            if cycle - next >= GAP {
                columns.push(Column::Gap(next..cycle));
            } else {
                columns.extend((next..cycle).map(Column::Cycle));
            }
            columns.push(Column::Cycle(cycle));
            next = cycle + 1;
        }
        Self(columns)
    }

    /// Returns the start of a cycle as a number of columns from the left. A cycle of a gap lies
    /// inside the column of the gap.
    pub(super) fn position(&self, cycle: u64) -> f64 {
        let ends_before = |column: &Column| match column {
            Column::Cycle(own) => *own < cycle,
            Column::Gap(gap) => gap.end <= cycle,
        };
        let index = self.0.partition_point(ends_before);
        match self.0.get(index) {
            Some(Column::Gap(gap)) => {
                let inside = cycle.saturating_sub(gap.start) as f64;
                index as f64 + inside / (gap.end - gap.start) as f64
            }
            _ => index as f64,
        }
    }
}
