//! Scripts that hand the shards of a study to a scheduler. In: a template and values. Out: its text with
//! each `{{key}}` replaced. The text is all in the template; no scheduler is asked anything here.

use picloom_base::names::names;
use picloom_base::refusal::Refusal;

/// Who starts the workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheduler {
    /// A job array of Slurm.
    Slurm,
    /// A HyperQueue job, submitted by its Python client.
    Hq,
    /// An Indexed Job of Kubernetes.
    K8s,
    /// GNU parallel on this machine or others reached by ssh.
    Parallel,
}

names! { Scheduler, "scheduler": Slurm "slurm", Hq "hq", K8s "k8s", Parallel "parallel" }

impl Scheduler {
    /// The template that comes with the program, and how the name of its file ends.
    pub fn template(self) -> (&'static str, &'static str) {
        match self {
            Scheduler::Slurm => (include_str!("../assets/emit/slurm.sh"), "slurm.sh"),
            Scheduler::Hq => (include_str!("../assets/emit/hq.py"), "hq.py"),
            Scheduler::K8s => (include_str!("../assets/emit/k8s.yaml"), "k8s.yaml"),
            Scheduler::Parallel => (include_str!("../assets/emit/parallel.sh"), "parallel.sh"),
        }
    }
}

/// A template with the values of its keys.
///
/// # Errors
/// The template has another key, or a value is not one line.
pub fn fill(template: &str, values: &[(&str, String)]) -> Result<String, Refusal> {
    if let Some((key, value)) = values.iter().find(|(_, v)| v.contains(char::is_control)) {
        return Err(Refusal::new(key, "one line of text", format!("{value:?}")));
    }
    let (mut text, mut rest) = (String::new(), template);
    while let Some((before, after)) = rest.split_once("{{") {
        let (key, after) = after.split_once("}}").unwrap_or((after, ""));
        let Some((_, value)) = values.iter().find(|(name, _)| *name == key) else {
            let keys: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
            let found = format!("{{{{{key}}}}}");
            return Err(Refusal::new("template", format!("keys of {}", keys.join(", ")), found));
        };
        text += before;
        text += value;
        rest = after;
    }
    Ok(text + rest)
}
