# The stages of CI, by themselves. `just ci` is everything, in CI's order.

fmt:
    cargo fmt --all

lint:
    .ci/run format lint library msrv deny

# The instrument's tests but the slow ones.
test:
    cargo test

# Every test of Rust.
test-all:
    .ci/run test

# The engine's own tests: seconds, once it is built.
test-engine:
    cargo test -p picloom-engine --lib

# The training step, the picture, the sweep.
bench:
    cargo bench

# The slow checks on real components.
slow:
    .ci/run main tour study records crash schedulers fuzz formats studio web python

# The guide's pages, the library's documentation.
docs:
    .ci/run docs

ci:
    .ci/run
