//! The cycle simulator: a scheduled loop, executed cycle by cycle on real bits.
//!
//! Each cycle has three steps. First, writes whose latency has passed become visible. Then an
//! iteration starts, if the interval and the interlock allow it. Last, every iteration under way
//! executes the operations that its schedule has for this cycle. The run ends with a fault if two
//! operations claim one unit; if two words of an access are in the same bank; if an operand is not
//! ready; if an address is beyond the end of its memory; if a load gets the value of a different
//! iteration than in program order; or if the final contents of a memory are not the same as in
//! program order. These checks do not depend on how the schedule was found.

use crate::design::Pipelining;
pub use crate::fault::Fault;
use crate::fp::{self, Subnormals};
use crate::graph::{Access, Graph, Operation};
use crate::nest::Iteration;
use crate::schedule::Schedule;
use std::collections::VecDeque;

/// A memory's content: bits of complex numbers, real part first.
pub type Words = Vec<[u64; 2]>;

/// Treatment of an iteration that would read a word before it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interlock {
    /// The iteration waits for the next start at which all its words are written.
    Stall,
    /// The iteration starts, and the run ends with [`Fault::Hazard`].
    Absent,
}

/// Control of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Control {
    /// Loops that are pipelined.
    pub pipelining: Pipelining,
    /// Treatment of iterations that would start too early.
    pub interlock: Interlock,
    /// Treatment of subnormal numbers by the cores.
    pub subnormals: Subnormals,
}

/// Cycles and iterations of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// Cycles from the start of the first iteration until everything written can be read.
    pub cycles: u64,
    /// Iterations.
    pub iterations: u64,
    /// Cycles that the interlock added to the run.
    pub stalls: u64,
}

/// Observer of a run. It is called at each event.
pub trait Observer {
    /// Iteration `iteration` starts.
    fn started(&mut self, cycle: u64, iteration: usize) {
        let _ = (cycle, iteration);
    }
    /// The next iteration could have started, but a word that it would read has not been written
    /// yet.
    fn stalled(&mut self, cycle: u64) {
        let _ = cycle;
    }
    /// Node `node` of `iteration` starts. `values` are its results, or the values that it stores.
    fn executed(&mut self, cycle: u64, iteration: usize, node: usize, values: &[u64]) {
        let _ = (cycle, iteration, node, values);
    }
}

/// Observes nothing.
impl Observer for () {}

/// Runs `iterations` of the loop `graph` with `schedule` on `memories`.
///
/// # Errors
/// The first [`Fault`]. The memories then have the contents that they would have in the circuit at
/// that cycle.
pub fn run(
    graph: &Graph,
    schedule: &Schedule,
    control: Control,
    iterations: &[Iteration],
    memories: &mut [Words],
    observer: &mut impl Observer,
) -> Result<Run, Fault> {
    if memories.len() != graph.memories.len() {
        return Err(Fault::Memories {
            expected: graph.memories.len(),
        });
    }
    CycleSimulator::new(graph, schedule, control, memories).run(iterations, observer)
}

/// Writer of a word that still has its initial content.
const BEFORE: u32 = u32::MAX;

/// Ready cycle of an operation that has not started.
const NEVER: u64 = u64::MAX;

/// An iteration that is under way.
struct Active {
    index: usize,
    start: u64,
    iteration: Iteration,
    /// Results of all nodes. Those of a node begin at its offset.
    values: Vec<u64>,
    /// For each value that a load reads, the iteration that must have written it. Same layout as
    /// `values`.
    writers: Vec<u32>,
    /// For each node, the cycle from which its results are ready.
    ready: Vec<u64>,
}

/// A write that cannot be read yet.
struct Pending {
    visible: u64,
    writer: u32,
    memory: usize,
    address: usize,
    component: usize,
    value: u64,
}

/// History of a word: which iteration wrote it, and when.
#[derive(Clone)]
struct Cell {
    /// For each part, the iteration whose value is read now.
    written_by: [u32; 2],
    /// For each part, the last iteration that writes it, among those that have started.
    owner: [u32; 2],
    /// Cycle from which each part can be read.
    visible: [u64; 2],
}

