//! Tables of nodes: CSV with a header.

use crate::wanted::Wanted;
use csv_core::{ReadFieldResult, Reader};
use std::collections::HashSet;
use std::fmt;

/// The most rows of a table.
pub const MOST_ROWS: usize = 4_096;

/// A node of a table.
#[derive(Clone)]
pub struct Row {
    /// The node's name or identifier now.
    pub node: String,
    /// What it is to hold.
    pub wanted: Wanted,
}

/// What is wrong with a table, by its line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowRefusal {
    /// The line.
    pub line: usize,
    /// What was expected, and what came.
    pub problem: String,
    /// Whether it is a value that no node takes; else the table is malformed.
    pub is_value: bool,
}

impl fmt::Display for RowRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.problem)
    }
}

/// The columns; `ssid` and `footprint` may lack.
const COLUMNS: [&str; 6] = ["node", "name", "universe", "start", "ssid", "footprint"];

/// Reads a table whose columns are `node`, `name`, `universe`, `start`, and if wanted `ssid` and `footprint`, in any order. What it has
/// no column for, and the password, is that of `common`. There is no column for passwords.
///
/// # Errors
/// All that is wrong; no row is to be used then.
pub fn rows(table: &str, common: &Wanted) -> Result<Vec<Row>, Vec<RowRefusal>> {
    let mut lines = records(table.trim_start_matches('\u{FEFF}')).into_iter();
    let refusal = |line, problem: String| RowRefusal {
        line,
        problem,
        is_value: false,
    };
    let Some((_, header)) = lines.next() else {
        return Err(vec![refusal(1, "expected a header, got nothing".to_owned())]);
    };
    let header: Vec<_> = header
        .iter()
        .map(|name| name.trim().to_ascii_lowercase())
        .collect();
    let mut refusals = Vec::new();
    for (place, name) in header.iter().enumerate() {
        if !COLUMNS.contains(&name.as_str()) || header[..place].contains(name) {
            refusals.push(refusal(
                1,
                format!("columns: expected {} once each, got '{name}'", COLUMNS.join(", ")),
            ));
        }
    }
    for name in &COLUMNS[..4] {
        if !header.iter().any(|column| column == name) {
            refusals.push(refusal(1, format!("columns: expected '{name}', got none")));
        }
    }
    if !refusals.is_empty() {
        return Err(refusals);
    }
    let (mut rows, mut nodes) = (Vec::new(), HashSet::new());
    for (line, fields) in lines {
        if fields.len() != header.len() {
            refusals.push(refusal(
                line,
                format!("expected {} fields, got {}", header.len(), fields.len()),
            ));
            continue;
        }
        let mut row = Row {
            node: String::new(),
            wanted: common.clone(),
        };
        for (name, field) in header.iter().zip(&fields) {
            match name.as_str() {
                "node" => row.node.clone_from(field),
                "name" => row.wanted.name.clone_from(field),
                "ssid" if field.is_empty() => {}
                "ssid" => row.wanted.ssid.clone_from(field),
                "footprint" if field.trim().is_empty() => row.wanted.footprint = None,
                _ => match field.trim().parse() {
                    Ok(number) if name == "universe" => row.wanted.universe = number,
                    Ok(number) if name == "start" => row.wanted.start = number,
                    Ok(number) => row.wanted.footprint = Some(number),
                    Err(_) => {
                        refusals.push(refusal(line, format!("{name}: expected a number, got '{field}'")));
                    }
                },
            }
        }
        if row.node.is_empty() {
            refusals.push(refusal(
                line,
                "node: expected a name or an identifier, got none".to_owned(),
            ));
        } else if !nodes.insert(row.node.to_ascii_lowercase()) {
            refusals.push(refusal(
                line,
                format!("node: expected each once, got '{}' again", row.node),
            ));
        }
        if let Err(values) = row.wanted.check() {
            refusals.push(RowRefusal {
                is_value: true,
                ..refusal(line, values.to_string())
            });
        }
        rows.push(row);
    }
    if refusals.is_empty() && rows.is_empty() {
        refusals.push(refusal(2, "expected a row for each node, got none".to_owned()));
    }
    if rows.len() > MOST_ROWS {
        refusals.push(refusal(
            MOST_ROWS + 2,
            format!("expected at most {MOST_ROWS} rows, got {}", rows.len()),
        ));
    }
    if refusals.is_empty() {
        Ok(rows)
    } else {
        Err(refusals)
    }
}

