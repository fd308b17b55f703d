use super::*;
use crate::{Decimal, NO_SEQUENCE, NO_TIME, Side, SymbolTableError};

/// The trades of one line, with the names of their symbols.
fn parse(schema: &str, line: &str) -> Result<Vec<(String, Trade)>, MessageError> {
    let mut parser = NdjsonParser::new(Schema::parse(schema).expect("a schema"));
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let count = parser.parse_line(line.as_bytes(), &mut symbols, &mut out)?;
    assert_eq!(count, out.len());
    let name = |trade: &Trade| symbols.name(trade.symbol).map(String::from);
    Ok(out
        .iter()
        .map(|trade| (name(trade).expect("in the table"), *trade))
        .collect())
}

const DEFAULT: &str = "symbol=symbol,price=price,size=size,side=side,time=t_ms:ms,time=t_ns:ns,seq=seq";

fn one(schema: &str, line: &str) -> (String, Trade) {
    let mut trades = parse(schema, line).unwrap_or_else(|error| panic!("{line}: {error}"));
    assert_eq!(trades.len(), 1, "{line}");
    trades.remove(0)
}

fn error(line: &str) -> MessageError {
    parse(DEFAULT, line).expect_err(line)
}

#[test]
fn line_of_the_ticker_is_read() {
    let (name, trade) = one(
        DEFAULT,
        r#"{"v":1,"symbol":"BTC","price":65000.10,"t_ms":1700000000123,"seq":7,"size":0.25}"#,
    );
    assert_eq!(name, "BTC");
    assert_eq!(trade.price.to_string(), "65000.10");
    assert_eq!(trade.size.to_string(), "0.25");
    assert_eq!((trade.time_ns, trade.sequence), (1_700_000_000_123_000_000, 7));
}

