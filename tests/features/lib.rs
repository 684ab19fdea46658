//! The only content of this package is its manifest. Cargo builds a dependency with the features
//! that the selected packages ask for. If this package is selected together with a few others,
//! dependencies get the features that they have in a build of the whole workspace, so existing
//! builds can be reused. A feature that is missing here costs a rebuild and changes no result.
