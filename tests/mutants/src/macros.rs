//! Bodies of macros, as code that can be parsed.

use proc_macro2::{Group, TokenStream, TokenTree};
use std::ops::Range;

/// Body of a `macro_rules!` macro: a text with the length of its source file, blank outside of the
/// body.
///
/// Every byte of the body keeps its place, so that places in the text are places in the file. A
/// variable `$name` becomes the name `_name`, and a repetition appears once.
pub struct Body {
    text: Vec<u8>,
    inside: Range<usize>,
}

impl Body {
    /// Extracts the body between the brackets of `group`, a part of `source`.
    fn new(source: &str, group: &Group) -> Self {
        let inside = group.span_open().byte_range().end..group.span_close().byte_range().start;
        let mut text = vec![b' '; source.len()];
        text[inside.clone()].copy_from_slice(&source.as_bytes()[inside.clone()]);
        substitute(&mut text, group.stream());
        Self { text, inside }
    }

    /// Parses the body as items.
    pub fn items(&self) -> syn::Result<syn::File> {
        syn::parse_file(&String::from_utf8_lossy(&self.text))
    }

    /// Parses the body as the statements of a block.
    pub fn block(&self) -> syn::Result<syn::Block> {
        let mut text = self.text.clone();
        text[self.inside.start - 1] = b'{';
        text[self.inside.end] = b'}';
        syn::parse_str(&String::from_utf8_lossy(&text))
    }
}

/// Returns the bodies of `rules`, the rules of a `macro_rules!` in `source`.
pub fn bodies(source: &str, rules: TokenStream) -> Vec<Body> {
    let tokens: Vec<_> = rules.into_iter().collect();
    let rules = tokens.windows(3).filter_map(|tokens| match tokens {
        [
            TokenTree::Punct(_),
            TokenTree::Punct(arrow),
            TokenTree::Group(body),
        ] if arrow.as_char() == '>' => Some(Body::new(source, body)),
        _ => None,
    });
    rules.collect()
}

/// Replaces the variables of `tokens` in `text` by names, and the signs of repetition by blanks.
fn substitute(text: &mut [u8], tokens: TokenStream) {
    let mut tokens = tokens.into_iter();
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Group(group) => substitute(text, group.stream()),
            TokenTree::Punct(dollar) if dollar.as_char() == '$' => {
                let dollar = dollar.span().byte_range();
                let Some(TokenTree::Group(repeated)) = tokens.next() else {
                    text[dollar].fill(b'_');
                    continue;
                };
                for sign in [repeated.span_open(), repeated.span_close()] {
                    text[sign.byte_range()].fill(b' ');
                }
                text[dollar].fill(b' ');
                substitute(text, repeated.stream());
                // The separator and the operator of the repetition.
                for token in tokens.by_ref() {
                    text[token.span().byte_range()].fill(b' ');
                    if matches!(&token, TokenTree::Punct(sign) if "*+?".contains(sign.as_char())) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
}
