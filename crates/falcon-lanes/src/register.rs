//! Operations that every type of register has.

use crate::Isa;

/// [`LEN`](Self::LEN) values in a register of `I`, or in several registers.
///
/// A value can be made only from a token. So it proves that the processor has the features. A type
/// may belong to several instruction sets.
pub trait Register<I>: Copy + 'static {
    /// Value of one lane.
    type Value: Copy + 'static;
    /// Number of lanes.
    const LEN: usize;
    /// An array of [`LEN`](Self::LEN) elements.
    type Of<T: 'static>: 'static;

    /// Cuts `x` into arrays, without the elements that are left over.
    fn chunks<T: 'static>(x: &[T]) -> &[Self::Of<T>];
    /// Returns [`chunks`](Self::chunks) for writing.
    fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [Self::Of<T>];

    /// Loads the values of `x`.
    fn load(isa: I, x: &Self::Of<Self::Value>) -> Self;
    /// Returns `x` in every lane.
    fn splat(isa: I, x: Self::Value) -> Self;
    /// Writes the values to `out`.
    fn store(self, out: &mut Self::Of<Self::Value>);
}

/// Defines the items of [`Register`] that depend only on its length.
#[macro_export]
macro_rules! register_of {
    ($len:expr) => {
        const LEN: usize = $len;
        type Of<T: 'static> = [T; $len];

        #[inline(always)]
        fn chunks<T: 'static>(x: &[T]) -> &[[T; $len]] {
            x.as_chunks().0
        }
        #[inline(always)]
        fn chunks_mut<T: 'static>(x: &mut [T]) -> &mut [[T; $len]] {
            x.as_chunks_mut().0
        }
    };
}

/// Implements [`Register`] for a single value, which needs no proof of features.
macro_rules! single {
    ($($value:ty),*) => {$(
        impl<I: Isa> Register<I> for $value {
            type Value = $value;
            register_of!(1);

            #[inline(always)]
            fn load(_: I, &[x]: &[$value; 1]) -> $value {
                x
            }
            #[inline(always)]
            fn splat(_: I, x: $value) -> $value {
                x
            }
            #[inline(always)]
            fn store(self, out: &mut [$value; 1]) {
                *out = [self];
            }
        }
    )*};
}

single!(f64, u64, u32, i16);
