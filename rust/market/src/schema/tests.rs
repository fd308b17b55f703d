//! Tests of [`Schema`].

use super::*;

#[test]
fn text_comes_back() {
    for text in [
        "symbol=s,price=p",
        "symbol=s,price=p,size=q,time=T:ms,seq=u",
        "symbol=data.s,price=data.c.0,time=t:iso8601,time=T:ns,each=list.0",
        "symbol=0,price=1,each=.",
        "symbol=s,price=p,each=data,only=data.e:trade|agg:Trade",
        "symbol=s,bid=b,ask=a",
        "symbol=s,price=p,size=q,side=m:false|true,time=T:ms,seq=u,bid=b,bid_size=B,ask=a,ask_size=A,each=.",
    ] {
        assert_eq!(Schema::parse(text).map(|s| s.to_string()).as_deref(), Ok(text));
    }
}

#[test]
fn order_is_free_and_milliseconds_are_understood() {
    let schema = Schema::parse("time=T,price=p,symbol=s").expect("a schema");
    assert_eq!(schema.to_string(), "symbol=s,price=p,time=T:ms");
}

#[test]
fn default_is_what_its_text_says() {
    let text = "symbol=symbol,price=price,size=size,side=side,time=t_ms:ms,time=t_ns:ns,seq=seq,bid=bid,bid_size=bid_size,ask=ask,ask_size=ask_size";
    assert_eq!(Schema::default().to_string(), text);
    assert_eq!(Schema::parse(text), Ok(Schema::default()));
}

#[test]
fn each_fault_is_reported_apart() {
    let fault = |text: &str| Schema::parse(text).expect_err("a fault");
    let got = |text: &str| excerpt(text);
    assert_eq!(fault(""), SchemaError::NoAssignment { got: got("") });
    assert_eq!(
        fault("symbol=s,price"),
        SchemaError::NoAssignment { got: got("price") }
    );
    assert_eq!(fault("name=s"), SchemaError::UnknownField { got: got("name") });
    assert_eq!(
        fault("symbol=a..b"),
        SchemaError::MalformedPath { got: got("a..b") }
    );
    assert_eq!(
        fault("symbol=s;price=p").to_string(),
        "schema: expected a comma before each further part, got \"s;price=p\""
    );
    assert_eq!(fault("symbol=."), SchemaError::MalformedPath { got: got(".") });
    assert_eq!(
        fault("symbol=a.b.c.d.e.f.g.h.i"),
        SchemaError::MalformedPath {
            got: got("a.b.c.d.e.f.g.h.i")
        }
    );
    assert_eq!(fault("time=T:min"), SchemaError::UnknownUnit { got: got("min") });
    for text in ["only=e", "only=e:", "only=e:a||b", "only=:"] {
        assert_eq!(fault(text), SchemaError::NoValue { got: got(&text[5..]) });
    }
    assert_eq!(fault("only=e:a,only=e:b"), SchemaError::Twice { field: "only" });
    assert_eq!(
        fault("only=a..b:c"),
        SchemaError::MalformedPath { got: got("a..b") }
    );
    assert_eq!(
        fault("time=a,time=b,time=c,time=d,time=e"),
        SchemaError::TooManyTimes
    );
    assert_eq!(fault("symbol=s,symbol=t"), SchemaError::Twice { field: "symbol" });
    assert_eq!(fault("symbol=s"), SchemaError::Missing { field: "price" });
    assert_eq!(fault("symbol=s,bid=b"), SchemaError::Missing { field: "ask" });
    assert_eq!(fault("symbol=s,ask=a"), SchemaError::Missing { field: "bid" });
    for text in [
        "side=m:b",
        "side=m:b|",
        "side=m:|s",
        "side=m:b|s|t",
        "side=m:buy|BUY",
    ] {
        assert_eq!(fault(text), SchemaError::NoSides { got: got(&text[5..]) });
    }
    assert_eq!(fault("side=a,side=b"), SchemaError::Twice { field: "side" });
    assert_eq!(fault("price=p"), SchemaError::Missing { field: "symbol" });
    assert_eq!(fault(&"x".repeat(1_025)), SchemaError::TooLong { bytes: 1_025 });
}
