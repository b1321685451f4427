//! Pixels as PNG bytes: pinned settings, so that the same pixels give the same bytes.

/// 8-bit RGB PNG bytes with pinned settings; the same bytes for the same pixels.
pub fn encode_png(width: usize, height: usize, rgb: &[u8], texts: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width as u32, height as u32);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    finish_png(encoder, texts, rgb);
    bytes
}

/// Writes texts and pixels to memory.
pub fn finish_png(
    mut encoder: png::Encoder<'_, &mut Vec<u8>>,
    texts: &[(&str, &str)],
    data: &[u8],
) {
    for (keyword, text) in texts {
        encoder
            .add_itxt_chunk((*keyword).to_string(), (*text).to_string())
            .expect("PNG keywords are 1 to 79 Latin-1 letters");
    }
    let mut writer = encoder.write_header().expect("writing to memory");
    writer.write_image_data(data).expect("writing to memory");
    writer.finish().expect("writing to memory");
}
