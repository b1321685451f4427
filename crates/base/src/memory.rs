//! Memory is asked for before it is taken: sizes that together need more than the machine has are refused.
//!
//! In: the factors of a size. Out: a refusal that names them. It only refuses: no result depends on it. What a
//! machine has changes from moment to moment, so this is no promise; it stops what could never have fitted.

use super::refusal::Refusal;
use std::path::Path;

/// Free memory in bytes where the system does not say how much there is: 16 GB.
const UNKNOWN: u64 = 16_000_000_000;

/// Refuses a size that needs more memory than there is. `factors` are counts with what they count; each of the
/// things that they make together takes `bytes`.
///
/// ```
/// use picloom_base::memory;
///
/// memory::ensure("maps", &[(128 * 128, "pixels"), (22, "units")], 4)?;
/// let refused = memory::ensure("maps", &[(1 << 40, "pixels"), (2000, "units")], 4).unwrap_err();
/// assert!(refused.found.ends_with(": 1099511627776 pixels × 2000 units × 4 bytes"));
/// # Ok::<(), picloom_base::refusal::Refusal>(())
/// ```
///
/// # Errors
/// It needs more, with the product.
pub fn ensure(at: &str, factors: &[(usize, &str)], bytes: usize) -> Result<(), Refusal> {
    ensure_below(available(), at, factors, bytes)
}

fn ensure_below(
    available: u64,
    at: &str,
    factors: &[(usize, &str)],
    bytes: usize,
) -> Result<(), Refusal> {
    let needed =
        factors.iter().fold(bytes as u128, |product, (n, _)| product.saturating_mul(*n as u128));
    if needed <= u128::from(available) {
        return Ok(());
    }
    let product: Vec<String> = factors.iter().map(|(n, what)| format!("{n} {what}")).collect();
    let expected = format!("at most the {} of memory that are free", shown(available.into()));
    let found = format!("{}: {} × {bytes} bytes", shown(needed), product.join(" × "));
    Err(Refusal::new(at, expected, found).advising("take less of one of them"))
}

fn shown(bytes: u128) -> String {
    match bytes {
        10_000_000_000.. => format!("{} GB", bytes / 1_000_000_000),
        1_000_000_000.. => format!("{:.1} GB", bytes as f64 / 1e9),
        _ => format!("{} MB", bytes.div_ceil(1_000_000)),
    }
}

/// Bytes that this process can still take: what Linux says is available, and no more than its control groups and
/// `ulimit -v` leave; a fixed number elsewhere.
pub(crate) fn available() -> u64 {
    let system = read("/proc/meminfo").and_then(|text| number(&text, "MemAvailable:"));
    let groups = read("/proc/self/cgroup").and_then(|text| of_groups(&text));
    let limit = || left_of(&read("/proc/self/limits")?, &read("/proc/self/status")?);
    [system.map(kb), groups, limit()].into_iter().flatten().min().unwrap_or(UNKNOWN)
}

fn kb(number: u64) -> u64 {
    number * 1024
}

fn read(path: impl AsRef<Path>) -> Option<String> {
    std::fs::read_to_string(path).ok()
}

/// The number after `name` at the beginning of a line.
fn number(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split_whitespace().next()?.parse().ok()
}

/// Bytes of address space that `/proc/self/limits` allows and `/proc/self/status` says are not taken, less a quarter
/// for what threads reserve; `None` without a limit.
fn left_of(limits: &str, status: &str) -> Option<u64> {
    let taken = number(status, "VmSize:").map_or(0, kb);
    Some(number(limits, "Max address space")?.saturating_sub(taken) / 4 * 3)
}

/// Bytes that the control groups of `/proc/self/cgroup` (version 1 or 2) still allow; `None` if no
/// group has a limit.
fn of_groups(text: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let (_, rest) = line.split_once(':')?;
        let (controllers, path) = rest.split_once(':')?;
        let (top, limit, used) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max", "memory.current"),
            _ if controllers.split(',').any(|name| name == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")
            }
            _ => return None,
        };
        let folder = Path::new(top).join(path.trim_start_matches('/'));
        // A group is bound by those around it, too. In a container only the top may be there.
        let groups = folder.ancestors().take_while(|folder| folder.starts_with(top));
        groups.filter_map(|group| left(group, limit, used)).min()
    };
    text.lines().filter_map(of_line).min()
}

/// Bytes that a group still allows: its limit less what is used. Cached files do not count as used.
fn left(group: &Path, limit: &str, used: &str) -> Option<u64> {
    let bytes = |name: &str| read(group.join(name))?.trim().parse::<u64>().ok();
    let limit = bytes(limit)?;
    let kept = read(group.join("memory.stat")).unwrap_or_default();
    let kept = number(&kept, "inactive_file ").unwrap_or(0);
    let used = bytes(used).unwrap_or(0).saturating_sub(kept);
    Some(limit.saturating_sub(used))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_product_that_does_not_fit_is_refused_and_named() {
        let factors = [(4096 * 4096, "pixels"), (2000, "units")];
        let refused = ensure_below(8 << 30, "maps", &factors, 4).unwrap_err().to_string();
        assert_eq!(
            refused,
            "maps: expected at most the 8.6 GB of memory that are free, found 134 GB: \
            16777216 pixels × 2000 units × 4 bytes; take less of one of them"
        );
        assert!(ensure_below(135 << 30, "maps", &factors, 4).is_ok());
        let huge = [(usize::MAX, "runs"), (usize::MAX, "seeds"), (usize::MAX, "rates")];
        assert!(ensure_below(u64::MAX, "cells", &huge, 1).is_err());
    }

    #[test]
    fn what_linux_says_is_read() {
        let text = "MemTotal:       32847516 kB\nMemAvailable:   20000000 kB\n";
        assert_eq!(number(text, "MemAvailable:").map(kb), Some(20_480_000_000));
        assert_eq!(number("MemTotal: 1 kB\n", "MemAvailable:"), None);
        let limits = "Max data size   unlimited  unlimited  bytes\nMax address space   4096000   8192000   bytes\n";
        assert_eq!(left_of(limits, "VmSize:\t    1000 kB\n"), Some(2_304_000));
        assert_eq!(left_of(limits, "VmSize:\t    9000 kB\n"), Some(0));
        assert_eq!(left_of("Max address space   unlimited   unlimited   bytes\n", ""), None);
        assert_eq!(of_groups("3:cpu:/\nnonsense\n"), None);
        assert!(available() > 1 << 20);
    }

    #[test]
    fn a_group_leaves_its_limit_without_what_is_used() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        let found = || left(folder.path(), "memory.max", "memory.current");
        assert_eq!(found(), None);
        write("memory.max", "max\n");
        assert_eq!(found(), None);
        write("memory.max", "1000\n");
        write("memory.current", "700\n");
        write("memory.stat", "anon 500\ninactive_file 150\n");
        assert_eq!(found(), Some(450));
    }
}