/// Condition for the start of the next iteration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    /// The next iteration may start in this cycle.
    At(u64),
    /// The next iteration may start `overhead` cycles after all writes of the started iterations.
    Drained { overhead: u64 },
}

struct CycleSimulator<'a> {
    graph: &'a Graph,
    schedule: &'a Schedule,
    control: Control,
    memories: &'a mut [Words],
    cells: Vec<Vec<Cell>>,
    /// Nodes by the cycle of their start.
    by_start: Vec<Vec<usize>>,
    /// Position of each node's values.
    offsets: Vec<usize>,
    /// Number of values of one iteration.
    values: usize,
    /// For each unit and instance, the cycle of the last use plus one.
    claims: Vec<Vec<u64>>,
    pending: VecDeque<Pending>,
    active: VecDeque<Active>,
    retired: Vec<Active>,
}

impl<'a> CycleSimulator<'a> {
    fn new(
        graph: &'a Graph,
        schedule: &'a Schedule,
        control: Control,
        memories: &'a mut [Words],
    ) -> Self {
        let last = schedule.starts.iter().max().map_or(0, |&last| last);
        let mut by_start = vec![Vec::new(); last as usize + 1];
        for (node, &start) in schedule.starts.iter().enumerate() {
            by_start[start as usize].push(node);
        }
        let mut values = 0;
        let mut offsets = Vec::with_capacity(graph.nodes.len());
        for node in &graph.nodes {
            offsets.push(values);
            values += match &node.operation {
                Operation::Load(access) | Operation::Store(access) => access.values(),
                _ => 1,
            };
        }
        let cell = Cell {
            written_by: [BEFORE; 2],
            owner: [BEFORE; 2],
            visible: [0; 2],
        };
        let cells = memories.iter().map(|words| vec![cell.clone(); words.len()]);
        Self {
            cells: cells.collect(),
            claims: graph.units.iter().map(|unit| vec![0; unit.count]).collect(),
            graph,
            schedule,
            control,
            memories,
            by_start,
            offsets,
            values,
            pending: VecDeque::new(),
            active: VecDeque::new(),
            retired: Vec::new(),
        }
    }

    fn run(mut self, iterations: &[Iteration], observer: &mut impl Observer) -> Result<Run, Fault> {
        let mut run = Run {
            iterations: iterations.len() as u64,
            ..Run::default()
        };
        let mut waiting = iterations.iter().enumerate().peekable();
        let mut next = Next::At(0);
        for cycle in 0.. {
            self.write_back(cycle);
            if let (Next::Drained { overhead }, true) = (next, self.is_idle()) {
                next = Next::At(cycle + overhead);
            }
            match waiting.peek() {
                Some(&(index, iteration)) if next == Next::At(cycle) => {
                    self.check_range(iteration)?;
                    next = Next::At(cycle + u64::from(self.schedule.interval));
                    if self.may_start(cycle, iteration) {
                        observer.started(cycle, index);
                        self.start(cycle, index, *iteration);
                        waiting.next();
                        if let (true, Pipelining::Innermost { overhead }) =
                            (iteration.ends_loop, self.control.pipelining)
                        {
                            next = Next::Drained {
                                overhead: overhead.into(),
                            };
                        }
                    } else {
                        observer.stalled(cycle);
                        run.stalls += u64::from(self.schedule.interval);
                    }
                }
                None if self.is_idle() => {
                    self.check_memories()?;
                    run.cycles = cycle;
                    break;
                }
                _ => (),
            }
            self.step(cycle, observer)?;
        }
        Ok(run)
    }

    fn is_idle(&self) -> bool {
        self.active.is_empty() && self.pending.is_empty()
    }

    /// Makes writes visible when their latency has passed.
    fn write_back(&mut self, cycle: u64) {
        while self
            .pending
            .front()
            .is_some_and(|write| write.visible <= cycle)
        {
            if let Some(write) = self.pending.pop_front() {
                self.memories[write.memory][write.address][write.component] = write.value;
                self.cells[write.memory][write.address].written_by[write.component] = write.writer;
            }
        }
    }

