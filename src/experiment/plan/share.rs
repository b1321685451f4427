//! Which cells of a plan are a worker's own.

use crate::math::refusal::Refusal;
use std::str::FromStr;

/// Share `number` of `of`: the cells whose place in the plan, divided by `of`, leaves that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    number: usize,
    of: usize,
}

impl Default for Share {
    /// Everything.
    fn default() -> Self {
        Share { number: 0, of: 1 }
    }
}

impl FromStr for Share {
    type Err = Refusal;

    /// `1/4` to `4/4`.
    fn from_str(text: &str) -> Result<Self, Refusal> {
        let parts =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => {
                Ok(Share { number: number - 1, of })
            }
            _ => Err(Refusal::new("", "a share from 1/N to N/N", format!("{text:?}"))),
        }
    }
}

/// Variables by which schedulers number the tasks of an array: the number, the first, the step, the count
/// or, with `true`, the last.
const ARRAYS: [(&str, &str, &str, &str, bool); 5] = [
    // First: HyperQueue's workers may be tasks of a Slurm array themselves.
    ("HQ_TASK_ID", "", "", "", false),
    (
        "SLURM_ARRAY_TASK_ID",
        "SLURM_ARRAY_TASK_MIN",
        "SLURM_ARRAY_TASK_STEP",
        "SLURM_ARRAY_TASK_COUNT",
        false,
    ),
    ("JOB_COMPLETION_INDEX", "", "", "", false),
    ("PBS_ARRAY_INDEX", "", "", "", false),
    ("SGE_TASK_ID", "SGE_TASK_FIRST", "SGE_TASK_STEPSIZE", "SGE_TASK_LAST", true),
];

impl Share {
    /// The share that a scheduler's variables name, of `shares` if they are given. Slurm and SGE say
    /// where their arrays begin; those of the others begin at 0.
    ///
    /// # Errors
    /// There is no such variable, no number of shares, or the number is outside of them.
    pub fn auto(
        variable: impl Fn(&str) -> Option<String>,
        shares: Option<usize>,
    ) -> Result<Self, Refusal> {
        let number = |name: &str| variable(name).and_then(|text| text.parse::<usize>().ok());
        let fail = |expected: String, found: String| Refusal::new("", expected, found);
        // A plain SGE job has the word "undefined".
        let Some(array) = ARRAYS.iter().find(|array| number(array.0).is_some()) else {
            let names: Vec<&str> = ARRAYS.iter().map(|array| array.0).collect();
            return Err(fail(
                format!("a task of an array: one of {}", names.join(", ")),
                "none".into(),
            ));
        };
        let &(task, first, step, count, counts_to_last) = array;
        let task_number = number(task).expect("just found");
        let (first, step) = (number(first).unwrap_or(0), number(step).unwrap_or(1).max(1));
        let place = task_number.checked_sub(first).map(|above| above / step);
        let count = number(count).map(|count| match counts_to_last {
            true => count.saturating_sub(first) / step + 1,
            false => count,
        });
        let Some(of) = shares.or(count) else {
            let expected = format!("--shards N: {task} does not say how many tasks there are");
            return Err(fail(expected, "none".into()));
        };
        match place {
            Some(number) if number < of => Ok(Share { number, of }),
            _ => Err(fail(
                format!("{task} from {first} on, {of} tasks with step {step}"),
                task_number.to_string(),
            )),
        }
    }

    /// The cells of a part of the plan, of `cells` that begin at this place, that are in the share; numbers
    /// within the part.
    pub fn within(self, begins: usize, cells: usize) -> Vec<usize> {
        (0..cells).filter(|cell| (begins + cell) % self.of == self.number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn auto(variables: &[(&str, &str)], shares: Option<usize>) -> Result<Share, String> {
        let variable = |name: &str| variables.iter().find(|v| v.0 == name).map(|v| v.1.to_string());
        Share::auto(variable, shares).map_err(|e| e.to_string())
    }

    #[test]
    fn shares_divide_a_plan_whatever_its_parts() {
        for of in 1..6 {
            let mut seen = vec![0; 17];
            for number in 1..=of {
                let share: Share = format!("{number}/{of}").parse().unwrap();
                share.within(0, 10).into_iter().for_each(|cell| seen[cell] += 1);
                share.within(10, 7).into_iter().for_each(|cell| seen[10 + cell] += 1);
            }
            assert_eq!(seen, [1; 17]);
        }
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/4"] {
            let error = wrong.parse::<Share>().unwrap_err().to_string();
            assert!(error.contains("from 1/N to N/N") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn every_scheduler_says_in_its_way_which_task_this_is() {
        let third = Ok(Share { number: 2, of: 4 });
        let slurm = [
            ("SLURM_ARRAY_TASK_ID", "14"),
            ("SLURM_ARRAY_TASK_MIN", "10"),
            ("SLURM_ARRAY_TASK_STEP", "2"),
            ("SLURM_ARRAY_TASK_COUNT", "4"),
        ];
        assert_eq!(auto(&slurm, None), third);
        // A task of HyperQueue, whose worker is a task of Slurm.
        let both = [slurm.as_slice(), &[("HQ_TASK_ID", "1")]].concat();
        assert_eq!(auto(&both, Some(4)), Ok(Share { number: 1, of: 4 }));
        let sge = [
            ("SGE_TASK_ID", "5"),
            ("SGE_TASK_FIRST", "1"),
            ("SGE_TASK_STEPSIZE", "2"),
            ("SGE_TASK_LAST", "8"),
        ];
        assert_eq!(auto(&sge, None), third);
        for name in ["HQ_TASK_ID", "JOB_COMPLETION_INDEX", "PBS_ARRAY_INDEX"] {
            assert_eq!(auto(&[(name, "2")], Some(4)), third);
            assert!(auto(&[(name, "2")], None).unwrap_err().contains("--shards N"));
            assert!(auto(&[(name, "4")], Some(4)).unwrap_err().ends_with("found 4"));
        }
        let plain = auto(&[("SGE_TASK_ID", "undefined")], Some(4)).unwrap_err();
        assert!(plain.contains("one of HQ_TASK_ID"), "{plain}");
        let before = [("SLURM_ARRAY_TASK_ID", "3"), ("SLURM_ARRAY_TASK_MIN", "10")];
        assert!(auto(&before, Some(4)).unwrap_err().contains("from 10 on"));
    }
}
