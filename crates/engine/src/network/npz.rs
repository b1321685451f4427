//! `.npz` files of NumPy arrays: read float arrays, write float32 ones. Little-endian only.

use crate::base::refusal::Refusal;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};

/// Limit on the unpacked size of all arrays of a file, in bytes: zeros pack a thousandfold.
const LARGEST: u64 = 256 << 20;

/// An array: shape, and values in C order (last axis fastest).
#[derive(Clone, Debug, PartialEq)]
pub struct Array {
    /// Lengths of the axes.
    pub shape: Vec<usize>,
    /// Product of `shape` values.
    pub values: Vec<f64>,
}

/// All arrays of an `.npz`, by name (without `.npy`).
///
/// # Errors
/// Not a zip; a member that is not a little-endian float32 or float64 array; more than 256 MiB.
pub fn read_npz(bytes: &[u8]) -> Result<BTreeMap<String, Array>, Refusal> {
    let failed = |e: &dyn std::fmt::Display| {
        Refusal::new("", "an .npz archive", format!("other bytes: {e}"))
    };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(|e| failed(&e))?;
    let mut arrays = BTreeMap::new();
    let mut room = LARGEST;
    for i in 0..archive.len() {
        let entry = archive.by_index(i).map_err(|e| failed(&e))?;
        let name = entry.name().map_err(|e| failed(&e))?.trim_end_matches(".npy").to_string();
        let mut data = Vec::new();
        entry.take(room + 1).read_to_end(&mut data).map_err(|e| failed(&e))?;
        let Some(left) = room.checked_sub(data.len() as u64) else {
            let expected = "at most 256 MiB of arrays";
            return Err(Refusal::new(format!("array {name:?}"), expected, "more (a zip bomb?)"));
        };
        room = left;
        let array = parse_npy(&data).map_err(|(expected, found)| {
            Refusal::new(format!("array {name:?}"), expected, found)
        })?;
        arrays.insert(name, array);
    }
    Ok(arrays)
}

/// The bytes of an `.npz` with float32 arrays in the order given. Equal input, equal bytes.
pub fn write_npz(arrays: &[(String, Vec<usize>, Vec<f32>)]) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .last_modified_time(zip::DateTime::default());
    for (name, shape, values) in arrays {
        assert_eq!(shape.iter().product::<usize>(), values.len(), "{name}: one value a place");
        zip.start_file(format!("{name}.npy"), options).expect("writing to memory");
        let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
        let mut header =
            format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}", axes.trim_end());
        while (10 + header.len() + 1) % 64 != 0 {
            header.push(' ');
        }
        header.push('\n');
        let mut data = b"\x93NUMPY\x01\x00".to_vec();
        data.extend((header.len() as u16).to_le_bytes());
        data.extend(header.as_bytes());
        data.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        zip.write_all(&data).expect("writing to memory");
    }
    zip.finish().expect("writing to memory").into_inner()
}

/// One array, as a `.npy` file holds it.
pub(super) fn parse_npy(data: &[u8]) -> Result<Array, (&'static str, String)> {
    if data.len() < 10 || &data[..6] != b"\x93NUMPY" {
        return Err(("a NumPy array", "no NumPy header".into()));
    }
    let (length, start) = match data[6] {
        1 => (u16::from_le_bytes([data[8], data[9]]) as usize, 10),
        2 | 3 if data.len() >= 12 => {
            (u32::from_le_bytes([data[8], data[9], data[10], data[11]]) as usize, 12)
        }
        v => return Err(("NumPy format version 1 to 3", format!("{v}"))),
    };
    let header =
        data.get(start..start + length).ok_or(("a whole header", "a truncated one".to_string()))?;
    let header =
        std::str::from_utf8(header).map_err(|_| ("a text header", "other bytes".to_string()))?;
    let field = |key: &str| -> Option<&str> {
        header.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start())
    };
    let descr =
        field("descr").and_then(|rest| rest.strip_prefix('\'')?.split('\'').next()).unwrap_or("");
    let fortran = field("fortran_order").is_some_and(|rest| rest.starts_with("True"));
    let shape_text =
        field("shape").and_then(|rest| rest.strip_prefix('(')?.split(')').next()).unwrap_or("?");
    let shape: Vec<usize> = shape_text
        .split(',')
        .map(str::trim)
        .filter(|s| !s.is_empty())
        .map(|s| s.parse().map_err(|_| ("a shape of whole numbers", format!("({shape_text})"))))
        .collect::<Result<_, _>>()?;
    let count = shape
        .iter()
        .try_fold(1usize, |n, &axis| n.checked_mul(axis))
        .ok_or(("a shape that fits in memory", format!("({shape_text})")))?;
    let body = &data[start + length..];
    let size = match descr {
        "<f4" => 4,
        "<f8" => 8,
        other => return Err(("little-endian float32 or float64", format!("{other:?}"))),
    };
    if count.checked_mul(size) != Some(body.len()) {
        return Err((
            "as many bytes as the shape says",
            format!("{} bytes for ({shape_text})", body.len()),
        ));
    }
    let mut values: Vec<f64> = if size == 4 {
        body.chunks_exact(4)
            .map(|b| f64::from(f32::from_le_bytes(b.try_into().expect("chunks of 4"))))
            .collect()
    } else {
        body.chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().expect("chunks of 8")))
            .collect()
    };
    if fortran && shape.len() == 2 {
        let (rows, columns) = (shape[0], shape[1]);
        values = (0..rows * columns).map(|i| values[(i % columns) * rows + i / columns]).collect();
    } else if fortran && shape.len() > 2 {
        return Err(("C order", "a Fortran-ordered array with more than 2 axes".into()));
    }
    Ok(Array { shape, values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_round_trip_and_equal_input_gives_equal_bytes() {
        let arrays = vec![
            ("a.kernel".to_string(), vec![2, 3], vec![1.0, -2.5, 3.0, 0.0, 1e-30, 7.0]),
            ("b".to_string(), vec![1], vec![4.0]),
        ];
        let bytes = write_npz(&arrays);
        assert_eq!(bytes, write_npz(&arrays));
        let read = read_npz(&bytes).unwrap();
        assert_eq!(read["a.kernel"].shape, [2, 3]);
        assert_eq!(
            read["a.kernel"].values,
            arrays[0].2.iter().map(|&v| f64::from(v)).collect::<Vec<_>>()
        );
        assert_eq!(read["b"].shape, [1]);
    }

    #[test]
    fn other_files_are_refused() {
        assert_eq!(read_npz(b"no zip at all").unwrap_err().expected, "an .npz archive");
        assert!(parse_npy(b"\x93NUMPY\x01\x00\x02\x00{}").is_err());
    }
}
