//! Nothing but a manifest. Cargo builds a dependency with the features that the selected packages
//! ask for; where this package is selected beside a few others, those are the features of the whole
//! workspace, so that a build of the whole has made them already. A feature that is missing here
//! costs a rebuild and changes no result.
