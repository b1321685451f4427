//! The `picloom` command: everything is in `picloom::cli`.

fn main() -> std::process::ExitCode {
    picloom::cli::main()
}
