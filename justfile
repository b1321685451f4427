# Everything CI checks, in the order it checks it.
ci:
    bash .ci/run

# The tests alone.
test:
    cargo test

# The main job on the genome that comes with the program.
compare:
    cargo run --release -- compare
