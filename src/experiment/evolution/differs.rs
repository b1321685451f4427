//! In which key two tables of settings differ.

/// The first key in which two tables differ, as "key: expected …, found …".
pub(super) fn first_difference(
    prefix: &str,
    ours: &toml::Table,
    theirs: &toml::Table,
) -> Option<String> {
    let keys: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
    for key in keys {
        let name = format!("{prefix}{key}");
        match (ours.get(key), theirs.get(key)) {
            (Some(toml::Value::Table(a)), Some(toml::Value::Table(b))) => {
                if let Some(found) = first_difference(&format!("{name}."), a, b) {
                    return Some(found);
                }
            }
            (a, b) if a != b => {
                let text = |v: Option<&toml::Value>| match v {
                    Some(v) => v.to_string(),
                    None => "nothing".to_string(),
                };
                return Some(format!("{name}: expected {}, found {}", text(a), text(b)));
            }
            _ => {}
        }
    }
    None
}
