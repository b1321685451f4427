//! Tables of a spec laid over one another, key by key.
//!
//! Tables are laid over key by key, arrays whole. Where the table below has a list of named tables, a name in the array
//! stands for the table of that name, and a table of names lays changes over them.

use picloom_base::refusal::Refusal;
use toml::Spanned;
use toml::de::{DeArray, DeString, DeTable, DeValue};

/// Moves the keys of a table that are names of settings into its table `into`; `own` are its own keys.
pub fn sort_settings(table: &mut DeTable<'_>, into: &'static str, names: &[&str], own: &[&str]) {
    let keys: Vec<String> = table.keys().map(|key| key.get_ref().to_string()).collect();
    for key in keys.iter().map(String::as_str) {
        if !names.contains(&key) || own.contains(&key) {
            continue;
        }
        let Some((key, value)) = table.remove_entry(key) else { continue };
        let none = || Spanned::new(value.span(), DeValue::Table(DeTable::new()));
        let at: Spanned<DeString<'_>> = Spanned::new(key.span(), into.into());
        if let DeValue::Table(inner) = table.entry(at).or_insert_with(none).get_mut() {
            inner.insert(key, value);
        }
    }
}

/// Lays `changes` over a table.
///
/// # Errors
/// A name that no table has.
pub(crate) fn lay_over<'a>(spec: &mut DeTable<'a>, changes: &DeTable<'a>) -> Result<(), Refusal> {
    for (key, change) in changes {
        let name: &str = key.get_ref();
        match (spec.get_mut(name).map(Spanned::get_mut), change.get_ref()) {
            (Some(DeValue::Table(old)), DeValue::Table(new)) => lay_over(old, new)?,
            (Some(DeValue::Array(tables)), DeValue::Array(values)) if named(tables) => {
                *tables = with_named(name, tables, values)?;
            }
            (Some(DeValue::Array(tables)), DeValue::Table(of)) if named(tables) => {
                change_named(name, tables, of)?;
            }
            _ => {
                spec.insert(key.clone(), change.clone());
            }
        }
    }
    Ok(())
}

/// Lays changes over the tables that they name.
fn change_named<'a>(key: &str, tables: &mut DeArray<'a>, of: &DeTable<'a>) -> Result<(), Refusal> {
    check_known(key, tables, of.keys().map(|name| name.get_ref().as_ref()))?;
    for (name, changes) in of {
        let (name, changes): (&str, _) = (name.get_ref(), changes.get_ref());
        let changes = changes.as_table().ok_or_else(|| {
            let expected = "a table for each name";
            Refusal::new(key, expected, changes.type_str())
        })?;
        for table in tables.iter_mut().map(Spanned::get_mut) {
            let wanted = name_of(table) == Some(name);
            if let (true, DeValue::Table(table)) = (wanted, table) {
                lay_over(table, changes)?;
            }
        }
    }
    Ok(())
}

fn name_of<'a>(table: &'a DeValue<'_>) -> Option<&'a str> {
    table.as_table()?.get("name")?.get_ref().as_str()
}

fn named(tables: &DeArray<'_>) -> bool {
    tables.iter().any(|table| name_of(table.get_ref()).is_some())
}

/// Refuses a name that none of the tables has.
fn check_known<'n>(
    key: &str,
    tables: &DeArray<'_>,
    mut names: impl Iterator<Item = &'n str>,
) -> Result<(), Refusal> {
    let known: Vec<&str> = tables.iter().filter_map(|t| name_of(t.get_ref())).collect();
    names.try_for_each(|name| {
        Refusal::unless(known.contains(&name), key, format!("some of {known:?}"), name)
    })
}

/// The values, with the tables that they name in the place of the names.
fn with_named<'a>(
    key: &str,
    tables: &DeArray<'a>,
    values: &DeArray<'a>,
) -> Result<DeArray<'a>, Refusal> {
    check_known(key, tables, values.iter().filter_map(|value| value.get_ref().as_str()))?;
    let table = |value: &Spanned<DeValue<'a>>| match value.get_ref().as_str() {
        None => value.clone(),
        name => tables.iter().find(|t| name_of(t.get_ref()) == name).unwrap_or(value).clone(),
    };
    Ok(values.iter().map(table).collect())
}
