//! A command line and what comes of it.

use assert_cmd::Command;
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// Runs the program in the repository.
pub(crate) fn picloom(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("picloom").unwrap();
    command.env_remove("PICLOOM_ARCHIVE").args(args).output().unwrap()
}

/// Expects that it ends with this code and prints no result; returns what it says.
#[track_caller]
pub(crate) fn refused(args: &[&str], code: i32) -> String {
    let output = picloom(args);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{args:?}: {error}");
    assert!(output.stdout.is_empty(), "{args:?} printed a result");
    error
}

/// The result of a command that succeeds.
#[track_caller]
pub(crate) fn json(args: &[&str]) -> Value {
    let output = picloom(&[args, &["--json"]].concat());
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// A path as an argument.
pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}
