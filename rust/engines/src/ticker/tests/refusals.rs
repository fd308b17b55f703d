//! Values that an engine refuses, and limits that it accepts.

use super::*;

#[test]
fn refusals_say_expected_and_got() {
    let rate = |updates_per_second| {
        TickerEngine::new(TickerConfiguration {
            updates_per_second,
            ..TickerConfiguration::default()
        })
        .err()
        .map(|error| error.to_string())
    };
    assert_eq!(
        rate(0.0).as_deref(),
        Some("updates per second: expected 0.001 to 10000000, got 0")
    );
    assert_eq!(
        rate(f64::NAN).as_deref(),
        Some("updates per second: expected 0.001 to 10000000, got NaN")
    );
    assert_eq!(
        rate(f64::INFINITY).as_deref(),
        Some("updates per second: expected 0.001 to 10000000, got inf")
    );
    assert_eq!(rate(2.0), None);

    let (_runtime, engine) = engine(TickerConfiguration::default());
    let (listener, _heard) = recorder();
    let refused = engine.start_tracking(&[], listener).err().expect("refused");
    assert_eq!(refused.to_string(), "symbols: expected at least one, got none");
    let refused = engine
        .start_pulling(&["A"], Overflow::DropOldest, 0, NoBell)
        .err()
        .expect("refused");
    assert_eq!(
        refused.to_string(),
        "capacity: expected 1 to 1048576 elements, got 0"
    );
    engine.shut_down();
    let refused = engine.start_pulling(&["A"], Overflow::DropOldest, 1, NoBell);
    assert!(matches!(refused, Err(TickerError::ShutDown)));
}

#[test]
fn numbers_at_the_ends_of_their_ranges_are_taken_and_those_beyond_are_not() {
    let rate = |updates_per_second| {
        let configuration = TickerConfiguration {
            updates_per_second,
            ..TickerConfiguration::default()
        };
        TickerEngine::on(Arc::new(Runtime::manual(0)), configuration).is_ok()
    };
    let (least, most) = (*RATE_RANGE.start(), *RATE_RANGE.end());
    assert_eq!(
        [least, most, least.next_down(), most.next_up(), -1.0].map(rate),
        [true, true, false, false, false]
    );
    let (_runtime, engine) = engine(TickerConfiguration::default());
    let capacity = |capacity| {
        let started = engine.start_pulling(&["A"], Overflow::DropNewest, capacity, NoBell);
        started.is_ok()
    };
    assert_eq!(
        [1, MAX_LANE_CAPACITY, 0, MAX_LANE_CAPACITY + 1, usize::MAX].map(capacity),
        [true, true, false, false, false]
    );
    let name = "A".repeat(rustle_market::MAX_SYMBOL_BYTES + 1);
    let named = |symbols: &[&str]| {
        let started = engine.start_pulling(symbols, Overflow::DropNewest, 1, NoBell);
        started.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(named(&[&name[1..]]), Ok(()));
    assert!(named(&[&name]).is_err());
    let numbers: Vec<String> = (0..=rustle_market::MAX_SYMBOLS).map(|n| n.to_string()).collect();
    let names: Vec<&str> = numbers.iter().map(String::as_str).collect();
    assert_eq!(named(&names[1..]), Ok(()));
    assert!(named(&names).is_err());
}
