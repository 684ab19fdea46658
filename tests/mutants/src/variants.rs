//! Variants of the crate's enums, which replace each other in mutants.

use std::collections::BTreeMap;
use syn::Fields;
use syn::visit::Visit;

/// The variants of every enum, by its name.
#[derive(Default)]
pub struct Variants(BTreeMap<String, Vec<Variant>>);

/// A variant without named fields.
struct Variant {
    name: String,
    fields: usize,
}

impl Variants {
    /// Adds the enums of a source file.
    pub fn add(&mut self, source: &str) -> syn::Result<()> {
        self.visit_file(&syn::parse_file(source)?);
        Ok(())
    }

    /// Returns the variant that replaces variant `name` of `of`: cyclically the next one with the
    /// same number of fields. Returns `None` if there is no other.
    pub fn other(&self, of: &str, name: &str) -> Option<&str> {
        let variants = self.0.get(of)?;
        let at = variants.iter().position(|variant| variant.name == name)?;
        let mut after = variants[at + 1..].iter().chain(&variants[..at]);
        let other = after.find(|other| other.fields == variants[at].fields)?;
        Some(&other.name)
    }
}

impl Visit<'_> for Variants {
    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        let variants = item.variants.iter().filter_map(|variant| {
            let fields = match &variant.fields {
                Fields::Unit => 0,
                Fields::Unnamed(fields) => fields.unnamed.len(),
                Fields::Named(_) => return None,
            };
            let name = variant.ident.to_string();
            Some(Variant { name, fields })
        });
        self.0.insert(item.ident.to_string(), variants.collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variant_stands_for_another_with_as_many_fields() {
        let mut variants = Variants::default();
        let source = "enum Fit { Padded, Any, Len(u8), Named { len: u8 } } enum One { One }";
        variants.add(source).expect("Rust");
        assert_eq!(variants.other("Fit", "Padded"), Some("Any"));
        assert_eq!(variants.other("Fit", "Any"), Some("Padded"));
        for [of, name] in [
            ["Fit", "Len"],
            ["Fit", "Named"],
            ["One", "One"],
            ["No", "One"],
        ] {
            assert_eq!(variants.other(of, name), None, "{of}::{name}");
        }
    }
}
