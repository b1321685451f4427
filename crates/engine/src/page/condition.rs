//! Values of a network's factors, as an address has them.

use crate::base::refusal::Refusal;

/// Values of this many factors from `Z1,Z2,…`; an empty text: 0 each.
///
/// # Errors
/// Another number of values, or one outside [-1, 1].
pub fn condition(text: &str, factors: usize) -> Result<Vec<f64>, Refusal> {
    if text.is_empty() {
        return Ok(vec![0.0; factors]);
    }
    let values = text.split(',').map(|value| value.trim().parse::<f64>().ok());
    let values: Option<Vec<f64>> = values.collect();
    let fits = |z: &Vec<f64>| z.len() == factors && z.iter().all(|v| v.abs() <= 1.0);
    values.filter(fits).ok_or_else(|| {
        let expected = match factors {
            0 => "nothing, for the network has no factors".to_string(),
            _ => format!("{factors} numbers from -1 to 1 between commas, one a factor"),
        };
        Refusal::new("at", expected, format!("{:?}", text.chars().take(40).collect::<String>()))
    })
}

#[cfg(test)]
mod tests {
    use super::condition;

    #[test]
    fn each_factor_has_a_value_from_minus_one_to_one() {
        assert_eq!(condition("", 2).unwrap(), [0.0, 0.0]);
        assert_eq!(condition("0.5,-1", 2).unwrap(), [0.5, -1.0]);
        for (text, factors) in [("1", 2), ("2,0", 2), ("NaN,0", 2), ("a,b", 2), ("1", 0)] {
            assert!(condition(text, factors).is_err(), "{text}");
        }
    }
}
