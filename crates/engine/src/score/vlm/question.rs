//! A question to a model: prompt, pictures, form of the answer, as an OpenAI-compatible request.

use super::config::VlmConfig;
use crate::base::hash::sha256_hex;
use crate::network::Picture;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// A picture as PNG bytes, with their SHA-256 in hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Png {
    bytes: Vec<u8>,
    /// SHA-256 of the bytes, hex.
    pub sha256: String,
}

impl Png {
    /// Encodes a picture, enlarged by a whole number until no side is shorter than `least_side`.
    pub(crate) fn of(picture: &Picture, least_side: usize) -> Self {
        let shorter = picture.width.min(picture.height).max(1);
        let times = least_side.div_ceil(shorter).max(1);
        let (width, height) = (picture.width * times, picture.height * times);
        let mut large = Picture::filled(width, height, [0.0; 3]);
        for (i, pixel) in large.rgb.chunks_exact_mut(3).enumerate() {
            pixel.copy_from_slice(&picture.at(i / width / times, i % width / times));
        }
        let bytes = large.to_png(&[]);
        Png { sha256: sha256_hex(&bytes), bytes }
    }

    /// `data:image/png;base64,…` (RFC 2397, RFC 4648).
    fn data_url(&self) -> String {
        format!("data:image/png;base64,{}", BASE64_STANDARD.encode(&self.bytes))
    }
}

/// One part of the message, in order.
#[derive(Clone, Debug)]
pub enum Part<'a> {
    /// Words.
    Text(String),
    /// A picture.
    Picture(&'a Png),
}

/// A question to the model.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// Prompt and pictures.
    pub parts: Vec<Part<'a>>,
    /// Name of the answer's schema.
    pub schema_name: &'static str,
    /// JSON Schema of the answer.
    pub schema: Value,
    /// Number of the vote: equal questions with different numbers are asked again.
    pub vote: usize,
}

impl Question<'_> {
    /// SHA-256 over everything that decides the answer: model, sampling, texts, pictures in
    /// order, schema and number of the vote. Not the server's address.
    pub(crate) fn key(&self, config: &VlmConfig) -> String {
        let picture = |png: &Png| Value::from(format!("sha256:{}", png.sha256));
        let document = json!({
            "format": "picloom-vlm/1",
            "request": self.request(config, picture),
            "vote": self.vote,
        });
        sha256_hex(document.to_string().as_bytes())
    }

    /// The request as it is sent.
    pub(crate) fn body(&self, config: &VlmConfig) -> Value {
        self.request(config, |png| Value::from(png.data_url()))
    }

    /// The request with each picture's hash in place of the picture, for the log.
    pub(crate) fn shown(&self, config: &VlmConfig) -> Value {
        self.request(config, |png| Value::from(format!("sha256:{}", png.sha256)))
    }

    fn request(&self, config: &VlmConfig, url: impl Fn(&Png) -> Value) -> Value {
        let content: Vec<Value> = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => json!({"type": "text", "text": text}),
                Part::Picture(png) => json!({"type": "image_url", "image_url": {"url": url(png)}}),
            })
            .collect();
        let mut request = json!({
            "model": config.model,
            "messages": [{"role": "user", "content": content}],
            "response_format": {
                "type": "json_schema",
                "json_schema": {"name": self.schema_name, "strict": true, "schema": self.schema},
            },
        });
        if let Some(temperature) = config.temperature {
            request["temperature"] = temperature.into();
            if temperature > 0.0 {
                request["seed"] = self.vote.into();
            }
        }
        if let Some(tokens) = config.answer_tokens {
            request["max_tokens"] = tokens.into();
        }
        request
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_data_url_names_its_type() {
        let png = Png { bytes: b"fo".to_vec(), sha256: String::new() };
        assert_eq!(png.data_url(), "data:image/png;base64,Zm8=");
    }

    #[test]
    fn small_pictures_are_enlarged_by_whole_numbers() {
        let mut picture = Picture::filled(3, 2, [0.0; 3]);
        picture.rgb[3..6].copy_from_slice(&[1.0, 0.5, 0.0]);
        let large = image::load_from_memory(&Png::of(&picture, 5).bytes).unwrap().to_rgb8();
        assert_eq!(large.dimensions(), (9, 6));
        assert_eq!(large.get_pixel(4, 1).0, [255, 128, 0]);
        assert_eq!(large.get_pixel(6, 1).0, [0, 0, 0]);
    }

    #[test]
    fn keys_depend_on_everything_that_decides_an_answer_and_not_on_the_address() {
        let (a, b) = (
            Png::of(&Picture::filled(2, 2, [0.0; 3]), 1),
            Png::of(&Picture::filled(2, 2, [1.0; 3]), 1),
        );
        let config = VlmConfig::new("model", "cache");
        let key = |config: &VlmConfig, text: &str, pictures: [&Png; 2], vote| {
            Question {
                parts: vec![
                    Part::Text(text.into()),
                    Part::Picture(pictures[0]),
                    Part::Picture(pictures[1]),
                ],
                schema_name: "s",
                schema: json!({}),
                vote,
            }
            .key(config)
        };
        let first = key(&config, "p", [&a, &b], 0);
        let mut other = config.clone();
        other.url = "http://elsewhere".into();
        assert_eq!(first, key(&other, "p", [&a, &b], 0));
        other.model = "another".into();
        for changed in [
            key(&other, "p", [&a, &b], 0),
            key(&config, "q", [&a, &b], 0),
            key(&config, "p", [&b, &a], 0),
            key(&config, "p", [&a, &b], 1),
        ] {
            assert_ne!(first, changed);
        }
    }
}
