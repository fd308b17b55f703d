//! Tests of [`CsvParser`].

use super::*;
use crate::{NO_SEQUENCE, NO_TIME};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn parse(schema: &str, lines: &[&str]) -> Vec<Result<usize, MessageError>> {
    let mut parser = CsvParser::new(Schema::parse(schema).expect("a schema"));
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let mut line = |line: &&str| parser.parse_line(line.as_bytes(), &mut symbols, &mut out);
    lines.iter().map(&mut line).collect()
}

fn no_column(field: &'static str, column: &str, header: &str) -> Result<usize, MessageError> {
    Err(MessageError::NoColumn {
        field,
        column: Excerpt::new(column.as_bytes()),
        header: header.into(),
    })
}

#[test]
fn header_names_the_columns_in_any_order() {
    let mut parser = CsvParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    for line in [
        "\u{feff}seq, price ,note,symbol,t_ms,t_ns",
        "3,65000.10,\"a \"\"b\"\", c\",BTC,1700000000123,",
        "",
        ",0.5,,\"E,TH\",,7\r",
    ] {
        let result = parser.parse_line(line.trim_end_matches('\r').as_bytes(), &mut symbols, &mut out);
        assert!(result.is_ok(), "{line}: {result:?}");
    }
    assert_eq!(symbols.names().collect::<Vec<_>>(), ["BTC", "E,TH"]);
    assert_eq!(
        (out[0].price.to_string().as_str(), out[0].sequence),
        ("65000.10", 3)
    );
    assert_eq!(out[0].time_ns, 1_700_000_000_123_000_000);
    assert_eq!((out[1].time_ns, out[1].sequence), (7, NO_SEQUENCE));
}

#[test]
fn white_space_around_numbers_and_times_is_left_out() {
    let mut parser = CsvParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let mut line = |text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
    assert_eq!(line("symbol, price, size, t_ns, seq"), Ok(0));
    assert_eq!(line("BTC, 5.50,\t2 , 7 , 3"), Ok(1));
    assert_eq!(line("BTC, 6, , ,"), Ok(1));
    assert!(matches!(
        line("BTC, 5 5,,,"),
        Err(MessageError::Value { field: "price", .. })
    ));
    let texts: Vec<String> = out.iter().map(|trade| trade.price.to_string()).collect();
    assert_eq!(texts, ["5.50", "6"]);
    assert_eq!((out[0].time_ns, out[0].sequence), (7, 3));
    assert_eq!((out[1].time_ns, out[1].sequence), (NO_TIME, NO_SEQUENCE));
    assert_eq!(out[0].size.to_string(), "2");
}

#[test]
fn schema_names_columns_with_dots() {
    assert_eq!(parse("symbol=a.b,price=c", &["a.b,c", "X,1"]), [Ok(0), Ok(1)]);
}

#[test]
fn rows_of_another_type_are_no_trades() {
    let lines = ["s,p,kind", "A,1,trade", "A,,heartbeat", "A,2,", "A,3,fill"];
    let other = Err(MessageError::NotATrade);
    let expected = [Ok(0), Ok(1), other.clone(), other, Ok(1)];
    assert_eq!(parse("symbol=s,price=p,only=kind:trade|fill", &lines), expected);
    let missing = parse("symbol=s,price=p,only=type:trade", &lines[..1]);
    assert_eq!(missing, [no_column("only", "type", lines[0])]);
}

#[test]
fn one_column_may_serve_two_fields() {
    let mut parser = CsvParser::new(Schema::parse("symbol=s,price=n,size=n").expect("a schema"));
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    for line in ["s,n", "X,1.5"] {
        parser
            .parse_line(line.as_bytes(), &mut symbols, &mut out)
            .expect("well-formed");
    }
    assert_eq!((out[0].price, out[0].time_ns), (out[0].size, NO_TIME));
}

#[test]
fn each_fault_is_reported_apart_and_the_next_line_is_read() {
    let wide = ",".repeat(5_000);
    let results = parse(
        "symbol=s,price=p",
        &[
            "x,y", "s,y", "s,p,x", "A,1", "A,1,2,3", "A,?,", ",,", "A,,", "\"A,1,", &wide, "A,1,x",
        ],
    );
    assert_eq!(results[0], no_column("symbol", "s", "x,y"));
    assert_eq!(results[1], no_column("price", "p", "s,y"));
    assert_eq!(results[2], Ok(0));
    assert_eq!(results[3], Err(MessageError::CellCount { expected: 3, got: 2 }));
    assert_eq!(results[4], Err(MessageError::CellCount { expected: 3, got: 4 }));
    assert!(matches!(
        results[5],
        Err(MessageError::Value { field: "price", .. })
    ));
    assert_eq!(results[6], Err(MessageError::NotATrade));
    assert_eq!(results[7], Err(MessageError::Missing { field: "price" }));
    assert_eq!(results[8], Err(MessageError::OpenCell { cell: 1 }));
    assert_eq!(results[9], Err(MessageError::TooManyCells { limit: MAX_CELLS }));
    assert_eq!(results[10], Ok(1));
}