#[test]
fn absent_fields_are_reported_by_their_values() {
    let (_, trade) = one(DEFAULT, r#"{"price":1,"symbol":"A","seq":null,"t_ms":null}"#);
    assert_eq!(
        (trade.size, trade.time_ns, trade.sequence),
        (Decimal::ZERO, NO_TIME, NO_SEQUENCE)
    );
    let (_, trade) = one(DEFAULT, r#"{"price":1,"symbol":"A","t_ns":5}"#);
    assert_eq!(trade.time_ns, 5);
    let (_, trade) = one(DEFAULT, r#"{"price":1,"symbol":"A","t_ns":5,"t_ms":2}"#);
    assert_eq!(trade.time_ns, 2_000_000, "the first of the schema's times counts");
}

#[test]
fn numbers_may_stand_in_texts_and_keep_their_digits() {
    let (name, trade) = one(
        "symbol=s,price=p,size=q,time=T,seq=u",
        r#" { "u" : "9007199254740993", "p":"0.10","q":"1e2","T":"1700000000000","s":"é\u0042\/","p2":[1,{"p":3}]} "#,
    );
    assert_eq!(name, "éB/");
    assert_eq!(trade.price.to_string(), "0.10");
    assert_eq!(trade.size.to_string(), "100");
    assert_eq!(trade.sequence, 9_007_199_254_740_993);
    let (name, trade) = one(DEFAULT, r#"{"symbol":42,"price":"\u0031.5"}"#);
    assert_eq!((name.as_str(), trade.price.to_string().as_str()), ("42", "1.5"));
}

#[test]
fn paths_lead_through_objects_and_arrays() {
    let (name, trade) = one(
        "symbol=data.s,price=data.c.0,size=data.c.1,time=data.t:iso8601",
        r#"{"stream":"x","data":{"c":["1.5","2"],"s":"BTC","t":"1970-01-01T00:00:01Z"}}"#,
    );
    assert_eq!((name.as_str(), trade.time_ns), ("BTC", 1_000_000_000));
    assert_eq!(
        (trade.price.to_string(), trade.size.to_string()),
        ("1.5".into(), "2".into())
    );
    let (name, _) = one("symbol=1,price=2", r#"[9,"ETH",3.5,{}]"#);
    assert_eq!(name, "ETH");
    // A path may end where another continues.
    let (name, trade) = one("symbol=a.s,price=a.p,seq=a", r#"{"a":{"s":"X","p":1},"a":5}"#);
    assert_eq!((name.as_str(), trade.sequence), ("X", 5));
}

#[test]
fn messages_with_many_trades() {
    let schema = "symbol=s,price=p,each=data";
    let trades = parse(
        schema,
        r#"{"data":[{"s":"A","p":1},{"kind":"note"},{"s":"B","p":2}],"n":1}"#,
    );
    let names: Vec<String> = trades
        .expect("well-formed")
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(parse(schema, r#"{"data":[]}"#), Ok(vec![]));
    assert_eq!(
        parse(schema, r#"{"data":[{"x":1}]}"#),
        Err(MessageError::NotATrade)
    );
    assert_eq!(parse(schema, r#"{"s":"A","p":1}"#), Err(MessageError::NotATrade));
    let refusal = |schema, text| parse(schema, text).expect_err("refused").to_string();
    assert_eq!(
        refusal(schema, r#"{"data":{"s":1}}"#),
        r#"expected an array of trades at "data", got "{\"s\":1}""#
    );
    assert_eq!(
        refusal("symbol=s,price=p,each=.", " 5"),
        "expected an array of trades, got \"5\""
    );
    assert_eq!(
        parse("symbol=s,price=p,each=.", r#"[{"s":"A","p":1}]"#).map(|q| q.len()),
        Ok(1)
    );
}

#[test]
fn malformed_element_refuses_the_whole_message() {
    let mut parser = NdjsonParser::new(Schema::parse("symbol=s,price=p,each=.").expect("a schema"));
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let line = br#"[{"s":"A","p":1},{"s":"B"}]"#;
    let result = parser.parse_line(line, &mut symbols, &mut out);
    assert_eq!(result, Err(MessageError::Missing { field: "price" }));
    assert!(out.is_empty());
}

#[test]
fn each_fault_is_reported_apart() {
    for line in [
        r#"{"gap":3}"#,
        "{}",
        "[]",
        "5",
        "null",
        r#""text""#,
        r#"{"symbol":null}"#,
    ] {
        assert_eq!(error(line), MessageError::NotATrade, "{line}");
    }
    assert_eq!(
        error(r#"{"symbol":"A"}"#),
        MessageError::Missing { field: "price" }
    );
    assert_eq!(error(r#"{"price":1}"#), MessageError::Missing { field: "symbol" });
    for (line, field) in [
        (r#"{"symbol":"A","price":"x"}"#, "price"),
        (r#"{"symbol":"A","price":true}"#, "price"),
        (r#"{"symbol":"A","price":1234567890123456789}"#, "price"),
        (r#"{"symbol":"A","price":1,"size":-1}"#, "size"),
        (r#"{"symbol":"A","price":1,"seq":-1}"#, "seq"),
        (r#"{"symbol":"A","price":1,"seq":18446744073709551615}"#, "seq"),
        (r#"{"symbol":"A","price":1,"t_ms":9223372036854775807}"#, "time"),
        (r#"{"symbol":{},"price":1}"#, "symbol"),
        (r#"{"symbol":"\ud800","price":1}"#, "symbol"),
    ] {
        assert!(
            matches!(error(line), MessageError::Value { field: got, .. } if got == field),
            "{line}: {:?}",
            error(line)
        );
    }
    assert!(matches!(
        error(r#"{"symbol":"A B","price":1}"#),
        MessageError::Symbol(SymbolTableError::Name(_))
    ));
    for line in [
        "{",
        "{\"symbol\":}",
        "{} {}",
        "{'a':1}",
        "[1,]",
        "{\"price\":01}",
        "\"\u{1}\"",
        "nul",
        "}",
    ] {
        assert!(
            matches!(error(line), MessageError::NotJson { .. }),
            "{line}: {:?}",
            error(line)
        );
    }
    assert_eq!(
        error(r#"{"price":x}"#),
        MessageError::NotJson {
            column: 10,
            got: Excerpt::new(b"x}")
        }
    );
}

#[test]
fn white_space_is_no_message_and_other_bytes_are_no_text() {
    assert_eq!(parse(DEFAULT, " \t\r"), Ok(vec![]));
    let mut parser = NdjsonParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::new(), Vec::new());
    let result = parser.parse_line(b"{\"a\":\"\xff\"}", &mut symbols, &mut out);
    assert_eq!(result, Err(MessageError::NotUtf8 { position: 6 }));
    let marked = b"\xef\xbb\xbf{\"symbol\":\"A\",\"price\":1}";
    assert_eq!(parser.parse_line(marked, &mut symbols, &mut out), Ok(1));
}

#[test]
fn deep_nesting_is_an_error_or_skipped_and_nothing_worse() {
    let deep = "[".repeat(100_000);
    assert!(matches!(error(&deep), MessageError::NotJson { .. }));
    let closed = format!("{}{}", deep, "]".repeat(100_000));
    let line = format!(r#"{{"x":{closed},"symbol":"A","price":1}}"#);
    assert_eq!(parse(DEFAULT, &line).map(|trades| trades.len()), Ok(1));
}

#[test]
fn malformed_lines_add_no_symbols() {
    let mut parser = NdjsonParser::new(Schema::default());
    let (mut symbols, mut out) = (SymbolTable::with_limit(1), Vec::new());
    let mut result = |line: &str| parser.parse_line(line.as_bytes(), &mut symbols, &mut out);
    assert!(result(r#"{"symbol":"A","price":"?"}"#).is_err());
    assert_eq!(result(r#"{"symbol":"B","price":1}"#), Ok(1));
    let full = MessageError::Symbol(SymbolTableError::Full { limit: 1 });
    assert_eq!(result(r#"{"symbol":"C","price":1}"#), Err(full));
    assert_eq!(symbols.names().collect::<Vec<_>>(), ["B"]);
}

#[test]
fn only_messages_of_the_selected_types_are_trades() {
    const SCHEMA: &str = "symbol=s,price=data.p,only=data.e:trade|agg Trade";
    let line = |kind: &str| format!(r#"{{"s":"A","data":{{"e":{kind},"p":"?"}},"e":"trade"}}"#);
    let is_read = |kind| match parse(SCHEMA, &line(kind)) {
        Err(MessageError::NotATrade) => false,
        Err(MessageError::Value { field: "price", .. }) => true,
        other => panic!("{other:?}"),
    };
    for kind in [r#""trade""#, r#""agg Trade""#, r#""tr\u0061de""#] {
        assert!(is_read(kind), "{kind}");
    }
    for kind in [
        r#""trades""#,
        r#""trade|agg Trade""#,
        "null",
        "1",
        "[\"trade\"]",
        "\"trade\\\\\"",
    ] {
        assert!(!is_read(kind), "{kind}");
    }
    // A heartbeat with a symbol is malformed unless it is left out.
    let heartbeat = r#"{"s":"A","data":{"e":"heartbeat"}}"#;
    assert_eq!(parse(SCHEMA, heartbeat), Err(MessageError::NotATrade));
    let all = parse("symbol=s,price=data.p", heartbeat);
    assert_eq!(all, Err(MessageError::Missing { field: "price" }));
    let numbers = "symbol=s,price=p,only=kind:7";
    assert_eq!(
        parse(numbers, r#"{"s":"A","p":1,"kind":7}"#).map(|trades| trades.len()),
        Ok(1)
    );
    assert_eq!(
        parse(numbers, r#"{"s":"A","p":1,"kind":8}"#),
        Err(MessageError::NotATrade)
    );
}

#[test]
fn type_of_a_message_with_many_trades_is_its_own() {
    const SCHEMA: &str = "symbol=s,price=p,each=data,only=channel:trade";
    let line =
        |channel: &str| format!(r#"{{"data":[{{"s":"A","p":1}},{{"s":"B","p":2}}],"channel":"{channel}"}}"#);
    assert_eq!(parse(SCHEMA, &line("trade")).map(|trades| trades.len()), Ok(2));
    assert_eq!(parse(SCHEMA, &line("ticker")), Err(MessageError::NotATrade));
}

const QUOTES: &str = "symbol=s,price=p,side=m:false|true,bid=b,bid_size=B,ask=a,ask_size=A";

#[test]
fn quote_stands_beside_a_trade() {
    let (_, trade) = one(
        QUOTES,
        r#"{"s":"A","p":"1.5","m":true,"b":"1.40","B":"3","a":1.60,"A":"0.5"}"#,
    );
    assert_eq!(
        (trade.price.to_string(), trade.side),
        ("1.5".to_owned(), Some(Side::Sell))
    );
    let quote = trade.quote.expect("a quote");
    assert_eq!(format!("{quote:?}"), "1.40 x 3 / 1.60 x 0.5");
}

#[test]
fn quote_alone_is_worth_its_middle() {
    let (_, trade) = one(QUOTES, r#"{"s":"A","b":"1.40","a":"1.61","m":null}"#);
    assert_eq!(
        (trade.price.to_string(), trade.size),
        ("1.505".to_owned(), Decimal::ZERO)
    );
    assert_eq!((trade.side, trade.quote.is_some()), (None, true));
    // Half a quote is none.
    let (_, trade) = one(QUOTES, r#"{"s":"A","p":1,"b":"1.40","a":null}"#);
    assert_eq!(trade.quote, None);
}

#[test]
fn quote_without_a_side_and_a_foreign_side_are_refused() {
    let fault = |schema: &str, line: &str| parse(schema, line).expect_err(line).to_string();
    assert_eq!(
        fault(QUOTES, r#"{"s":"A","b":1}"#),
        "ask: expected a value, got none"
    );
    assert_eq!(
        fault(QUOTES, r#"{"s":"A","a":1}"#),
        "bid: expected a value, got none"
    );
    assert_eq!(fault(QUOTES, r#"{"s":"A"}"#), "price: expected a value, got none");
    assert_eq!(
        fault("symbol=s,bid=b,ask=a", r#"{"s":"A"}"#),
        "bid: expected a value, got none"
    );
    assert_eq!(
        fault(QUOTES, r#"{"a":1,"b":2}"#),
        "symbol: expected a value, got none"
    );
    assert!(fault(QUOTES, r#"{"s":"A","b":1,"a":2,"A":-1}"#).starts_with("ask_size: expected"));
    assert!(fault(QUOTES, r#"{"s":"A","p":1,"m":"x"}"#).starts_with("side: expected the value of a buyer"));
    assert!(fault("symbol=s,bid=b,ask=a", r#"{"s":"A","b":1e-18,"a":2e-18}"#).starts_with("bid: expected"));
}

#[test]
fn sides_are_read_in_either_case() {
    let side = |text: &str| {
        one(DEFAULT, &format!(r#"{{"symbol":"A","price":1,"side":{text}}}"#))
            .1
            .side
    };
    assert_eq!(
        [side("\"BUY\""), side("\"sell\""), side("null")],
        [Some(Side::Buy), Some(Side::Sell), None]
    );
}
