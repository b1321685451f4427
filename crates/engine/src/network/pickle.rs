//! Pickles of a text or of one float array, as FER keeps archs and weights. No code of a pickle is run: it is read by
//! a stack machine that knows the constructors of NumPy's and JAX's arrays, and refuses every other name.

use super::npz::Array;
use crate::base::refusal::Refusal;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Most instructions of a pickle that is read; an array takes fifty.
const MOST_STEPS: usize = 5_000;

/// The content of a pickle.
#[derive(Debug)]
pub(super) enum Pickled {
    /// A text.
    Text(String),
    /// Floats.
    Array(Array),
}

/// A name that a pickle may call.
#[derive(Clone, Copy)]
enum Call {
    Encode,
    Dtype,
    Ndarray,
    Reconstruct,
    FromBuffer,
    OfJax,
}

#[derive(Clone)]
enum Value {
    /// `None`, a truth value or a dict: nothing that is read here.
    Other,
    Mark,
    Number(i64),
    Truth(bool),
    Text(Rc<str>),
    Bytes(Rc<[u8]>),
    Tuple(Rc<[Value]>),
    Call(Call),
    /// Bytes of a float.
    Dtype(usize),
    /// An array without its state.
    Empty,
    Array(Rc<Array>),
}

/// Reads a pickle of protocol 2 to 5.
///
/// # Errors
/// It holds something else, or is damaged.
pub(super) fn read_pickle(bytes: &[u8]) -> Result<Pickled, Refusal> {
    let room = 8 * bytes.len();
    let mut machine = Machine { rest: bytes, stack: Vec::new(), memo: BTreeMap::new(), room };
    for _ in 0..MOST_STEPS {
        if machine.step()? {
            return match machine.pop()? {
                Value::Text(text) => Ok(Pickled::Text(text.to_string())),
                Value::Array(array) => Ok(Pickled::Array(Rc::unwrap_or_clone(array))),
                _ => Err(refuse("other objects")),
            };
        }
    }
    Err(refuse(&format!("more than {MOST_STEPS} instructions")))
}

fn refuse(found: &str) -> Refusal {
    Refusal::new("", "a pickle of a text or of one array of floats", found)
}

struct Machine<'a> {
    rest: &'a [u8],
    stack: Vec<Value>,
    memo: BTreeMap<u32, Value>,
    /// Bytes that calls may still make.
    room: usize,
}

impl<'a> Machine<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Refusal> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| refuse("one that is cut off"))?;
        self.rest = rest;
        Ok(taken)
    }

    /// A number of `count` bytes, the lowest first.
    fn number(&mut self, count: usize) -> Result<usize, Refusal> {
        let bytes = self.take(count)?.iter().rev();
        Ok(bytes.fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
    }

    /// Bytes behind their number, which has `count` bytes.
    fn counted(&mut self, count: usize) -> Result<&'a [u8], Refusal> {
        let length = self.number(count)?;
        self.take(length)
    }

    fn text(&mut self, count: usize) -> Result<Value, Refusal> {
        let bytes = self.counted(count)?;
        let text = std::str::from_utf8(bytes).map_err(|_| refuse("text that is no UTF-8"))?;
        Ok(Value::Text(text.into()))
    }

    fn line(&mut self) -> Result<&'a str, Refusal> {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let line = self.take(end.ok_or_else(|| refuse("one that is cut off"))? + 1)?;
        std::str::from_utf8(&line[..line.len() - 1]).map_err(|_| refuse("a name that is no UTF-8"))
    }

    fn pop(&mut self) -> Result<Value, Refusal> {
        self.stack.pop().ok_or_else(|| refuse("one that is damaged"))
    }

    /// The values above the last mark.
    fn marked(&mut self) -> Result<Vec<Value>, Refusal> {
        let mark = self.stack.iter().rposition(|value| matches!(value, Value::Mark));
        let mark = mark.ok_or_else(|| refuse("one that is damaged"))?;
        let values = self.stack.split_off(mark + 1);
        self.stack.pop();
        Ok(values)
    }

    fn keep(&mut self, place: u32) -> Result<(), Refusal> {
        let last = self.stack.last().ok_or_else(|| refuse("one that is damaged"))?;
        self.memo.insert(place, last.clone());
        Ok(())
    }

    /// Does one instruction; true at the end.
    fn step(&mut self) -> Result<bool, Refusal> {
        let value = match self.take(1)?[0] {
            b'.' => return Ok(true),
            0x80 => self.take(1).map(|_| None)?,
            0x95 => self.take(8).map(|_| None)?,
            code @ (b'q' | b'r' | 0x94) => {
                let place = match code {
                    b'q' => self.number(1)?,
                    b'r' => self.number(4)?,
                    _ => self.memo.len(),
                };
                self.keep(place as u32)?;
                None
            }
            code @ (b'h' | b'j') => {
                let place = self.number(if code == b'h' { 1 } else { 4 })? as u32;
                let known = self.memo.get(&place).cloned();
                Some(known.ok_or_else(|| refuse("one that is damaged"))?)
            }
            b'(' => Some(Value::Mark),
            b')' => Some(Value::Tuple(Rc::new([]))),
            b't' => Some(Value::Tuple(self.marked()?.into())),
            code @ 0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let start = self.stack.len().checked_sub(count);
                let start = start.ok_or_else(|| refuse("one that is damaged"))?;
                Some(Value::Tuple(self.stack.split_off(start).into()))
            }
            b'N' | b'}' => Some(Value::Other),
            0x88 => Some(Value::Truth(true)),
            0x89 => Some(Value::Truth(false)),
            b'K' => Some(Value::Number(self.number(1)? as i64)),
            b'M' => Some(Value::Number(self.number(2)? as i64)),
            b'J' => Some(Value::Number(i64::from(self.number(4)? as u32 as i32))),
            b'X' => Some(self.text(4)?),
            0x8c => Some(self.text(1)?),
            0x8d => Some(self.text(8)?),
            b'C' => Some(Value::Bytes(self.counted(1)?.into())),
            b'B' => Some(Value::Bytes(self.counted(4)?.into())),
            0x8e | 0x96 => Some(Value::Bytes(self.counted(8)?.into())),
            // Items of a dict, which is not read.
            b's' => {
                self.pop()?;
                self.pop()?;
                None
            }
            b'u' => self.marked().map(|_| None)?,
            b'c' => {
                let (module, name) = (self.line()?, self.line()?);
                Some(Value::Call(call(module, name)?))
            }
            0x93 => match (self.pop()?, self.pop()?) {
                (Value::Text(name), Value::Text(module)) => {
                    Some(Value::Call(call(&module, &name)?))
                }
                _ => return Err(refuse("one that is damaged")),
            },
            b'R' => {
                let (arguments, called) = (self.pop()?, self.pop()?);
                let (Value::Call(called), Value::Tuple(arguments)) = (called, arguments) else {
                    return Err(refuse("one that is damaged"));
                };
                Some(reduced(called, &arguments)?)
            }
            b'b' => {
                let (state, object) = (self.pop()?, self.pop()?);
                Some(built(object, state)?)
            }
            code => return Err(refuse(&format!("the instruction {code:#04x}"))),
        };
        let made = match &value {
            Some(Value::Bytes(bytes)) => bytes.len(),
            Some(Value::Array(array)) => 8 * array.values.len(),
            _ => 0,
        };
        self.room = self.room.checked_sub(made).ok_or_else(|| refuse("more than it has bytes"))?;
        self.stack.extend(value);
        Ok(false)
    }
}