    /// Checks that the last writer of every word is the same as in program order.
    fn check_memories(&self) -> Result<(), Fault> {
        for (cells, memory) in self.cells.iter().zip(&self.graph.memories) {
            let overtaken = |cell: &Cell| cell.written_by != cell.owner;
            if let Some(address) = cells.iter().position(overtaken) {
                return Err(Fault::Overtaken {
                    memory: memory.name,
                    address,
                });
            }
        }
        Ok(())
    }

    fn check_range(&self, iteration: &Iteration) -> Result<(), Fault> {
        for (node, access) in self.graph.loads().chain(self.graph.stores()) {
            for address in addresses(access, iteration) {
                if address >= self.memories[access.memory].len() {
                    return Err(Fault::OutOfRange {
                        node: self.graph.nodes[node].name.clone(),
                        address,
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns true if `iteration` can read every word when it loads it, or if there is no
    /// interlock.
    fn may_start(&self, cycle: u64, iteration: &Iteration) -> bool {
        if self.control.interlock == Interlock::Absent {
            return true;
        }
        self.graph.loads().all(|(node, access)| {
            let time = cycle + u64::from(self.schedule.starts[node]);
            words(access, iteration).all(|(address, component)| {
                self.cells[access.memory][address].visible[component] <= time
            })
        })
    }

    fn start(&mut self, cycle: u64, index: usize, iteration: Iteration) {
        let mut active = self.retired.pop().unwrap_or_else(|| Active {
            index,
            start: cycle,
            iteration,
            values: vec![0; self.values],
            writers: vec![0; self.values],
            ready: vec![0; self.graph.nodes.len()],
        });
        active.ready.fill(NEVER);
        active.index = index;
        active.start = cycle;
        active.iteration = iteration;
        for (node, access) in self.graph.loads() {
            let writers = &mut active.writers[self.offsets[node]..];
            for (writer, (address, component)) in writers.iter_mut().zip(words(access, &iteration))
            {
                *writer = self.cells[access.memory][address].owner[component];
            }
        }
        for (node, access) in self.graph.stores() {
            let visible = u64::from(self.schedule.starts[node] + self.graph.nodes[node].latency);
            for (address, component) in words(access, &iteration) {
                let cell = &mut self.cells[access.memory][address];
                cell.owner[component] = index as u32;
                cell.visible[component] = cycle + visible;
            }
        }
        self.active.push_back(active);
    }

    /// Executes the operations that the iterations under way have in this cycle.
    fn step(&mut self, cycle: u64, observer: &mut impl Observer) -> Result<(), Fault> {
        for i in 0..self.active.len() {
            let age = (cycle - self.active[i].start) as usize;
            for k in 0..self.by_start[age].len() {
                let node = self.by_start[age][k];
                self.claim(cycle, node)?;
                self.check_operands(cycle, i, node)?;
                self.execute(cycle, i, node)?;
                let active = &self.active[i];
                let values = &active.values[self.offsets[node]..];
                let len = self
                    .offsets
                    .get(node + 1)
                    .map_or(values.len(), |end| end - self.offsets[node]);
                observer.executed(cycle, active.index, node, &values[..len]);
            }
        }
        let last = self.by_start.len() as u64 - 1;
        while self
            .active
            .front()
            .is_some_and(|active| cycle - active.start == last)
        {
            self.retired.extend(self.active.pop_front());
        }
        Ok(())
    }

    fn claim(&mut self, cycle: u64, node: usize) -> Result<(), Fault> {
        let unit = self.graph.nodes[node].unit;
        let claim = &mut self.claims[unit][self.schedule.instances[node]];
        if *claim == cycle + 1 {
            return Err(Fault::UnitConflict {
                cycle,
                unit: self.graph.units[unit].name.clone(),
            });
        }
        *claim = cycle + 1;
        Ok(())
    }

    /// Checks that the operands of `node` are ready, and notes when its results will be ready.
    fn check_operands(&mut self, cycle: u64, active: usize, node: usize) -> Result<(), Fault> {
        let description = &self.graph.nodes[node];
        let active = &mut self.active[active];
        let ready = |node: usize| active.ready[node] <= cycle;
        if !description.inputs.iter().all(|input| ready(input.node)) {
            return Err(Fault::NotReady {
                cycle,
                node: description.name.clone(),
                iteration: active.index,
            });
        }
        active.ready[node] = cycle + u64::from(description.latency);
        Ok(())
    }

    fn execute(&mut self, cycle: u64, active: usize, node: usize) -> Result<(), Fault> {
        let description = &self.graph.nodes[node];
        let operand = |i: usize| {
            let input = description.inputs[i];
            self.active[active].values[self.offsets[input.node] + input.output]
        };
        let subnormals = self.control.subnormals;
        let result = match &description.operation {
            Operation::Load(access) => return self.load(cycle, active, node, access),
            Operation::Store(access) => return self.store(cycle, active, node, access),
            Operation::Multiply => fp::multiply(subnormals, operand(0), operand(1)),
            Operation::Add => fp::add(subnormals, operand(0), operand(1)),
            Operation::Subtract => fp::subtract(subnormals, operand(0), operand(1)),
            Operation::Scale => {
                let by = self.active[active].iteration.scale;
                fp::scale(subnormals, operand(0), i32::from(by))
            }
            Operation::Logic(logic) => logic.evaluate((0..description.inputs.len()).map(operand)),
        };
        self.active[active].values[self.offsets[node]] = result;
        Ok(())
    }

    /// Checks that the words of an access lie in different banks.
    fn check_banks(
        &self,
        cycle: u64,
        node: usize,
        access: &Access,
        iteration: &Iteration,
    ) -> Result<(), Fault> {
        let banking = self.graph.memories[access.memory].banking;
        let mut used = 0u32;
        for address in addresses(access, iteration) {
            let bank = 1 << banking.bank(address, access.part);
            if used & bank != 0 {
                return Err(Fault::BankConflict {
                    cycle,
                    node: self.graph.nodes[node].name.clone(),
                });
            }
            used |= bank;
        }
        Ok(())
    }

    fn load(
        &mut self,
        cycle: u64,
        active: usize,
        node: usize,
        access: &Access,
    ) -> Result<(), Fault> {
        let iteration = self.active[active].iteration;
        self.check_banks(cycle, node, access, &iteration)?;
        let active = &mut self.active[active];
        let places = self.offsets[node]..;
        for (place, (address, component)) in places.zip(words(access, &iteration)) {
            let written_by = self.cells[access.memory][address].written_by[component];
            if written_by != active.writers[place] {
                return Err(Fault::Hazard {
                    cycle,
                    node: self.graph.nodes[node].name.clone(),
                    iteration: active.index,
                    address,
                });
            }
            active.values[place] = self.memories[access.memory][address][component];
        }
        Ok(())
    }

    fn store(
        &mut self,
        cycle: u64,
        active: usize,
        node: usize,
        access: &Access,
    ) -> Result<(), Fault> {
        let iteration = self.active[active].iteration;
        self.check_banks(cycle, node, access, &iteration)?;
        let active = &mut self.active[active];
        let description = &self.graph.nodes[node];
        let places = self.offsets[node]..;
        let operands = description.inputs.iter().zip(places);
        for ((input, place), (address, component)) in operands.zip(words(access, &iteration)) {
            let value = active.values[self.offsets[input.node] + input.output];
            active.values[place] = value;
            let visible = cycle + u64::from(description.latency);
            // The place is almost always the end of the queue, since all stores have the same
            // latency.
            let after = self
                .pending
                .partition_point(|write| write.visible <= visible);
            let write = Pending {
                visible,
                writer: active.index as u32,
                memory: access.memory,
                address,
                component,
                value,
            };
            self.pending.insert(after, write);
        }
        Ok(())
    }
}

/// Returns the addresses of an access.
fn addresses<'a>(access: &'a Access, iteration: &'a Iteration) -> impl Iterator<Item = usize> + 'a {
    let slots = access.slots.iter();
    slots.map(|&slot| iteration.address(slot))
}

/// Returns the address and the part of each value that an access moves.
fn words<'a>(
    access: &'a Access,
    iteration: &'a Iteration,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    addresses(access, iteration).flat_map(|address| {
        let components = access.part.components().iter();
        components.map(move |&component| (address, component))
    })
}
