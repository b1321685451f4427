//! Animated PNGs of sweeps.

use crate::network::Picture;

/// The frames as an animated PNG that plays for ever, each frame shown `milliseconds`; viewers
/// that know only PNG show the first. `texts` are written as iTXt.
///
/// # Panics
/// If there are no frames, or frames of different sizes.
pub fn animate(frames: &[Picture], milliseconds: u16, texts: &[(&str, &str)]) -> Vec<u8> {
    let size = |frame: &Picture| (frame.width, frame.height);
    let expected = size(&frames[0]);
    assert!(frames.iter().all(|frame| size(frame) == expected), "frames of one size");
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, expected.0 as u32, expected.1 as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    const MEMORY: &str = "writing an APNG to memory";
    if frames.len() > 1 {
        encoder.set_animated(frames.len() as u32, 0).expect(MEMORY);
        encoder.set_frame_delay(milliseconds, 1000).expect(MEMORY);
    }
    for (keyword, text) in texts {
        encoder
            .add_itxt_chunk((*keyword).to_string(), (*text).to_string())
            .expect("PNG keywords are 1 to 79 Latin-1 letters");
    }
    let mut writer = encoder.write_header().expect(MEMORY);
    for frame in frames {
        writer.write_image_data(&frame.to_bytes()).expect(MEMORY);
    }
    writer.finish().expect(MEMORY);
    bytes
}

/// First to last and back, without doubling the turning points: a sweep that swings.
pub fn there_and_back(frames: Vec<Picture>) -> Vec<Picture> {
    let mut all = frames;
    for i in (1..all.len().saturating_sub(1)).rev() {
        all.push(all[i].clone());
    }
    all
}