/// The records with the lines on which they begin.
fn records(table: &str) -> Vec<(usize, Vec<String>)> {
    let mut reader = Reader::new();
    let (mut input, mut records, mut fields) = (table.as_bytes(), Vec::new(), Vec::new());
    let (mut field, mut part, mut line) = (Vec::new(), [0; 256], 1);
    loop {
        let (result, read, written) = reader.read_field(input, &mut part);
        input = &input[read..];
        field.extend_from_slice(&part[..written]);
        match result {
            // An empty input, which comes next, is the end.
            ReadFieldResult::InputEmpty | ReadFieldResult::OutputFull => {}
            ReadFieldResult::Field { record_end } => {
                fields.push(String::from_utf8_lossy(&field).into_owned());
                field.clear();
                if record_end {
                    records.push((line, std::mem::take(&mut fields)));
                    let consumed = table.len() - input.len();
                    line = 1 + table.as_bytes()[..consumed]
                        .iter()
                        .filter(|byte| **byte == b'\n')
                        .count();
                }
            }
            ReadFieldResult::End => return records,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    fn common() -> Wanted {
        Wanted {
            name: String::new(),
            ssid: "stage".to_owned(),
            password: Secret::new(b"hunter22".to_vec()),
            universe: 0,
            start: 1,
            footprint: None,
        }
    }

    fn problems(table: &str) -> Vec<String> {
        let refusals = rows(table, &common()).err().unwrap_or_default();
        refusals.iter().map(RowRefusal::to_string).collect()
    }

    #[test]
    fn table_gives_rows_with_quotes_and_missing_columns() {
        let table = "\u{FEFF}Node,universe,start,name,ssid\r\n\
                     AA:BB:CC:DD:EE:FF,1,10,\"left, \"\"low\"\"\",\r\nlamp 2, 2 ,512,right,backstage\n";
        let rows = rows(table, &common()).expect("good");
        let values = |row: &Row| {
            let wanted = &row.wanted;
            let texts = [&row.node, &wanted.name, &wanted.ssid].map(Clone::clone);
            (
                texts,
                wanted.universe,
                wanted.start,
                wanted.password.bytes().to_vec(),
            )
        };
        let texts = |node: &str, name: &str, ssid: &str| [node, name, ssid].map(str::to_owned);
        assert_eq!(rows.len(), 2);
        let password = b"hunter22".to_vec();
        let first = texts("AA:BB:CC:DD:EE:FF", "left, \"low\"", "stage");
        assert_eq!(values(&rows[0]), (first, 1, 10, password.clone()));
        assert_eq!(
            values(&rows[1]),
            (texts("lamp 2", "right", "backstage"), 2, 512, password)
        );
    }

    #[test]
    fn all_that_is_wrong_is_named_with_its_line() {
        let table =
            "node,name,universe,start,footprint\na,x,1,500,14\n,y,1,1,\nA,,32768,0,\nb,z,one,1,\nc,z\n";
        assert_eq!(
            problems(table),
            [
                "line 2: start: expected 14 slots up to 512, got 500 as the first",
                "line 3: node: expected a name or an identifier, got none",
                "line 4: node: expected each once, got 'A' again",
                "line 4: name: expected 1 to 32 bytes, got 0; universe: expected 0 to 32767, got 32768; \
                 start: expected 1 to 512, got 0",
                "line 5: universe: expected a number, got 'one'",
                "line 6: expected 5 fields, got 2",
            ]
        );
    }

    #[test]
    fn values_that_no_node_takes_are_told_from_a_malformed_table() {
        let table = "node,name,universe,start\na,x,1,513\nb,x,one,1\n";
        let refusals = rows(table, &common()).err().unwrap_or_default();
        let kinds: Vec<_> = refusals.iter().map(|refusal| refusal.is_value).collect();
        assert_eq!(kinds, [true, false]);
    }

    #[test]
    fn tables_have_no_column_for_passwords() {
        assert_eq!(
            problems("node,name,universe,start,password\na,x,1,1,secret\n"),
            [
                "line 1: columns: expected node, name, universe, start, ssid, footprint once each, got 'password'"
            ]
        );
        assert_eq!(problems("node,name\n").len(), 2);
        assert_eq!(problems("node,name,universe,start,name\n").len(), 1);
        assert_eq!(problems(""), ["line 1: expected a header, got nothing"]);
        assert_eq!(
            problems("node,name,universe,start\n"),
            ["line 2: expected a row for each node, got none"]
        );
    }
}
