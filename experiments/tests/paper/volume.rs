//! Volumes of networks that can be compositional: closed forms, exact values, samples.

mod budget;
mod exact;
mod literal;
mod moment;
mod sample;
mod sensitivity;
