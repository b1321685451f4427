//! Checks against other people's data, which lie in the folder that `PICLOOM_ARCHIVE` names. Where it is not set every
//! check is listed as ignored, with the reason, and counted so.

use libtest_mimic::{Arguments, Trial};
use std::path::{Path, PathBuf};

/// A check: it is given the folder, and panics where something does not hold.
pub(crate) type Check = fn(&Path);

/// The checks of some modules, each with its name.
macro_rules! checks {
    ($($file:ident::$name:ident,)*) => {
        [$((concat!(stringify!($file), "::", stringify!($name)), $file::$name as archive::Check)),*]
    };
}
pub(crate) use checks;

/// Runs the checks as the test program's command line asks.
pub(crate) fn run<const N: usize>(checks: [(&'static str, Check); N]) -> ! {
    let archive = std::env::var_os("PICLOOM_ARCHIVE").map(PathBuf::from);
    let trials = checks.map(|(name, check)| match archive.clone() {
        Some(folder) => Trial::test(name, move || {
            check(&folder);
            Ok(())
        }),
        None => Trial::test(name, || Ok(()))
            .with_ignored_flag(true)
            .with_kind("PICLOOM_ARCHIVE not set"),
    });
    libtest_mimic::run(&Arguments::from_args(), trials.into()).exit()
}
