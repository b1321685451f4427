//! Which process is meant by a number, on a folder that several machines share.
//!
//! A process number means something in one boot of one machine, and there in one namespace (a
//! container has its own): together these are a place. Of processes elsewhere nothing can be said.

use crate::hash::short_id;
use std::io::ErrorKind;
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
/// is no such process, if it may not be seen, or if it is dead and its parent has not asked for it.
pub fn began(process: u32) -> Option<u64> {
    match seen(process) {
        Seen::Since(then) => Some(then),
        Seen::Nothing | Seen::Unknown => None,
    }
}

/// The state of another process of this place, as far as this one can see it.
enum Seen {
    /// It began then, in the kernel's ticks.
    Since(u64),
    /// There is no such process, or it is dead.
    Nothing,
    /// It may be there: the system does not say.
    Unknown,
}

fn seen(process: u32) -> Seen {
    // Another user's process cannot be read where /proc is mounted with hidepid=1.
    let stat = match std::fs::read_to_string(format!("/proc/{process}/stat")) {
        Ok(stat) => stat,
        // The process ended while its file was read.
        Err(e) if e.kind() == ErrorKind::NotFound || e.raw_os_error() == Some(3) => {
            return if shows_all() { Seen::Nothing } else { Seen::Unknown };
        }
        Err(_) => return Seen::Unknown,
    };
    // The name, in brackets, may hold spaces; then come the state and, as the 20th field, the beginning.
    let mut fields = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).split(' ');
    match fields.next() {
        Some("Z" | "X") => Seen::Nothing,
        _ => match fields.nth(18).and_then(|field| field.parse().ok()) {
            Some(then) => Seen::Since(then),
            None => Seen::Unknown,
        },
    }
}

/// True if /proc lists every process of this place. Other systems have no such list, and with hidepid=2 or 4 a user sees
/// only the processes that are the user's own.
fn shows_all() -> bool {
    static SHOWS_ALL: LazyLock<bool> = LazyLock::new(|| {
        let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
        mounts.lines().rfind(|line| line.split(' ').nth(4) == Some("/proc")).is_some_and(lists_all)
    });
    *SHOWS_ALL
}

/// True if a mount of /proc, a line of `mountinfo`, lists the processes of every user.
fn lists_all(mount: &str) -> bool {
    let hides = |option: &str| option.starts_with("hidepid=");
    let mut options = mount.split([' ', ',']).filter(|option| hides(option));
    options.all(|option| {
        matches!(option, "hidepid=0" | "hidepid=off" | "hidepid=1" | "hidepid=noaccess")
    })
}

/// Whether process `process` of this place is alive and began at `beginning` (`None`: at any time);
/// `None` if that cannot be seen.
pub fn lives(process: u32, beginning: Option<u64>) -> Option<bool> {
    match seen(process) {
        Seen::Since(then) => Some(beginning.is_none_or(|beginning| beginning == then)),
        Seen::Nothing => Some(false),
        Seen::Unknown => None,
    }
}

/// The name of this machine's processor, as the system gives it; else its architecture.
pub fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    line.map_or(std::env::consts::ARCH, |(_, name)| name.trim()).into()
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

    #[test]
    fn a_mount_that_hides_other_users_processes_is_known() {
        let mount = |options: &str| {
            lists_all(&format!("21 30 0:20 / /proc rw,nosuid - proc proc rw{options}"))
        };
        assert!(["", ",hidepid=0", ",hidepid=noaccess,gid=4"].into_iter().all(mount));
        assert!(
            ![",hidepid=2", ",hidepid=invisible", ",hidepid=ptraceable"].into_iter().any(mount)
        );
    }
}
