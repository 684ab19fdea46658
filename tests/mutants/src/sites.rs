//! Mutation sites: the expressions, statements and functions of a source file that can be mutated.

use crate::macros;
use crate::variants::Variants;
use proc_macro2::Span;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Expr, Lit, ReturnType, Stmt, Type, UnOp};

/// Kind of change that a mutant makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// `code` replaces the expression at `range`.
    Expression,
    /// The mutant leaves out the statement at `range`.
    Statement,
    /// `code` runs at the empty `range`, the beginning of a function.
    Entry,
    /// The function at `range` makes a buffer. The mutant does not wipe this buffer when it is
    /// dropped.
    Wiper,
}

/// One change of one file.
#[derive(Debug)]
pub struct Mutant {
    /// Function, with its type or trait.
    pub function: String,
    /// Source line with the change in brackets, `[old => new]`.
    pub text: String,
    /// Kind of change.
    pub form: Form,
    /// Bytes of the source that change.
    pub range: Range<usize>,
    /// Code of the mutant.
    pub code: String,
}

impl Mutant {
    /// True if the mutant removes a wipe.
    pub fn removes_a_wipe(&self) -> bool {
        let wipes = ["wipe", "zeroize()"]
            .iter()
            .any(|name| self.text.contains(name));
        self.form == Form::Wiper || self.form == Form::Statement && wipes
    }
}

/// Returns all mutants of `source`. Some of them replace a variant of an enum in `variants` by
/// another one.
pub fn mutants(source: &str, variants: &Variants) -> syn::Result<Vec<Mutant>> {
    let file = syn::parse_file(source)?;
    let mut finder = Finder {
        source,
        variants,
        function: Vec::new(),
        self_type: String::new(),
        returns_wiped: false,
        found: Ok(Vec::new()),
    };
    finder.visit_file(&file);
    finder.found
}

struct Finder<'a> {
    source: &'a str,
    variants: &'a Variants,
    /// Macros, types and functions around the current place.
    function: Vec<String>,
    /// Name of the type that is `Self`.
    self_type: String,
    /// True in a function that returns a wiped buffer. The compiler then knows the type of the
    /// buffer.
    returns_wiped: bool,
    /// The mutants found, or the error of a macro body that cannot be parsed.
    found: syn::Result<Vec<Mutant>>,
}

/// True if the item is compiled only for tests, fuzzing or the constant-time check, under a
/// condition with `not`, or only for AArch64.
fn is_left_out(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let text = match &attribute.meta {
            syn::Meta::List(list) => list.tokens.to_string(),
            _ => String::new(),
        };
        let words = || text.split(|c: char| !c.is_alphanumeric());
        path.is_ident("test")
            || path.is_ident("cfg")
                && (words().any(|word| ["test", "not", "ct", "fuzzing"].contains(&word))
                    || words().any(|word| word == "aarch64") && !text.contains("x86_64"))
    })
}

/// Returns `text` with runs of white space replaced by one blank.
fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns true if `condition` binds names. Such a condition cannot be an operand.
fn binds(condition: &Expr) -> bool {
    match condition {
        Expr::Let(_) => true,
        Expr::Binary(binary) => binds(&binary.left) || binds(&binary.right),
        _ => false,
    }
}

/// Returns the operators that replace an operator.
fn other_operators(op: &BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Lt(_) => &["<=", ">="],
        BinOp::Le(_) => &["<", ">"],
        BinOp::Gt(_) => &[">=", "<="],
        BinOp::Ge(_) => &[">", "<"],
        BinOp::Eq(_) => &["!="],
        BinOp::Ne(_) => &["=="],
        BinOp::Add(_) => &["-"],
        BinOp::Sub(_) => &["+"],
        BinOp::Mul(_) => &["+"],
        BinOp::Rem(_) => &["/"],
        BinOp::BitAnd(_) => &["|"],
        BinOp::BitOr(_) => &["&"],
        BinOp::BitXor(_) => &["&"],
        BinOp::And(_) => &["||"],
        BinOp::Or(_) => &["&&"],
        BinOp::Shl(_) => &[">>"],
        BinOp::Shr(_) => &["<<"],
        BinOp::AddAssign(_) => &["-="],
        BinOp::SubAssign(_) => &["+="],
        BinOp::BitAndAssign(_) => &["|="],
        BinOp::BitOrAssign(_) => &["&="],
        BinOp::ShlAssign(_) => &[">>="],
        BinOp::ShrAssign(_) => &["<<="],
        _ => &[],
    }
}

/// Methods that replace each other.
const METHODS: [[&str; 2]; 5] = [
    ["wrapping_add", "wrapping_sub"],
    ["min", "max"],
    ["is_some", "is_none"],
    ["is_ok", "is_err"],
    ["any", "all"],
];

