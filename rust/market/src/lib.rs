//! Market data: trades with exact prices, their formats for reading and writing, candles and statistics that are derived from
//! them, and simulations of a market. No clock, no thread, no file.
#![forbid(unsafe_code)]

pub mod alert;
pub mod backoff;
pub mod candle;
pub mod csv;
pub mod decimal;
pub mod excerpt;
pub mod gap;
pub mod gbm;
pub mod lines;
pub mod message;
pub mod ndjson;
pub mod parser;
mod per_symbol;
pub mod quote;
pub mod replay;
pub mod schema;
pub mod sequence;
pub mod statistics;
pub mod subscription;
pub mod symbol;
pub mod symbol_table;
pub mod time;
pub mod trade;
pub mod update;
pub mod walk;
pub mod write;

pub use alert::{AlertError, Direction, ThresholdAlert};
pub use backoff::{Backoff, BackoffError, BackoffSettings};
pub use candle::{Candle, CandleBuilder, LatenessError, MAX_LATE_INTERVALS, Placement};
pub use csv::CsvParser;
pub use decimal::{Decimal, DecimalError, DecimalSum, MAX_DIGITS, MAX_SCALE, Turnover};
pub use excerpt::Excerpt;
pub use gap::{parse_gap, write_gap};
pub use gbm::{GbmError, GbmParameters, GeometricBrownianMotion, LARGEST_RATE, NS_PER_YEAR};
pub use lines::{DEFAULT_LINE_BYTES, LineSplitter};
pub use message::MessageError;
pub use ndjson::NdjsonParser;
pub use parser::{Format, TradeParser};
pub use quote::Quote;
pub use replay::{Due, Pace, ReplayClock, SPEEDS, SpeedError};
pub use schema::{MAX_TIMES, MessageType, Schema, SchemaError, SideField, TimeField, TimeUnit};
pub use sequence::{Arrival, SequenceTotals, SequenceTracker};
pub use statistics::{DEFAULT_WINDOW_ENTRIES, RollingStatistics, Statistics};
pub use subscription::{parse_subscription, parse_token, write_subscription, write_token};
pub use symbol::{MAX_SYMBOL_BYTES, MAX_SYMBOLS, Symbol, SymbolError, SymbolList};
pub use symbol_table::{SymbolTable, SymbolTableError};
pub use time::{Interval, IntervalError};
pub use trade::{NO_SEQUENCE, NO_TIME, Side, Trade};
pub use update::PriceUpdate;
pub use walk::RandomWalk;
pub use write::{CSV_HEADER, write_csv, write_ndjson};
