//! Which process is meant by a number, on a folder that several machines share.
//!
//! A process number means something in one boot of one machine, and there in one namespace (a
//! container has its own): together these are a place. Of processes elsewhere nothing can be said.

use crate::math::hash::short_id;
use std::path::Path;
use std::sync::LazyLock;

/// Where this process's number means something: 16 hex digits, the same for all processes there.
pub fn place() -> &'static str {
    static PLACE: LazyLock<String> = LazyLock::new(|| {
        let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
        let namespace = std::fs::read_link("/proc/self/ns/pid").unwrap_or_default();
        short_id(format!("{}\n{}\n{}", boot.trim(), namespace.display(), host()))
    });
    &PLACE
}

/// Name of this machine, for people.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let name = name.or_else(|| std::env::var("HOSTNAME").ok()).unwrap_or_default();
    if name.trim().is_empty() { "this machine".into() } else { name.trim().into() }
}

/// When a process of this place began, in the kernel's ticks: a number that is used again has another. None if there
/// is no such process, or only what is left of a dead one that its parent has not asked for.
pub fn began(process: u32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in brackets, may hold spaces; then come the state and, as the 20th field, the beginning.
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let state = fields.next()?;
    if matches!(state, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

/// Whether the process of this place that began then (none: whenever) lives; none if that cannot be seen.
pub fn lives(process: u32, beginning: Option<u64>) -> Option<bool> {
    // Of some systems one sees one's own processes only.
    if !Path::new("/proc/1").exists() {
        return None;
    }
    Some(match beginning {
        Some(then) => began(process) == Some(then),
        None => began(process).is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_lives_until_its_number_is_free_or_somebody_elses() {
        let own = std::process::id();
        assert_eq!(lives(own, began(own)), Some(true));
        assert_eq!(lives(own, began(own).map(|then| then + 1)), Some(false));
        assert_eq!(lives(u32::MAX, None), Some(false));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (number, then) = (child.id(), began(child.id()));
        assert_eq!((lives(number, then), then.is_some()), (Some(true), true));
        child.kill().unwrap();
        // Dead, though nobody has asked how it ended: its number is not free yet.
        let patience = std::time::Instant::now();
        while lives(number, then) != Some(false) {
            assert!(patience.elapsed().as_secs() < 60);
        }
        child.wait().unwrap();
        assert_eq!(lives(number, then), Some(false));
        assert_eq!((place(), place().len()), (place(), 16));
    }
}