#[test]
fn quotation_marks_enclose_whole_cells() {
    let texts = |lines: &[&str]| -> Vec<String> {
        let results = parse("symbol=symbol,price=price", lines).into_iter();
        results
            .map(|result| result.map_or_else(|error| error.to_string(), |count| count.to_string()))
            .collect()
    };
    let loose = "expected quotation marks around it and doubled ones within it, got";
    assert_eq!(
        texts(&[
            "symbol,price",
            "A,\"12",
            "34\"",
            "A,\"5",
            "\"D\"x\"y\",9",
            "A,1\"2",
            "\"A\" ,1",
            "\"B\"\"\",\"7\"",
            "\"\"\"C\",7\r",
        ]),
        [
            "0".to_owned(),
            "cell 2: expected a closing quotation mark, got the end of the line".to_owned(),
            format!("cell 1: {loose} \"\\\"\""),
            "cell 2: expected a closing quotation mark, got the end of the line".to_owned(),
            format!("cell 1: {loose} \"\\\"D\\\"x\\\"y\\\",9\""),
            format!("cell 2: {loose} \"\\\"2\""),
            format!("cell 1: {loose} \"\\\"A\\\" ,1\""),
            "1".to_owned(),
            "1".to_owned(),
        ]
    );
}

#[test]
fn column_that_is_missing_is_named() {
    let results = parse("symbol=s,price=last", &["s,price"]);
    let text = results[0].as_ref().map_err(ToString::to_string);
    assert_eq!(
        text,
        Err("price: expected a column \"last\" in the header, got s,price".to_owned())
    );
    let wide = "ä,".repeat(200);
    let Err(MessageError::NoColumn { header, .. }) = &parse("symbol=s,price=p", &[&wide])[0] else {
        panic!("expected a missing column");
    };
    assert_eq!((header.len(), header.ends_with(",ä")), (159, false));
}

#[test]
fn line_after_one_with_too_many_cells_is_read_right() {
    let mut parser = CsvParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let mut line = |text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
    assert_eq!(line(""), Ok(0));
    assert_eq!(line("symbol,price"), Ok(0));
    assert_eq!(line(" \t"), Ok(0));
    for wide in ["x,".repeat(1_025), "x,".repeat(1_024), ",".repeat(1_025)] {
        assert_eq!(line(&wide), Err(MessageError::TooManyCells { limit: MAX_CELLS }));
        assert_eq!(line("ABC,12.5"), Ok(1));
    }
    assert_eq!(symbols.names().collect::<Vec<_>>(), ["ABC"]);
    assert!(out.iter().all(|trade| trade.price.to_string() == "12.5"));
}

#[test]
fn carriage_return_within_a_line_is_refused() {
    let results = parse("symbol=s,price=p", &["s,p", "A,1\rB,2", "A,1\r"]);
    assert_eq!(
        results,
        [Ok(0), Err(MessageError::LooseReturn { position: 3 }), Ok(1)]
    );
}

#[test]
fn reset_expects_a_header() {
    let mut parser = CsvParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let mut line =
        |parser: &mut CsvParser, text: &str| parser.parse_line(text.as_bytes(), &mut symbols, &mut out);
    assert_eq!(line(&mut parser, "symbol,price"), Ok(0));
    parser.reset();
    assert_eq!(line(&mut parser, "price,symbol"), Ok(0));
    assert_eq!(line(&mut parser, "1,A"), Ok(1));
}

#[test]
fn columns_of_a_quote_replace_that_of_a_price() {
    let schema = "symbol=s,price=p,bid=b,ask=a";
    assert_eq!(
        parse(schema, &["s,a,b", "A,2,1", "A,,1"])[1..],
        [Ok(1), Err(MessageError::Missing { field: "ask" })]
    );
    assert_eq!(parse(schema, &["s,a"]), [no_column("price", "p", "s,a")]);
    let quotes = "symbol=s,bid=b,ask=a";
    assert_eq!(parse(quotes, &["s,a"]), [no_column("bid", "b", "s,a")]);
    assert_eq!(parse(quotes, &["s,b"]), [no_column("ask", "a", "s,b")]);
}

#[test]
fn quotation_marks_around_every_cell_change_nothing() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let texts = ["", "A", " 1.5", "2 ", "x", "-3e2", "ä", "\u{a0}4", "5"];
    for _ in 0..5_000 {
        let cells: Vec<&str> = (0..generator.gen_range(1..6))
            .map(|_| texts[generator.gen_range(0..9)])
            .collect();
        let (plain, quoted) = (cells.join(","), format!("\"{}\"", cells.join("\",\"")));
        let read = |row: &str| {
            let mut parser = CsvParser::new(Schema::parse("symbol=s,price=p,size=q").expect("a schema"));
            let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
            let mut line = |line: &str| parser.parse_line(line.as_bytes(), &mut symbols, &mut out);
            assert_eq!(line("s,other,q,p"), Ok(0));
            (line(row), out)
        };
        assert!(
            plain.trim().is_empty() || read(&plain) == read(&quoted),
            "{plain}"
        );
    }
}
