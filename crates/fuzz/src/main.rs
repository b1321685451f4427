//! Feeds every parser with damaged copies of good files: a blind run on a stable toolchain.
//!
//! `--seconds N` shares N seconds among the parsers (`--only A,B`: among these); the same `--seed`
//! damages in the same way. `--write-seeds FOLDER` only writes what a guided run begins from.

use picloom::base::SimRng;
use picloom_fuzz::{TARGETS, Target};
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A feeding that takes longer than this is a finding.
const SLOW: Duration = Duration::from_secs(10);

/// One that takes more memory than this is another: every file here is smaller than a megabyte.
const LARGE_KIB: u64 = 1 << 20;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let option = |name: &str| {
        let at = arguments.iter().position(|a| a == name)?;
        arguments.get(at + 1).cloned()
    };
    let number = |name: &str, default: u64| {
        option(name).map_or(default, |text| text.parse().expect("a whole number"))
    };
    let (seconds, seed) = (number("--seconds", 60), number("--seed", 0));
    let only = option("--only");
    let is_wanted =
        |t: &&Target| only.as_ref().is_none_or(|names| names.split(',').any(|n| n == t.name));
    let targets: Vec<&Target> = TARGETS.iter().filter(is_wanted).collect();
    if let Some(folder) = option("--write-seeds") {
        return write_seeds(folder.as_ref(), &targets);
    }
    // Here what is being fed lies, should the process be killed by it.
    let current = std::env::temp_dir().join(format!("picloom-fuzz-{}", std::process::id()));
    println!("seed {seed}; if this ends early, see {}", current.display());
    let share = Duration::from_secs(seconds) / targets.len().max(1) as u32;
    let mut findings = 0;
    for target in targets {
        let seeds = (target.seeds)();
        let (start, mut fed) = (Instant::now(), 0u64);
        while start.elapsed() < share {
            let mut rng = SimRng::new(seed, target.name, fed);
            let mut data = rng.choose(&seeds).expect("every parser has seeds").clone();
            if fed >= seeds.len() as u64 {
                damage(&mut data, &seeds, &mut rng);
            }
            std::fs::write(&current, &data).expect("room for it");
            forget_peak();
            let begun = Instant::now();
            let mut wrong = match catch_unwind(|| (target.feed)(&data)) {
                Ok(()) => Vec::new(),
                Err(_) => vec!["panic".to_string()],
            };
            let (seconds, peak) = (begun.elapsed(), peak_kib());
            if seconds > SLOW {
                wrong.push(format!("{seconds:?}"));
            }
            if peak > LARGE_KIB {
                wrong.push(format!("{} MiB", peak >> 10));
            }
            if !wrong.is_empty() {
                findings += 1;
                let path: PathBuf = format!("{}-{}-{fed}", current.display(), target.name).into();
                std::fs::write(&path, &data).expect("room for a finding");
                println!("{}: {}: {}", target.name, wrong.join(", "), path.display());
            }
            fed += 1;
        }
        println!("{}: {fed} files", target.name);
    }
    let _ = std::fs::remove_file(current);
    println!("{findings} findings");
    std::process::exit(i32::from(findings > 0));
}

fn write_seeds(folder: &Path, targets: &[&Target]) {
    for target in targets {
        let folder = folder.join(target.name);
        std::fs::create_dir_all(&folder).expect("a folder");
        for (i, seed) in (target.seeds)().iter().enumerate() {
            std::fs::write(folder.join(format!("seed-{i}")), seed).expect("room for a seed");
        }
    }
}

/// The most memory this process has held since [`forget_peak`], in KiB; 0 where Linux does not say.
fn peak_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|text| text.trim().strip_suffix(" kB")?.parse().ok()).unwrap_or(0)
}

fn forget_peak() {
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

/// One to eight damages: bits, bytes, numbers, pieces removed, repeated or taken from another file.
fn damage(data: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut SimRng) {
    const WORDS: [&str; 14] = [
        "-1",
        "0",
        "1e999",
        "1e300",
        "NaN",
        "18446744073709551615",
        "4294967295",
        "1099511627776",
        "\"",
        "<",
        "null",
        "[]",
        "\u{1b}[31m",
        "inf",
    ];
    for _ in 0..=rng.below(8) {
        let length = data.len();
        if length == 0 {
            return;
        }
        let at = rng.below(length);
        let piece = at..(at + 1 + rng.below(40)).min(length);
        match rng.below(8) {
            0 => data[at] ^= 1 << rng.below(8),
            1 => data[at] = rng.below(256) as u8,
            2 if rng.below(4) == 0 => data.truncate(at),
            2 | 3 => drop(data.drain(piece)),
            4 => {
                let copy = data[piece].to_vec();
                data.splice(at..at, copy);
            }
            5 => {
                let word = WORDS[rng.below(WORDS.len())];
                data.splice(piece, word.bytes());
            }
            6 => {
                let other = rng.choose(seeds).expect("every parser has seeds");
                let from = rng.below(other.len().max(1));
                let taken = other[from..(from + 60).min(other.len())].to_vec();
                data.splice(at..at, taken);
            }
            // A number replaced by another.
            _ => {
                let digit = |&i: &usize| data[i].is_ascii_digit();
                if let Some(start) = (at..length).find(digit) {
                    let end = (start..length).find(|i| !digit(i)).unwrap_or(length);
                    let word = WORDS[rng.below(WORDS.len())];
                    data.splice(start..end, word.bytes());
                }
            }
        }
    }
}
