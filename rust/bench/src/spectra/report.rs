//! The tables, in Markdown.

use std::fmt::{self, Display};

/// The cost of each candidate, by size, for each job.
pub(super) struct Tables {
    unit: &'static str,
    /// The meaning of a higher ratio to the base.
    higher: &'static str,
    tables: Vec<Table>,
}

struct Table {
    job: &'static str,
    columns: Vec<(usize, Vec<(String, f64)>)>,
}

impl Tables {
    /// An empty table; `unit` is that of the costs, `higher` the meaning of a higher ratio.
    pub(super) fn of(unit: &'static str, higher: &'static str) -> Self {
        Self {
            unit,
            higher,
            tables: Vec::new(),
        }
    }

    /// Adds the candidates' costs for one size. The first is the base of the ratios.
    pub(super) fn add(&mut self, job: &'static str, size: usize, taken: Vec<(String, f64)>) {
        let known = self.tables.iter_mut().find(|table| table.job == job);
        match known {
            Some(table) => table.columns.push((size, taken)),
            None => self.tables.push(Table {
                job,
                columns: vec![(size, taken)],
            }),
        }
    }
}

impl Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            let each = format!("{} per frame", self.unit);
            table.write(f, &each, |taken, _| format!("{taken:.0}"))?;
            let ratio = format!("ratio to the base, higher is {}", self.higher);
            table.write(f, &ratio, |taken, base| format!("{:.2}", base / taken))?;
        }
        Ok(())
    }
}

impl Table {
    fn write(
        &self,
        f: &mut fmt::Formatter<'_>,
        unit: &str,
        cell: impl Fn(f64, f64) -> String,
    ) -> fmt::Result {
        write!(f, "\n### {}, {unit}\n\n| |", self.job)?;
        for (size, _) in &self.columns {
            write!(f, " {size} |")?;
        }
        write!(f, "\n|---|{}", "---|".repeat(self.columns.len()))?;
        for name in self.names() {
            write!(f, "\n| {name} |")?;
            for (_, taken) in &self.columns {
                let base = taken[0].1;
                match taken.iter().find(|(other, _)| other == name) {
                    Some((_, one)) => write!(f, " {} |", cell(*one, base))?,
                    None => write!(f, " |")?,
                }
            }
        }
        writeln!(f)
    }

    fn names(&self) -> Vec<&String> {
        let mut names = Vec::new();
        for (_, taken) in &self.columns {
            for (name, _) in taken {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}
