//! Modulo scheduling: finds when each operation of an iteration starts, given that a new iteration
//! starts every `interval` cycles.
//!
//! The interval is at least the bound of the units (ResMII) and the bound of the recurrences
//! (RecMII). The scheduler tries intervals from the larger bound on, until a schedule keeps every
//! dependence. Source: B. R. Rau, "Iterative modulo scheduling" (1994). Rau's backtracking is not
//! needed: a body has no cycle of dependences within one iteration, so an operation that waits
//! always gets a free unit. Only dependences between iterations can fail.

use crate::graph::{Dependence, Graph, Operation, Unit, UnitKind};

/// Lower bounds on the interval.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Bounds of the units that have operations.
    pub units: Vec<UnitBound>,
    /// The largest latency around a cycle of dependences, divided by the number of iterations that
    /// the cycle spans. 1 if there is no such cycle.
    pub recurrence: u32,
}

/// Bound of a unit: operations of an iteration, divided by the number of units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitBound {
    /// The unit's name.
    pub unit: String,
    /// Number of operations of one iteration.
    pub uses: u32,
    /// Number of units.
    pub count: u32,
}

impl UnitBound {
    /// Returns the cycles that these units need for an iteration.
    pub fn interval(&self) -> u32 {
        self.uses.div_ceil(self.count)
    }
}

impl Bounds {
    /// Computes the bounds of a loop's body.
    pub fn of(graph: &Graph) -> Self {
        let units = graph.units.iter().enumerate();
        let bound = units.map(|(i, unit)| UnitBound {
            unit: unit.name.clone(),
            uses: graph.uses(i) as u32,
            count: unit.count as u32,
        });
        Self {
            units: bound.filter(|bound| bound.uses > 0).collect(),
            recurrence: recurrence_bound(graph),
        }
    }

    /// Smallest interval that the units allow, cycles.
    pub fn resources(&self) -> u32 {
        let intervals = self.units.iter().map(UnitBound::interval);
        intervals.max().unwrap_or(1)
    }

    /// Smallest interval that both bounds allow, cycles.
    pub fn interval(&self) -> u32 {
        self.resources().max(self.recurrence)
    }
}

/// Start and unit of each operation of an iteration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// Cycles from the start of an iteration to the start of the next.
    pub interval: u32,
    /// Start of each node, in cycles from the start of the iteration.
    pub starts: Vec<u32>,
    /// For each node, the instance of its unit that executes it.
    pub instances: Vec<usize>,
}

impl Schedule {
    /// Returns the schedule with the smallest possible interval from `least` to `most`.
    pub fn find(graph: &Graph, least: u32, most: u32) -> Option<Self> {
        let least = least.max(Bounds::of(graph).interval());
        (least..=most).find_map(|interval| Self::with_interval(graph, interval))
    }

    /// Returns the schedule with this interval, or `None` if a dependence between iterations
    /// prevents it or there are too few units.
    pub fn with_interval(graph: &Graph, interval: u32) -> Option<Self> {
        let mut table = Table::new(graph, interval);
        table.place_all()?;
        table.sink_loads();
        let schedule = Self {
            interval,
            starts: table.starts,
            instances: table.instances,
        };
        schedule.broken_rule(graph).is_none().then_some(schedule)
    }

    /// Cycles from the start of an iteration until everything that it writes can be read.
    pub fn depth(&self, graph: &Graph) -> u32 {
        let ends = self.starts.iter().zip(&graph.nodes);
        ends.map(|(start, node)| start + node.latency)
            .max()
            .unwrap_or(0)
    }

    /// Describes the first dependence that is not kept, or the first unit that is used twice in a
    /// cycle. Only compares with the graph, so the check does not depend on how the schedule was
    /// found.
    pub fn broken_rule(&self, graph: &Graph) -> Option<String> {
        for edge in graph.edges() {
            let ready = self.starts[edge.from] + edge.latency;
            if self.starts[edge.to] + self.interval * edge.distance < ready {
                let [from, to] = [edge.from, edge.to].map(|i| &graph.nodes[i].name);
                return Some(format!("{to} starts before {from} is done"));
            }
        }
        let mut used = std::collections::HashSet::new();
        for (i, node) in graph.nodes.iter().enumerate() {
            let slot = self.starts[i] % self.interval;
            let unit = &graph.units[node.unit];
            if self.instances[i] >= unit.count || !used.insert((node.unit, self.instances[i], slot))
            {
                return Some(format!("{} has no {} of its own", node.name, unit.name));
            }
        }
        None
    }
}

/// A schedule under construction: the units taken in each cycle modulo the interval.
struct Table<'a> {
    graph: &'a Graph,
    interval: u32,
    starts: Vec<u32>,
    instances: Vec<usize>,
    /// True for instances that are taken, by unit and cycle.
    taken: Vec<Vec<Vec<bool>>>,
    /// For each node, the number of operations before it on its unit, in program order.
    ranks: Vec<usize>,
    /// Dependences within an iteration.
    edges: Vec<Dependence>,
}

