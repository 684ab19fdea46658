//! Many items on all cores, their results in the order of the items; or on this
//! thread alone, where the system gives no others.

use crate::error::{Error, Result};
use falcon::Threads;
use rayon::{ThreadPoolBuilder, prelude::*};
use std::{
    collections::BTreeMap,
    sync::mpsc::{self, SyncSender},
};

/// Results that may wait for a slower one before them.
const BACKLOG: usize = 1024;

/// Works on every item; `done` gets the results in order, each as soon as it
/// and all before it are there. After an error of `done` no more is begun.
pub(crate) fn for_each_in_order<T: Sync, R: Send, E>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut done: impl FnMut(R) -> Result<(), E>,
) -> Result<(), E> {
    let threads = (items.len() > 1).then(Threads::for_all_cores);
    let Some(pool) = threads.as_ref().and_then(Threads::pool) else {
        return items.iter().try_for_each(|item| done(work(item)));
    };
    let work = &work;
    pool.in_place_scope(|scope| {
        let (sender, results) = mpsc::sync_channel(BACKLOG);
        scope.spawn(move |_| produce(items, work, sender));
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

/// Runs what uses rayon itself.
pub(crate) fn on_all_cores<R: Send>(work: impl FnOnce() -> R + Send) -> Result<R> {
    if let Some(pool) = Threads::for_all_cores().pool() {
        return Ok(pool.install(work));
    }
    // The pool that rayon makes when there is none panics if no thread starts.
    let pool = ThreadPoolBuilder::new()
        .num_threads(1)
        .use_current_thread()
        .build()
        .map_err(|error| Error::new("cannot compute on this thread").because(error))?;
    Ok(pool.install(work))
}

/// Sends until nobody listens any more. `par_bridge` begins the items in
/// order, so few results have to wait.
fn produce<T: Sync, R: Send>(
    items: &[T],
    work: &(impl Fn(&T) -> R + Sync),
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
        let items: Vec<u64> = (0..200).collect();
        let mut seen = Vec::new();
        let work = |&item: &u64| {
            thread::sleep(Duration::from_micros((item * 7919) % 500));
            item
        };
        for_each_in_order(&items, work, |item| {
            seen.push(item);
            Ok::<_, ()>(())
        })
        .unwrap();
        assert_eq!(seen, items);
    }

    #[test]
    fn an_error_stops_the_work() {
        let items = vec![(); 100_000];
        let begun = AtomicUsize::new(0);
        let work = |_: &()| begun.fetch_add(1, Ordering::Relaxed);
        assert_eq!(
            for_each_in_order(&items, work, |_| Err("stop")),
            Err("stop")
        );
        assert!(begun.into_inner() < items.len());
    }
}
