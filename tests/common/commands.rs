//! The command, run in the repository.

use std::path::Path;

/// The repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The answer to a line with `--json`.
pub(crate) fn json(line: &str) -> serde_json::Value {
    let mut command = assert_cmd::Command::cargo_bin("picloom").unwrap();
    let output = command.current_dir(root()).args(line.split(' ')).arg("--json").output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {error}");
    serde_json::from_slice(&output.stdout).unwrap()
}
