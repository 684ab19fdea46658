//! Puts every mutant into the source beside the original, behind a switch.

use crate::sites::{Form, Mutant};
use std::collections::BTreeMap;
use std::ops::Range;

/// A range of a rewritten file, and the mutants that cause a compiler's error in this range.
pub type Placed = (Range<usize>, Vec<u32>);

/// A rewritten file.
pub struct Rewritten {
    /// Source with switches.
    pub source: String,
    /// Ranges of the mutants.
    pub placed: Vec<Placed>,
}

/// Mutants of the same place in the source.
struct Site<'a> {
    form: Form,
    range: Range<usize>,
    mutants: Vec<(u32, &'a Mutant)>,
}

/// Puts `mutants` into `source`, each with the number that switches it on.
///
/// The branch of a mutant contains the original operands without their switches, since only one
/// mutant is on at a time. So a file grows with the depth of its expressions, not exponentially.
pub fn rewrite<'a>(source: &str, mutants: impl Iterator<Item = (u32, &'a Mutant)>) -> Rewritten {
    // Outer sites come first. At one place, code that runs before the expression comes first.
    let mut sites = BTreeMap::new();
    for (id, mutant) in mutants {
        let Range { start, end } = mutant.range;
        let order = match mutant.form {
            Form::Entry => 0,
            Form::Statement => 1,
            Form::Expression => 2,
            Form::Wiper => 3,
        };
        let site = sites.entry((start, usize::MAX - end, order));
        let site = site.or_insert_with(|| Site {
            form: mutant.form,
            range: start..end,
            mutants: Vec::new(),
        });
        site.mutants.push((id, mutant));
    }
    // An empty range sorts after other sites that begin at the same place. There are no such sites,
    // since a function's body begins after its brace.
    let sites: Vec<_> = sites.into_values().collect();
    let mut out = Rewritten {
        source: String::new(),
        placed: Vec::new(),
    };
    let mut rest = &sites[..];
    render(source, 0..source.len(), &mut rest, &mut out);
    out
}

/// Writes `range` of `source` with the mutants of the `sites` inside the range, and removes these
/// sites from `sites`.
fn render(source: &str, range: Range<usize>, sites: &mut &[Site<'_>], out: &mut Rewritten) {
    let mut at = range.start;
    while let Some((site, rest)) = sites.split_first()
        && site.range.end <= range.end
    {
        *sites = rest;
        out.source.push_str(&source[at..site.range.start]);
        at = site.range.end;
        let begin = out.source.len();
        let numbers = site.mutants.iter().map(|(id, _)| *id);
        match site.form {
            Form::Entry => {
                for (id, mutant) in &site.mutants {
                    let begin = out.source.len();
                    out.source += &format!(" if crate::mutants::is({id}) {{ {} }}", mutant.code);
                    out.placed.push((begin..out.source.len(), vec![*id]));
                }
            }
            Form::Statement => {
                let switches: Vec<_> = numbers.clone().map(switch).collect();
                out.source += &format!("if !({}) {{ ", switches.join(" || "));
                render(source, site.range.clone(), sites, out);
                out.source += " }";
            }
            Form::Wiper => {
                for (id, _) in &site.mutants {
                    out.source += &format!("crate::mutants::wiped::<{id}, _>");
                }
            }
            Form::Expression => {
                out.source.push('(');
                for (id, mutant) in &site.mutants {
                    let begin = out.source.len();
                    out.source += &format!("if {} {{ ({}) }} else ", switch(*id), mutant.code);
                    out.placed.push((begin..out.source.len(), vec![*id]));
                }
                out.source += "{ ";
                render(source, site.range.clone(), sites, out);
                out.source += " })";
            }
        }
        out.placed
            .push((begin..out.source.len(), numbers.collect()));
    }
    out.source.push_str(&source[at..range.end]);
}

/// Returns the condition under which a mutant is on.
fn switch(id: u32) -> String {
    format!("crate::mutants::is({id})")
}

/// Part of the module for buffers that are wiped.
const WIPED: &str = "
use core::ops::{Deref, DerefMut};
use zeroize::Zeroize;

/// Wipes its value when it is dropped, unless the mutant that it was made with is on.
pub(crate) struct Wiped<T: Zeroize>(T, bool);

#[inline(always)]
pub(crate) fn wiped<const ID: u32, T: Zeroize>(value: T) -> Wiped<T> {
    Wiped(value, !is(ID))
}

impl<T: Zeroize> Drop for Wiped<T> {
    fn drop(&mut self) {
        if self.1 {
            self.0.zeroize();
        }
    }
}

impl<T: Zeroize> Deref for Wiped<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}
";

/// Returns the module `mutants` of a rewritten crate with `count` mutants. The environment variable
/// `FALCON_MUTANT` switches one on. `FALCON_MUTANT_LOG` names a file to which the number of every
/// reached mutant is written. With `wipes`, the module also has the buffer that a mutant leaves
/// unwiped. The crate then depends on `zeroize`.
pub fn switches(count: usize, wipes: bool) -> String {
    let code = format!(
        r#"
extern crate std;
use core::sync::atomic::{{AtomicBool, AtomicU32, Ordering::Relaxed}};
use std::io::Write;

const UNKNOWN: u32 = u32::MAX;
const LOGGING: u32 = u32::MAX - 1;
const NONE: u32 = u32::MAX - 2;
static CHOSEN: AtomicU32 = AtomicU32::new(UNKNOWN);
static REACHED: [AtomicBool; {count}] = [const {{ AtomicBool::new(false) }}; {count}];

#[inline(always)]
pub(crate) fn is(id: u32) -> bool {{
    let chosen = CHOSEN.load(Relaxed);
    if chosen < LOGGING {{ chosen == id }} else {{ look(id) }}
}}

#[cold]
#[inline(never)]
fn look(id: u32) -> bool {{
    if REACHED[id as usize].load(Relaxed) {{
        return false;
    }}
    let log = std::env::var_os("FALCON_MUTANT_LOG");
    if CHOSEN.load(Relaxed) == UNKNOWN {{
        let chosen = std::env::var("FALCON_MUTANT").ok().and_then(|id| id.parse().ok());
        let silent = if log.is_some() {{ LOGGING }} else {{ NONE }};
        CHOSEN.store(chosen.unwrap_or(silent), Relaxed);
        return is(id);
    }}
    if let Some(log) = log && !REACHED[id as usize].swap(true, Relaxed) {{
        let file = std::fs::OpenOptions::new().create(true).append(true).open(log);
        let mut file = file.expect("the log of mutants");
        file.write_all(std::format!("{{id}}\n").as_bytes()).expect("the log of mutants");
    }}
    false
}}
"#
    );
    if wipes { code + WIPED } else { code }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sites;
    use crate::variants::Variants;

    #[test]
    fn mutants_stand_beside_the_original() {
        let source = "fn f(x: u8) -> u8 { g(); x & 1 }";
        let mutants = sites::mutants(source, &Variants::default()).expect("Rust");
        let rewritten = rewrite(source, (0..).zip(&mutants));
        assert_eq!(
            rewritten.source,
            "fn f(x: u8) -> u8 { if !(crate::mutants::is(0)) { g(); } \
             (if crate::mutants::is(1) { (x | 1) } else { x & \
             (if crate::mutants::is(2) { ((1 + 1)) } \
             else if crate::mutants::is(3) { ((1 - 1)) } else { 1 }) }) }"
        );
        syn::parse_file(&rewritten.source).expect("Rust");
    }
}
