//! Drawings of networks, layer by layer. (Opened next.)
