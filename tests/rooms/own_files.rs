//! Files: read with a bound, written whole, never through a link; nobody else's is removed.

use picloom::base::files::{
    MARKER, create_folder, hidden_beside, open_log, open_own, open_shared_log, read_plain,
    read_text, remove_leftovers, write_atomic, write_new,
};
use picloom::base::process::place;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

#[test]
fn of_several_who_make_a_new_file_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    let texts: Vec<String> = (0..8).map(|i| i.to_string().repeat(10_000)).collect();
    let make = |text: &String| write_new(&path, text.as_bytes()).map_err(|e| e.source.kind());
    let made: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = texts.iter().map(|text| scope.spawn(move || make(text))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let winner = made.iter().position(Result::is_ok).unwrap();
    assert_eq!(made.iter().filter(|one| **one == Err(ErrorKind::AlreadyExists)).count(), 7);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), texts[winner]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn a_file_that_is_too_large_or_no_file_is_refused_with_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    std::fs::write(&path, "12345").unwrap();
    assert_eq!(read_plain(&path, 5).unwrap(), b"12345");
    let error = read_text(&path, 4).unwrap_err().to_string();
    assert_eq!(error, "expected a file of at most 4 bytes, found 5 bytes");
    let mut not_plain = vec![(folder.path().to_path_buf(), "a folder")];
    if cfg!(unix) {
        let link = folder.path().join("link");
        #[cfg(unix)]
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        not_plain.extend([("/dev/zero".into(), "a device"), (link, "a device")]);
    }
    for (path, what) in not_plain {
        let error = read_plain(&path, 5).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert_eq!(error.to_string(), format!("expected a plain file, found {what}"));
    }
}

#[cfg(unix)]
#[test]
fn a_log_with_two_names_is_copied_before_it_grows_and_one_that_is_a_link_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let [log, snapshot, link] = ["log", "snapshot", "link"].map(|name| folder.path().join(name));
    std::fs::write(&log, "one\ntwo\nhal").unwrap();
    std::fs::hard_link(&log, &snapshot).unwrap();
    open_log(&log, 8).unwrap().write_all(b"three\n").unwrap();
    assert_eq!(std::fs::read(&log).unwrap(), b"one\ntwo\nthree\n");
    assert_eq!(std::fs::read(&snapshot).unwrap(), b"one\ntwo\nhal");
    open_log(&log, 4).unwrap().write_all(b"2\n").unwrap();
    assert_eq!(std::fs::read(&log).unwrap(), b"one\n2\n");
    let error = open_log(&log, 7).unwrap_err().to_string();
    assert_eq!(error, "expected at least 7 bytes, found 6: lines are missing");
    std::os::unix::fs::symlink(&snapshot, &link).unwrap();
    for error in [open_log(&link, 0).unwrap_err(), open_own(&link).unwrap_err()] {
        assert_eq!(error.to_string(), "expected a plain file, found a link");
    }
}

#[cfg(unix)]
#[test]
fn two_snapshots_of_a_shared_log_grow_apart_and_its_writers_lose_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let [log, snapshot, link] = ["log", "snapshot", "link"].map(|name| folder.path().join(name));
    std::fs::write(&log, "one\n").unwrap();
    std::fs::hard_link(&log, &snapshot).unwrap();
    let mut first = open_shared_log(&log).unwrap();
    first.write_all(b"two\n").unwrap();
    assert_eq!(std::fs::read(&snapshot).unwrap(), b"one\n");
    open_shared_log(&snapshot).unwrap().write_all(b"zwei\n").unwrap();
    // Another process writes to the same log meanwhile.
    open_shared_log(&log).unwrap().write_all(b"three\n").unwrap();
    first.write_all(b"four\n").unwrap();
    assert_eq!(std::fs::read(&log).unwrap(), b"one\ntwo\nthree\nfour\n");
    assert_eq!(std::fs::read(&snapshot).unwrap(), b"one\nzwei\n");
    std::os::unix::fs::symlink(&snapshot, &link).unwrap();
    let error = open_shared_log(&link).unwrap_err().to_string();
    assert_eq!(error, "expected a plain file, found a link");
}