impl<'a> Table<'a> {
    fn new(graph: &'a Graph, interval: u32) -> Self {
        let taken = |unit: &Unit| vec![vec![false; unit.count]; interval as usize];
        let mut before = vec![0; graph.units.len()];
        let ranks = graph.nodes.iter().map(|node| {
            before[node.unit] += 1;
            before[node.unit] - 1
        });
        Self {
            graph,
            interval,
            starts: vec![0; graph.nodes.len()],
            instances: vec![0; graph.nodes.len()],
            ranks: ranks.collect(),
            taken: graph.units.iter().map(taken).collect(),
            edges: graph.edges().filter(|edge| edge.distance == 0).collect(),
        }
    }

    /// Places all nodes as early as possible, beginning with the node that has the longest path to
    /// the end.
    fn place_all(&mut self) -> Option<()> {
        let heights = self.heights();
        let mut placed = vec![false; self.graph.nodes.len()];
        for _ in 0..placed.len() {
            let ready = |i: usize| {
                let mut before = self.edges.iter().filter(|edge| edge.to == i);
                !placed[i] && before.all(|edge| placed[edge.from])
            };
            let candidates = (0..placed.len()).filter(|&i| ready(i));
            let node = candidates.max_by_key(|&i| (heights[i], std::cmp::Reverse(i)))?;
            let before = self.edges.iter().filter(|edge| edge.to == node);
            let earliest = before.map(|edge| self.starts[edge.from] + edge.latency);
            let earliest = earliest.max().unwrap_or(0);
            let start = (earliest..earliest + self.interval)
                .find(|&cycle| self.free_instance(node, cycle).is_some())?;
            self.take(node, start);
            placed[node] = true;
        }
        Some(())
    }

    /// Moves loads to the latest start that their consumers allow, since an early result would wait
    /// in registers.
    fn sink_loads(&mut self) {
        let is_load = |&i: &usize| matches!(self.graph.nodes[i].operation, Operation::Load(_));
        let loads: Vec<usize> = (0..self.starts.len()).filter(is_load).collect();
        for node in loads.into_iter().rev() {
            let after = self.edges.iter().filter(|edge| edge.from == node);
            let latest = after.map(|edge| self.starts[edge.to].checked_sub(edge.latency));
            let Some(Some(latest)) = latest.min() else {
                continue;
            };
            let later = (self.starts[node] + 1..=latest).rev();
            let mut free = later.filter(|&cycle| self.free_instance(node, cycle).is_some());
            if let Some(start) = free.next() {
                let slot = (self.starts[node] % self.interval) as usize;
                self.taken[self.graph.nodes[node].unit][slot][self.instances[node]] = false;
                self.take(node, start);
            }
        }
    }

    fn free_instance(&self, node: usize, cycle: u32) -> Option<usize> {
        let unit = self.graph.nodes[node].unit;
        let instances = &self.taken[unit][(cycle % self.interval) as usize];
        // Lookup tables are wired to their operands, so each operation gets its own tables if there
        // are enough.
        let own = self.ranks[node];
        if self.graph.units[unit].kind == UnitKind::Logic && own < instances.len() {
            return (!instances[own]).then_some(own);
        }
        instances.iter().position(|&taken| !taken)
    }

    fn take(&mut self, node: usize, cycle: u32) {
        if let Some(instance) = self.free_instance(node, cycle) {
            let slot = (cycle % self.interval) as usize;
            self.taken[self.graph.nodes[node].unit][slot][instance] = true;
            self.starts[node] = cycle;
            self.instances[node] = instance;
        }
    }

    /// Returns the length of the longest path from each node's start to the end of the iteration,
    /// in cycles.
    fn heights(&self) -> Vec<u32> {
        let nodes = &self.graph.nodes;
        let mut heights: Vec<u32> = nodes.iter().map(|node| node.latency).collect();
        // In the program's order all dependences within an iteration point forward.
        for from in (0..nodes.len()).rev() {
            for edge in self.edges.iter().filter(|edge| edge.from == from) {
                heights[from] = heights[from].max(edge.latency + heights[edge.to]);
            }
        }
        heights
    }
}

/// Returns the smallest interval such that the latencies around each cycle of dependences do not
/// exceed the interval times the number of iterations that the cycle spans.
fn recurrence_bound(graph: &Graph) -> u32 {
    if graph.dependences.iter().all(|edge| edge.distance == 0) {
        return 1;
    }
    let edges: Vec<Dependence> = graph.edges().collect();
    let most = edges.iter().map(|edge| edge.latency).sum::<u32>().max(1);
    let (mut impossible, mut possible) = (0, most);
    while possible - impossible > 1 {
        let interval = impossible + (possible - impossible) / 2;
        if has_positive_cycle(graph.nodes.len(), &edges, interval) {
            impossible = interval;
        } else {
            possible = interval;
        }
    }
    possible
}

/// Returns true if some cycle of dependences has latencies that add up to more than `interval`
/// times its distances. Then the longest paths of Bellman and Ford's algorithm never settle.
fn has_positive_cycle(nodes: usize, edges: &[Dependence], interval: u32) -> bool {
    let mut longest = vec![0i64; nodes];
    for _ in 0..=nodes {
        let mut settled = true;
        for edge in edges {
            let gain = i64::from(edge.latency) - i64::from(interval) * i64::from(edge.distance);
            if longest[edge.from] + gain > longest[edge.to] {
                longest[edge.to] = longest[edge.from] + gain;
                settled = false;
            }
        }
        if settled {
            return false;
        }
    }
    true
}
