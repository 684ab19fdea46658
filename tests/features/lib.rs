//! The only content of this package is its manifest. Cargo builds a dependency with the features
//! that the selected packages ask for. If this package is selected beside a few others, these are
//! the features of the whole workspace, so that existing builds of the workspace can be reused. A
//! feature that is missing here costs a rebuild and changes no result.
