//! Reads the vectors in `Tests/Vectors`, which `generate.py` there computes with numpy and scipy.
//!
//! A file is lines of a key and its values, separated by spaces. `case NAME` begins a case; lines that are empty or begin with
//! `#` are ignored.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::str::FromStr;

/// One case of a vector file.
#[derive(Debug, Default)]
pub struct VectorCase {
    /// Its name.
    pub name: String,
    fields: HashMap<String, Vec<String>>,
}

impl VectorCase {
    /// The values of a key.
    ///
    /// # Panics
    /// The case has no such key, or a value of it is not a `T`: the file is malformed.
    pub fn values<T: FromStr>(&self, key: &str) -> Vec<T> {
        let Some(values) = self.fields.get(key) else {
            panic!("case {}: expected the key {key}", self.name);
        };
        let parse = |value: &String| {
            let parsed = value.parse();
            parsed.unwrap_or_else(|_| panic!("case {}, key {key}: {value} is not of its type", self.name))
        };
        values.iter().map(parse).collect()
    }

    /// The only value of a key.
    ///
    /// # Panics
    /// As [`values`](Self::values); or there is more than one value.
    pub fn value<T: FromStr>(&self, key: &str) -> T {
        let mut values = self.values(key);
        assert_eq!(values.len(), 1, "case {}, key {key}", self.name);
        values.remove(0)
    }
}

/// The cases of `Tests/Vectors/{name}`.
///
/// # Panics
/// The file is missing, has no cases, or does not begin with one.
pub fn vector_file(name: &str) -> Vec<VectorCase> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../Tests/Vectors")
        .join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut cases: Vec<VectorCase> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace().map(str::to_owned);
        let Some(key) = words.next() else { continue };
        if key == "case" {
            cases.push(VectorCase {
                name: words.next().unwrap_or_default(),
                fields: HashMap::new(),
            });
        } else if let Some(case) = cases.last_mut() {
            case.fields.insert(key, words.collect());
        } else {
            panic!("{}: expected `case` before {key}", path.display());
        }
    }
    assert!(!cases.is_empty(), "{}: no cases", path.display());
    cases
}