/// The name, if it is one of those that are known.
fn call(module: &str, name: &str) -> Result<Call, Refusal> {
    match (module.replace("numpy._core", "numpy.core").as_str(), name) {
        ("_codecs", "encode") => Ok(Call::Encode),
        ("numpy", "dtype") => Ok(Call::Dtype),
        ("numpy", "ndarray") => Ok(Call::Ndarray),
        ("numpy.core.multiarray", "_reconstruct") => Ok(Call::Reconstruct),
        ("numpy.core.numeric", "_frombuffer") => Ok(Call::FromBuffer),
        ("jax._src.array", "_reconstruct_array") => Ok(Call::OfJax),
        _ => Err(refuse(&format!("a call of {module}.{name}"))),
    }
}

fn reduced(called: Call, arguments: &[Value]) -> Result<Value, Refusal> {
    match (called, arguments) {
        (Call::Encode, [Value::Text(text), ..]) => {
            let bytes = text.chars().map(|c| u8::try_from(c).map_err(|_| refuse("wide letters")));
            Ok(Value::Bytes(bytes.collect::<Result<_, _>>()?))
        }
        (Call::Dtype, [Value::Text(name), ..]) => match &**name {
            "f4" => Ok(Value::Dtype(4)),
            "f8" => Ok(Value::Dtype(8)),
            other => Err(refuse(&format!("values of {other:?}"))),
        },
        (Call::Reconstruct, _) => Ok(Value::Empty),
        (Call::OfJax, [Value::Call(Call::Reconstruct), _, state, ..]) => {
            built(Value::Empty, state.clone())
        }
        (
            Call::FromBuffer,
            [Value::Bytes(bytes), Value::Dtype(size), Value::Tuple(shape), Value::Text(order)],
        ) => array(shape, *size, &**order == "F", bytes),
        _ => Err(refuse("other objects")),
    }
}

fn built(object: Value, state: Value) -> Result<Value, Refusal> {
    let Value::Tuple(state) = state else { return Err(refuse("other objects")) };
    match (object, &*state) {
        (Value::Dtype(size), [_, Value::Text(order), ..]) if &**order == "<" => {
            Ok(Value::Dtype(size))
        }
        (Value::Dtype(_), _) => Err(refuse("numbers whose highest byte is first")),
        (
            Value::Empty,
            [
                _,
                Value::Tuple(shape),
                Value::Dtype(size),
                Value::Truth(fortran),
                Value::Bytes(bytes),
            ],
        ) => array(shape, *size, *fortran, bytes),
        _ => Err(refuse("other objects")),
    }
}

fn array(shape: &[Value], size: usize, fortran: bool, bytes: &[u8]) -> Result<Value, Refusal> {
    let side = |value: &Value| match value {
        Value::Number(n) => usize::try_from(*n).ok(),
        _ => None,
    };
    let shape: Option<Vec<usize>> = shape.iter().map(side).collect();
    let shape = shape
        .filter(|shape| !fortran || shape.len() == 1)
        .ok_or_else(|| refuse("an array of another layout"))?;
    let count = shape.iter().try_fold(size, |n, side| n.checked_mul(*side));
    if count != Some(bytes.len()) {
        return Err(refuse("an array with another number of bytes than its shape has"));
    }
    let read = |b: &[u8]| match b.try_into() {
        Ok(four) => f64::from(f32::from_le_bytes(four)),
        Err(_) => f64::from_le_bytes(b.try_into().expect("a float has 4 bytes or 8")),
    };
    let values = bytes.chunks_exact(size).map(read).collect();
    Ok(Value::Array(Rc::new(Array { shape, values })))
}
