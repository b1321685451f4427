//! Options from a table of settings: `#[command(flatten)] settings: Laid<TrainConfig>` gives a command an option for
//! each of them, and holds what was given, to be laid over a file's settings or the defaults.

use super::source::Usage;
use crate::base::settings::{Setting, Settings};
use crate::base::text::word;
use crate::experiment::networks::StudySettings;
use clap::builder::{PossibleValuesParser, TypedValueParser, ValueParser};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use std::marker::PhantomData;
use toml::{Table, Value as Toml};

/// The settings of a `C` that were given as options.
#[derive(Clone, Debug)]
pub(super) struct Laid<C> {
    given: Table,
    of: PhantomData<C>,
}

impl<C: Settings> Laid<C> {
    /// `base` with the options over it.
    pub(super) fn over(&self, base: &C) -> Result<C, Usage> {
        base.with(&self.given).map_err(|refusal| Usage(refusal.to_string()))
    }

    /// The options that were given, by the keys of files.
    pub(super) fn by_key(&self) -> Result<Table, Usage> {
        C::by_key(&self.given).map_err(|refusal| Usage(refusal.to_string()))
    }

    /// The options that were given, by their names.
    pub(super) fn given(&self) -> &Table {
        &self.given
    }

    /// The options that were given, as words of a command line, each after a space.
    pub(super) fn command_line(&self) -> String {
        let given = |row: Setting| {
            let text = row.text(self.given.get(row.name)?)?;
            Some(format!(" --{}={}", row.flag(), word(text)))
        };
        C::settings().into_iter().filter_map(given).collect()
    }

    /// True if none was given.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// True if the option of this setting was given.
    pub(super) fn has(&self, name: &str) -> bool {
        self.given.contains_key(name)
    }

    /// The text that an option was given, where it is text.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.given.get(name)?.as_str()
    }

    /// Refuses options that do not belong to `what`, which was chosen by `--option`.
    pub(super) fn check_only(&self, option: &str, what: &str) -> Result<(), Usage> {
        let others = C::settings().into_iter().find(|row| {
            self.has(row.name) && !row.about.only.is_empty() && !row.about.only.contains(&what)
        });
        let Some(row) = others else { return Ok(()) };
        Err(belongs_to(&row.flag(), option, row.about.only, what))
    }
}

/// That an option belongs to others than `what`.
pub(super) fn belongs_to(flag: &str, option: &str, only: &[&str], what: &str) -> Usage {
    Usage(format!("--{flag}: expected --{option} {} with it, found {what}", only.join(", ")))
}

impl<C: Settings> Args for Laid<C> {
    fn augment_args(command: Command) -> Command {
        // An option that the command declares itself stays its own.
        let own: Vec<String> =
            command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
        let rows = C::settings().into_iter().filter(|row| !row.name.is_empty());
        let rows = rows.filter(|row| !own.iter().any(|id| id == row.name));
        rows.fold(command, |command, row| command.arg(option::<C>(&row)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<C: Settings> FromArgMatches for Laid<C> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut laid = Laid { given: Table::new(), of: PhantomData };
        laid.update_from_arg_matches(matches)?;
        Ok(laid)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for row in C::settings().iter().filter(|row| !row.name.is_empty()) {
            // An option that the command declares itself has values of another type.
            let Ok(Some(values)) = matches.try_get_many::<Toml>(row.name) else { continue };
            let value = values.cloned().reduce(|all, more| match (all, more) {
                (Toml::Array(all), Toml::Array(more)) => Toml::Array([all, more].concat()),
                (Toml::Table(all), Toml::Table(more)) => {
                    Toml::Table(all.into_iter().chain(more).collect())
                }
                (_, last) => last,
            });
            self.given.extend(value.map(|value| (row.name.to_string(), value)));
        }
        Ok(())
    }
}

/// The option with another default in its help than the declaration's.
pub(super) fn with_default(option: Arg, default: &str) -> Arg {
    let help = option.get_help().map(ToString::to_string).unwrap_or_default();
    let means = help.split(" [default: ").next().unwrap_or_default();
    let help = format!("{means} [default: {default}]");
    option.help(help)
}

/// The options of a study of one picture, whose profile says what holds without them.
pub(super) fn of_profile(option: Arg) -> Arg {
    match StudySettings::settings().iter().any(|row| option.get_id() == row.name) {
        true => with_default(option, "the profile's"),
        false => option,
    }
}

/// The option of a setting.
fn option<C: Settings>(row: &Setting) -> Arg {
    let names = PossibleValuesParser::new(row.kind.names.iter().copied());
    let read = row.clone();
    let parse = move |text: String| read.accept(&Toml::String(text));
    let parser = match row.kind.names.is_empty() || row.kind.is_list || row.kind.is_choice {
        true => ValueParser::new(clap::builder::StringValueParser::new().try_map(parse)),
        false => ValueParser::new(names.try_map(parse)),
    };
    let value = match row.about.value {
        "" => row.name.to_uppercase(),
        value => value.to_string(),
    };
    let action = if row.kind.is_list { ArgAction::Append } else { ArgAction::Set };
    let arg = Arg::new(row.name)
        .long(row.flag())
        .value_name(value)
        .help(row.help())
        .help_heading(C::HEADING)
        .action(action)
        .value_parser(parser);
    let arg = match row.kind.python.as_str() {
        // `--refill` is `--refill=true`.
        "bool" => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
        _ => arg,
    };
    if row.about.needs.is_empty() { arg } else { arg.requires(row.about.needs) }
}