/// Returns the statements with which a function can return at once, without doing its work.
fn early_results(output: &ReturnType) -> &'static [&'static str] {
    let ReturnType::Type(_, ty) = output else {
        return &["return;"];
    };
    let Type::Path(path) = &**ty else {
        return &[];
    };
    let Some(last) = path.path.segments.last() else {
        return &[];
    };
    let unit = |arguments: &syn::PathArguments| match arguments {
        syn::PathArguments::AngleBracketed(list) => matches!(
            list.args.first(),
            Some(syn::GenericArgument::Type(Type::Tuple(tuple))) if tuple.elems.is_empty()
        ),
        _ => false,
    };
    match last.ident.to_string().as_str() {
        "bool" => &["return true;", "return false;"],
        "Option" => &["return None;"],
        "Result" if unit(&last.arguments) => &["return Ok(());"],
        _ => &[],
    }
}

impl Finder<'_> {
    fn slice(&self, span: Span) -> &str {
        &self.source[span.byte_range()]
    }

    /// Adds a mutant, shown as `old` (a range of the source) changed to `new`.
    fn add(&mut self, form: Form, range: Range<usize>, code: String, old: Range<usize>, new: &str) {
        let begin = self.source[..old.start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.source[old.end..];
        let rest = &rest[..rest.find('\n').unwrap_or(rest.len())];
        let text = match form {
            Form::Expression | Form::Wiper => format!(
                "{}[{} => {new}]{}",
                self.source[begin..old.start].trim_start(),
                on_one_line(&self.source[old]),
                rest.split("//").next().unwrap_or_default().trim_end(),
            ),
            _ => format!("[{} => {new}]", on_one_line(&self.source[old])),
        };
        let mutant = Mutant {
            function: self.function.join("::"),
            text,
            form,
            range,
            code,
        };
        if let Ok(found) = &mut self.found {
            found.push(mutant);
        }
    }

    /// Adds a mutant of `expr` for each of `new`, which replaces `old`.
    fn replace(&mut self, expr: Range<usize>, old: Range<usize>, new: &[&str]) {
        for new in new {
            let before = &self.source[expr.start..old.start];
            let after = &self.source[old.end..expr.end];
            let code = format!("{before}{new}{after}");
            self.add(Form::Expression, expr.clone(), code, old.clone(), new);
        }
    }

    /// Adds mutants in which a condition is replaced by a constant.
    fn force(&mut self, condition: &Expr, results: &[&str]) {
        if !binds(condition) {
            let range = condition.span().byte_range();
            self.replace(range.clone(), range, results);
        }
    }

    fn literal(&mut self, range: Range<usize>, literal: &Lit) {
        let text = self.source[range.clone()].to_owned();
        let (more, less) = match literal {
            Lit::Bool(value) => (format!("{}", !value.value), None),
            Lit::Float(_) => (format!("({text} + 1.0)"), None),
            // Most zeros here are unsigned, and `0 - 1` would overflow.
            Lit::Int(value) if value.base10_digits() == "0" => (format!("({text} + 1)"), None),
            Lit::Int(_) => (format!("({text} + 1)"), Some(format!("({text} - 1)"))),
            _ => return,
        };
        self.replace(range.clone(), range.clone(), &[&more]);
        if let Some(less) = less {
            self.replace(range.clone(), range, &[&less]);
        }
    }

    /// Adds the mutant of a `path` to a variant of an enum. The variant with its fields is at
    /// `range`.
    fn variant(&mut self, range: Range<usize>, path: &syn::Path) {
        let mut names = path.segments.iter().rev().map(|part| &part.ident);
        let (Some(name), Some(of)) = (names.next(), names.next()) else {
            return;
        };
        let of = of.to_string();
        let of = if of == "Self" { &self.self_type } else { &of };
        if let Some(other) = self.variants.other(of, &name.to_string()) {
            self.replace(range, name.span().byte_range(), &[other]);
        }
    }

    /// Visits the body of a function, unless the function is left out or `const`.
    fn function(
        &mut self,
        attributes: &[Attribute],
        signature: &syn::Signature,
        body: &syn::Block,
    ) {
        if is_left_out(attributes) || signature.constness.is_some() {
            return;
        }
        self.function.push(signature.ident.to_string());
        if !body.stmts.is_empty() {
            let at = body.brace_token.span.open().byte_range().end;
            let name = signature.fn_token.span.byte_range().start;
            let name = name..signature.ident.span().byte_range().end;
            for result in early_results(&signature.output) {
                self.add(
                    Form::Entry,
                    at..at,
                    (*result).to_owned(),
                    name.clone(),
                    result,
                );
            }
        }
        let output = self.slice(signature.output.span());
        self.returns_wiped = output.contains("Zeroizing");
        self.visit_block(body);
        self.returns_wiped = false;
        self.function.pop();
    }

    /// Adds the mutant of a call of `function`, which makes a buffer that is wiped when dropped.
    fn wiper(&mut self, function: &syn::Path) {
        let range = function.span().byte_range();
        if self.slice(function.span()) == "Zeroizing::new" && !self.returns_wiped {
            let old = range.clone();
            self.add(Form::Wiper, range, String::new(), old, "not wiped");
        }
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.function(&item.attrs, &item.sig, &item.block);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        if let Some(body) = &item.default {
            self.function(&item.attrs, &item.sig, body);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if is_left_out(&item.attrs) {
            return;
        }
        let mut name = on_one_line(self.slice(item.self_ty.span()));
        if let Some((_, path, _)) = &item.trait_ {
            name = format!("{} for {name}", on_one_line(self.slice(path.span())));
        }
        self.function.push(name);
        let last = match &*item.self_ty {
            Type::Path(path) => path.path.segments.last(),
            _ => None,
        };
        self.self_type = last.map_or_else(String::new, |last| last.ident.to_string());
        visit::visit_item_impl(self, item);
        self.function.pop();
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.function.push(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.function.pop();
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_left_out(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_macro(&mut self, item: &'ast syn::ItemMacro) {
        let Some(name) = &item.ident else {
            return; // not a definition
        };
        // If a macro defines further macros, these only choose among calls.
        let nested = self.function.last().is_some_and(|name| name.ends_with('!'));
        if nested || is_left_out(&item.attrs) {
            return;
        }
        self.function.push(format!("{name}!"));
        for body in macros::bodies(self.source, item.mac.tokens.clone()) {
            if let Ok(items) = body.items() {
                visit::visit_file(self, &items);
            } else {
                match body.block() {
                    Ok(block) => visit::visit_block(self, &block),
                    Err(error) => self.found = Err(error),
                }
            }
        }
        self.function.pop();
    }

    // The compiler computes constants, so no mutant can be selected there. The other items are not
    // expressions.
    fn visit_item_const(&mut self, _: &'ast syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'ast syn::TraitItemConst) {}
    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}
    fn visit_item_enum(&mut self, _: &'ast syn::ItemEnum) {}
    fn visit_type(&mut self, _: &'ast Type) {}
    fn visit_pat(&mut self, _: &'ast syn::Pat) {}
    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}
    fn visit_generics(&mut self, _: &'ast syn::Generics) {}
    fn visit_attribute(&mut self, _: &'ast Attribute) {}

    fn visit_expr_repeat(&mut self, expr: &'ast syn::ExprRepeat) {
        self.visit_expr(&expr.expr);
    }

    fn visit_stmt(&mut self, statement: &'ast Stmt) {
        if let Stmt::Expr(Expr::If(syn::ExprIf { attrs, .. }), _) = statement
            && is_left_out(attrs)
        {
            return;
        }
        if let Stmt::Expr(expr, Some(_)) = statement {
            let call = match expr {
                Expr::Try(inner) => &*inner.expr,
                expr => expr,
            };
            if let Expr::Call(syn::ExprCall { attrs, .. })
            | Expr::MethodCall(syn::ExprMethodCall { attrs, .. }) = call
                && attrs.is_empty()
            {
                let range = statement.span().byte_range();
                self.add(Form::Statement, range.clone(), String::new(), range, "");
            }
        }
        visit::visit_stmt(self, statement);
    }

    fn visit_expr_binary(&mut self, expr: &'ast syn::ExprBinary) {
        if !binds(&expr.left) && !binds(&expr.right) {
            let op = expr.op.span().byte_range();
            self.replace(expr.span().byte_range(), op, other_operators(&expr.op));
        }
        visit::visit_expr_binary(self, expr);
    }

    fn visit_expr_unary(&mut self, expr: &'ast syn::ExprUnary) {
        let range = expr.span().byte_range();
        match (&expr.op, &*expr.expr) {
            (UnOp::Neg(_), Expr::Lit(literal)) => {
                self.literal(range, &literal.lit);
                return;
            }
            (UnOp::Neg(_) | UnOp::Not(_), _) => {
                let op = expr.op.span().byte_range();
                self.replace(range, op, &[""]);
            }
            _ => {}
        }
        visit::visit_expr_unary(self, expr);
    }

    fn visit_expr_lit(&mut self, expr: &'ast syn::ExprLit) {
        self.literal(expr.span().byte_range(), &expr.lit);
    }

    fn visit_expr_path(&mut self, expr: &'ast syn::ExprPath) {
        self.variant(expr.span().byte_range(), &expr.path);
    }

    fn visit_expr_call(&mut self, expr: &'ast syn::ExprCall) {
        // The replaced range includes the fields. If another variant has different fields, the
        // mutant does not compile.
        match &*expr.func {
            Expr::Path(function) => {
                self.variant(expr.span().byte_range(), &function.path);
                self.wiper(&function.path);
            }
            function => self.visit_expr(function),
        }
        expr.args
            .iter()
            .for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_if(&mut self, expr: &'ast syn::ExprIf) {
        self.force(&expr.cond, &["true", "false"]);
        visit::visit_expr_if(self, expr);
    }

    fn visit_expr_while(&mut self, expr: &'ast syn::ExprWhile) {
        self.force(&expr.cond, &["false"]);
        visit::visit_expr_while(self, expr);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.force(guard, &["true", "false"]);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr_method_call(&mut self, expr: &'ast syn::ExprMethodCall) {
        for [one, other] in METHODS {
            for [from, to] in [[one, other], [other, one]] {
                if expr.method == from {
                    let method = expr.method.span().byte_range();
                    self.replace(expr.span().byte_range(), method, &[to]);
                }
            }
        }
        visit::visit_expr_method_call(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operator_has_its_mutants_and_constants_have_none() {
        let source = "
            const TABLE: [u8; 2 + 2] = [1 + 1; 4];
            const fn constant() -> u8 { 1 + 1 }
            impl Drop for Key {
                fn drop(&mut self) {
                    self.f.zeroize();
                }
            }
            fn check(x: u8) -> Result<(), Error> {
                let small = [0; 16];
                if x < 3 && !small.is_empty() {
                    return Err(Error);
                }
                inner(x)?;
                Ok(())
            }
            enum Fit { Padded, Any }
            impl Fit {
                fn of(any: bool) -> Self { if any { Self::Any } else { Fit::Padded } }
            }
            macro_rules! signers {
                ($name:ident, $($keys:ty),*) => {
                    impl<$($keys),*> Signer for $name {
                        fn sign(&self) { $(check::<$keys>(self);)* }
                    }
                };
                ($x:expr) => { f($x, 5) };
            }
            fn secret() { let mut seed = Zeroizing::new(x); }
            fn random() -> Zeroizing<u8> { Zeroizing::new(x) }
            #[cfg(test)]
            mod tests { fn unseen() { call(1); } }
        ";
        let mut variants = Variants::default();
        variants.add(source).expect("Rust");
        let found = mutants(source, &variants).expect("Rust");
        let shown: Vec<_> = found
            .iter()
            .map(|mutant| format!("{}: {}", mutant.function, mutant.text))
            .collect();
        let expected = [
            "Drop for Key::drop: [fn drop => return;]",
            "Drop for Key::drop: [self.f.zeroize(); => ]",
            "check: [fn check => return Ok(());]",
            "check: let small = [[0 => (0 + 1)]; 16];",
            "check: if [x < 3 && !small.is_empty() => true] {",
            "check: if [x < 3 && !small.is_empty() => false] {",
            "check: if x < 3 [&& => ||] !small.is_empty() {",
            "check: if x [< => <=] 3 && !small.is_empty() {",
            "check: if x [< => >=] 3 && !small.is_empty() {",
            "check: if x < [3 => (3 + 1)] && !small.is_empty() {",
            "check: if x < [3 => (3 - 1)] && !small.is_empty() {",
            "check: if x < 3 && [! => ]small.is_empty() {",
            "check: [inner(x)?; => ]",
            "Fit::of: fn of(any: bool) -> Self { if [any => true] { Self::Any } else { Fit::Padded } }",
            "Fit::of: fn of(any: bool) -> Self { if [any => false] { Self::Any } else { Fit::Padded } }",
            "Fit::of: fn of(any: bool) -> Self { if any { Self::[Any => Padded] } else { Fit::Padded } }",
            "Fit::of: fn of(any: bool) -> Self { if any { Self::Any } else { Fit::[Padded => Any] } }",
            "signers!::Signer for $name::sign: [fn sign => return;]",
            "signers!::Signer for $name::sign: [check::<$keys>(self); => ]",
            "signers!: ($x:expr) => { f($x, [5 => (5 + 1)]) };",
            "signers!: ($x:expr) => { f($x, [5 => (5 - 1)]) };",
            "secret: [fn secret => return;]",
            "secret: fn secret() { let mut seed = [Zeroizing::new => not wiped](x); }",
        ];
        assert_eq!(shown, expected);
    }
}
