//! Processes many items on all cores, in groups. The results come in the order of the items. If no
//! threads can be started, this thread does all the work.

use crate::error::{Error, Result};
use falcon_core::Threads;
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    sync::mpsc::{self, SyncSender},
    thread::available_parallelism,
};

/// Number of items of the largest group on the CPU. Such a group fills all lanes of an engine
/// several times and needs little memory.
const GROUP: usize = 64;

/// Number of groups whose results may wait until `done` has handled earlier results.
const BACKLOG: usize = 64;

/// Rules for the groups of [`for_each_in_order`].
#[derive(Clone, Copy)]
pub(crate) struct Grouping<A> {
    /// Number of items that an engine works on at once.
    pub(crate) lanes: usize,
    /// Returns true for an item that forms a group of its own.
    pub(crate) alone: A,
}

impl<A> Grouping<A> {
    /// Divides the items into groups of neighbours, small enough that every core gets a group.
    fn groups<'t, T>(&self, items: &'t [T]) -> Vec<&'t [T]>
    where
        A: Fn(&T) -> bool,
    {
        let cores = available_parallelism().map_or(1, NonZeroUsize::get);
        let most = items.len().div_ceil(cores).next_multiple_of(self.lanes);
        // A GPU computes more items at once than the cores do.
        let most = most.min(GROUP.max(self.lanes));
        let runs = items.chunk_by(|a, b| !(self.alone)(a) && !(self.alone)(b));
        runs.flat_map(|run| run.chunks(most)).collect()
    }
}

/// Works on every item, one group at a time. `done` gets the results in the order of the items,
/// each as soon as all earlier ones exist. If `done` fails, the work stops after the groups in
/// progress.
pub(crate) fn for_each_in_order<T: Sync, R: Send, E>(
    items: &[T],
    grouping: Grouping<impl Fn(&T) -> bool>,
    work: impl Fn(&[T]) -> Vec<R> + Sync,
    done: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let groups = &grouping.groups(items)[..];
    let threads = (groups.len() > 1).then(Threads::for_all_cores);
    let pool = threads.as_ref().and_then(Threads::pool);
    for_each_in_order_on(pool, groups, work, done)
}

/// Does the same as [`for_each_in_order`] on the threads of `pool`.
pub(crate) fn for_each_in_order_on<T: Sync, R: Send, E>(
    pool: Option<&ThreadPool>,
    groups: &[&[T]],
    work: impl Fn(&[T]) -> Vec<R> + Sync,
    mut done: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let mut done = |results: Vec<R>| results.into_iter().try_for_each(&mut done);
    let Some(pool) = pool else {
        return groups.iter().try_for_each(|group| done(work(group)));
    };
    let work = &work;
    pool.in_place_scope(|scope| {
        let (sender, results) = mpsc::sync_channel(BACKLOG);
        scope.spawn(move |_| produce(groups, |group| work(group), sender));
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (index, result) in results {
            waiting.insert(index, result);
            while let Some(result) = waiting.remove(&next) {
                done(result)?;
                next += 1;
            }
        }
        Ok(())
    })
}

/// Runs work that uses rayon itself, on all cores.
pub(crate) fn on_all_cores<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R> {
    if let Some(pool) = Threads::for_all_cores().pool() {
        return Ok(pool.install(work));
    }
    on_this_thread(work)
}

/// Runs work that uses rayon itself on this thread, if there is one core or no thread can be
/// started. The pool that rayon makes by default would panic.
fn on_this_thread<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R> {
    // A thread can join only one pool in its life.
    if rayon::current_thread_index().is_some() {
        return Ok(work());
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()
        .map_err(|error| Error::new("cannot compute on this thread").because(error))?;
    Ok(pool.install(work))
}

/// Sends the results until the receiver is dropped. `par_bridge` begins the items in order, so few
/// results have to wait.
fn produce<T: Sync, R: Send>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    sender: SyncSender<(usize, R)>,
) {
    let _ = items
        .iter()
        .enumerate()
        .par_bridge()
        .try_for_each_with(sender, |sender, (index, item)| {
            sender.send((index, work(item)))
        });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        thread,
        time::Duration,
    };

    #[test]
    fn results_come_in_the_order_of_the_items() {
        let items: Vec<u64> = (0..2000).collect();
        for lanes in [1, 4, 100] {
            let mut seen = Vec::new();
            let alone = |item: &u64| item % 100 < 10;
            let work = |group: &[u64]| {
                assert!(group.len() == 1 || !group.iter().any(alone));
                assert!(group.len() <= GROUP.max(lanes));
                thread::sleep(Duration::from_micros((group[0] * 7919) % 500));
                group.to_vec()
            };
            for_each_in_order(&items, Grouping { lanes, alone }, work, |item| {
                seen.push(item);
                Ok::<_, ()>(())
            })
            .unwrap();
            assert_eq!(seen, items);
        }
    }

    #[test]
    fn one_thread_works_on_one_thing_after_the_other() {
        for items in [10, 20] {
            let sum = on_this_thread(|| (0..items).into_par_iter().sum::<u64>());
            assert_eq!(sum.unwrap(), items * (items - 1) / 2);
        }
    }

    #[test]
    fn an_error_stops_the_work() {
        let items = vec![(); 1_000_000];
        let begun = AtomicUsize::new(0);
        let work = |group: &[()]| {
            begun.fetch_add(group.len(), Ordering::Relaxed);
            group.to_vec()
        };
        let grouping = Grouping {
            lanes: 1,
            alone: |_: &()| false,
        };
        assert_eq!(
            for_each_in_order(&items, grouping, work, |_| Err("stop")),
            Err("stop")
        );
        assert!(begun.into_inner() < items.len());
    }
}
