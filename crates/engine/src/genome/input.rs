//! The inputs of a network: functions of the pixel's place, and factors of the picture.

use crate::base::real;
use crate::base::refusal::Refusal;
use crate::base::settings::{text_in_files, texts};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

/// An input of a CPPN. As text `x`, `y`, `d`, `bias`, `z1` to `z4`, or a function of x, y and d such as `abs(x)`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Input {
    /// Column coordinate, left −1 to right +1.
    X,
    /// Row coordinate, top −1 to bottom +1.
    Y,
    /// Distance from the centre, scaled by the coordinate convention.
    D,
    /// Constant 1.
    Bias,
    /// The first factor of what is drawn, −1 to +1: the same at every pixel of a picture.
    Z1,
    /// The second factor.
    Z2,
    /// The third factor.
    Z3,
    /// The fourth factor.
    Z4,
    /// A function of x, y and d.
    Of(Function),
}

/// A function of x, y and d that a network may read: `abs(v)`, `square(v)`, `sin(kv)`, `cos(kv)` with 0 < |k| ≤ 64, or
/// `v*w`, where v and w are two of x, y, d. Made from its text only, so it is always one of these.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Function(Form);

/// Variables by their place in x, y, d; frequencies by their bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Form {
    Abs(usize),
    Square(usize),
    Sin(u64, usize),
    Cos(u64, usize),
    /// The first before the second.
    Product(usize, usize),
}

const VARIABLES: [&str; 3] = ["x", "y", "d"];

/// Largest |k| of `sin(kv)`: 64 waves of a picture are more than its pixels show.
const LARGEST_FREQUENCY: f64 = 64.0;

impl Input {
    /// The inputs of a network that names none, in the order x, y, d, bias.
    pub const OF_PIXEL: [Input; 4] = [Input::X, Input::Y, Input::D, Input::Bias];
    /// The inputs that conditional networks have beside, z1 first.
    pub const FACTORS: [Input; 4] = [Input::Z1, Input::Z2, Input::Z3, Input::Z4];

    /// Its place among x, y, d, bias, z1 to z4; `None` for a function of them.
    pub(crate) fn place(self) -> Option<usize> {
        Self::OF_PIXEL.iter().chain(&Self::FACTORS).position(|known| *known == self)
    }

    /// True for z1 to z4.
    pub(crate) fn is_factor(self) -> bool {
        Self::FACTORS.contains(&self)
    }

    /// Its value where x, y, d and bias are `at`; a factor is 0.
    pub(crate) fn value(self, at: [f64; 4]) -> f64 {
        match self {
            Input::Of(function) => function.value(at),
            input => input.place().and_then(|place| at.get(place)).copied().unwrap_or(0.0),
        }
    }
}

impl Function {
    /// Its value where x, y and d are the first of `at`.
    fn value(self, at: [f64; 4]) -> f64 {
        match self.0 {
            Form::Abs(v) => at[v].abs(),
            Form::Square(v) => at[v] * at[v],
            Form::Sin(k, v) => real::sin(f64::from_bits(k) * at[v]),
            Form::Cos(k, v) => real::cos(f64::from_bits(k) * at[v]),
            Form::Product(v, w) => at[v] * at[w],
        }
    }

    /// It in another language: a call of `f`, by its name, of a variable (by its place in x, y, d) times k; a product
    /// is `mul` of two variables.
    pub(crate) fn written<T>(
        self,
        call: impl FnOnce(&'static str, Option<f64>, usize) -> T,
        product: impl FnOnce(usize, usize) -> T,
    ) -> T {
        let frequency = |k| Some(f64::from_bits(k)).filter(|k| *k != 1.0);
        match self.0 {
            Form::Abs(v) => call("abs", None, v),
            Form::Square(v) => call("square", None, v),
            Form::Sin(k, v) => call("sin", frequency(k), v),
            Form::Cos(k, v) => call("cos", frequency(k), v),
            Form::Product(v, w) => product(v, w),
        }
    }

    fn parse(text: &str) -> Option<Form> {
        let variable = |text: &str| VARIABLES.iter().position(|name| *name == text);
        if let Some((v, w)) = text.split_once('*') {
            let (v, w) = (variable(v)?, variable(w)?);
            return (v != w).then(|| Form::Product(v.min(w), v.max(w)));
        }
        let (function, of) = text.strip_suffix(')')?.split_once('(')?;
        let frequency = |of: &str| {
            let (k, v) = of.split_at_checked(of.len().checked_sub(1)?)?;
            let k: f64 = if k.is_empty() { 1.0 } else { k.parse().ok()? };
            let fits = k != 0.0 && k.abs() <= LARGEST_FREQUENCY;
            fits.then_some((k.to_bits(), variable(v)?))
        };
        match function {
            "abs" => variable(of).map(Form::Abs),
            "square" => variable(of).map(Form::Square),
            "sin" => frequency(of).map(|(k, v)| Form::Sin(k, v)),
            "cos" => frequency(of).map(|(k, v)| Form::Cos(k, v)),
            _ => None,
        }
    }
}

impl fmt::Display for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = |name: &str, k: Option<f64>, v: usize| match k {
            Some(k) => format!("{name}({k}{})", VARIABLES[v]),
            None => format!("{name}({})", VARIABLES[v]),
        };
        f.write_str(&self.written(call, |v, w| format!("{}*{}", VARIABLES[v], VARIABLES[w])))
    }
}

