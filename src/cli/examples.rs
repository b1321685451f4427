//! The examples in a command's help: the lines of docs/CLI.md, which the guide's test runs.

use clap::Command;

const PAGE: &str = include_str!("../../docs/CLI.md");

/// Options that no example uses stand after those that one does.
const AFTER: usize = 100;

/// A line that can be typed, and what it does.
struct Example {
    does: &'static str,
    line: &'static str,
}

/// The examples of the page, in its order. A line without a comment above it belongs to the comment before in its block.
fn of_page() -> Vec<Example> {
    let mut examples = Vec::new();
    let mut does = "";
    for line in PAGE.lines() {
        match line.strip_prefix("# ") {
            Some(comment) => does = comment,
            None if line.starts_with("```") => does = "",
            None if line.starts_with("picloom ") => examples.push(Example { does, line }),
            None => {}
        }
    }
    examples
}

/// Adds its examples to the help of every command, and puts the options that they use first.
pub(super) fn add(command: Command) -> Command {
    let name = command.get_name().to_string();
    of_command(command, &name, &of_page())
}

/// The commands by what they are about, as the help of the program lists them.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Pictures", &["genome", "family", "evolve", "render", "animate"]),
    (
        "Networks",
        &["compare", "train", "prune", "eval", "score", "maps", "sweep", "export", "judge"],
    ),
    ("Studies", &["experiment", "regime", "distil", "contrast", "plot"]),
    ("The program", &["studio", "page", "bench", "completions", "man"]),
];

/// Lists the commands of the program in groups.
pub(super) fn grouped(command: Command) -> Command {
    let heading = command.get_styles().get_header();
    let mut list = String::new();
    for (title, names) in GROUPS {
        list += &format!("{heading}{title}:{heading:#}\n");
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let (mut line, mut lines) = (String::new(), Vec::new());
            for word in about.split(' ') {
                if line.len() + word.len() > 80 {
                    lines.push(std::mem::take(&mut line));
                }
                line = format!("{line} {word}").trim_start().into();
            }
            lines.push(line);
            let about = lines.join(&format!("\n{:15}", ""));
            list += &format!("  {:<12} {about}\n", command.get_name());
        }
        list += "\n";
    }
    // clap lists options of their own headings only beside the commands, which are listed above.
    let bare = command.clone().mut_subcommands(|command| command.hide(true));
    let options = bare.help_template("{all-args}").render_help().ansi().to_string();
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{list}{}{{after-help}}",
        options.trim_end()
    ))
}

/// A line, broken as a shell reads it where the help would be broken anyhow.
fn broken(line: &str) -> String {
    /// Columns of a help without a terminal, less its indent.
    const WIDEST: usize = 96;
    let (mut text, mut width) = (String::from(" "), 1);
    for word in line.split(' ') {
        if width + word.len() + 3 > WIDEST {
            text += " \\\n     ";
            width = 5;
        }
        text += &format!(" {word}");
        width += word.len() + 1;
    }
    text
}

/// `path`: the words that call the command.
fn of_command(mut command: Command, path: &str, examples: &[Example]) -> Command {
    let below: Vec<String> = command.get_subcommands().map(|c| c.get_name().into()).collect();
    for name in &below {
        let path = format!("{path} {name}");
        command = command.mut_subcommand(name, |command| of_command(command, &path, examples));
    }
    let its_own = |example: &&Example| {
        let rest = example.line.strip_prefix(path).and_then(|rest| rest.strip_prefix(' '));
        let next = rest.map(|rest| rest.split(' ').next().unwrap_or_default());
        example.line == path || next.is_some_and(|word| !below.iter().any(|name| name == word))
    };
    let own: Vec<&Example> = examples.iter().filter(its_own).collect();
    if own.is_empty() {
        return command;
    }
    let text = own.iter().enumerate().map(|(i, example)| {
        let repeated = i > 0 && own[i - 1].does == example.does;
        let says = !repeated && !example.does.is_empty();
        let comment = if says { format!("  # {}\n", example.does) } else { String::new() };
        format!("{comment}{}\n", broken(example.line))
    });
    let mut text = format!("Examples:\n{}", text.collect::<String>());
    if let Some(more) = command.get_after_help() {
        text += &format!("\n{more}");
    }
    let used: Vec<&str> = own
        .iter()
        .flat_map(|example| example.line.split(' '))
        .filter_map(|word| word.strip_prefix("--"))
        .collect();
    let mut place = AFTER;
    command
        .mut_args(|arg| {
            place += 1;
            match arg.get_long().and_then(|long| used.iter().position(|word| *word == long)) {
                // Without a heading of its own it stands in the first list.
                Some(first) => arg.display_order(first).help_heading(None::<&str>),
                None => arg.display_order(place),
            }
        })
        .after_help(text.trim_end().to_string())
}
