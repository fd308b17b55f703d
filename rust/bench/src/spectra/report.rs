//! The tables, in Markdown.

use std::fmt::{self, Display};

/// Times in ns of each candidate, by size, for each job.
#[derive(Default)]
pub(super) struct Tables {
    tables: Vec<Table>,
}

struct Table {
    job: &'static str,
    columns: Vec<(usize, Vec<(String, f64)>)>,
}

impl Tables {
    /// Adds the candidates' times for one size. The first is the base of the ratios.
    pub(super) fn add(&mut self, job: &'static str, size: usize, times: Vec<(String, f64)>) {
        let known = self.tables.iter_mut().find(|table| table.job == job);
        match known {
            Some(table) => table.columns.push((size, times)),
            None => self.tables.push(Table {
                job,
                columns: vec![(size, times)],
            }),
        }
    }
}

impl Display for Tables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            table.write(f, "ns per frame", |time, _| format!("{time:.0}"))?;
            table.write(f, "ratio to the base, higher is faster", |time, base| {
                format!("{:.2}", base / time)
            })?;
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
            for (_, times) in &self.columns {
                let base = times[0].1;
                match times.iter().find(|(other, _)| other == name) {
                    Some((_, time)) => write!(f, " {} |", cell(*time, base))?,
                    None => write!(f, " |")?,
                }
            }
        }
        writeln!(f)
    }

    fn names(&self) -> Vec<&String> {
        let mut names = Vec::new();
        for (_, times) in &self.columns {
            for (name, _) in times {
                if !names.contains(&name) {
                    names.push(name);
                }
            }
        }
        names
    }
}