impl fmt::Display for Input {
    /// The name used in files.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Input::X => "x",
            Input::Y => "y",
            Input::D => "d",
            Input::Bias => "bias",
            Input::Z1 => "z1",
            Input::Z2 => "z2",
            Input::Z3 => "z3",
            Input::Z4 => "z4",
            Input::Of(function) => return function.fmt(f),
        })
    }
}

impl fmt::Debug for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Input {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let mut plain = Self::OF_PIXEL.into_iter().chain(Self::FACTORS);
        let found = plain.find(|input| input.to_string() == text);
        let found = found.or_else(|| Function::parse(text).map(|form| Input::Of(Function(form))));
        let expected = format!(
            "x, y, d, bias, z1 to z4, abs(v), square(v), sin(kv), cos(kv) with 0 < |k| <= {LARGEST_FREQUENCY}, or v*w, \
             without spaces, where v and w are two of x, y, d"
        );
        found.ok_or_else(|| Refusal::new("unknown input", expected, format!("{text:?}")))
    }
}

text_in_files!(Input);
texts!(Input);

/// The inputs that a network of one picture reads, in order: one at least, none twice, no factors. As text
/// `abs(x),y,d,bias`; in JSON and TOML a list. Default: x, y, d, bias.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Inputs(Vec<Input>);

impl Inputs {
    /// # Errors
    /// No input, one twice, or a factor.
    pub fn new(inputs: Vec<Input>) -> Result<Self, Refusal> {
        let refuse = |expected, found: String| Err(Refusal::new("inputs", expected, found));
        let mut seen = BTreeSet::new();
        if let Some(factor) = inputs.iter().find(|input| input.is_factor()) {
            return refuse("no factors: z:K at the end of an arch counts them", factor.to_string());
        }
        if let Some(twice) = inputs.iter().find(|input| !seen.insert(**input)) {
            return refuse("each input once", format!("{twice} twice"));
        }
        if inputs.iter().all(|input| *input == Input::Bias) {
            let found = if inputs.is_empty() { "none" } else { "the bias alone" };
            return refuse("at least one input that varies, such as x", found.into());
        }
        Ok(Inputs(inputs))
    }

    /// True for x, y, d, bias: those of a network that names none.
    pub fn is_default(&self) -> bool {
        self.0 == Input::OF_PIXEL
    }
}

impl Default for Inputs {
    fn default() -> Self {
        Inputs(Input::OF_PIXEL.to_vec())
    }
}

impl std::ops::Deref for Inputs {
    type Target = [Input];

    fn deref(&self) -> &[Input] {
        &self.0
    }
}

impl fmt::Display for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.iter().map(Input::to_string).collect();
        f.write_str(&names.join(","))
    }
}

impl FromStr for Inputs {
    type Err = Refusal;

    fn from_str(text: &str) -> Result<Self, Refusal> {
        let names = text.split(',').map(str::trim).filter(|_| !text.trim().is_empty());
        Inputs::new(names.map(str::parse).collect::<Result<_, _>>()?)
    }
}

impl<'de> Deserialize<'de> for Inputs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Inputs::new(Vec::deserialize(from)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_reads_back_from_its_name_and_has_its_value() {
        let at = [0.5, -0.25, 0.75, 1.0];
        for (text, name, value) in [
            ("x", "x", 0.5),
            ("bias", "bias", 1.0),
            ("z2", "z2", 0.0),
            ("abs(y)", "abs(y)", 0.25),
            ("square(d)", "square(d)", 0.5625),
            ("sin(3x)", "sin(3x)", real::sin(1.5)),
            ("sin(1e0x)", "sin(x)", real::sin(0.5)),
            ("cos(-0.5y)", "cos(-0.5y)", real::cos(0.125)),
            ("cos(64d)", "cos(64d)", real::cos(48.0)),
            ("x*y", "x*y", -0.125),
            ("d*x", "x*d", 0.375),
        ] {
            let input: Input = text.parse().unwrap();
            assert_eq!(input.to_string(), name);
            assert_eq!(name.parse(), Ok(input));
            assert!((input.value(at) - value).abs() < 1e-15, "{text}");
            let json = serde_json::to_string(&input).unwrap();
            assert_eq!(serde_json::from_str::<Input>(&json).unwrap(), input, "{json}");
        }
    }

    #[test]
    fn what_is_no_input_is_refused() {
        for text in [
            "",
            "q",
            "abs(q)",
            "abs(bias)",
            "abs(3x)",
            "abs(z1)",
            "abs x",
            "sin()",
            "sin(3)",
            "sin(0x)",
            "sin(-0x)",
            "sin(64.5x)",
            "sin(1e9x)",
            "sin(infx)",
            "sin(nanx)",
            "sin(3 x)",
            "sin(é)",
            "tanh(x)",
            "x*x",
            "x*y*d",
            "x*bias",
            "X",
            " x",
        ] {
            assert!(text.parse::<Input>().is_err(), "{text}");
        }
        for text in ["", "x,", "x,y,x", "x*y,y*x", "x,z1"] {
            assert!(text.parse::<Inputs>().is_err(), "{text}");
        }
        assert!(serde_json::from_str::<Inputs>("[]").is_err());
        assert_eq!(" abs(x), y".parse::<Inputs>().unwrap().to_string(), "abs(x),y");
    }
}
