//! What a page asks for in its address, read once for the studio and the browser.

use crate::base::refusal::Refusal;
use crate::network::Frame;

/// Values of this many factors from `Z1,Z2,…`; an empty text: 0 each.
///
/// # Errors
/// Another number of values, or one outside [-1, 1].
pub(super) fn condition(text: &str, factors: usize) -> Result<Vec<f64>, Refusal> {
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

/// A part of the plane from `x,y,width,height`; an empty text: the picture.
///
/// # Errors
/// Other than four finite numbers, the last two above 0.
pub(super) fn frame(text: &str) -> Result<Frame, Refusal> {
    if text.is_empty() {
        return Ok(Frame::PICTURE);
    }
    let numbers: Option<Vec<f64>> = text.split(',').map(|number| number.parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, width, height])
            if [x, y, width, height].iter().all(|n| n.is_finite() && n.abs() < 1e9)
                && width > 0.0
                && height > 0.0 =>
        {
            Ok(Frame { x, y, width, height })
        }
        _ => {
            let expected = "x,y,width,height, finite and with a width and height above 0";
            Err(Refusal::new("frame", expected, format!("{text:?}")))
        }
    }
}

/// Weights to set from `LINK:VALUE,…`, of a network with `links` links.
///
/// # Errors
/// Another text, a link that is not there, a value that is not finite.
pub(super) fn weights_to_set(text: &str, links: usize) -> Result<Vec<(usize, f32)>, Refusal> {
    let one = |part: &str| {
        let (link, value) = part.split_once(':')?;
        let (link, value) = (link.parse().ok()?, value.parse::<f32>().ok()?);
        (link < links && value.is_finite()).then_some((link, value))
    };
    let parts = text.split(',').filter(|part| !part.is_empty());
    let read = parts.map(|part| {
        one(part).ok_or_else(|| {
            let found: String = part.chars().take(40).collect();
            let expected = format!("LINK:VALUE, links below {links} and finite values");
            Refusal::new("set", expected, format!("{found:?}"))
        })
    });
    read.collect()
}

#[cfg(test)]
mod tests {
    use super::{condition, frame, weights_to_set};
    use crate::network::Frame;

    #[test]
    fn each_factor_has_a_value_from_minus_one_to_one() {
        assert_eq!(condition("", 2).unwrap(), [0.0, 0.0]);
        assert_eq!(condition("0.5,-1", 2).unwrap(), [0.5, -1.0]);
        for (text, factors) in [("1", 2), ("2,0", 2), ("NaN,0", 2), ("a,b", 2), ("1", 0)] {
            assert!(condition(text, factors).is_err(), "{text}");
        }
    }

    #[test]
    fn frames_and_weights_are_whole_or_refused() {
        assert_eq!(frame("").unwrap(), Frame::PICTURE);
        assert_eq!(frame("0,-1,2,1").unwrap(), Frame { x: 0.0, y: -1.0, width: 2.0, height: 1.0 });
        for wrong in ["0,0,1", "0,0,x,1,1", "0,0,1,1,x", "0,0,0,1", "0,0,nan,1", "0,0,1e12,1"] {
            assert!(frame(wrong).unwrap_err().to_string().contains("x,y,width,height"), "{wrong}");
        }
        assert_eq!(weights_to_set("0:1.5,2:-1", 3).unwrap(), [(0, 1.5), (2, -1.0)]);
        for wrong in ["3:1", "0:nan", "0", "x:1"] {
            let error = weights_to_set(wrong, 3).unwrap_err().to_string();
            assert!(error.contains("links below 3"), "{wrong}: {error}");
        }
    }
}