#[cfg(unix)]
#[test]
fn a_link_below_a_marked_folder_is_refused_and_the_folder_itself_may_be_one() {
    let around = tempfile::tempdir().unwrap();
    let [real, run, elsewhere] = ["real", "run", "elsewhere"].map(|name| around.path().join(name));
    std::fs::create_dir_all(real.join("deep")).unwrap();
    std::fs::create_dir(&elsewhere).unwrap();
    let link = |to: &Path, at: &Path| std::os::unix::fs::symlink(to, at).unwrap();
    link(&real, &run);
    let images = run.join("deep/images");
    link(&elsewhere, &images);
    // Whose folder it is nobody has said yet.
    write_atomic(&images.join("a"), b"1").unwrap();
    write_atomic(&run.join(MARKER), b"{}").unwrap();
    let found = format!("expected a folder, found the link {}; remove it", images.display());
    let refusals = [
        write_atomic(&images.join("a"), b"2").unwrap_err().source,
        create_folder(&images).unwrap_err().source,
        create_folder(&images.join("more")).unwrap_err().source,
        open_own(&images.join("b")).unwrap_err(),
        open_log(&images.join("b"), 0).unwrap_err(),
        open_shared_log(&images.join("b")).unwrap_err(),
    ];
    for refusal in refusals {
        assert_eq!(refusal.to_string(), found);
    }
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 1);
    write_atomic(&run.join("deep/a"), b"1").unwrap();
    assert!(real.join("deep/a").exists());
}

#[test]
fn only_temporary_files_of_this_program_go_and_only_from_the_folder_at_hand() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("inside");
    std::fs::create_dir(&inside).unwrap();
    // No process has this number.
    let dead = format!(".picloom-{}-3-4294967295.tmp", place());
    let ours = format!(".picloom-{}-3-{}.tmp", place(), std::process::id());
    let kept = [
        ours.as_str(),
        // Of another machine, of whose processes nothing is known here.
        ".picloom-0123456789abcdef-3-4294967295.tmp",
        ".notes.20240101.tmp",
        ".autosave.report.2026.tmp",
        ".picloom-notes.tmp",
        ".tmp",
    ];
    for name in kept.iter().chain([&dead.as_str()]) {
        std::fs::write(folder.path().join(name), "half").unwrap();
        std::fs::write(inside.join(name), "half").unwrap();
    }
    remove_leftovers(folder.path());
    assert!(!folder.path().join(&dead).exists() && inside.join(&dead).exists());
    for name in kept {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    // The first write to a folder does the same.
    write_atomic(&inside.join("a.json"), b"{}").unwrap();
    assert!(!inside.join(&dead).exists() && inside.join(kept[1]).exists());
    // Abandoned for longer than any write takes.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(100_000);
    let file = std::fs::File::options().write(true).open(inside.join(kept[1])).unwrap();
    file.set_modified(old).unwrap();
    remove_leftovers(&inside);
    assert!(!inside.join(kept[1]).exists());
}

#[test]
fn a_hidden_file_beside_a_long_name_has_a_name_that_the_system_takes() {
    let path = Path::new("a").join("n".repeat(255));
    let hidden = hidden_beside(&path, ".lock");
    assert_eq!(hidden.file_name().unwrap().len(), 22);
    assert_eq!(hidden_beside(Path::new("a/s.toml"), ".lock"), Path::new("a/.s.toml.lock"));
}

/// Every Rust file below `folder`.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let inside = |path: PathBuf| if path.is_dir() { sources(&path) } else { vec![path] };
    entries.flat_map(inside).filter(|path| path.extension().is_some_and(|e| e == "rs")).collect()
}

#[test]
fn all_files_are_read_by_the_bounded_reader_and_opened_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The reader, the writer, films that another program wrote for us, programs that the user names and what is written
    // for them, what the kernel says of processes and memory, files of the program itself, and leases, which are
    // made exclusively.
    let allowed = [
        "crates/base/src/plain.rs",
        "crates/base/src/memory.rs",
        "crates/base/src/files.rs",
        "crates/base/src/process.rs",
        "src/studio/page.rs",
        "crates/study/src/lease.rs",
        "crates/base/src/command.rs",
        "crates/engine/src/prune/methods/command.rs",
        "crates/engine/src/score/judges/command.rs",
        "crates/engine/src/score/measures/command.rs",
        "src/figures/film.rs",
        "src/studio/saves.rs",
    ];
    let calls = [
        "fs::read(",
        "read_to_string(",
        "File::open(",
        "File::create",
        "File::options",
        "OpenOptions",
        "fs::write(",
        "fs::copy(",
        "::from_path(",
        "image::open(",
    ];
    let mut found = Vec::new();
    for folder in
        ["crates/base/src", "crates/engine/src", "crates/study/src", "src", "experiments/src"]
    {
        for path in sources(&root.join(folder)) {
            let name = path.strip_prefix(root).unwrap();
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            let lines = code.lines().map(str::trim).filter(|line| !line.starts_with("//"));
            // A note of a holder is read from a lock that is open already.
            let lines = lines.filter(|line| !line.contains(".take("));
            let calling = lines.filter(|line| calls.iter().any(|call| line.contains(call)));
            if !allowed.iter().any(|file| name == Path::new(file)) {
                found.extend(calling.map(|line| format!("{}: {line}", name.display())));
            }
        }
    }
    assert!(found.is_empty(), "read by base::files instead:\n{}", found.join("\n"));
}
